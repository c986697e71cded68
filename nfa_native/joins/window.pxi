# The window's edges, the stored past, and how both move forward.


cdef inline int64_t measure(Kernel* k, uint32_t pos) noexcept nogil:
    """What windows measure of an event: its time, or its position in the streamset."""
    if k.program.by_events:
        return event_at(k, pos).seq
    return event_at(k, pos).time


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


cdef inline int64_t earliest_start(Kernel* k, int64_t last) noexcept nogil:
    """The least measure of a first event for a match whose last one measures `last` (SEMANTICS 3.3)."""
    if k.program.window == 0:
        return -FOREVER
    if k.program.sliding:
        return within(<int128>last - k.program.window + k.program.by_events)
    if k.program.by_events:
        return last / k.program.window * k.program.window
    return within(k.program.origin - (floor_div(<int128>k.program.origin - last, k.program.window) + 1) * k.program.window)


cdef inline int64_t upper_edge(Kernel* k, int64_t first) noexcept nogil:
    """The upper edge of the window of a match that begins at `first`."""
    if k.program.window == 0:
        return FOREVER
    if k.program.sliding:
        return within(<int128>first + k.program.window - k.program.by_events)
    if k.program.by_events:
        return (first / k.program.window + 1) * k.program.window - 1
    return within(k.program.origin + (floor_div(<int128>first - k.program.origin, k.program.window) + 1) * k.program.window)


cdef inline int64_t lower_edge(Kernel* k, int64_t first, int64_t last) noexcept nogil:
    """The lower edge of the window of a match."""
    if k.program.window == 0:
        return -FOREVER
    if k.program.sliding:
        return earliest_start(k, last)
    if k.program.by_events:
        return first / k.program.window * k.program.window
    return within(k.program.origin + floor_div(<int128>first - k.program.origin, k.program.window) * k.program.window)


cdef uint32_t position_from(Kernel* k, uint32_t pos, int64_t edge) noexcept nogil:
    """The first stored position at or after `pos` whose measure reaches `edge`."""
    cdef uint32_t end = next_position(k)
    while pos != end and measure(k, pos) < edge:
        pos += 1
    return pos


cdef void forget(Kernel* k) noexcept nogil:
    """Free what lies before the window: nodes at once, events and rows when half of them are dead."""
    cdef size_t dead = k.now.kept - k.now.history.first
    cdef size_t blocks, words
    cdef EventRecord* event
    cdef uint32_t end = next_position(k)
    if k.now.lo != end:
        k.now.ring.tail = event_at(k, k.now.lo).head
    else:
        k.now.ring.tail = k.now.ring.head
    if dead < 1024 or dead * 2 < k.now.history.events.size():
        return
    blocks = k.now.history.blocks.size()
    if k.now.kept != end:
        blocks = <size_t>(event_at(k, k.now.kept).block - k.now.history.first_block)
    words = k.now.history.words.size()
    if blocks < k.now.history.blocks.size():
        words = <size_t>(k.now.history.blocks[blocks].word - k.now.history.first_word)
    k.now.history.events.erase(k.now.history.events.begin(), k.now.history.events.begin() + dead)
    k.now.history.blocks.erase(k.now.history.blocks.begin(), k.now.history.blocks.begin() + blocks)
    k.now.history.words.erase(k.now.history.words.begin(), k.now.history.words.begin() + words)
    k.now.history.first += <uint32_t>dead
    k.now.history.first_block += blocks
    k.now.history.first_word += words
    forget_watched(k)


cdef void forget_watched(Kernel* k) noexcept nogil:
    cdef size_t a, dead
    for a in range(k.now.watched.size()):
        dead = 0
        while dead < k.now.watched[a].size() and older(k.now.watched[a][dead], k.now.history.first):
            dead += 1
        k.now.watched[a].erase(k.now.watched[a].begin(), k.now.watched[a].begin() + dead)


cdef void forget_all(Kernel* k) noexcept nogil:
    """Without a window: if no partial match is left, and no guard looks back, the past is over."""
    cdef size_t i
    if k.program.guarded or k.now.history.events.size() < k.now.next_look:
        return
    for i in range(k.now.states.size()):
        if k.now.states[i].live:
            k.now.next_look = 2 * k.now.history.events.size()
            return
    k.now.lo = k.now.kept = next_position(k)
    forget(k)
    k.now.next_look = 1024


cdef uint32_t first_kept(Kernel* k, int64_t last) noexcept nogil:
    """A match that waits for a sliding window's upper edge may still ask what came before its first event."""
    if k.program.waits and k.program.sliding:
        return position_from(k, k.now.kept, within(<int128>earliest_start(k, last) - k.program.window))
    return k.now.lo


cdef void move_window(Kernel* k, int64_t last) noexcept nogil:
    """No match will end before `last` any more."""
    if k.program.window == 0:
        forget_all(k)
        return
    k.now.lo = position_from(k, k.now.lo, earliest_start(k, last))
    k.now.kept = first_kept(k, last)
    forget(k)


cdef void store_event(Kernel* k, int64_t time, uint64_t handle) noexcept nogil:
    cdef EventRecord* event
    k.now.history.events.emplace_back()     # written in place: a copy of what was just written would stall
    event = &k.now.history.events.back()
    event.time = time
    event.seq = k.now.seq
    event.handle = handle
    event.block = k.now.history.first_block + k.now.history.blocks.size()
    event.blocks = 0
    event.head = k.now.ring.head
    k.now.picked = False


cdef void drop_event(Kernel* k) noexcept nogil:
    """Forget the newest event, which nothing has picked: its position is free again."""
    cdef EventRecord* event = &k.now.history.events.back()
    cdef size_t blocks = <size_t>(event.block - k.now.history.first_block)
    k.now.history.words.resize(<size_t>(k.now.history.blocks[blocks].word - k.now.history.first_word))
    k.now.history.blocks.resize(blocks)
    k.now.history.events.pop_back()


cdef void store_rows_of(Kernel* k, const BatchRows* rows) noexcept nogil:
    """Add the rows that each atom has for the newest event."""
    cdef const RowSource* sources = rows.sources.data()
    cdef const RowTaker* taker = rows.takers.data()
    cdef const RowTaker* end = taker + rows.takers.size()
    cdef const Block* before = NULL
    cdef EventRecord* event = &k.now.history.events.back()
    while taker != end:
        if sources[taker.source].end > sources[taker.source].at:
            before = store_block(k, before, taker, sources + taker.source)
            event.blocks += 1
        taker += 1


cdef const Block* store_block(
    Kernel* k, const Block* before, const RowTaker* taker, const RowSource* source
) noexcept nogil:
    """Add an atom's rows to the newest event; rows that are those of the atom `before` (NULL: none) are stored once."""
    cdef uint32_t count = <uint32_t>(source.end - source.at)
    cdef uint64_t word
    cdef Block* block
    if before != NULL and is_repeated_block(k, before, taker.slots, source):
        word = before.word
    else:
        word = store_words(k, taker.slots, source)
    k.now.history.blocks.emplace_back()
    block = &k.now.history.blocks.back()
    block.word = word
    block.atom = taker.atom
    block.rows = count
    k.now.matched.data()[taker.atom] += 1
    if count > 1:
        k.now.many_rows = True
    return block


cdef inline uint64_t store_words(Kernel* k, uint32_t slots, const RowSource* source) noexcept nogil:
    """Add the rows of the present event; the running number of their first word."""
    cdef uint64_t first = k.now.history.first_word + k.now.history.words.size()
    cdef size_t row
    cdef uint32_t slot
    cdef const word_t* column
    for row in range(source.at, source.end):
        column = source.columns + row
        for slot in range(slots):
            k.now.history.words.push_back(column[0])
            column += source.rows
    return first


cdef inline bint is_repeated_block(
    Kernel* k, const Block* block, uint32_t slots, const RowSource* source
) noexcept nogil:
    """The stored rows are those of the source."""
    cdef const word_t* stored = k.now.history.words.data() + (block.word - k.now.history.first_word)
    cdef size_t row
    cdef uint32_t slot
    cdef const word_t* column
    if k.program.slots.data()[block.atom] != slots or block.rows != source.end - source.at:
        return False
    for row in range(source.at, source.end):
        column = source.columns + row
        for slot in range(slots):
            if stored[0] != column[0]:
                return False
            stored += 1
            column += source.rows
    return True
