# Zone maps: groups in the order in which they entered, with the extremes of each 32, 1024 and 32768 of them, so that a
# search passes over what cannot hold.  A group's place counts from those that are there; its number, from the list's
# beginning, stays the same, and may wrap.

cdef enum:
    FAN = 5                      # 2 ** FAN groups make a zone of level 0, as many zones one of the next level
    NO_GROUP = -1                # no place


cdef inline uint32_t kind_of_order(word_t word) noexcept nogil:
    """Words of one kind compare with each other; 0: it compares with nothing that a zone could tell."""
    if tag_of(word) == TAG_DECIMAL:
        return TAG_INTEGER if is_short(<int64_t>word >> 9) else 0
    if tag_of(word) == TAG_DATETIME:
        return <uint32_t>(word & 0x1F)
    return tag_of(word) if tag_of(word) == TAG_INTEGER or tag_of(word) == TAG_DOUBLE else 0


cdef inline bint is_short(int64_t number) noexcept nogil:
    """A double holds the number exactly."""
    return -(<int64_t>1 << 53) <= number <= <int64_t>1 << 53


cdef inline Measured measured(word_t word) noexcept nogil:
    """A word of some kind of order.  All is rounded once, which keeps the order."""
    cdef Measured out
    out.word = word
    if tag_of(word) == TAG_DECIMAL:
        out.about = <double>(<int64_t>word >> 9) / <double>POWERS_OF_TEN[(word >> 4) & 31]
    elif tag_of(word) == TAG_DOUBLE:
        out.about = <double>double_order(word)
    else:
        out.about = <double>(<int64_t>word >> (4 if tag_of(word) == TAG_INTEGER else 5))
    return out


cdef inline bint is_before(const Measured* a, const Measured* b) noexcept nogil:
    """Whether a < b, for values of one kind of order."""
    if a.about != b.about:
        return a.about < b.about
    return a.word != b.word and is_less(a.word, b.word) == 1


cdef inline uint32_t group_end(const GroupList* groups) noexcept nogil:
    """The number of the next group."""
    return groups.base + <uint32_t>groups.groups.size()


cdef inline bint widen(Zone* zone, const Group* group, uint32_t columns) noexcept nogil:
    """Take a group's values into a zone; whether its extremes change."""
    cdef bint changed = False
    cdef uint32_t i
    for i in range(columns):
        if is_before(&group.values[i], &zone.least[i]):
            zone.least[i] = group.values[i]
            changed = True
        elif is_before(&zone.most[i], &group.values[i]):
            zone.most[i] = group.values[i]
            changed = True
    return changed


cdef inline bint raise_start(Zone* zone, uint32_t start) noexcept nogil:
    """Take a group's youngest start into a zone; whether its own one changes."""
    if not older(zone.max_start, start):
        return False
    zone.max_start = start
    return True


cdef inline void begin_zone(Zone* zone, const Group* group) noexcept nogil:
    cdef uint32_t i
    for i in range(MOST_COMPARED):
        zone.least[i] = zone.most[i] = group.values[i]
    zone.max_start = group.max_start


cdef inline bint has_kinds(const GroupList* groups, const word_t* values) noexcept nogil:
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
    cdef const Group* group = groups.groups.data() + at
    cdef vector[Zone]* zones = groups.zones
    cdef vector[Zone]* end = zones + LEVELS
    cdef bint wider = True
    while zones != end:
        at >>= FAN
        if at == zones.size():
            zones.emplace_back()
            begin_zone(&zones.back(), group)
        else:
            wider = wider and widen(zones.data() + at, group, groups.columns)
            if not raise_start(zones.data() + at, group.max_start) and not wider:
                return              # what is in a zone is in those above it
        zones += 1


cdef inline void close_group(GroupList* groups) noexcept nogil:
    """The last group, which is new, is complete."""
    cdef const Group* last = &groups.groups.back()
    if groups.groups.size() > 1 and older(last.max_start, (last - 1).max_start):
        groups.rising = False
    enter_zones(groups, groups.groups.size() - 1)


cdef inline bint accepts(const Bound* bound, const Measured* value) noexcept nogil:
    """Whether a kept value passes a comparison."""
    cdef bint less = is_before(value, &bound.value) if bound.limit else is_before(&bound.value, value)
    return less != bound.inverted


cdef inline bint group_passes(const Bounds* bounds, const Group* group) noexcept nogil:
    cdef uint32_t i
    for i in range(bounds.count):
        if not accepts(&bounds.each[i], &group.values[bounds.each[i].slot]):
            return False
    return True


cdef inline bint zone_may_pass(const Bounds* bounds, const Zone* zone) noexcept nogil:
    """Each comparison alone may hold for some group of the zone."""
    cdef const Bound* one
    cdef const Measured* extreme
    cdef uint32_t i
    for i in range(bounds.count):
        one = &bounds.each[i]
        extreme = &zone.most[one.slot]
        if one.limit != one.inverted:
            extreme = &zone.least[one.slot]
        if not accepts(one, extreme):
            return False
    return True


cdef inline bint may_hold(const Zone* zone, const Bounds* bounds, uint32_t lo) noexcept nogil:
    return not older(zone.max_start, lo) and zone_may_pass(bounds, zone)


cdef inline int64_t pass_over_zones(
    const GroupList* groups, int64_t at, const Bounds* bounds, uint32_t lo
) noexcept nogil:
    """The next place to look at from group `at` downwards, by the widest zone around it that cannot hold anything."""
    cdef const vector[Zone]* zones = groups.zones + LEVELS
    cdef uint32_t shift = FAN * LEVELS
    while shift > 0:
        zones -= 1
        if not may_hold(zones.data() + (at >> shift), bounds, lo):
            return (at >> shift << shift) - 1
        shift -= FAN
    return at


cdef int64_t find_group(
    Kernel* k, const GroupList* groups, int64_t before, const Bounds* bounds, uint32_t lo
) noexcept nogil:
    """The place of the last group in front of `before` that passes and holds something from `lo` on, or NO_GROUP."""
    cdef int64_t at = before - 1
    cdef int64_t known = before         # groups from here on are in zones that may hold something
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
        group = groups.groups.data() + at
        if not older(group.max_start, lo) and group_passes(bounds, group):
            return at
        at -= 1
    return NO_GROUP


cdef int64_t find_youngest(Kernel* k, const GroupList* groups, const Bounds* bounds, uint32_t lo) noexcept nogil:
    """The place of a group that passes whose youngest start no other one's is after, or NO_GROUP."""
    cdef int64_t found = find_group(k, groups, <int64_t>groups.groups.size(), bounds, lo)
    cdef int64_t best = found
    if groups.rising:
        return best
    while found != NO_GROUP:
        best = found
        found = find_group(k, groups, found, bounds, groups.groups[found].max_start + 1)
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
