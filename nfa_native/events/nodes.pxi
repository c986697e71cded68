# The ring of nodes.


cdef inline MatchNode* match_node(RecognizerState* s, uint32_t number) noexcept nogil:
    return s.ring.at(number)


cdef inline bint is_of_view(const MatchNode* node) noexcept nogil:
    """It has a view: as a VIEW, or instead of a next node."""
    return node.state != UNION and node.state & OF_VIEW


cdef inline bint is_pick(const MatchNode* node) noexcept nogil:
    return node.state < VIEW


cdef inline uint32_t state_of(const MatchNode* node) noexcept nogil:
    """The state of a pick."""
    return node.state & ~<uint32_t>OF_VIEW


cdef inline bint begins(const MatchNode* node) noexcept nogil:
    """Nothing is picked before a pick."""
    return node.next == NO_NODE and not node.state & OF_VIEW


cdef inline void make_room(Recognition* r, int64_t start, int64_t least, uint32_t count) noexcept nogil:
    """Before an event that makes up to `count` nodes, and before which nothing started later than `start`."""
    invariant((r.state.attention - r.state.ring.head) >> 31 == 0)
    if r.state.attention - r.state.ring.head <= count:
        attend(r, start, least, count)


cdef void attend(Recognition* r, int64_t start, int64_t least, uint32_t count) noexcept nogil:
    """The same where the head comes to a mark, the end of the ring or of the numbers."""
    cdef AgingRing[MatchNode]* ring = &r.state.ring
    cdef uint32_t before
    if NO_NODE - ring.head <= count:
        ring.head = NO_NODE + 1
    if start != NEVER and ring.until_mark() <= count:
        ring.mark(start)
    if not ring.has_room(<uint64_t>count + 1):
        reclaim_or_widen(r, least, count)
    before = min(ring.mask - ring.count(), NO_NODE - ring.head, max(ring.until_mark(), count + 1))
    r.state.attention = ring.head + before


cdef void reclaim_or_widen(Recognition* r, int64_t least, uint32_t count) noexcept nogil:
    """Room for `count` nodes, and for as many as there are; or the ring is full."""
    cdef AgingRing[MatchNode]* ring = &r.state.ring
    cdef uint32_t tail = ring.tail
    if r.program.forgets:
        ring.forget(least)
    if ring.tail == tail:
        compact(r, least, count)
    while not ring.has_room(<uint64_t>ring.count() + count + 1):
        if ring.is_widest() or not ring.could_grow():
            r.scratch.is_full = not ring.has_room(<uint64_t>count + 1)
            return


cdef inline void make_much_room(Recognition* r, int64_t start, int64_t least) noexcept nogil:
    """Before an event that may make any number of nodes: a quarter of the ring is free."""
    attend(r, start, least, r.program.most_nodes)
    if r.state.ring.count() >= r.state.ring.mask // 4 * 3:
        reclaim_or_widen(r, least, r.program.most_nodes)


cdef inline bint has_room(Recognition* r) noexcept nogil:
    """There is room for some more nodes of the event under way, which may be many."""
    if r.state.ring.has_room(FEW_NODES + 1):
        return True
    if r.state.ring.is_widest() or not r.state.ring.could_grow():
        r.scratch.is_full = True
    return not r.scratch.is_full


cdef inline uint32_t add_node(
    RecognizerState* s, uint32_t state, uint32_t pos, uint32_t next, uint32_t sibling, int64_t youngest
) noexcept nogil:
    cdef uint32_t number = s.ring.take()
    cdef MatchNode* node = s.ring.at(number)
    invariant(next == NO_NODE or s.ring.has(next))
    node.youngest = youngest
    node.pos = pos
    node.next = next
    node.sibling = sibling
    node.state = state
    return number


cdef inline void unite(RecognizerState* s, Head* set, uint32_t node, int64_t youngest) noexcept nogil:
    """Add another set; the one with the youngest start comes first."""
    if set.node == NO_NODE:
        set.node = node
        set.youngest = youngest
    elif youngest >= set.youngest:
        set.node = add_node(s, UNION, 0, node, set.node, youngest)
        set.youngest = youngest
    else:
        set.node = add_node(s, UNION, 0, set.node, node, set.youngest)
