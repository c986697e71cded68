# The step: an event enters states from what was there before it.


cdef uint32_t group_of(Aggregation* a, Substream* s, uint32_t key) noexcept nogil:
    """The number of the group with the key, maybe a new one."""
    cdef uint32_t number
    if s.window.groups.size() == 1:
        if s.window.groups[0].key == key:
            return 0
        s.group_of_key[s.window.groups[0].key] = 0
    elif s.group_of_key.count(key):
        return s.group_of_key[key]
    number = a.stacks.add_group(s.window, key)
    if number:
        s.group_of_key[key] = number
    return number


cdef void enter(
    Aggregation* a, Substream* s, const Entry* entry, const BoundedSpan* out, size_t first, uint32_t group, int64_t local
) noexcept nogil:
    """The paths that enter a state with the event, from row `first` on."""
    cdef const Bounded* semiring = &a.stacks.semiring
    cdef const uint32_t* source = a.sources.data() + entry.first
    cdef size_t height = s.window.height
    cdef BoundedSpan rows = semiring.part(out[0], first)
    cdef size_t i, begin
    semiring.clear_totals(rows, height - first)
    for i in range(entry.after + entry.directly):
        if not s.window.filled.data()[source[i]]:
            continue
        if i >= entry.after and s.entered_at.data()[source[i]] != local - 1:
            continue
        begin = max(first, <size_t>a.begins.data()[source[i]])
        semiring.add_totals(
            semiring.part(out[0], begin), semiring.part(a.stacks.column(s.window, source[i]), begin), height - begin
        )
    if entry.initial and group != NO_GROUP:
        semiring.add_unit(semiring.part(out[0], a.stacks.slots + group))
    if entry.counts:
        append_event(a, entry.state, &rows, height - first, a.event_wides.data(), a.event_reals.data())


cdef void settle(
    Aggregation* a, Substream* s, const Entry* entry, const BoundedSpan* entering, size_t first, int64_t local
) noexcept nogil:
    """What entered a state, from row `first` on, is added to what was there."""
    cdef const Bounded* semiring = &a.stacks.semiring
    cdef BoundedSpan rows = semiring.part(entering[0], first)
    cdef BoundedSpan column
    cdef size_t count = s.window.height - first
    if entry.slot != NO_SLOT:
        column = a.stacks.filled_column(s.window, entry.slot)
        semiring.add_totals(semiring.part(column, first), rows, count)
    if entry.last_slot != NO_SLOT:
        column = a.stacks.column(s.window, entry.last_slot)
        semiring.clear_totals(column, first)
        semiring.copy_totals(semiring.part(column, first), rows, count)
        s.window.filled.data()[entry.last_slot] = True
        s.entered_at.data()[entry.last_slot] = local


cdef void finish(Aggregation* a, Substream* s, const BoundedSpan* entering, size_t first, int64_t least) noexcept nogil:
    """Of what entered a final state, add for each group that which began in the window."""
    cdef size_t i
    for i in range(s.window.groups.size()):
        a.stacks.add_window(s.window, i, least, entering[0], first, a.stacks.semiring.span(a.found, i))


cdef void take_entries(
    Aggregation* a, Substream* s, uint32_t symbol, uint32_t group, int64_t local, int64_t least
) noexcept nogil:
    """Enter all states of the symbol."""
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[symbol]
    cdef size_t count = a.symbol_begin[symbol + 1] - a.symbol_begin[symbol]
    cdef bint in_order = a.in_order[symbol]
    cdef size_t least_row = a.stacks.first_row(s.window)
    cdef const Bounded* semiring = &a.stacks.semiring
    cdef const Entry* entry
    cdef uint32_t source
    cdef BoundedSpan entering
    cdef size_t i, first
    if a.entering.size < count * s.window.height:
        semiring.resize(a.entering, count * s.window.height)
    for i in range(count):
        entry = a.entries.data() + entered[i]
        first = max(least_row, <size_t>entry.begin)
        if entry.opens and in_order:
            if group != NO_GROUP:
                entering = a.stacks.filled_column(s.window, entry.slot)
                semiring.add_unit(semiring.part(entering, a.stacks.slots + group))
            continue
        entering = semiring.span(a.entering, i * s.window.height)
        if entry.plain and in_order:
            source = a.sources.data()[entry.first]
            if not s.window.filled.data()[source]:
                continue
            entering = a.stacks.column(s.window, source)
        else:
            enter(a, s, entry, &entering, first, group, local)
        if entry.final and least != NOTHING:
            finish(a, s, &entering, first, least)
        if in_order:
            settle(a, s, entry, &entering, first, local)
    if in_order:
        return
    for i in range(count):
        entry = a.entries.data() + entered[i]
        entering = semiring.span(a.entering, i * s.window.height)
        settle(a, s, entry, &entering, max(least_row, <size_t>entry.begin), local)
