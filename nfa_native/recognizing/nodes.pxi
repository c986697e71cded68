# The ring of nodes.


cdef inline MatchNode* match_node(Recognition* r, uint32_t number) noexcept nogil:
    return &r.ring.nodes[number & r.ring.mask]


cdef inline bint is_of_view(const MatchNode* node) noexcept nogil:
    """It has a view: as a VIEW, or instead of a next node."""
    return node.state != UNION and node.state & OF_VIEW


cdef inline bint is_kept(const MatchRing* ring, uint32_t number) noexcept nogil:
    return number - ring.tail < ring.head - ring.tail


cdef void reclaim(Recognition* r, int64_t least) noexcept nogil:
    """Free what holds nothing that starts at `least` or later, if windows only move on."""
    cdef MatchRing* ring = &r.ring
    if not r.forgets:
        return
    while ring.first_mark < ring.marks.size() and ring.marks[ring.first_mark].start < least:
        ring.tail = ring.marks[ring.first_mark].head
        ring.first_mark += 1
    if ring.first_mark * 2 > ring.marks.size():
        ring.marks.erase(ring.marks.begin(), ring.marks.begin() + ring.first_mark)
        ring.first_mark = 0


cdef extern from *:
    """
    #include <vector>

    /* Whether there was memory for so many values. */
    template <class T> static bool resized(std::vector<T>& values, size_t size) noexcept {
        try {
            values.resize(size);
            return true;
        } catch (...) {
            return false;
        }
    }
    """
    bint resized[T](vector[T]& values, size_t size) noexcept nogil


cdef bint widen_ring(Recognition* r) noexcept nogil:
    """Room for twice as many nodes; False: there is no memory for them."""
    cdef MatchRing* ring = &r.ring
    cdef vector[MatchNode] wider
    cdef uint32_t size = 2 * <uint32_t>ring.nodes.size()
    cdef uint32_t i = ring.tail
    if not resized(wider, size):
        return False
    while i != ring.head:
        wider[i & (size - 1)] = ring.nodes[i & ring.mask]
        i += 1
    ring.nodes.swap(wider)
    ring.mask = size - 1
    return True


cdef inline void make_room(Recognition* r, int64_t start, int64_t least, uint32_t count) noexcept nogil:
    """Before an event that makes up to `count` nodes, and before which nothing started later than `start`."""
    invariant(r.ring.attention - r.ring.head < MOST_NODES)
    if r.ring.attention - r.ring.head <= count:
        attend(r, start, least, count)


cdef void attend(Recognition* r, int64_t start, int64_t least, uint32_t count) noexcept nogil:
    """The same where the head comes to a mark, the end of the ring or of the numbers."""
    cdef MatchRing* ring = &r.ring
    cdef RingMark mark
    cdef uint32_t before
    if NO_NODE - ring.head <= count:
        ring.head = NO_NODE + 1
    if start != NEVER and until_mark(ring) <= count:
        mark.start = start
        mark.head = ring.head
        ring.marks.push_back(mark)
    if ring.head - ring.tail + count >= ring.mask:
        reclaim_or_widen(r, least, count)
    before = min(ring.mask - (ring.head - ring.tail), NO_NODE - ring.head, max(until_mark(ring), count + 1))
    ring.attention = ring.head + before


cdef inline uint32_t until_mark(const MatchRing* ring) noexcept nogil:
    """How many nodes there are to be before the next mark."""
    cdef uint32_t since = MARK_EVERY if ring.marks.empty() else ring.head - ring.marks.back().head
    return MARK_EVERY - since if since < MARK_EVERY else 0


cdef void reclaim_or_widen(Recognition* r, int64_t least, uint32_t count) noexcept nogil:
    """Room for `count` nodes, and for as many as there are; or the ring is full."""
    cdef MatchRing* ring = &r.ring
    cdef uint32_t tail = ring.tail
    reclaim(r, least)
    if ring.tail == tail:
        compact(r, least, count)
    while <uint64_t>(ring.head - ring.tail) * 2 + count >= ring.mask:
        if ring.nodes.size() >= MOST_NODES or not widen_ring(r):
            r.is_full = ring.head - ring.tail + count >= ring.mask
            return


cdef inline void make_much_room(Recognition* r, int64_t start, int64_t least) noexcept nogil:
    """Before an event that may make any number of nodes: a quarter of the ring is free."""
    attend(r, start, least, r.most_nodes)
    if r.ring.head - r.ring.tail >= r.ring.mask // 4 * 3:
        reclaim_or_widen(r, least, r.most_nodes)


cdef inline bint has_room(Recognition* r) noexcept nogil:
    """There is room for some more nodes of the event under way, which may be many."""
    if r.ring.head - r.ring.tail + FEW_NODES < r.ring.mask:
        return True
    if r.ring.nodes.size() >= MOST_NODES or not widen_ring(r):
        r.is_full = True
    return not r.is_full


cdef inline uint32_t add_node(
    Recognition* r, uint32_t state, uint32_t pos, uint32_t next, uint32_t sibling, int64_t youngest
) noexcept nogil:
    cdef MatchNode* node
    cdef uint32_t number
    invariant(r.ring.head - r.ring.tail < r.ring.mask)
    invariant(next == NO_NODE or is_kept(&r.ring, next))
    if r.ring.head == NO_NODE:
        r.ring.head = 1
    number = r.ring.head
    r.ring.head += 1
    node = match_node(r, number)
    node.youngest = youngest
    node.pos = pos
    node.next = next
    node.sibling = sibling
    node.state = state
    return number


cdef inline void unite(Recognition* r, Head* set, uint32_t node, int64_t youngest) noexcept nogil:
    """Add another set; the one with the youngest start comes first."""
    if set.node == NO_NODE:
        set.node = node
        set.youngest = youngest
    elif youngest >= set.youngest:
        set.node = add_node(r, UNION, 0, node, set.node, youngest)
        set.youngest = youngest
    else:
        set.node = add_node(r, UNION, 0, set.node, node, set.youngest)
