# Compaction: where the window does not free the ring from its tail on, what no head leads to any more is left out.


cdef void compact(Recognition* r, int64_t least, uint32_t count) noexcept nogil:
    """Keep what heads lead to, in the same order, if that and `count` nodes more leave half of the ring free."""
    cdef vector[uint32_t] renumbered
    cdef uint32_t live
    renumbered.resize(r.state.ring.count(), NO_NODE)
    live = mark_live(r, least, &renumbered)
    if r.correlating != NULL:
        live += mark_groups(r, least, &renumbered)
    if <uint64_t>(live + count) * 2 >= r.state.ring.mask:
        return
    if r.correlating != NULL:
        compact_views(r, &renumbered)
    move_live(r, &renumbered)
    renumber_heads(r, &renumbered)
    if r.correlating != NULL:
        renumber_groups(r, &renumbered)
    r.scratch.bests.clear()


cdef uint32_t mark_live(Recognition* r, int64_t least, vector[uint32_t]* live) noexcept nogil:
    """Mark all nodes that heads lead to, with their number, by their distance from the tail; how many there are."""
    cdef uint32_t count = 0
    cdef int64_t own
    cdef size_t i
    for i in range(r.state.heads.size()):
        own = least_of(r, i // r.program.width, least)
        count += mark_from(r, r.state.heads[i].node, own, live)
        count += mark_from(r, r.state.last[i].node, own, live)
    return count


cdef uint32_t mark_from(Recognition* r, uint32_t number, int64_t least, vector[uint32_t]* live) noexcept nogil:
    """Mark what a node leads to, itself too; how many were not marked before."""
    cdef const MatchNode* node
    cdef uint32_t count = 0
    r.scratch.asked.clear()
    r.scratch.asked.push_back(number)
    while not r.scratch.asked.empty():
        number = r.scratch.asked.back()
        r.scratch.asked.pop_back()
        if not is_young(&r.state, number, least) or live.data()[number - r.state.ring.tail] != NO_NODE:
            continue
        live.data()[number - r.state.ring.tail] = number
        count += 1
        node = match_node(&r.state, number)
        r.scratch.asked.push_back(node.sibling)
        if not is_of_view(node):
            r.scratch.asked.push_back(node.next)
    return count


cdef void move_live(Recognition* r, vector[uint32_t]* renumbered) noexcept nogil:
    """Move marked nodes towards the tail; what they are marked with becomes their new number."""
    cdef AgingRing[MatchNode]* ring = &r.state.ring
    cdef uint32_t number = ring.tail
    cdef size_t mark = ring.first_mark
    cdef MatchNode node
    cdef size_t i
    for i in range(renumbered.size()):
        while mark < ring.marks.size() and ring.marks[mark].head == <uint32_t>(ring.tail + i):
            ring.marks.data()[mark].head = number
            mark += 1
        if renumbered.data()[i] == NO_NODE:
            continue
        node = match_node(&r.state, renumbered.data()[i])[0]
        if not is_of_view(&node):
            node.next = new_number(r, renumbered, node.next)
        node.sibling = new_number(r, renumbered, node.sibling)
        if number == NO_NODE:
            number = 1
        match_node(&r.state, number)[0] = node
        renumbered.data()[i] = number
        number += 1
    ring.head = number
    for i in range(mark, ring.marks.size()):
        ring.marks.data()[i].head = number


cdef inline uint32_t new_number(Recognition* r, const vector[uint32_t]* renumbered, uint32_t number) noexcept nogil:
    """NO_NODE: it is not there any more."""
    cdef uint32_t place = number - r.state.ring.tail
    return renumbered.data()[place] if number != NO_NODE and place < renumbered.size() else <uint32_t>NO_NODE


cdef void renumber_heads(Recognition* r, const vector[uint32_t]* renumbered) noexcept nogil:
    cdef Head* head
    cdef LastEntry* last
    cdef size_t i
    for i in range(r.state.heads.size()):
        head = r.state.heads.data() + i
        last = r.state.last.data() + i
        head.node = new_number(r, renumbered, head.node)
        last.node = new_number(r, renumbered, last.node)
        if head.node == NO_NODE:
            head.youngest = NEVER
        if last.node == NO_NODE:
            last.youngest = NEVER
