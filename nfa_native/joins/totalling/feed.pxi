# Events in, rows out; and the substreams that they belong to.


# The rows of an atom in a batch, borrowed from the caller.
cdef struct AtomRows:
    const uint32_t* events        # by row: the number of its event
    const uint64_t* columns       # [slot][row]
    size_t rows
    size_t next                   # the first one that is not taken


cdef uint32_t substream_for(Totalling* a, uint32_t atom, const AtomRows* rows, size_t row) noexcept nogil:
    """The number of the substream with the row's key; NO_SUBSTREAM if nothing waits there and nothing begins."""
    cdef size_t i
    cdef uint32_t number
    if a.width == 0 and not a.substream_of_key.empty():
        return 0
    a.key.clear()
    for i in range(a.width):
        a.key.append(<const char*>(rows.columns + a.key_slots[atom][i] * rows.rows + row), sizeof(uint64_t))
    found = a.substream_of_key.find(a.key)
    if found != a.substream_of_key.end():
        return dereference(found).second
    if not a.opens[atom]:
        return NO_SUBSTREAM
    if a.free.empty():
        number = <uint32_t>a.substreams.size()
        a.substreams.emplace_back()
    else:
        number = a.free.back()
        a.free.pop_back()
    begin_substream(a, &a.substreams[number])
    a.substream_of_key[a.key] = number
    return number


cdef void begin_substream(Totalling* a, Substream* s) noexcept nogil:
    s.key = a.key
    s.tick = LONG_AGO
    s.measure = LONG_AGO
    a.stacks.forget_all(s.window)


cdef void sweep(Totalling* a, int64_t least) noexcept nogil:
    """Forget the substreams in which nothing happened since `least`: all of theirs has left the window."""
    cdef Substream nothing
    cdef uint32_t number
    if not a.windowed or a.substreams.size() - a.free.size() < a.sweep_at:
        return
    for number in range(<uint32_t>a.substreams.size()):
        if not a.substreams[number].pending.empty() or a.substreams[number].measure >= least:
            continue
        if a.substream_of_key.count(a.substreams[number].key) and (
            a.substream_of_key[a.substreams[number].key] == number
        ):
            a.substream_of_key.erase(a.substreams[number].key)
            a.substreams[number] = nothing
            a.free.push_back(number)
    a.sweep_at = max(<size_t>FEW_SUBSTREAMS, 2 * (a.substreams.size() - a.free.size()))


cdef void close_open_tick(Totalling* a) noexcept nogil:
    cdef size_t i
    if not a.is_open:
        return
    for i in range(a.touched.size()):
        take_tick(a, &a.substreams[a.touched[i]])
    a.touched.clear()
    a.is_open = False


cdef void feed_entry(
    Totalling* a, const Entry* entry, int64_t tick, const AtomRows* rows, size_t row
) noexcept nogil:
    cdef Substream* s
    cdef uint32_t number
    if a.is_open and a.tick != tick:
        close_open_tick(a)
        sweep(a, entry.least)
    a.tick = tick
    a.is_open = True
    a.matched[entry.atom] += 1
    number = substream_for(a, entry.atom, rows, row)
    if number == NO_SUBSTREAM:
        return
    s = &a.substreams[number]
    if s.pending.empty():
        a.touched.push_back(number)
    s.pending.push_back(entry[0])
    read_values(a, entry, rows.columns, rows.rows, row, &s.pending_values)


cdef void check_rows_in_order(const vector[AtomRows]* atoms, size_t count) noexcept nogil:
    """Rows are of `count` events, and come in their order."""
    cdef const AtomRows* rows
    cdef size_t i, k
    for i in range(atoms.size()):
        rows = &atoms.at(i)
        for k in range(rows.rows):
            require(rows.events[k] < count, b"a row is of an event that there is not")
            require(k == 0 or rows.events[k - 1] <= rows.events[k], b"rows are not in the order of their events")


cdef void feed_events(
    Totalling* a, const int64_t* ticks, const int64_t* times, const int64_t* measures, const int64_t* leasts,
    vector[AtomRows]* atoms,
) noexcept nogil:
    """The events that matched atoms, one after the other."""
    cdef uint32_t event = next_event(atoms)
    cdef AtomRows* rows
    cdef Entry entry
    entry.begins = entry.gap = False
    while event != NO_EVENT:
        entry.time, entry.measure, entry.least = times[event], measures[event], leasts[event]
        for entry.atom in range(<uint32_t>atoms.size()):
            rows = atoms.data() + entry.atom
            if rows.next < rows.rows and rows.events[rows.next] == event:
                feed_entry(a, &entry, ticks[event], rows, rows.next)
            while rows.next < rows.rows and rows.events[rows.next] == event:
                rows.next += 1
        event = next_event(atoms)


cdef inline uint32_t next_event(const vector[AtomRows]* atoms) noexcept nogil:
    """The first event that some atom has a row of; NO_EVENT: all rows are taken."""
    cdef uint32_t event = NO_EVENT
    cdef const AtomRows* rows = atoms.data()
    cdef size_t i
    for i in range(atoms.size()):
        if rows.next < rows.rows and rows.events[rows.next] < event:
            event = rows.events[rows.next]
        rows += 1
    return event


cdef void sum_found(const Totalling* a, Natural* out) noexcept nogil:
    """All matches that ended."""
    cdef size_t i
    for i in range(a.found.times.size()):
        out.add(a.found.totals.numbers.at(i * a.stacks.semiring.numbers))
