# The step of plain symbols, without branches that depend on what the window still holds.  Starts only grow, so what enters a
# state is never older than what is there.


cdef inline bint enter_plainly(
    MatchRing* ring, uint32_t state, uint32_t pos, const Head* source, Head* head, int64_t least
) noexcept nogil:
    """What waits in `source` enters with an event; a node is written in any case, and counts if it is not over: True."""
    cdef MatchNode* node = &ring.nodes.data()[ring.head & ring.mask]
    cdef bint lives = source.youngest >= least
    invariant(not lives or source.youngest >= head.youngest)
    node.youngest = source.youngest
    node.pos = pos
    node.next = source.node
    node.sibling = head.node if head.youngest >= least else NO_NODE
    node.state = state
    head.node = ring.head if lives else head.node
    head.youngest = source.youngest if lives else head.youngest
    ring.head += lives
    return lives


cdef void end_plainly(Recognition* r, const SymbolSpec* symbol, const Head* heads, int64_t least) noexcept nogil:
    """Matches that end with the event wait in `endings`."""
    cdef const EnteredState* one
    cdef Ending ending
    cdef Head none
    cdef uint32_t i
    for i in range(symbol.begin, symbol.finals):
        one = r.entered.data() + i
        none.node = NO_NODE
        none.youngest = NEVER
        ending.node = r.ring.head
        ending.least = least
        if enter_plainly(&r.ring, one.state, <uint32_t>r.position, heads + one.before, &none, least):
            r.endings.push_back(ending)


cdef inline bint take_plainly(
    Recognition* r, const SymbolSpec* symbol, Head* heads, int64_t start, int64_t least
) noexcept nogil:
    """As `take_symbol`."""
    cdef const EnteredState* entered = r.entered.data()
    cdef uint32_t pos = <uint32_t>r.position
    cdef Head beginning
    cdef uint32_t i
    if symbol.begin != symbol.finals:
        end_plainly(r, symbol, heads, least)
    for i in range(symbol.finals, symbol.begins):
        enter_plainly(&r.ring, entered[i].state, pos, heads + entered[i].before, heads + entered[i].state, least)
    beginning.node = NO_NODE
    beginning.youngest = start
    for i in range(symbol.begins, symbol.end):
        enter_plainly(&r.ring, entered[i].state, pos, &beginning, heads + entered[i].state, least)
    return not r.endings.empty()
