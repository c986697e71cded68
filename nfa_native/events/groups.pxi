# Groups: partial matches of one state with the same registers, in lists (`groups.hpp`), and the tables by which they are found.

cdef extern from "nfa_native/events/groups.hpp" namespace "spaseq::events" nogil:
    const int64_t NEVER
    const int64_t NOT_SET
    const int64_t NO_VALUE
    const size_t LEAST_TO_ERASE "spaseq::events::GroupList::LEAST_TO_ERASE"

    cdef struct GuardSpec:
        uint32_t register_
        RegisterTest test
        uint32_t column

    cdef struct Head:
        int64_t youngest
        uint32_t node

    cdef cppclass Skyline "spaseq::Skyline":
        pass

    cdef cppclass GroupList:
        uint32_t width
        uint32_t partition
        uint32_t state
        uint32_t epoch
        int64_t base
        size_t first
        bint is_ordered
        size_t living
        vector[int64_t] records
        vector[uint32_t] nodes
        vector[Head] arriving
        Skyline skyline

    cdef struct Slot:
        uint64_t hash
        int64_t number
        uint32_t list

    size_t groups_of(const GroupList* list)
    int64_t* record_of(GroupList* list, size_t place)
    int64_t youngest_in(const GroupList* list, size_t place)
    void empty_list(GroupList* list)
    void add_group(GroupList* list, const int64_t* registers, uint32_t node, int64_t youngest)
    void keep_groups(GroupList* list, size_t first, int64_t least)
    void drop_front(GroupList* list, int64_t least)
    bint pass_all(const int64_t* registers, const GuardSpec* guards, size_t count, const int64_t* bounds)
    void rejuvenate_zones(GroupList* list, size_t place)
    int64_t group_before(
        GroupList* list, int64_t end, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t floor,
        uint64_t* scanned,
    )
    int64_t youngest_of(
        GroupList* list, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t least, uint64_t* scanned
    )
    void add_step "spaseq::add_step"(Skyline* skyline, int64_t value, int64_t youngest)
    void drop_steps "spaseq::drop_steps"(Skyline* skyline, int64_t least)
    int64_t youngest_below "spaseq::youngest_below"(const Skyline* skyline, int64_t bound, int64_t least)

cdef enum:
    NO_LIST = 0xFFFFFFFF
    FEW_SLOTS = 64        # of a table that nothing is in


cdef inline void put_slot(FlatTable[Slot]* table, uint64_t hash, uint32_t list, int64_t number) noexcept nogil:
    """Enter what is not there; there is room."""
    cdef Slot one
    one.hash = hash
    one.list = list
    one.number = number
    table.put(one)
