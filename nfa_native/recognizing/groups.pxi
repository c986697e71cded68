# Groups: partial matches of one state with the same registers, in lists.
#
# A list keeps the order in which its groups came.  For every 32, 1,024 and 32,768 of them it knows the least value of each
# register and the youngest start (a zone map), so that a search for registers below a bound leaves out what cannot have any.

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

# Of the groups of a list those that no younger one with a smaller register makes needless for asking who is the youngest one
# below a bound: both values rise.
cdef cppclass Stairs:
    vector[int64_t] values        # of the register
    vector[int64_t] youngest
    size_t first                  # those before it are dead

# A record has `width` values: the youngest start, then the registers; that of a zone the youngest start in it and the
# least value of each register.
cdef cppclass GroupList:
    uint32_t width                # of a record
    uint32_t partition
    uint32_t state
    uint32_t epoch                # of the partition when it was last emptied
    int64_t base                  # number of the first group stored; numbers are not used again
    size_t first                  # those before it are dead
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


cdef inline uint64_t mixed(uint64_t hash, uint64_t value) noexcept nogil:
    hash = (hash ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return hash ^ (hash >> 29)


cdef inline size_t groups_of(const GroupList* list) noexcept nogil:
    return list.nodes.size()


cdef inline int64_t* record_of(GroupList* list, size_t place) noexcept nogil:
    """The youngest start of a group, and behind it the registers."""
    return list.records.data() + place * list.width


cdef inline int64_t youngest_in(const GroupList* list, size_t place) noexcept nogil:
    return list.records.data()[place * list.width]


cdef void start_list(GroupList* list, uint32_t registers) noexcept nogil:
    list.width = registers + 1
    list.base = 0
    list.first = list.living = 0
    list.is_ordered = True
    list.zones.resize(ZONE_LEVELS)
    list.stairs.first = 0


cdef void empty_list(GroupList* list) noexcept nogil:
    cdef size_t level
    list.base += <int64_t>groups_of(list)
    list.first = list.living = 0
    list.is_ordered = True
    list.records.clear()
    list.nodes.clear()
    list.arriving.clear()
    for level in range(<size_t>ZONE_LEVELS):
        list.zones[level].clear()
    list.stairs.values.clear()
    list.stairs.youngest.clear()
    list.stairs.first = 0


cdef void zone_in(GroupList* list, size_t place) noexcept nogil:
    """Let the zones know a group, the last one or one that became younger."""
    cdef const int64_t* record = list.records.data() + place * list.width
    cdef size_t width = list.width
    cdef vector[int64_t]* zones = list.zones.data()
    cdef size_t at = place
    cdef int64_t* zone
    cdef size_t level, i
    for level in range(<size_t>ZONE_LEVELS):
        at >>= ZONE_BITS
        if at * width == zones[level].size():
            zones[level].insert(zones[level].end(), record, record + width)
            continue
        zone = zones[level].data() + at * width
        if record[0] > zone[0]:
            zone[0] = record[0]
        for i in range(1, width):
            if record[i] < zone[i]:
                zone[i] = record[i]


cdef void add_group(GroupList* list, const int64_t* registers, uint32_t node, int64_t youngest) noexcept nogil:
    cdef size_t place = groups_of(list)
    if place and youngest < youngest_in(list, place - 1):
        list.is_ordered = False
    list.records.push_back(youngest)
    list.records.insert(list.records.end(), registers, registers + (list.width - 1))
    list.nodes.push_back(node)
    zone_in(list, place)


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
    list.records.resize(kept * list.width)
    list.nodes.resize(kept)
    list.first = 0
    for i in range(<size_t>ZONE_LEVELS):
        list.zones[i].clear()
    for place in range(kept):
        zone_in(list, place)


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


cdef int64_t group_before(
    const GroupList* list, int64_t end, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t floor,
    uint64_t* scanned,
) noexcept nogil:
    """The last group before place `end` that passes and is not older than `floor`; -1: there is none."""
    cdef const vector[int64_t]* zones = list.zones.data()
    cdef const int64_t* records = list.records.data()
    cdef const int64_t* zone
    cdef size_t width = list.width
    cdef int64_t first = <int64_t>list.first
    cdef int64_t place = end - 1
    cdef int64_t level
    cdef uint64_t seen = 0
    while place >= first:
        # the largest zone that ends here (of the first place: the largest one around it) in which there is nothing
        level = ZONE_LEVELS - 1 if place == end - 1 else zones_ending_at(place)
        while level >= 0:
            zone = zones[level].data() + (place >> (ZONE_BITS * (level + 1))) * <int64_t>width
            seen += 1
            if zone[0] < floor or not may_pass(zone + 1, guards, count, bounds):
                break
            level -= 1
        if level >= 0:
            place = ((place >> (ZONE_BITS * (level + 1))) << (ZONE_BITS * (level + 1))) - 1
            continue
        while True:      # the rest of its smallest zone, one by one
            seen += 1
            if records[place * <int64_t>width] >= floor and pass_all(
                records + place * <int64_t>width + 1, guards, count, bounds
            ):
                scanned[0] += seen
                return place
            place -= 1
            if place < first or (place & IN_ZONE) == IN_ZONE:
                break
    scanned[0] += seen
    return -1


cdef inline int64_t zones_ending_at(int64_t place) noexcept nogil:
    """The level of the largest zone whose last group it is; -1: it is none's."""
    cdef int64_t level = -1
    while level + 1 < ZONE_LEVELS and (place & IN_ZONE) == IN_ZONE:
        place >>= ZONE_BITS
        level += 1
    return level


cdef int64_t youngest_of(
    const GroupList* list, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t least,
    uint64_t* scanned,
) noexcept nogil:
    """The youngest start of the groups that pass; NEVER: there are none that started at `least` or later."""
    cdef int64_t found = NEVER
    cdef int64_t floor = max(least, NEVER + 1)
    cdef int64_t place = <int64_t>groups_of(list)
    while True:
        place = group_before(list, place, guards, count, bounds, floor, scanned)
        if place < 0:
            return found
        found = youngest_in(list, <size_t>place)
        if list.is_ordered or found == NO_VALUE:
            return found
        floor = found + 1


# ── stairs ──


cdef size_t count_below(const vector[int64_t]* values, size_t first, int64_t bound) noexcept nogil:
    """How many of rising values are below a bound, those before `first` too."""
    cdef size_t end = values.size()
    cdef size_t middle
    while first < end:
        middle = (first + end) // 2
        if values.data()[middle] < bound:
            first = middle + 1
        else:
            end = middle
    return first


cdef void add_step(Stairs* stairs, int64_t value, int64_t youngest) noexcept nogil:
    """Know a group, if no younger one has a smaller register, and forget those that it makes needless."""
    cdef size_t at = stairs.values.size()
    cdef size_t begin
    if value == NO_VALUE:
        return
    if at > stairs.first and stairs.youngest.back() > youngest:
        at = count_below(&stairs.youngest, stairs.first, youngest + 1)
        if stairs.values[at] <= value:
            return
    begin = at
    while begin > stairs.first and stairs.values.data()[begin - 1] >= value:
        begin -= 1
    if begin == at:
        stairs.values.insert(stairs.values.begin() + <ptrdiff_t>at, value)
        stairs.youngest.insert(stairs.youngest.begin() + <ptrdiff_t>at, youngest)
        return
    stairs.values.data()[begin] = value
    stairs.youngest.data()[begin] = youngest
    stairs.values.erase(stairs.values.begin() + <ptrdiff_t>(begin + 1), stairs.values.begin() + <ptrdiff_t>at)
    stairs.youngest.erase(stairs.youngest.begin() + <ptrdiff_t>(begin + 1), stairs.youngest.begin() + <ptrdiff_t>at)


cdef void drop_steps(Stairs* stairs, int64_t least) noexcept nogil:
    """Forget those that started before `least`."""
    while stairs.first < stairs.values.size() and stairs.youngest.data()[stairs.first] < least:
        stairs.first += 1
    if stairs.first >= LEAST_TO_ERASE and stairs.first * 2 > stairs.values.size():
        stairs.values.erase(stairs.values.begin(), stairs.values.begin() + <ptrdiff_t>stairs.first)
        stairs.youngest.erase(stairs.youngest.begin(), stairs.youngest.begin() + <ptrdiff_t>stairs.first)
        stairs.first = 0


cdef inline int64_t youngest_below(const Stairs* stairs, int64_t bound, int64_t least) noexcept nogil:
    """The youngest start of the groups below a bound; NEVER: there are none that started at `least` or later."""
    cdef size_t count = count_below(&stairs.values, stairs.first, bound)
    if count == stairs.first or stairs.youngest.data()[count - 1] < least:
        return NEVER
    return stairs.youngest.data()[count - 1]


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
