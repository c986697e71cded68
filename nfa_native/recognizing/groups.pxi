# Groups: partial matches of one state with the same registers, in lists.
#
# A list keeps the order in which its groups came.  Its zones and its stairs (`zones.pxi`, `stairs.pxi`) say which of them to
# look at.

cdef enum:
    ZONE_BITS = 5
    ZONE_LEVELS = 3
    IN_ZONE = 31          # the last place in the smallest zone
    NO_LIST = 0xFFFFFFFF
    LEAST_TO_ERASE = 64

# Values of registers that no event has.
cdef int64_t NOT_SET = NEVER                      # passes every test
cdef int64_t NO_BOUND = NEVER + 1                 # of an event: only what is not set passes
cdef int64_t NO_VALUE = 0x7FFFFFFFFFFFFFFF        # passes no test

cdef enum:
    LESS = 0
    EQUAL = 1
    DIFFERENT = 2

# A condition on a register of a transition's source.
cdef struct GuardSpec:
    uint32_t register_
    uint32_t test
    uint32_t column       # of the event's value that it is compared with

# A group of a list that no younger one with a smaller register makes needless for asking who is the youngest one below a
# bound.
cdef struct Stair:
    int64_t value         # of the register
    int64_t youngest

# Both values rise.
cdef cppclass Stairs:
    vector[Stair] steps
    size_t first          # those before it are dead

# A record has `width` values: the youngest start, then the registers; that of a zone the youngest start in it and the
# least value of each register.
cdef cppclass GroupList:
    uint32_t width                # of a record
    uint32_t partition
    uint32_t state
    uint32_t epoch                # of the partition when it was last emptied
    int64_t base                  # number of the first group stored; numbers are not used again
    size_t first                  # those before it are dead
    size_t count                  # groups stored, dead ones too: there is room for more
    size_t zoned                  # those that the zones know
    bint is_ordered               # no group is younger than one behind it
    size_t living                 # groups when dead ones were last looked for
    vector[int64_t] records
    vector[uint32_t] nodes
    vector[Head] arriving         # of merged groups: what the event under way adds
    vector[vector[int64_t]] zones # records by level
    Stairs stairs

# Where the list of a cell and key is, or where the group of a cell and registers is.
cdef struct Slot:
    uint64_t hash         # 0: nothing here
    int64_t number        # of the group in its list
    uint32_t list

cdef cppclass SlotTable:
    vector[Slot] slots            # a power of two of them
    size_t used


cdef inline size_t groups_of(const GroupList* list) noexcept nogil:
    return list.count


cdef inline int64_t* record_of(GroupList* list, size_t place) noexcept nogil:
    """The youngest start of a group, and behind it the registers."""
    return list.records.data() + place * list.width


cdef inline int64_t youngest_in(const GroupList* list, size_t place) noexcept nogil:
    return list.records.data()[place * list.width]


cdef void start_list(GroupList* list, uint32_t registers) noexcept nogil:
    list.width = registers + 1
    list.base = 0
    list.first = list.living = list.count = list.zoned = 0
    list.is_ordered = True
    list.zones.resize(ZONE_LEVELS)
    list.stairs.first = 0


cdef void empty_list(GroupList* list) noexcept nogil:
    list.base += <int64_t>groups_of(list)
    list.first = list.living = list.count = 0
    list.is_ordered = True
    list.arriving.clear()
    forget_zones(list)
    list.stairs.steps.clear()
    list.stairs.first = 0


cdef void widen_list(GroupList* list) noexcept nogil:
    """Room for more groups."""
    cdef size_t room = max(<size_t>4, 2 * list.count)
    list.records.resize(room * list.width)
    list.nodes.resize(room)


cdef inline void add_group(
    GroupList* list, const int64_t* registers, uint32_t node, int64_t youngest
) noexcept nogil:
    cdef int64_t* record
    cdef size_t i
    if list.count == list.nodes.size() or (list.count + 1) * list.width > list.records.size():
        widen_list(list)
    record = record_of(list, list.count)
    if list.count and youngest < youngest_in(list, list.count - 1):
        list.is_ordered = False
    record[0] = youngest
    for i in range(1, list.width):
        record[i] = registers[i - 1]
    list.nodes.data()[list.count] = node
    list.count += 1


cdef void keep_groups(GroupList* list, size_t first, int64_t least) noexcept nogil:
    """Only those from `first` on that started at `least` or later, closed up."""
    cdef size_t kept = 0
    cdef size_t place, i
    for place in range(first, groups_of(list)):
        if youngest_in(list, place) < least:
            continue
        for i in range(list.width):
            record_of(list, kept)[i] = record_of(list, place)[i]
        list.nodes.data()[kept] = list.nodes.data()[place]
        kept += 1
    list.count = kept
    list.first = 0
    forget_zones(list)


cdef inline void drop_front(GroupList* list, int64_t least) noexcept nogil:
    """Forget groups in front that started before `least`; numbers of the others stay."""
    cdef size_t first = list.first
    while first < groups_of(list) and youngest_in(list, first) < least:
        first += 1
    list.first = first
    if first >= LEAST_TO_ERASE and first * 2 > groups_of(list):
        list.base += <int64_t>first
        keep_groups(list, first, NEVER)


cdef inline bint passes(int64_t value, uint32_t test, int64_t bound) noexcept nogil:
    """Whether a register with the value satisfies the test."""
    if value == NOT_SET:
        return True
    if test == LESS:
        return value < bound
    if test == EQUAL:
        return value == bound
    return value != bound and value != NO_VALUE and bound != NO_BOUND


cdef inline bint pass_all(
    const int64_t* registers, const GuardSpec* guards, size_t count, const int64_t* bounds
) noexcept nogil:
    cdef size_t i
    for i in range(count):
        if not passes(registers[guards[i].register_], guards[i].test, bounds[i]):
            return False
    return True


cdef inline bint may_pass(
    const int64_t* least, const GuardSpec* guards, size_t count, const int64_t* bounds
) noexcept nogil:
    """Whether there may be registers that pass in a zone."""
    cdef size_t i
    for i in range(count):
        if guards[i].test == LESS and least[guards[i].register_] >= bounds[i]:
            return False
        if guards[i].test == EQUAL and least[guards[i].register_] > bounds[i]:
            return False
    return True


# ── tables ──


cdef void clear_slots(SlotTable* table, size_t size) noexcept nogil:
    cdef Slot nothing
    nothing.hash = 0
    nothing.number = 0
    nothing.list = NO_LIST
    table.slots.assign(size, nothing)
    table.used = 0


cdef void put_slot(SlotTable* table, uint64_t hash, uint32_t list, int64_t number) noexcept nogil:
    """Enter what is not there; there is room."""
    cdef size_t mask = table.slots.size() - 1
    cdef size_t place = hash & mask
    while table.slots[place].hash != 0:
        place = (place + 1) & mask
    table.slots[place].hash = hash
    table.slots[place].list = list
    table.slots[place].number = number
    table.used += 1


cdef size_t longest_in(const SlotTable* table):
    """The most slots in a row that are taken."""
    cdef vector[uint8_t] taken
    cdef size_t i
    for i in range(table.slots.size()):
        taken.safe_push_back(table.slots[i].hash != 0)
    return longest_run(taken)
