# Zone maps: groups in the order in which they entered, with the extremes of each 32, 1024 and 32768 of them, so that a
# search passes over what cannot hold.  Numbers of groups count from the list's beginning and may wrap.

cdef enum:
    FAN = 5                      # 2 ** FAN groups make a zone of level 0, as many zones one of the next level
    NO_GROUP = 0xFFFFFFFF


cdef inline uint32_t kind_of_order(word_t word) noexcept nogil:
    """Words of one kind compare with each other; 0: it compares with nothing that a zone could tell."""
    if is_exact(word):
        return TAG_INTEGER
    if tag_of(word) == TAG_DATETIME:
        return <uint32_t>(word & 0x1F)
    return TAG_DOUBLE if tag_of(word) == TAG_DOUBLE else 0


cdef inline uint32_t group_end(const GroupList* groups) noexcept nogil:
    """The number of the next group."""
    return groups.base + <uint32_t>groups.groups.size()


cdef inline bint widen(Zone* zone, const Group* group, uint32_t columns) noexcept nogil:
    """Take a group's values into a zone; whether its extremes change."""
    cdef bint changed = False
    cdef uint32_t i
    for i in range(columns):
        if is_less(group.values[i], zone.least[i]) == 1:
            zone.least[i] = group.values[i]
            changed = True
        elif is_less(zone.most[i], group.values[i]) == 1:
            zone.most[i] = group.values[i]
            changed = True
    return changed


cdef inline void begin_zone(Zone* zone, const Group* group) noexcept nogil:
    cdef uint32_t i
    for i in range(MOST_COMPARED):
        zone.least[i] = zone.most[i] = group.values[i]
    zone.max_start = group.max_start


cdef bint has_kinds(const GroupList* groups, const word_t* values) noexcept nogil:
    """Whether values compare with all that the list has."""
    cdef uint32_t i
    for i in range(groups.columns):
        if kind_of_order(values[i]) != groups.kinds[i]:
            return False
    return True


cdef bint take_kinds(GroupList* groups, const word_t* values) noexcept nogil:
    """An empty list takes groups of the kind of the first one; False if that is none."""
    cdef uint32_t i
    for i in range(groups.columns):
        groups.kinds[i] = kind_of_order(values[i])
        if groups.kinds[i] == 0:
            return False
    return True


cdef void enter_zones(GroupList* groups, size_t at) noexcept nogil:
    """Widen the zones around the group at a place; those in front of it are in their zones."""
    cdef const Group* group = &groups.groups[at]
    cdef bint changed = True
    cdef uint32_t level
    cdef Zone* zone
    for level in range(LEVELS):
        at >>= FAN
        if at == groups.zones[level].size():
            groups.zones[level].emplace_back()
            begin_zone(&groups.zones[level].back(), group)
            continue
        zone = &groups.zones[level][at]
        changed = changed and widen(zone, group, groups.columns)    # what is in a zone is in those above it
        if older(zone.max_start, group.max_start):
            zone.max_start = group.max_start


cdef void add_group(GroupList* groups, const Group* group) noexcept nogil:
    """Append a group, whose values have the list's kinds."""
    if not groups.groups.empty() and older(group.max_start, groups.groups.back().max_start):
        groups.rising = False
    groups.groups.push_back(group[0])
    enter_zones(groups, groups.groups.size() - 1)


cdef inline bint accepts(const Bounds* bounds, uint32_t which, word_t value) noexcept nogil:
    """Whether a kept value passes the comparison `which`."""
    cdef const Bound* one = &bounds.each[which]
    cdef int less = is_less(value if one.limit else one.value, one.value if one.limit else value)
    return less != one.inverted


cdef inline bint group_passes(const Bounds* bounds, const Group* group) noexcept nogil:
    cdef uint32_t i
    for i in range(bounds.count):
        if not accepts(bounds, i, group.values[bounds.each[i].slot]):
            return False
    return True


cdef inline bint zone_may_pass(const Bounds* bounds, const Zone* zone) noexcept nogil:
    """Each comparison alone may hold for some group of the zone."""
    cdef const Bound* one
    cdef uint32_t i
    for i in range(bounds.count):
        one = &bounds.each[i]
        if not accepts(bounds, i, zone.least[one.slot] if one.limit != one.inverted else zone.most[one.slot]):
            return False
    return True


cdef inline bint may_hold(const Zone* zone, const Bounds* bounds, uint32_t lo) noexcept nogil:
    return not older(zone.max_start, lo) and zone_may_pass(bounds, zone)


cdef inline int64_t pass_over_zones(
    const GroupList* groups, int64_t at, const Bounds* bounds, uint32_t lo
) noexcept nogil:
    """The next place to look at from group `at` downwards, by the widest zone around it that cannot hold anything."""
    cdef uint32_t level = LEVELS
    cdef uint32_t shift
    while level > 0:
        shift = FAN * level
        level -= 1
        if not may_hold(&groups.zones[level][at >> shift], bounds, lo):
            return (at >> shift << shift) - 1
    return at


cdef uint32_t find_group(
    Kernel* k, const GroupList* groups, uint32_t before, const Bounds* bounds, uint32_t lo
) noexcept nogil:
    """The last group before number `before` that passes and holds something from `lo` on; its number, or NO_GROUP."""
    cdef int64_t at = <int64_t>(before - groups.base) - 1
    cdef int64_t known = at + 1         # groups from here on are in zones that may hold something
    cdef int64_t next
    cdef const Group* group
    while at >= 0:
        k.scanned += 1
        if at < known:
            next = pass_over_zones(groups, at, bounds, lo)
            if next != at:
                at = next
                continue
            known = at >> FAN << FAN
        group = &groups.groups[at]
        if not older(group.max_start, lo) and group_passes(bounds, group):
            return groups.base + <uint32_t>at
        at -= 1
    return NO_GROUP


cdef uint32_t find_youngest(Kernel* k, const GroupList* groups, const Bounds* bounds, uint32_t lo) noexcept nogil:
    """A group that passes whose youngest start no other one's is after; its number, or NO_GROUP."""
    cdef uint32_t found = find_group(k, groups, group_end(groups), bounds, lo)
    cdef uint32_t best = found
    if groups.rising:
        return best
    while found != NO_GROUP:
        best = found
        found = find_group(k, groups, found, bounds, groups.groups[found - groups.base].max_start + 1)
    return best


cdef void trim_groups(GroupList* groups, uint32_t lo) noexcept nogil:
    """Forget groups at the beginning that hold nothing from `lo` on, if they are half of the list or all of it."""
    cdef size_t dead = 0
    cdef size_t i
    while dead < groups.groups.size() and older(groups.groups[dead].max_start, lo):
        dead += 1
    if dead == groups.groups.size():
        empty_groups(groups)
    elif 2 * dead >= groups.groups.size():
        groups.groups.erase(groups.groups.begin(), groups.groups.begin() + dead)
        groups.base += <uint32_t>dead
        for i in range(LEVELS):
            groups.zones[i].clear()
        for i in range(groups.groups.size()):
            enter_zones(groups, i)


cdef void empty_groups(GroupList* groups) noexcept nogil:
    """An empty list, whose numbers go on."""
    cdef size_t i
    groups.base = group_end(groups)
    groups.groups.clear()
    for i in range(LEVELS):
        groups.zones[i].clear()
    groups.rising = True


cdef uint32_t new_list(Kernel* k, uint32_t columns) noexcept nogil:
    cdef uint32_t number
    if k.free_lists.empty():
        number = <uint32_t>k.lists.size()
        k.lists.emplace_back()
    else:
        number = k.free_lists.back()
        k.free_lists.pop_back()
    k.lists[number].base = 0
    k.lists[number].columns = columns
    k.lists[number].key.clear()
    empty_groups(&k.lists[number])
    return number


cdef void drop_list(Kernel* k, uint32_t number) noexcept nogil:
    """Views of it that are left hold nothing that is in the window."""
    empty_groups(&k.lists[number])
    k.free_lists.push_back(number)
