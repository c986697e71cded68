# The step: an event enters states from what was there before it.


cdef inline bint is_over(const RecognizerProgram* p, int64_t youngest, int64_t least) noexcept nogil:
    """Nothing will come of partial matches of the event's partition that began so early."""
    return p.rises and youngest < least


cdef inline int64_t least_of(const Recognition* r, size_t partition, int64_t least) noexcept nogil:
    """The least start that is of use, after an event whose window begins at `least`."""
    if r.program.events >= 0:
        return r.state.locals[partition] - 1 - r.program.events
    return least if r.program.rises else NEVER


cdef void enter(
    Recognition* r, const EntrySpec* entry, const Head* heads, const LastEntry* last, uint32_t pos, int64_t local,
    int64_t start, int64_t least, Entering* out,
) noexcept nogil:
    """The partial matches that enter a state with the event; node NO_NODE: none."""
    cdef const uint32_t* source = r.program.sources.data() + entry.first
    cdef Head before, after
    cdef uint32_t i
    before.node = after.node = NO_NODE
    before.youngest = after.youngest = NEVER
    for i in range(entry.after):
        if heads[source[i]].node != NO_NODE and not is_over(&r.program, heads[source[i]].youngest, least):
            unite(&r.state, &before, heads[source[i]].node, heads[source[i]].youngest)
    source += entry.after
    for i in range(entry.directly):
        if last[source[i]].node == NO_NODE or last[source[i]].local != local - 1:
            continue
        if not is_over(&r.program, last[source[i]].youngest, least):
            unite(&r.state, &before, last[source[i]].node, last[source[i]].youngest)
    if before.node != NO_NODE:
        after.node = add_node(&r.state, entry.state, pos, before.node, NO_NODE, before.youngest)
        after.youngest = before.youngest
    if entry.initial and start != NEVER:
        unite(&r.state, &after, add_node(&r.state, entry.state, pos, NO_NODE, NO_NODE, start), start)
    out.node = after.node
    out.youngest = after.youngest


cdef void settle(
    Recognition* r, const EntrySpec* entry, Head* head, LastEntry* last, const Entering* one, int64_t local, int64_t least
) noexcept nogil:
    """What entered a state is one with what was there."""
    cdef MatchNode* node = match_node(&r.state, one.node)
    if entry.waits_next:
        last.node = one.node
        last.youngest = one.youngest
        last.local = local
    if not entry.waits:
        return
    if head.node == NO_NODE or is_over(&r.program, head.youngest, least):
        head.node = one.node
        head.youngest = one.youngest
    elif entry.waits_next or entry.final or node.state == UNION or one.youngest < head.youngest:
        unite(&r.state, head, one.node, one.youngest)      # the node must stay alone
    else:
        node.sibling = head.node
        head.node = one.node
        head.youngest = one.youngest


cdef inline void complete_entry(
    Recognition* r, const EntrySpec* entry, const Entering* one, uint32_t partition, int64_t local, int64_t least
) noexcept nogil:
    """What entered a state settles there; matches that end wait in `endings`."""
    cdef size_t place = <size_t>partition * r.program.width + entry.state
    cdef Ending ending
    if entry.final and one.youngest >= least:
        ending.least = least
        ending.node = one.node
        r.scratch.endings.push_back(ending)
    settle(r, entry, r.state.heads.data() + place, r.state.last.data() + place, one, local, least)


cdef bint take_symbol(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) noexcept nogil:
    """The event at `position` matched the atoms of `symbol`; whether matches end with it."""
    cdef const SymbolSpec* spec = r.program.symbols.data() + symbol
    cdef Head* heads = r.state.heads.data() + <size_t>partition * r.program.width
    cdef const LastEntry* last = r.state.last.data() + <size_t>partition * r.program.width
    cdef const EntrySpec* entry
    cdef Entering one
    cdef size_t i
    make_room(r, start, least, r.program.most_nodes)
    if r.scratch.is_full:
        return False
    if spec.plain:
        return take_plainly(r, spec, heads, start, max(least, NEVER + 1))
    r.scratch.entering.clear()
    for i in range(spec.begin, spec.end):
        one.entry = r.program.entered[i].state
        entry = r.program.entries.data() + one.entry
        enter(r, entry, heads, last, <uint32_t>r.state.position, local, start, least, &one)
        if one.node == NO_NODE:
            continue
        if spec.in_order:
            complete_entry(r, entry, &one, partition, local, least)
        else:
            r.scratch.entering.push_back(one)
    for i in range(r.scratch.entering.size()):
        complete_entry(r, r.program.entries.data() + r.scratch.entering[i].entry, &r.scratch.entering[i], partition, local, least)
    return not r.scratch.endings.empty()
