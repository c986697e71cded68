# The window's edges, the stored past, and how both move forward.


cdef inline int64_t measure(Kernel* k, uint32_t pos) noexcept nogil:
    """What windows measure of an event: its time, or its position in the streamset."""
    if k.program.by_events:
        return event_at(&k.now, pos).seq
    return event_at(&k.now, pos).time


cdef inline int64_t within(int128 time) noexcept nogil:
    """The time, or the end of the range beyond which it lies: the first promise is that nothing comes before -2**63."""
    return -FOREVER if time < -FOREVER else FOREVER if time > FOREVER else <int64_t>time


cdef inline int128 floor_div(int128 a, int64_t b) noexcept nogil:
    cdef int128 quotient
    cdef int64_t near
    if -FARTHEST < a < FARTHEST:         # as nearly always: that takes one instruction
        near = <int64_t>a
        return near / b - (near % b < 0)
    quotient = a / b
    return quotient - (a % b < 0)


cdef inline int64_t earliest_start(KernelProgram* program, int64_t last) noexcept nogil:
    """The least measure of a first event for a match whose last one measures `last` (SEMANTICS 3.3)."""
    if program.window == 0:
        return -FOREVER
    if program.sliding:
        return within(<int128>last - program.window + program.by_events)
    if program.by_events:
        return last / program.window * program.window
    return within(program.origin - (floor_div(<int128>program.origin - last, program.window) + 1) * program.window)


cdef inline int64_t upper_edge(KernelProgram* program, int64_t first) noexcept nogil:
    """The upper edge of the window of a match that begins at `first`."""
    if program.window == 0:
        return FOREVER
    if program.sliding:
        return within(<int128>first + program.window - program.by_events)
    if program.by_events:
        return (first / program.window + 1) * program.window - 1
    return within(program.origin + (floor_div(<int128>first - program.origin, program.window) + 1) * program.window)


cdef inline int64_t lower_edge(KernelProgram* program, int64_t first, int64_t last) noexcept nogil:
    """The lower edge of the window of a match."""
    if program.window == 0:
        return -FOREVER
    if program.sliding:
        return earliest_start(program, last)
    if program.by_events:
        return first / program.window * program.window
    return within(program.origin + floor_div(<int128>first - program.origin, program.window) * program.window)


cdef uint32_t position_from(Kernel* k, uint32_t pos, int64_t edge) noexcept nogil:
    """The first stored position at or after `pos` whose measure reaches `edge`."""
    cdef uint32_t end = next_position(&k.now)
    while pos != end and measure(k, pos) < edge:
        pos += 1
    return pos


cdef void forget(Kernel* k) noexcept nogil:
    """Free what lies before the window: nodes at once, events and rows when half of them are dead."""
    cdef size_t dead = k.now.kept - k.now.history.first
    cdef size_t blocks, words
    cdef EventRecord* event
    cdef uint32_t end = next_position(&k.now)
    if k.now.lo != end:
        k.now.ring.tail = event_at(&k.now, k.now.lo).head
    else:
        k.now.ring.tail = k.now.ring.head
    if dead < 1024 or dead * 2 < k.now.history.events.size():
        return
    blocks = k.now.history.blocks.size()
    if k.now.kept != end:
        blocks = <size_t>(event_at(&k.now, k.now.kept).block - k.now.history.first_block)
    words = k.now.history.words.size()
    if blocks < k.now.history.blocks.size():
        words = <size_t>(k.now.history.blocks[blocks].word - k.now.history.first_word)
    k.now.history.events.erase(k.now.history.events.begin(), k.now.history.events.begin() + dead)
    k.now.history.blocks.erase(k.now.history.blocks.begin(), k.now.history.blocks.begin() + blocks)
    k.now.history.words.erase(k.now.history.words.begin(), k.now.history.words.begin() + words)
    k.now.history.first += <uint32_t>dead
    k.now.history.first_block += blocks
    k.now.history.first_word += words
    forget_watched(&k.now)


cdef void forget_watched(KernelState* now) noexcept nogil:
    cdef size_t a, dead
    for a in range(now.watched.size()):
        dead = 0
        while dead < now.watched[a].size() and older(now.watched[a][dead], now.history.first):
            dead += 1
        now.watched[a].erase(now.watched[a].begin(), now.watched[a].begin() + dead)


cdef void forget_all(Kernel* k) noexcept nogil:
    """Without a window: if no partial match is left, and no guard looks back, the past is over."""
    cdef size_t i
    if k.program.guarded or k.now.history.events.size() < k.now.next_look:
        return
    for i in range(k.now.states.size()):
        if k.now.states[i].live:
            k.now.next_look = 2 * k.now.history.events.size()
            return
    k.now.lo = k.now.kept = next_position(&k.now)
    forget(k)
    k.now.next_look = 1024


cdef uint32_t first_kept(Kernel* k, int64_t last) noexcept nogil:
    """A match that waits for a sliding window's upper edge may still ask what came before its first event."""
    if k.program.waits and k.program.sliding:
        return position_from(k, k.now.kept, within(<int128>earliest_start(k.program, last) - k.program.window))
    return k.now.lo


cdef void move_window(Kernel* k, int64_t last) noexcept nogil:
    """No match will end before `last` any more."""
    if k.program.window == 0:
        forget_all(k)
        return
    k.now.lo = position_from(k, k.now.lo, earliest_start(k.program, last))
    k.now.kept = first_kept(k, last)
    forget(k)


cdef void store_event(KernelState* now, int64_t time, uint64_t handle) noexcept nogil:
    cdef EventRecord* event
    now.history.events.emplace_back()     # written in place: a copy of what was just written would stall
    event = &now.history.events.back()
    event.time = time
    event.seq = now.seq
    event.handle = handle
    event.block = now.history.first_block + now.history.blocks.size()
    event.blocks = 0
    event.head = now.ring.head
    now.picked = False


cdef void drop_event(KernelState* now) noexcept nogil:
    """Forget the newest event, which nothing has picked: its position is free again."""
    cdef EventRecord* event = &now.history.events.back()
    cdef size_t blocks = <size_t>(event.block - now.history.first_block)
    now.history.words.resize(<size_t>(now.history.blocks[blocks].word - now.history.first_word))
    now.history.blocks.resize(blocks)
    now.history.events.pop_back()


cdef void store_rows_of(KernelProgram* program, KernelState* now, const BatchRows* rows) noexcept nogil:
    """Add the rows that each atom has for the newest event."""
    cdef const RowSource* sources = rows.sources.data()
    cdef const RowTaker* taker = rows.takers.data()
    cdef const RowTaker* end = taker + rows.takers.size()
    cdef const Block* before = NULL
    cdef EventRecord* event = &now.history.events.back()
    while taker != end:
        if sources[taker.source].end > sources[taker.source].at:
            before = store_block(program, now, before, taker, sources + taker.source)
            event.blocks += 1
        taker += 1


cdef const Block* store_block(
    KernelProgram* program, KernelState* now, const Block* before, const RowTaker* taker, const RowSource* source
) noexcept nogil:
    """Add an atom's rows to the newest event; rows that are those of the atom `before` (NULL: none) are stored once."""
    cdef uint32_t count = <uint32_t>(source.end - source.at)
    cdef uint64_t word
    cdef Block* block
    if before != NULL and is_repeated_block(program, now, before, taker.slots, source):
        word = before.word
    else:
        word = store_words(now, taker.slots, source)
    now.history.blocks.emplace_back()
    block = &now.history.blocks.back()
    block.word = word
    block.atom = taker.atom
    block.rows = count
    now.matched.data()[taker.atom] += 1
    if count > 1:
        now.many_rows = True
    return block


cdef inline uint64_t store_words(KernelState* now, uint32_t slots, const RowSource* source) noexcept nogil:
    """Add the rows of the present event; the running number of their first word."""
    cdef uint64_t first = now.history.first_word + now.history.words.size()
    cdef size_t row
    cdef uint32_t slot
    cdef const word_t* column
    for row in range(source.at, source.end):
        column = source.columns + row
        for slot in range(slots):
            now.history.words.push_back(column[0])
            column += source.rows
    return first


cdef inline bint is_repeated_block(
    KernelProgram* program, KernelState* now, const Block* block, uint32_t slots, const RowSource* source
) noexcept nogil:
    """The stored rows are those of the source."""
    cdef const word_t* stored = now.history.words.data() + (block.word - now.history.first_word)
    cdef size_t row
    cdef uint32_t slot
    cdef const word_t* column
    if program.slots.data()[block.atom] != slots or block.rows != source.end - source.at:
        return False
    for row in range(source.at, source.end):
        column = source.columns + row
        for slot in range(slots):
            if stored[0] != column[0]:
                return False
            stored += 1
            column += source.rows
    return True
