# The step of plain symbols, without branches that depend on what the window still holds.  Starts only grow, so what enters a
# state is never older than what is there.
#
# Earns, beside the general step (`python -m benchmarks.ceql`): dense, n = 24, 1.75 times its speed; P3 1.16, P24 1.10.


cdef inline bint enter_plainly(
    AgingRing[MatchNode]* ring, uint32_t state, uint32_t pos, const Head* source, Head* head, int64_t least
) noexcept nogil:
    """What waits in `source` enters with an event; a node is written in any case, and counts if it is not over: True."""
    cdef MatchNode* node = ring.at(ring.head)
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


cdef inline void unite_plainly(AgingRing[MatchNode]* ring, Head* set, const Head* other, int64_t least) noexcept nogil:
    """Add another set; the one with the youngest start comes first."""
    cdef MatchNode* node = ring.at(ring.head)
    cdef bint is_younger = other.youngest > set.youngest
    cdef uint32_t younger = other.node if is_younger else set.node
    cdef uint32_t older = set.node if is_younger else other.node
    cdef bint are_two = min(other.youngest, set.youngest) >= least
    node.youngest = max(other.youngest, set.youngest)
    node.pos = 0
    node.next = younger
    node.sibling = older
    node.state = UNION
    set.node = ring.head if are_two else younger
    set.youngest = node.youngest
    ring.head += are_two


cdef inline Head before_entry(Recognition* r, const EnteredState* one, const Head* heads, int64_t least) noexcept nogil:
    """What may enter a state."""
    cdef const uint32_t* sources = r.program.sources.data()
    cdef Head before = heads[sources[one.first]]
    cdef uint32_t i
    for i in range(one.first + 1, one.end):
        unite_plainly(&r.state.ring, &before, heads + sources[i], least)
    return before


cdef inline bint end_plainly(
    Recognition* r, uint32_t state, const Head* before, int64_t least
) noexcept nogil:
    """Matches that end with the event wait in `endings`, if there are any."""
    cdef Head alone
    cdef Ending ending
    alone.node = NO_NODE
    alone.youngest = NEVER
    if enter_plainly(&r.state.ring, state, <uint32_t>r.state.position, before, &alone, least):
        ending.least = least
        ending.node = alone.node
        r.scratch.endings.push_back(ending)
        return True
    return False


cdef inline bint take_plainly(
    Recognition* r, const SymbolSpec* symbol, Head* heads, int64_t start, int64_t least
) noexcept nogil:
    """As `take_symbol`."""
    cdef const EnteredState* entered = r.program.entered.data()
    cdef bint ends = False
    cdef Head before
    cdef uint32_t i
    for i in range(symbol.begin, symbol.finals):
        before = before_entry(r, entered + i, heads, least)
        ends |= end_plainly(r, entered[i].state, &before, least)
    for i in range(symbol.finals, symbol.begins):
        before = before_entry(r, entered + i, heads, least)
        enter_plainly(&r.state.ring, entered[i].state, <uint32_t>r.state.position, &before, heads + entered[i].state, least)
    before.node = NO_NODE
    before.youngest = start
    for i in range(symbol.begins, symbol.end):
        enter_plainly(&r.state.ring, entered[i].state, <uint32_t>r.state.position, &before, heads + entered[i].state, least)
    return ends
