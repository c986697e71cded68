# The step of swift symbols: each state that they enter is entered as a whole, and settles at once.
#
# Earns, beside the general step (`python -m benchmarks.correlation`): the V shape with 38 and 375 live a key 1.12 times its speed.


cdef inline bint take_swiftly(
    Recognition* r, const SymbolSpec* symbol, uint32_t partition, int64_t start, int64_t least
) noexcept nogil:
    """As `take_correlated`."""
    cdef uint32_t i
    make_room(r, start, least, r.program.most_nodes)
    if r.scratch.is_full:
        return False
    for i in range(symbol.begin, symbol.end):
        enter_swiftly(r, r.program.entered.data()[i].state, partition, start, least)
    return not r.scratch.endings.empty()


cdef inline void enter_swiftly(
    Recognition* r, uint32_t state, uint32_t partition, int64_t start, int64_t least
) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef const CellSpec* cell = c.cells.data() + state
    cdef const EntrySpec* entry = r.program.entries.data() + state
    cdef Head before
    cdef Entering one
    cdef uint32_t i
    before.node = NO_NODE
    before.youngest = NEVER
    for i in range(cell.first_transition, cell.first_transition + cell.transitions):
        follow(r, i, state, partition, 0, least, &before)
    arrive(r, state, before, start if entry.initial else NEVER, &one)
    if one.node == NO_NODE:
        return
    if cell.kind == RegisterCells.HEAD:
        complete_entry(r, entry, &one, partition, 0, least)
    else:
        settle_group(r, &one, state, partition, least)
