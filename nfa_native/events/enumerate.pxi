# Enumeration: the matches that end with an event, one after the other; it can pause after each.  What it earns: Q4 to Q7 of
# `benchmarks.ceql`, with all matches out.


cdef void begin_enumeration(Recognition* r) noexcept nogil:
    r.scratch.ending = <size_t>-1
    r.scratch.given = 0
    r.scratch.enumerating = True
    r.scratch.visits.clear()
    if r.correlating != NULL:
        r.correlating.view_visits.clear()


cdef inline bint is_young(RecognizerState* s, uint32_t node, int64_t least) noexcept nogil:
    """Something in the set, if there is one, starts at `least` or later."""
    return node != NO_NODE and s.ring.has(node) and match_node(s, node).youngest >= least


cdef inline void visit_later(RecognizerScratch* w, uint32_t node, uint32_t depth) noexcept nogil:
    cdef Visiting visit
    visit.node = node
    visit.depth = depth
    w.visits.push_back(visit)


cdef void lengthen_path(RecognizerScratch* w) noexcept nogil:
    """Room for twice as many picks; the path stays at the end."""
    cdef size_t size = w.path_positions.size()
    w.path_positions.insert(w.path_positions.begin(), size + 16, 0)
    w.path_states.insert(w.path_states.begin(), size + 16, 0)


cdef bint next_match(Recognition* r) noexcept nogil:
    """Walk to the next match, whose picks then are in the path; False: there is none."""
    cdef Visiting visit
    while True:
        if not r.scratch.visits.empty():
            visit = r.scratch.visits.back()
            r.scratch.visits.pop_back()
            if visit.node == NO_NODE and not resume_view(r, r.scratch.endings[r.scratch.ending].least, &visit):
                continue
        else:
            r.scratch.ending += 1
            if r.scratch.ending >= r.scratch.endings.size():
                return False
            visit.node = r.scratch.endings[r.scratch.ending].node
            visit.depth = 0
        if descend(r, visit.node, visit.depth, r.scratch.endings[r.scratch.ending].least):
            return True


cdef inline bint descend(Recognition* r, uint32_t number, size_t depth, int64_t least) noexcept nogil:
    """Walk from a node to a first pick, leaving what branches off for later; False: the way ends too early."""
    cdef const MatchNode* node
    cdef size_t place
    while True:
        node = match_node(&r.state, number)
        if is_young(&r.state, node.sibling, least):
            visit_later(&r.scratch, node.sibling, <uint32_t>depth)
        if node.state == VIEW:
            number = enter_view(r, node.pos, depth, least)
            if number == NO_NODE:
                return False
            continue
        if node.state != UNION:
            if depth >= r.scratch.path_positions.size():
                lengthen_path(&r.scratch)
            place = r.scratch.path_positions.size() - 1 - depth
            r.scratch.path_positions[place] = position_of(&r.state, node.pos)
            r.scratch.path_states[place] = <uint16_t>(node.state & ~OF_VIEW)
            depth += 1
            if node.state & OF_VIEW:
                number = enter_view(r, node.next, depth, least)
                if number == NO_NODE:
                    return False
                continue
            if node.next == NO_NODE:
                r.scratch.path_begin = place
                return node.youngest >= least
        if not is_young(&r.state, node.next, least):
            return False
        number = node.next


cdef inline int64_t position_of(const RecognizerState* s, uint32_t pos) noexcept nogil:
    """The whole position of a pick of the event at `position`."""
    return s.position - <int64_t>(<uint32_t>s.position - pos)


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
    cdef const int64_t* positions = r.scratch.path_positions.data() + r.scratch.path_begin
    cdef const uint16_t* states = r.scratch.path_states.data() + r.scratch.path_begin
    cdef size_t count = r.scratch.path_positions.size() - r.scratch.path_begin
    cdef size_t i
    out.count += 1
    if r.program.is_chain:
        write_chain(out, positions, count)
        return
    out.starts.push_back(positions[0])
    out.ends.push_back(r.state.position)
    if r.program.all_marked:
        out.positions.insert(out.positions.end(), positions, positions + count)
        out.states.insert(out.states.end(), states, states + count)
    else:
        for i in range(count):
            if r.program.marked[states[i]]:
                out.positions.push_back(positions[i])
                out.states.push_back(states[i])
    out.offsets.push_back(<int64_t>out.positions.size())


cdef bint is_interval(const Recognition* r) noexcept nogil:
    """The marked positions of the match in `path` follow each other; in a partition, among its own."""
    cdef int64_t last = -1
    cdef int64_t local
    cdef size_t i
    for i in range(r.scratch.path_begin, r.scratch.path_positions.size()):
        if not r.program.marked[r.scratch.path_states[i]]:
            continue
        local = local_of(r, r.scratch.path_positions[i])
        if last >= 0 and local != last + 1:
            return False
        last = local
    return True


cdef bint enumerate_some(Recognition* r, size_t most) noexcept nogil:
    """Write matches of the last event until there are `most` in all; whether that was the last of them."""
    while r.scratch.found.count < most:
        if r.program.limit >= 0 and r.scratch.given >= r.program.limit or not next_match(r):
            r.scratch.enumerating = False
            return True
        if r.program.strategy == STRICT_ONES and not is_interval(r):
            continue
        write_match(r, &r.scratch.found)
        r.scratch.given += 1
    return False


cdef void clear_found(Found* found, bint is_chain) noexcept nogil:
    """No results; of a chain the room stays."""
    found.count = 0
    found.starts.clear()
    found.ends.clear()
    if not is_chain:
        found.positions.clear()
    found.states.clear()
    found.offsets.assign(1, 0)
