# Zone maps of lists of groups.
#
# For every 32, 1,024 and 32,768 groups a list knows the least value of each register and the youngest start, so that a search
# for registers below a bound leaves out what cannot have any.  Zones are made when something is looked for.


cdef void forget_zones(GroupList* list) noexcept nogil:
    cdef size_t level
    list.zoned = 0
    for level in range(<size_t>ZONE_LEVELS):
        list.zones[level].clear()


cdef inline void make_zones(GroupList* list) noexcept nogil:
    """Let the zones know all groups."""
    while list.zoned < list.count:
        zone_in(list, list.zoned)
        list.zoned += 1


cdef void zone_in(GroupList* list, size_t place) noexcept nogil:
    """Let the zones know the first group that they do not.  Larger zones are there when they are full."""
    cdef const int64_t* record = list.records.data() + place * list.width
    cdef size_t width = list.width
    cdef vector[int64_t]* zones = list.zones.data()
    cdef int64_t* zone
    cdef size_t i
    if place & IN_ZONE:
        zone = zones.data() + (place >> ZONE_BITS) * width
        zone[0] = max(zone[0], record[0])
        for i in range(1, width):
            zone[i] = min(zone[i], record[i])
        if place & IN_ZONE == IN_ZONE:
            fill_zones(list, place)
    else:
        zones.insert(zones.end(), record, record + width)


cdef void fill_zones(GroupList* list, size_t place) noexcept nogil:
    """The larger zones that end with a group, each out of smaller ones."""
    cdef size_t width = list.width
    cdef size_t level, part, i
    cdef const int64_t* smaller
    cdef int64_t* zone
    for level in range(1, <size_t>ZONE_LEVELS):
        place >>= ZONE_BITS
        if place & IN_ZONE != IN_ZONE:
            return
        smaller = list.zones[level - 1].data() + (place - IN_ZONE) * width
        list.zones[level].insert(list.zones[level].end(), smaller, smaller + width)
        zone = list.zones[level].data() + list.zones[level].size() - width
        for part in range(1, <size_t>IN_ZONE + 1):
            zone[0] = max(zone[0], smaller[part * width])
            for i in range(1, width):
                zone[i] = min(zone[i], smaller[part * width + i])


cdef void rejuvenate_zones(GroupList* list, size_t place) noexcept nogil:
    """Let the zones know that a group became younger."""
    cdef int64_t youngest = youngest_in(list, place)
    cdef size_t at = place
    cdef size_t level
    for level in range(<size_t>ZONE_LEVELS):
        at >>= ZONE_BITS
        if place < list.zoned and at * list.width < list.zones[level].size():
            list.zones[level].data()[at * list.width] = max(list.zones[level].data()[at * list.width], youngest)


cdef int64_t group_before(
    GroupList* list, int64_t end, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t floor,
    uint64_t* scanned,
) noexcept nogil:
    """The last group before place `end` that passes and is not older than `floor`; -1: there is none."""
    cdef const vector[int64_t]* zones
    cdef const int64_t* records = list.records.data()
    cdef const int64_t* zone
    cdef size_t width = list.width
    cdef int64_t first = <int64_t>list.first
    cdef int64_t place = end - 1
    cdef int64_t level
    cdef uint64_t seen = 0
    make_zones(list)
    zones = list.zones.data()
    while place >= first:
        # the largest zone that ends here (of the first place: the largest one around it) in which there is nothing
        level = largest_zone(list, place) if place == end - 1 else zones_ending_at(place)
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


cdef inline int64_t largest_zone(const GroupList* list, int64_t place) noexcept nogil:
    """The level of the largest zone that has a group."""
    cdef int64_t level = ZONE_LEVELS - 1
    while level > 0 and <size_t>(place >> (ZONE_BITS * (level + 1))) * list.width >= list.zones.data()[level].size():
        level -= 1
    return level


cdef int64_t youngest_of(
    GroupList* list, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t least,
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
