# The front: when what was in it is too old, all starts since then become the new one.  Going back from the last event, it
# is known for each slot what becomes of a path there, so that each event is read once more, and then forgotten.


cdef void expire(Aggregation* a, Substream* s, int64_t least) noexcept nogil:
    """Forget what began too early, as far as that keeps the paths in the columns few."""
    cdef size_t i
    if s.has_front and s.youngest < least:
        s.has_front = False
        for i in range(s.groups.size()):
            s.groups[i].left = 0
    if not s.has_front and s.has_back and s.oldest < least:
        make_front(a, s, least)


cdef void make_front(Aggregation* a, Substream* s, int64_t least) noexcept nogil:
    cdef size_t i
    for i in range(s.groups.size()):
        resize_totals(a, &s.groups[i].front, s.groups[i].begun * a.slots)
        s.groups[i].starts.clear()
    s.has_front = replay(a, s, least)
    for i in range(s.groups.size()):
        s.groups[i].left = s.groups[i].starts.size()
        s.groups[i].begun = 0
    s.has_back = False
    s.log.clear()
    s.log_wides.clear()
    s.log_reals.clear()
    drop_groups(s)
    begin_columns(a, s)


cdef void begin_columns(const Aggregation* a, Substream* s) noexcept nogil:
    """Nothing has happened since the front was made: what is in a slot stays there."""
    cdef Span column
    cdef size_t slot
    s.filled.assign(a.slots, s.has_front)
    if not s.has_front:
        return
    for slot in range(a.slots):
        column = span(&s.columns, slot * s.height)
        clear(a, &column, s.height)
        set_empty_path(a, &column, slot)


cdef void drop_groups(Substream* s) noexcept nogil:
    """Those of which no start is left."""
    cdef size_t kept = 0
    cdef size_t i
    for i in range(s.groups.size()):
        if s.groups[i].left:
            if kept != i:
                swap[Group](s.groups[kept], s.groups[i])
            kept += 1
    if kept == s.groups.size():
        return
    s.groups.resize(kept)
    s.group_of_key.clear()
    for i in range(kept):
        s.group_of_key[s.groups[i].key] = <uint32_t>i


cdef bint replay(Aggregation* a, Substream* s, int64_t least) noexcept nogil:
    """Put the starts of the log into the front; whether there are any in the window."""
    cdef const Logged* event
    cdef size_t left = s.log.size()
    cdef bint some = False
    begin_future(a)
    while left:
        left -= 1
        event = &s.log[left]
        if event.start != NEVER and event.start < least:
            break
        if left + 1 < s.log.size() and s.log[left + 1].local != event.local + 1:
            end_newest(a)
        turn(a, event, s.log_wides.data() + left * a.wides, s.log_reals.data() + left * a.reals)
        if event.start != NEVER:
            if not some:
                s.youngest = event.start
            some = True
            add_start(a, &s.groups[event.group], event)
        turn_back(a, event)
    return some


cdef void begin_future(Aggregation* a) noexcept nogil:
    """What is in a slot stays there."""
    cdef Span future
    cdef size_t slot
    resize_totals(a, &a.future, a.slots * a.slots)
    future = span(&a.future, 0)
    clear(a, &future, a.slots * a.slots)
    for slot in range(a.slots):
        future = span(&a.future, slot * a.slots)
        set_empty_path(a, &future, slot)


cdef void end_newest(Aggregation* a) noexcept nogil:
    """Nothing comes of paths that had to go on with the next event."""
    cdef Span future
    cdef size_t state
    for state in range(a.entries.size()):
        if a.entries[state].last_slot != NO_SLOT:
            future = span(&a.future, a.entries[state].last_slot * a.slots)
            clear(a, &future, a.slots)


cdef void turn(Aggregation* a, const Logged* event, const wide* wides, const double* reals) noexcept nogil:
    """What becomes of paths that enter a state with the event, from what comes of those in its slots after it."""
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[event.symbol]
    cdef size_t count = a.symbol_begin[event.symbol + 1] - a.symbol_begin[event.symbol]
    cdef const Entry* entry
    cdef Span turned, future
    cdef size_t i
    for i in range(count):
        entry = a.entries.data() + entered[i]
        turned = span(&a.turned, i * a.slots)
        clear(a, &turned, a.slots)
        if entry.slot != NO_SLOT:
            future = span(&a.future, entry.slot * a.slots)
            add(a, &turned, &future, a.slots)
        if entry.last_slot != NO_SLOT:
            future = span(&a.future, entry.last_slot * a.slots)
            add(a, &turned, &future, a.slots)
        append_event(a, &turned, a.slots, entry.state, wides, reals)


cdef void add_start(Aggregation* a, Group* group, const Logged* event) noexcept nogil:
    """The matches that begin with the event, and all younger ones of its group."""
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[event.symbol]
    cdef size_t count = a.symbol_begin[event.symbol + 1] - a.symbol_begin[event.symbol]
    cdef Span here = span(&group.front, group.starts.size() * a.slots)
    cdef Span other
    cdef size_t i
    clear(a, &here, a.slots)
    if group.starts.size():
        other = span(&group.front, (group.starts.size() - 1) * a.slots)
        add(a, &here, &other, a.slots)
    for i in range(count):
        if a.entries[entered[i]].initial:
            other = span(&a.turned, i * a.slots)
            add(a, &here, &other, a.slots)
    group.starts.push_back(event.start)


cdef void turn_back(Aggregation* a, const Logged* event) noexcept nogil:
    """What becomes of paths in a slot before the event: they stay, or enter a state."""
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[event.symbol]
    cdef size_t count = a.symbol_begin[event.symbol + 1] - a.symbol_begin[event.symbol]
    cdef const Entry* entry
    cdef Span turned, future
    cdef size_t i, k
    end_newest(a)
    for i in range(count):
        entry = a.entries.data() + entered[i]
        turned = span(&a.turned, i * a.slots)
        for k in range(entry.first, entry.first + entry.after + entry.directly):
            future = span(&a.future, a.sources[k] * a.slots)
            add(a, &future, &turned, a.slots)
