# The step: an event enters states from what was there before it.


cdef void enter(
    Recognition* r, const EntrySpec* entry, const Head* heads, const LastEntry* last, uint32_t pos, int64_t local,
    int64_t start, int64_t least, Head* out,
) noexcept nogil:
    """The partial matches that enter a state with the event; node NO_NODE: none."""
    cdef const uint32_t* source = r.sources.data() + entry.first
    cdef Head before
    cdef uint32_t i
    cdef bint old
    out.node = NO_NODE
    out.youngest = NEVER
    before.node = NO_NODE
    before.youngest = NEVER
    for i in range(entry.after):
        old = r.forgets and heads[source[i]].youngest < least
        if heads[source[i]].node != NO_NODE and not old:
            unite(r, &before, heads[source[i]].node, heads[source[i]].youngest)
    source += entry.after
    for i in range(entry.directly):
        old = r.forgets and last[source[i]].youngest < least
        if last[source[i]].node != NO_NODE and not old and last[source[i]].local == local - 1:
            unite(r, &before, last[source[i]].node, last[source[i]].youngest)
    if before.node != NO_NODE:
        out.node = add_node(r, entry.state, pos, before.node, NO_NODE, before.youngest)
        out.youngest = before.youngest
    if entry.initial and start != NEVER:
        unite(r, out, add_node(r, entry.state, pos, NO_NODE, NO_NODE, start), start)


cdef void settle(
    Recognition* r, const EntrySpec* entry, Head* head, LastEntry* last, const Entering* one, int64_t local, int64_t least
) noexcept nogil:
    """What entered a state is one with what was there."""
    cdef MatchNode* node = match_node(r, one.node)
    if entry.waits_next:
        last.node = one.node
        last.youngest = one.youngest
        last.local = local
    if not entry.waits:
        return
    if head.node == NO_NODE or r.forgets and head.youngest < least:
        head.node = one.node
        head.youngest = one.youngest
    elif entry.waits_next or entry.final or node.state == UNION or one.youngest < head.youngest:
        unite(r, head, one.node, one.youngest)      # the node must stay alone
    else:
        node.sibling = head.node
        head.node = one.node
        head.youngest = one.youngest


cdef bint take_symbol(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) noexcept nogil:
    """The event at `position` matched the atoms of `symbol`; whether matches end with it, which then wait in `endings`."""
    cdef const uint32_t* entered = r.symbol_entries.data() + r.symbol_begin[symbol]
    cdef const uint32_t* end = r.symbol_entries.data() + r.symbol_begin[symbol + 1]
    cdef size_t offset = <size_t>partition * r.width
    cdef const EntrySpec* entry
    cdef Entering one
    cdef Ending ending
    cdef Head out
    cdef size_t i
    make_room(r, start, least, 4 * <uint32_t>(r.sources.size() + r.width))
    if r.is_full:
        return False
    r.entering.clear()
    while entered != end:
        entry = &r.entries[entered[0]]
        enter(
            r, entry, r.heads.data() + offset, r.last.data() + offset, <uint32_t>r.position, local, start, least, &out
        )
        if out.node != NO_NODE:
            one.node = out.node
            one.youngest = out.youngest
            one.entry = entered[0]
            r.entering.push_back(one)
        entered += 1
    for i in range(r.entering.size()):
        entry = &r.entries[r.entering[i].entry]
        if entry.final and r.entering[i].youngest >= least:
            ending.end = r.position
            ending.least = least
            ending.node = r.entering[i].node
            ending.partition = partition
            r.endings.push_back(ending)
        settle(
            r, entry, &r.heads[offset + entry.state], &r.last[offset + entry.state], &r.entering[i], local, least
        )
    return not r.endings.empty()
