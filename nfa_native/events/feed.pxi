# Batches in, matches out.


cdef inline int64_t local_of(const Recognition* r, int64_t position) noexcept nogil:
    """The position in its substream of an event at `position`."""
    return r.state.local_numbers[<size_t>(position - r.state.first_number)] if r.program.partitioned else position


cdef void finish_event(Recognition* r, uint32_t partition) noexcept nogil:
    """The event's matches are all out: it may have consumed what was there."""
    cdef size_t i
    r.scratch.endings.clear()
    if r.program.consume == Consumed.NONE or r.scratch.given == 0:
        return
    if r.program.consume == Consumed.PARTITION:
        empty_partition(r, partition)
        return
    for i in range(r.state.touched.size()):
        empty_partition(r, r.state.touched[i])
        r.state.is_touched[r.state.touched[i]] = 0
    r.state.touched.clear()
    free_all(r)


cdef void free_all(Recognition* r) noexcept nogil:
    """There are no partial matches: nothing of what was made is needed."""
    r.state.ring.clear()
    if r.correlating != NULL:
        r.correlating.views.tail = r.correlating.views.head
        r.correlating.listed_base += <int64_t>r.correlating.listed.size()
        r.correlating.listed.clear()
        r.correlating.remembered.clear()
        r.correlating.listed_first = 0


cdef void empty_partition(Recognition* r, uint32_t partition) noexcept nogil:
    cdef size_t i
    for i in range(partition * r.program.width, (partition + 1) * r.program.width):
        r.state.heads[i].node = r.state.last[i].node = NO_NODE
        r.state.heads[i].youngest = r.state.last[i].youngest = NEVER
    if r.correlating != NULL:
        empty_cells(r, partition)


cdef void know_partition(Recognition* r, uint32_t partition) noexcept nogil:
    """Room for another partition."""
    cdef Head nothing
    cdef LastEntry nobody
    nothing.node = nobody.node = NO_NODE
    nothing.youngest = nobody.youngest = NEVER
    nobody.local = -2
    r.state.heads.resize((partition + 1) * r.program.width, nothing)
    r.state.last.resize((partition + 1) * r.program.width, nobody)
    r.state.locals.resize(partition + 1, 0)
    r.state.is_touched.resize(partition + 1, 0)
    if r.correlating != NULL:
        know_cells(r, partition)


cdef inline void touch(Recognition* r, uint32_t partition) noexcept nogil:
    if r.program.consume == Consumed.ANY and not r.state.is_touched[partition]:
        r.state.is_touched[partition] = 1
        r.state.touched.push_back(partition)


cdef void forget_numbers(Recognition* r) noexcept nogil:
    """Local positions of events before those that nodes mention are not asked for any more."""
    cdef int64_t oldest = r.state.position
    cdef int64_t dead
    if not r.program.numbered:
        return
    if r.state.ring.count():
        oldest = position_of(&r.state, match_node(&r.state, r.state.ring.tail).pos)
    dead = oldest - r.state.first_number
    if dead > 1024 and <size_t>dead * 2 > r.state.local_numbers.size():
        r.state.local_numbers.erase(r.state.local_numbers.begin(), r.state.local_numbers.begin() + dead)
        r.state.first_number = oldest


cdef inline bint enumerate_more(Recognition* r, size_t most) noexcept nogil:
    """Write matches of the last event until there are `most` in all; whether that was the last of them."""
    if r.program.enumeration == EnumerationKind.ROWS:
        return enumerate_rows(r, most)
    if r.program.enumeration == EnumerationKind.DISTINCT or r.program.enumeration == EnumerationKind.MAXIMAL:
        return enumerate_distinct(r, most)
    return enumerate_some(r, most)


cdef bint give(Recognition* r, uint32_t partition, size_t most) noexcept nogil:
    """Enumerate the event's matches, or go on with it; False: there are `most` results before it is done."""
    if not r.scratch.enumerating:
        begin_enumeration(r)
    if r.program.update_only:
        r.scratch.given = 1
        r.scratch.enumerating = False
    elif r.program.enumeration == EnumerationKind.BEST:
        choose_best(r)
    elif not enumerate_more(r, most):
        return False
    finish_event(r, partition)
    return True


cdef inline bint take_event(
    Recognition* r, uint32_t symbol, size_t at, uint32_t partition, int64_t local, int64_t start, int64_t least
) noexcept nogil:
    """Event number `at` of the batch; whether matches end with it."""
    if r.correlating == NULL:
        return take_symbol(r, symbol, partition, local, start, least)
    r.correlating.at = at
    return take_correlated(r, symbol, partition, local, start, least)


cdef size_t feed_events(
    Recognition* r, const uint32_t* symbols, const int64_t* starts, const int64_t* least, size_t at, size_t count,
    size_t most,
) noexcept nogil:
    """Take events of the one stream from number `at` on; gives the first one not taken, when there are `most` results."""
    cdef const uint8_t* enters = r.program.enters.data()
    cdef int64_t first = r.state.position - <int64_t>at
    while at < count and not r.scratch.is_full and not r.scratch.is_stopped:
        if enters[symbols[at]]:
            r.state.position = first + <int64_t>at
            if r.scratch.enumerating or take_event(r, symbols[at], at, 0, r.state.position, starts[at], least[at]):
                touch(r, 0)
                if not give(r, 0, most):
                    return at
            elif r.program.consume == Consumed.ANY:
                touch(r, 0)
        at += 1
    r.state.position = first + <int64_t>count
    return count


cdef size_t feed_partitions(
    Recognition* r, const uint32_t* symbols, const uint32_t* partitions, const int64_t* starts, const int64_t* least,
    size_t at, size_t count, size_t most, int64_t events,
) noexcept nogil:
    """As `feed_events`, each event in its partition.  Of windows of `events` >= 0, positions in it are what is measured."""
    cdef const uint8_t* enters = r.program.enters.data()
    cdef int64_t first = r.state.position - <int64_t>at
    cdef int64_t local
    cdef uint32_t partition
    while at < count and not r.scratch.is_full and not r.scratch.is_stopped:
        partition = partitions[at]
        r.state.position = first + <int64_t>at
        if partition == NO_PARTITION:
            at += 1
            if r.program.numbered:
                r.state.local_numbers.push_back(-1)
            continue
        if not r.scratch.enumerating:
            if partition >= r.state.locals.size():
                know_partition(r, partition)
            r.state.locals[partition] += 1
            if r.program.numbered:
                r.state.local_numbers.push_back(r.state.locals[partition] - 1)
        if enters[symbols[at]]:
            touch(r, partition)
            local = r.state.locals[partition] - 1
            if r.scratch.enumerating or take_event(
                r, symbols[at], at, partition, local, local if events >= 0 else starts[at],
                local - events if events >= 0 else least[at],
            ):
                if not give(r, partition, most):
                    return at
        at += 1
    r.state.position = first + <int64_t>count
    return count
