# Enumeration: the matches that end with an event, one after the other; it can pause after each.


cdef void begin_enumeration(Recognition* r) noexcept nogil:
    r.ending = <size_t>-1
    r.given = 0
    r.enumerating = True
    r.visits.clear()
    if r.correlating != NULL:
        r.correlating.view_visits.clear()


cdef inline bint is_young(Recognition* r, uint32_t node, int64_t least) noexcept nogil:
    """Something in the set, if there is one, starts at `least` or later."""
    return node != NO_NODE and r.ring.has(node) and match_node(r, node).youngest >= least


cdef inline void visit_later(Recognition* r, uint32_t node, uint32_t depth) noexcept nogil:
    cdef Visiting visit
    visit.node = node
    visit.depth = depth
    r.visits.push_back(visit)


cdef void lengthen_path(Recognition* r) noexcept nogil:
    """Room for twice as many picks; the path stays at the end."""
    cdef size_t size = r.path_positions.size()
    r.path_positions.insert(r.path_positions.begin(), size + 16, 0)
    r.path_states.insert(r.path_states.begin(), size + 16, 0)


cdef bint next_match(Recognition* r) noexcept nogil:
    """Walk to the next match, whose picks then are in the path; False: there is none."""
    cdef Visiting visit
    while True:
        if not r.visits.empty():
            visit = r.visits.back()
            r.visits.pop_back()
            if visit.node == NO_NODE and not resume_view(r, r.endings[r.ending].least, &visit):
                continue
        else:
            r.ending += 1
            if r.ending >= r.endings.size():
                return False
            visit.node = r.endings[r.ending].node
            visit.depth = 0
        if descend(r, visit.node, visit.depth, r.endings[r.ending].least):
            return True


cdef inline bint descend(Recognition* r, uint32_t number, size_t depth, int64_t least) noexcept nogil:
    """Walk from a node to a first pick, leaving what branches off for later; False: the way ends too early."""
    cdef const MatchNode* node
    cdef size_t place
    while True:
        node = match_node(r, number)
        if is_young(r, node.sibling, least):
            visit_later(r, node.sibling, <uint32_t>depth)
        if node.state == VIEW:
            number = enter_view(r, node.pos, depth, least)
            if number == NO_NODE:
                return False
            continue
        if node.state != UNION:
            if depth >= r.path_positions.size():
                lengthen_path(r)
            place = r.path_positions.size() - 1 - depth
            r.path_positions[place] = position_of(r, node.pos)
            r.path_states[place] = <uint16_t>(node.state & ~OF_VIEW)
            depth += 1
            if node.state & OF_VIEW:
                number = enter_view(r, node.next, depth, least)
                if number == NO_NODE:
                    return False
                continue
            if node.next == NO_NODE:
                r.path_begin = place
                return node.youngest >= least
        if not is_young(r, node.next, least):
            return False
        number = node.next


cdef inline int64_t position_of(const Recognition* r, uint32_t pos) noexcept nogil:
    """The whole position of a pick of the event at `position`."""
    return r.position - <int64_t>(<uint32_t>r.position - pos)


cdef inline void write_chain(Found* out, const int64_t* positions, size_t count) noexcept nogil:
    """Append as many positions."""
    cdef size_t before = (out.count - 1) * count
    cdef int64_t* target
    cdef size_t i
    if before + count > out.positions.size():
        out.positions.resize(2 * out.positions.size() + count)
    target = out.positions.data() + before
    for i in range(count):     # a few numbers: a call of memcpy would cost more
        target[i] = positions[i]


cdef inline void write_match(const Recognition* r, Found* out) noexcept nogil:
    """Append the match in the path; of a chain there may be room left behind it."""
    cdef const int64_t* positions = r.path_positions.data() + r.path_begin
    cdef const uint16_t* states = r.path_states.data() + r.path_begin
    cdef size_t count = r.path_positions.size() - r.path_begin
    cdef size_t i
    out.count += 1
    if r.is_chain:
        write_chain(out, positions, count)
        return
    out.starts.push_back(positions[0])
    out.ends.push_back(r.position)
    if r.all_marked:
        out.positions.insert(out.positions.end(), positions, positions + count)
        out.states.insert(out.states.end(), states, states + count)
    else:
        for i in range(count):
            if r.marked[states[i]]:
                out.positions.push_back(positions[i])
                out.states.push_back(states[i])
    out.offsets.push_back(<int64_t>out.positions.size())


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
    while r.found.count < most:
        if r.limit >= 0 and r.given >= r.limit or not next_match(r):
            r.enumerating = False
            return True
        if r.strategy == STRICT_ONES and not is_interval(r):
            continue
        write_match(r, &r.found)
        r.given += 1
    return False
