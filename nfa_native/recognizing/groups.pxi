# Groups: partial matches of one state with the same registers, in lists.
#
# A list keeps the order in which its groups came.  For every 32, 1,024 and 32,768 of them it knows the least value of each
# register and the youngest start (a zone map), so that a search for registers below a bound leaves out what cannot have any.

cdef enum:
    ZONE_BITS = 5
    ZONE_LEVELS = 3
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

cdef cppclass Zones:
    vector[int64_t] least         # of each register, zone by zone
    vector[int64_t] youngest

cdef cppclass GroupList:
    uint32_t width                # registers of a group
    uint32_t cell                 # partition and state
    uint32_t epoch                # of the partition when it was last emptied
    int64_t base                  # number of the first group stored; numbers are not used again
    size_t first                  # those before it are dead
    bint is_ordered               # no group is younger than one behind it
    size_t living                 # groups when dead ones were last looked for
    vector[int64_t] registers     # `width` for each group
    vector[int64_t] youngest
    vector[uint32_t] nodes
    vector[Head] arriving         # of merged groups: what the event under way adds
    vector[Zones] zones           # by level

# Where the list of a cell and key is, or where the group of a cell and registers is.
cdef struct Slot:
    uint64_t hash         # 0: nothing here
    int64_t number        # of the group in its list
    uint32_t list

cdef cppclass SlotTable:
    vector[Slot] slots            # a power of two of them
    size_t used


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    hash = (hash ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return hash ^ (hash >> 29)


cdef inline size_t groups_of(const GroupList* list) noexcept nogil:
    return list.youngest.size()


cdef void start_list(GroupList* list, uint32_t width, uint32_t cell) noexcept nogil:
    list.width = width
    list.cell = cell
    list.epoch = 0
    list.base = 0
    list.first = list.living = 0
    list.is_ordered = True
    list.zones.resize(ZONE_LEVELS)


cdef void empty_list(GroupList* list) noexcept nogil:
    cdef size_t level
    list.base += <int64_t>groups_of(list)
    list.first = list.living = 0
    list.is_ordered = True
    list.registers.clear()
    list.youngest.clear()
    list.nodes.clear()
    list.arriving.clear()
    for level in range(ZONE_LEVELS):
        list.zones[level].least.clear()
        list.zones[level].youngest.clear()


cdef void zone_in(GroupList* list, size_t number) noexcept nogil:
    """Let the zones know a group, the last one or one that became younger."""
    cdef const int64_t* registers = list.registers.data() + number * list.width
    cdef int64_t youngest = list.youngest[number]
    cdef size_t zone = number
    cdef Zones* zones
    cdef int64_t* least
    cdef size_t level, i
    for level in range(ZONE_LEVELS):
        zone >>= ZONE_BITS
        zones = &list.zones[level]
        if zone == zones.youngest.size():
            zones.youngest.push_back(youngest)
            zones.least.insert(zones.least.end(), registers, registers + list.width)
            continue
        least = zones.least.data() + zone * list.width
        for i in range(list.width):
            least[i] = min(least[i], registers[i])
        zones.youngest[zone] = max(zones.youngest[zone], youngest)


cdef void add_group(GroupList* list, const int64_t* registers, uint32_t node, int64_t youngest) noexcept nogil:
    if not list.youngest.empty() and youngest < list.youngest.back():
        list.is_ordered = False
    list.registers.insert(list.registers.end(), registers, registers + list.width)
    list.youngest.push_back(youngest)
    list.nodes.push_back(node)
    zone_in(list, groups_of(list) - 1)


cdef void keep_groups(GroupList* list, size_t first, int64_t least) noexcept nogil:
    """Only those from `first` on that started at `least` or later, closed up."""
    cdef size_t kept = 0
    cdef size_t number, i, level
    for number in range(first, groups_of(list)):
        if list.youngest[number] < least:
            continue
        for i in range(list.width):
            list.registers[kept * list.width + i] = list.registers[number * list.width + i]
        list.youngest[kept] = list.youngest[number]
        list.nodes[kept] = list.nodes[number]
        kept += 1
    list.registers.resize(kept * list.width)
    list.youngest.resize(kept)
    list.nodes.resize(kept)
    list.first = 0
    for level in range(ZONE_LEVELS):
        list.zones[level].least.clear()
        list.zones[level].youngest.clear()
    for number in range(kept):
        zone_in(list, number)


cdef void drop_front(GroupList* list, int64_t least) noexcept nogil:
    """Forget groups in front that started before `least`; numbers of the others stay."""
    cdef size_t first
    while list.first < groups_of(list) and list.youngest[list.first] < least:
        list.first += 1
    first = list.first
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


cdef inline bint may_have(
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


cdef int64_t group_before(
    const GroupList* list, int64_t last, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t floor,
    uint64_t* scanned,
) noexcept nogil:
    """The last group up to place `last` that passes and is not older than `floor`; -1: there is none."""
    cdef int64_t place = last
    cdef const Zones* zones
    cdef bint is_skipped
    cdef int64_t zone, level
    while place >= <int64_t>list.first:
        is_skipped = False
        if place == last or (place & ((1 << ZONE_BITS) - 1)) == (1 << ZONE_BITS) - 1:
            level = ZONE_LEVELS
            while level > 0 and not is_skipped:
                zone = place >> (ZONE_BITS * level)
                level -= 1
                if place != last and (place + 1) & (((<int64_t>1) << (ZONE_BITS * (level + 1))) - 1):
                    continue      # not the last one in this zone: it was looked at before
                zones = &list.zones.data()[level]
                scanned[0] += 1
                if zones.youngest.data()[zone] < floor or not may_have(
                    zones.least.data() + zone * list.width, guards, count, bounds
                ):
                    place = (zone << (ZONE_BITS * (level + 1))) - 1
                    is_skipped = True
        if is_skipped:
            continue
        scanned[0] += 1
        if list.youngest.data()[place] >= floor and pass_all(
            list.registers.data() + place * list.width, guards, count, bounds
        ):
            return place
        place -= 1
    return -1


cdef int64_t youngest_of(
    const GroupList* list, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t least,
    uint64_t* scanned,
) noexcept nogil:
    """The youngest start of the groups that pass; NEVER: there are none that started at `least` or later."""
    cdef int64_t found = NEVER
    cdef int64_t floor = max(least, NEVER + 1)
    cdef int64_t place = <int64_t>groups_of(list) - 1
    while True:
        place = group_before(list, place, guards, count, bounds, floor, scanned)
        if place < 0:
            return found
        found = list.youngest.data()[place]
        if list.is_ordered or found == NO_VALUE:
            return found
        floor = found + 1
        place -= 1


# ── tables ──


cdef inline Slot* slot_of(SlotTable* table, uint64_t hash) noexcept nogil:
    """The place to look from."""
    return &table.slots[hash & (table.slots.size() - 1)]


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
