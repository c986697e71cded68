# Results of NEXT and LAST where a start need not be in them: one for each start of the matches that have the best positions.
# What it earns: LAST of `benchmarks.outside`, projected.

ctypedef vector[int64_t] Positions


cdef void lay_path(Recognition* r, uint32_t pick) noexcept nogil:
    """The best match with this last pick as the path."""
    cdef size_t depth = 0
    while pick != NO_NODE:
        add_to_path(r, match_node(&r.state, pick), depth)
        depth += 1
        pick = pick_before(r, pick)


cdef inline void add_to_path(Recognition* r, const MatchNode* node, size_t depth) noexcept nogil:
    """A pick with so many behind it."""
    if depth >= r.scratch.path_positions.size():
        lengthen_path(&r.scratch)
    r.scratch.path_begin = r.scratch.path_positions.size() - 1 - depth
    r.scratch.path_positions[r.scratch.path_begin] = position_of(&r.state, node.pos)
    r.scratch.path_states[r.scratch.path_begin] = <uint16_t>state_of(node)


cdef void write_starts(Recognition* r, uint32_t pick) noexcept nogil:
    """Write a match with the marked positions of this one for each start that there is."""
    cdef Positions marked
    cdef set[int64_t] starts
    lay_path(r, pick)
    mark_path(r, &marked)
    r.scratch.seen.clear()
    r.scratch.ending = <size_t>-1
    r.scratch.visits.clear()
    while (r.program.limit < 0 or r.scratch.given < r.program.limit) and next_like(r, &marked):
        if starts.insert(r.scratch.path_positions[r.scratch.path_begin]).second:
            write_match(r, &r.scratch.found)
            r.scratch.given += 1


cdef void mark_path(const Recognition* r, Positions* out) noexcept nogil:
    """The marked positions of the match in the path."""
    cdef size_t i
    out.clear()
    for i in range(r.scratch.path_begin, r.scratch.path_positions.size()):
        if r.program.marked[r.scratch.path_states[i]]:
            out.push_back(r.scratch.path_positions[i])


cdef bint next_like(Recognition* r, const Positions* marked) noexcept nogil:
    """Walk to the next match with these marked positions; False: there is none."""
    cdef Visiting visit
    while True:
        if not r.scratch.visits.empty():
            visit = r.scratch.visits.back()
            r.scratch.visits.pop_back()
        else:
            r.scratch.ending += 1
            if r.scratch.ending >= r.scratch.endings.size():
                return False
            visit.node = r.scratch.endings[r.scratch.ending].node
            visit.depth = 0
            r.scratch.missing.assign(1, <uint32_t>marked.size())
        if descend_like(r, visit.node, visit.depth, r.scratch.endings[r.scratch.ending].least, marked):
            return True


cdef bint descend_like(
    Recognition* r, uint32_t number, size_t depth, int64_t least, const Positions* marked
) noexcept nogil:
    """As `descend`, but not where it has been with as many positions missing, nor where one of them is left out."""
    cdef const MatchNode* node
    cdef uint32_t missing
    while is_young(&r.state, number, least):
        missing = r.scratch.missing[depth]
        if not r.scratch.seen.insert(<uint64_t>number << 32 | missing).second:
            return False
        node = match_node(&r.state, number)
        if node.sibling != NO_NODE:
            visit_later(&r.scratch, node.sibling, <uint32_t>depth)
        if is_pick(node):
            if not fits(r, node, marked, &missing):
                return False
            add_to_path(r, node, depth)
            depth += 1
            r.scratch.missing.resize(depth + 1)
            r.scratch.missing[depth] = missing
            if begins(node):
                return missing == 0
        if is_of_view(node):
            visit_groups(r, view_number(node), <uint32_t>depth, least)
            return False
        number = node.next
    return False


cdef void visit_groups(Recognition* r, uint32_t view, uint32_t depth, int64_t least) noexcept nogil:
    """Leave all groups of a view for later."""
    cdef ViewVisit visit = visit_of(r.correlating, view)
    cdef uint32_t node
    while True:
        node = next_in_view(r.correlating, &visit, least)
        if node == NO_NODE:
            return
        visit_later(&r.scratch, node, depth)


cdef inline bint fits(Recognition* r, const MatchNode* node, const Positions* marked, uint32_t* missing) noexcept nogil:
    """The pick is the last one missing, or is not marked and comes after that."""
    cdef int64_t position = position_of(&r.state, node.pos)
    cdef int64_t wanted = marked.at(missing[0] - 1) if missing[0] else -1
    if r.program.marked[state_of(node)]:
        missing[0] -= position == wanted
        return position == wanted
    return position > wanted
