# What is held: the events that a later result may pick, or a later condition ask for.


cdef void held_positions(Recognition* r, int64_t least, vector[int64_t]* out) noexcept nogil:
    """Their positions, rising; no window will begin before `least`."""
    cdef Renumbered numbers
    cdef const MatchNode* node
    cdef size_t i
    keep_nodes(r, least, &numbers.nodes)
    for i in range(numbers.nodes.size()):
        node = match_node(&r.state, r.state.ring.tail + <uint32_t>i)
        if numbers.nodes[i] != NO_NODE and is_pick(node):
            out.push_back(last_position_of(&r.state, node.pos))
    if r.correlating != NULL:
        keep_views(r, &numbers)
        keep_lists(r, least, &numbers)
        keep_listed(r, least, &numbers)
        for i in range(numbers.listed.size()):
            if numbers.listed[i] != NOT_SET:
                out.push_back(r.correlating.listed[i].position)
    sort(out.begin(), out.end())
    out.erase(unique(out.begin(), out.end()), out.end())
