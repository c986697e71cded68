# Batches in, rows out.


cdef void read_values(Aggregation* a, size_t at) noexcept nogil:
    """The event's values, as far as it has them."""
    cdef size_t q
    for q in range(a.stacks.semiring.counts_on, a.stacks.semiring.wides):
        a.event_wides.data()[q] = a.stacks.semiring.no_value(q)
        if a.wide_valid[q] == NULL or a.wide_valid[q][at]:
            a.event_wides.data()[q] = <int128>a.wide_values[q][at]
    for q in range(1, a.stacks.semiring.reals):
        a.event_reals.data()[q] = 0.0
        if a.real_valid[q] == NULL or a.real_valid[q][at]:
            a.event_reals.data()[q] = a.real_values[q][at]


cdef void write_log(Aggregation* a, Substream* s, uint32_t symbol, uint32_t group, int64_t start, int64_t local) noexcept nogil:
    cdef Window[Bounded, Logged]* w = &s.window
    cdef Logged event
    event.local = local
    event.start = NEVER if group == NO_GROUP else start
    event.symbol = symbol
    event.group = group
    w.log.push_back(event)
    if a.stacks.semiring.wides:
        w.log_wides.insert(w.log_wides.end(), a.event_wides.begin(), a.event_wides.end())
    if a.stacks.semiring.reals:
        w.log_reals.insert(w.log_reals.end(), a.event_reals.begin(), a.event_reals.end())


cdef bint write_rows(Aggregation* a, Substream* s) noexcept nogil:
    """The matches that were found, by group; whether there are any."""
    cdef size_t i, q
    cdef bint some = False
    for i in range(s.window.groups.size()):
        if a.found.counts[i] == 0:
            continue
        some = True
        a.rows.ends.push_back(a.position)
        a.rows.keys.push_back(s.window.groups[i].key)
        a.rows.counts.push_back(a.found.counts[i])
        for q in range(a.stacks.semiring.wides):
            a.rows.wides.push_back(a.found.wides[q * a.found.size + i])
        for q in range(a.stacks.semiring.reals):
            a.rows.reals.push_back(a.found.reals[q * a.found.size + i])
    return some


cdef bint take_event(
    Aggregation* a, Substream* s, size_t at, uint32_t symbol, int64_t local, int64_t start, int64_t least, uint32_t key
) noexcept nogil:
    """The event at `position` matched the atoms of `symbol`; whether matches end with it."""
    cdef uint32_t group = NO_GROUP
    cdef size_t groups
    if a.windowed and least != NOTHING and a.stacks.expire(s.window, least):
        make_front(a, s, least)
    if a.opens[symbol] and start != NEVER:
        group = group_of(a, s, key)
    elif not s.window.has_front and not s.window.has_back:
        return False
    read_values(a, at)
    groups = s.window.groups.size()
    if a.found.size < groups:
        a.stacks.semiring.resize(a.found, 2 * groups)
    a.stacks.semiring.clear_totals(a.stacks.semiring.span(a.found, 0), groups)
    take_entries(a, s, symbol, group, local, least)
    if group != NO_GROUP:
        a.stacks.note_start(s.window, group, start)
    if a.windowed and s.window.has_back:
        write_log(a, s, symbol, group, start, local)
    return write_rows(a, s)


cdef void know_substream(Aggregation* a, uint32_t partition) noexcept nogil:
    """Room for another partition."""
    cdef size_t i = a.substreams.size()
    a.substreams.resize(max(<size_t>partition + 1, i))
    while i < a.substreams.size():
        begin_substream(a, &a.substreams[i])
        i += 1


cdef void begin_substream(const Aggregation* a, Substream* s) noexcept nogil:
    s.events = 0
    s.entered_at.assign(a.stacks.slots, NEVER)
    s.is_touched = False
    empty_substream(a, s)


cdef void empty_substream(const Aggregation* a, Substream* s) noexcept nogil:
    a.stacks.forget_all(s.window)
    s.group_of_key.clear()


cdef void consume(Aggregation* a, uint32_t partition) noexcept nogil:
    """Matches have ended: what was there may be used up."""
    cdef size_t i
    if a.consume == Consumed.PARTITION:
        empty_substream(a, &a.substreams[partition])
    elif a.consume == Consumed.ANY:
        for i in range(a.touched.size()):
            empty_substream(a, &a.substreams[a.touched[i]])
            a.substreams[a.touched[i]].is_touched = False
        a.touched.clear()


cdef inline void touch(Aggregation* a, uint32_t partition) noexcept nogil:
    if a.consume == Consumed.ANY and not a.substreams[partition].is_touched:
        a.substreams[partition].is_touched = True
        a.touched.push_back(partition)


cdef size_t feed_events(
    Aggregation* a, const uint32_t* symbols, const int64_t* starts, const int64_t* least, const uint32_t* partitions,
    const uint32_t* keys, size_t at, size_t count, size_t most, int64_t events,
) noexcept nogil:
    """Take events from number `at` on until there are `most` rows; gives the first one not taken.

    Of windows of `events` >= 0, positions in the partition are what is measured."""
    cdef int64_t first = a.position - <int64_t>at
    cdef uint32_t partition = 0
    cdef int64_t local
    cdef Substream* s
    while at < count and a.rows.ends.size() < most:
        if partitions != NULL:
            partition = partitions[at]
        if partition == NO_PARTITION or (partitions == NULL and not symbols[at]):
            at += 1
            continue
        if partition >= a.substreams.size():
            know_substream(a, partition)
        s = &a.substreams[partition]
        local = s.events if partitions != NULL else first + <int64_t>at
        s.events += 1
        if symbols[at]:
            a.position = first + <int64_t>at
            touch(a, partition)
            if take_event(
                a, s, at, symbols[at], local, local if events >= 0 else starts[at],
                local - events if events >= 0 else least[at], keys[at] if keys != NULL else 0,
            ):
                consume(a, partition)
        at += 1
    a.position = first + <int64_t>at
    return at
