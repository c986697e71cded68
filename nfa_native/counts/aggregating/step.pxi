# The step: an event enters states from what was there before it.


cdef inline Span column_of(const Aggregation* a, Substream* s, uint32_t slot) noexcept nogil:
    """What is to be added to, cleared if there was nothing."""
    cdef Span column = span(&s.columns, slot * s.height)
    if not s.filled.data()[slot]:
        s.filled.data()[slot] = True
        clear(a, &column, s.height)
    return column


cdef uint32_t group_of(Aggregation* a, Substream* s, uint32_t key) noexcept nogil:
    """The number of the group with the key, maybe a new one."""
    cdef Group one
    cdef uint32_t number = <uint32_t>s.groups.size()
    if number == 1 and s.groups[0].key == key:
        return 0
    if s.group_of_key.count(key):
        return s.group_of_key[key]
    one.key = key
    one.begun = one.left = 0
    s.group_of_key[key] = number
    s.groups.push_back(one)
    if a.slots + s.groups.size() > s.height:
        heighten(a, s, a.slots + 2 * s.groups.size() - 1)
    return number


cdef void heighten(const Aggregation* a, Substream* s, size_t height) noexcept nogil:
    """Room for more groups."""
    cdef Totals higher
    cdef Span before, after
    cdef size_t slot
    resize_totals(a, &higher, a.slots * height)
    after = span(&higher, 0)
    clear(a, &after, higher.size)
    for slot in range(a.slots):
        if s.filled[slot]:
            before = span(&s.columns, slot * s.height)
            after = span(&higher, slot * height)
            add(a, &after, &before, s.height)
    swap[Totals](s.columns, higher)
    s.height = height


cdef void enter(
    Aggregation* a, Substream* s, const Entry* entry, const Span* out, size_t first, uint32_t group, int64_t local
) noexcept nogil:
    """The paths that enter a state with the event, from row `first` on."""
    cdef const uint32_t* source = a.sources.data() + entry.first
    cdef Span rows = part(out, first)
    cdef Span before
    cdef size_t i, begin
    clear(a, &rows, s.height - first)
    for i in range(entry.after + entry.directly):
        if not s.filled.data()[source[i]] or (i >= entry.after and s.entered_at.data()[source[i]] != local - 1):
            continue
        begin = max(first, <size_t>a.begins.data()[source[i]])
        before = span(&s.columns, source[i] * s.height + begin)
        rows = part(out, begin)
        add(a, &rows, &before, s.height - begin)
    if entry.initial and group != NO_GROUP:
        rows = part(out, a.slots + group)
        add_start(a, &rows)
    if entry.counts:
        rows = part(out, first)
        append_event(a, &rows, s.height - first, entry.state, a.event_wides.data(), a.event_reals.data())


cdef inline void add_start(const Aggregation* a, const Span* out) noexcept nogil:
    """One path more, without events."""
    out.counts[0] = add_counts(out.counts[0], 1)
    if a.counts_on:
        out.wides[0] = add_wide(out.wides[0], 1)
    if a.reals:
        out.reals[0] += 1.0


cdef void settle(
    Aggregation* a, Substream* s, const Entry* entry, const Span* entering, size_t first, int64_t local
) noexcept nogil:
    """What entered a state, from row `first` on, is added to what was there."""
    cdef Span rows = part(entering, first)
    cdef Span column
    cdef size_t count = s.height - first
    if entry.slot != NO_SLOT:
        column = column_of(a, s, entry.slot)
        column = part(&column, first)
        add(a, &column, &rows, count)
    if entry.last_slot != NO_SLOT:
        column = span(&s.columns, entry.last_slot * s.height)
        clear(a, &column, first)
        column = part(&column, first)
        copy(a, &column, &rows, count)
        s.filled.data()[entry.last_slot] = True
        s.entered_at.data()[entry.last_slot] = local


cdef void finish(Aggregation* a, Substream* s, const Span* entering, size_t first, int64_t least) noexcept nogil:
    """Of what entered a final state, add for each group that which began in the window."""
    cdef Group* group
    cdef Span found, front, row
    cdef size_t i, k
    for i in range(s.groups.size()):
        group = &s.groups[i]
        found = span(&a.found, i)
        row = part(entering, a.slots + i)
        add(a, &found, &row, 1)
        if not s.has_front:
            continue
        while group.left and group.starts[group.left - 1] < least:
            group.left -= 1
        if not group.left:
            continue
        for k in range(first, a.slots):
            front = span(&group.front, (group.left - 1) * a.slots + row_of(a, k))
            row = part(entering, k)
            add_product(a, &found, &front, &row)


cdef void take_entries(
    Aggregation* a, Substream* s, uint32_t symbol, uint32_t group, int64_t local, int64_t least
) noexcept nogil:
    """Enter all states of the symbol."""
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[symbol]
    cdef size_t count = a.symbol_begin[symbol + 1] - a.symbol_begin[symbol]
    cdef bint in_order = a.in_order[symbol]
    cdef size_t least_row = 0 if s.has_front else a.slots
    cdef const Entry* entry
    cdef uint32_t source
    cdef Span entering
    cdef size_t i, first
    if a.entering.size < count * s.height:
        resize_totals(a, &a.entering, count * s.height)
    for i in range(count):
        entry = a.entries.data() + entered[i]
        first = max(least_row, <size_t>entry.begin)
        if entry.opens and in_order:
            if group != NO_GROUP:
                entering = column_of(a, s, entry.slot)
                entering = part(&entering, a.slots + group)
                add_start(a, &entering)
            continue
        entering = span(&a.entering, i * s.height)
        if entry.plain and in_order:
            source = a.sources.data()[entry.first]
            if not s.filled.data()[source]:
                continue
            entering = span(&s.columns, source * s.height)
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
        entering = span(&a.entering, i * s.height)
        settle(a, s, entry, &entering, max(least_row, <size_t>entry.begin), local)
