# Enumeration: the matches that end with an event, one after the other; it can pause after each.


cdef void begin_enumeration(Recognition* r) noexcept nogil:
    r.ending = 0
    r.given = 0
    r.enumerating = True
    r.visits.clear()
    visit_ending(r)


cdef void visit_ending(Recognition* r) noexcept nogil:
    cdef Visiting visit
    visit.node = r.endings[r.ending].node
    visit.depth = 0
    visit.alone = True
    r.visits.push_back(visit)


cdef inline void visit_later(Recognition* r, uint32_t node, uint32_t depth, int64_t least) noexcept nogil:
    """Visit a node if there is one, and something in it is young enough."""
    cdef Visiting visit
    if node == NO_NODE or not is_kept(&r.ring, node) or match_node(r, node).youngest < least:
        return
    visit.node = node
    visit.depth = depth
    visit.alone = False
    r.visits.push_back(visit)


cdef void lengthen_path(Recognition* r) noexcept nogil:
    """Room for twice as many picks; the path stays at the end."""
    cdef size_t size = r.path_positions.size()
    r.path_positions.insert(r.path_positions.begin(), size + 16, 0)
    r.path_states.insert(r.path_states.begin(), size + 16, 0)


cdef bint next_match(Recognition* r) noexcept nogil:
    """Walk to the next match, whose picks then are in the path, first one first; False: there is none."""
    cdef Visiting visit
    cdef const MatchNode* node
    cdef int64_t least
    cdef size_t place
    while True:
        if r.visits.empty():
            r.ending += 1
            if r.ending >= r.endings.size():
                return False
            visit_ending(r)
        least = r.endings[r.ending].least
        visit = r.visits.back()
        r.visits.pop_back()
        node = match_node(r, visit.node)
        if node.state == UNION:
            visit_later(r, node.sibling, visit.depth, least)
            visit_later(r, node.next, visit.depth, least)
            continue
        if not visit.alone:
            visit_later(r, node.sibling, visit.depth, least)
        if visit.depth >= r.path_positions.size():
            lengthen_path(r)
        place = r.path_positions.size() - 1 - visit.depth
        r.path_positions[place] = position_of(r, node.pos)
        r.path_states[place] = <uint16_t>node.state
        if node.next != NO_NODE:
            visit_later(r, node.next, visit.depth + 1, least)
        elif node.youngest >= least:
            r.path_begin = place
            return True


cdef inline int64_t position_of(const Recognition* r, uint32_t pos) noexcept nogil:
    """The whole position of a pick of the event at `position`."""
    return r.position - <int64_t>(<uint32_t>r.position - pos)


cdef void write_match(const Recognition* r, Found* out) noexcept nogil:
    """Append the match in the path."""
    cdef const int64_t* positions = r.path_positions.data() + r.path_begin
    cdef const uint16_t* states = r.path_states.data() + r.path_begin
    cdef size_t count = r.path_positions.size() - r.path_begin
    cdef size_t before = out.positions.size()
    cdef size_t kept = 0
    cdef size_t i
    out.starts.push_back(positions[0])
    out.ends.push_back(r.position)
    out.positions.resize(before + count)
    out.states.resize(before + count)
    for i in range(count):
        out.positions.data()[before + kept] = positions[i]
        out.states.data()[before + kept] = states[i]
        if r.all_marked or r.marked[states[i]]:
            kept += 1
    if kept < count:
        out.positions.resize(before + kept)
        out.states.resize(before + kept)
    out.offsets.push_back(<int64_t>(before + kept))


cdef bint is_interval(const Recognition* r) noexcept nogil:
    """The marked positions of the match in `path` follow each other; in a partition, among its own."""
    cdef int64_t last = -1
    cdef int64_t local
    cdef size_t i
    for i in range(r.path_begin, r.path_positions.size()):
        if not r.marked[r.path_states[i]]:
            continue
        local = local_of(r, r.path_positions[i])
        if last >= 0 and local != last + 1:
            return False
        last = local
    return True


cdef bint enumerate_some(Recognition* r, size_t most) noexcept nogil:
    """Write matches of the last event until there are `most` in all; whether that was the last of them."""
    while r.found.starts.size() < most:
        if r.limit >= 0 and r.given >= r.limit or not next_match(r):
            r.enumerating = False
            return True
        if r.strategy == STRICT_ONES and not is_interval(r):
            continue
        write_match(r, &r.found)
        r.given += 1
    return False
