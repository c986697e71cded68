# Compaction of automata with registers: groups lead to nodes, and nodes to views.


cdef uint32_t mark_groups(Recognition* r, int64_t least, vector[uint32_t]* live) noexcept nogil:
    """Forget groups that are over, and mark all nodes that the others lead to; how many were not marked before.

    What a view shows are groups, too."""
    cdef Correlating* c = r.correlating
    cdef GroupList* list
    cdef int64_t own
    cdef uint32_t count = 0
    cdef size_t i, place
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        if list.partition >= c.epochs.size() or groups_of(list_at(c, current(r, <uint32_t>i))) == 0:
            continue
        own = least_of(r, list.partition, least)
        if c.cells[list.state].kind == RegisterCells.GROUPS:
            drop_front(list, own)
        for place in range(list.first, groups_of(list)):
            count += mark_from(r, list.nodes[place], own, live)
    for i in range(c.recents.size()):
        own = least_of(r, i // r.program.width, least)
        for place in range(c.recents[i].nodes.size()):
            count += mark_from(r, c.recents[i].nodes[place], own, live)
    return count


cdef void renumber_groups(Recognition* r, const vector[uint32_t]* renumbered) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef GroupList* list
    cdef size_t i, place
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        for place in range(groups_of(list)):
            list.nodes.data()[place] = new_number(r, renumbered, list.nodes.data()[place])
    for i in range(c.recents.size()):
        for place in range(c.recents[i].nodes.size()):
            c.recents[i].nodes.data()[place] = new_number(r, renumbered, c.recents[i].nodes.data()[place])


cdef inline uint32_t* view_of(MatchNode* node) noexcept nogil:
    """Where the number of its view is; NULL: it has none."""
    if not is_of_view(node):
        return NULL
    return &node.pos if node.state == VIEW else &node.next


cdef void compact_views(Recognition* r, const vector[uint32_t]* live) noexcept nogil:
    """Keep the views of marked nodes only, which learn their new numbers."""
    cdef Correlating* c = r.correlating
    cdef vector[uint32_t] numbers
    cdef uint32_t* view
    cdef uint32_t kept = c.views.tail
    cdef uint32_t place
    cdef size_t i
    numbers.resize(c.views.count(), 0)
    for i in range(live.size()):
        view = view_of(match_node(&r.state, live.at(i))) if live.at(i) != NO_NODE else NULL
        if view != NULL:
            numbers[view[0] - c.views.tail] = 1
    for place in range(<uint32_t>numbers.size()):
        if numbers[place]:
            view_at(c, kept)[0] = view_at(c, c.views.tail + place)[0]
            numbers[place] = kept
            kept += 1
    for i in range(live.size()):
        view = view_of(match_node(&r.state, live.at(i))) if live.at(i) != NO_NODE else NULL
        if view != NULL:
            view[0] = numbers[view[0] - c.views.tail]
    c.views.head = kept
