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


cdef inline size_t row_of(const Aggregation* a, size_t slot) noexcept nogil:
    """Where columns have the paths that were in the slot when the front was made."""
    return a.slots - 1 - slot


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
        set_empty_path(a, &column, row_of(a, slot))


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
        if a.has_newest and left + 1 < s.log.size() and s.log[left + 1].local != event.local + 1:
            end_newest(a)
        if event.start != NEVER:
            if not some:
                s.youngest = event.start
            some = True
            begin_start(a, &s.groups[event.group], event.start)
        turn(a, s, event, s.log_wides.data() + left * a.wides, s.log_reals.data() + left * a.reals)
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


cdef void begin_start(Aggregation* a, Group* group, int64_t start) noexcept nogil:
    """Another start of the front: its matches will be added to those of all younger ones of its group."""
    cdef Span here = span(&group.front, group.starts.size() * a.slots)
    cdef Span younger
    if group.starts.empty():
        clear(a, &here, a.slots)
    else:
        younger = span(&group.front, (group.starts.size() - 1) * a.slots)
        copy(a, &here, &younger, a.slots)
    group.starts.push_back(start)


cdef void turn(
    Aggregation* a, Substream* s, const Logged* event, const wide* wides, const double* reals
) noexcept nogil:
    """What becomes of paths in a slot before the event, from what becomes of those after it: they stay, or enter a state.

    What is read must not be written before: so all that enters is found first, unless going from the first state to the
    last is enough."""
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[event.symbol]
    cdef size_t count = a.symbol_begin[event.symbol + 1] - a.symbol_begin[event.symbol]
    cdef bint at_once = a.in_order[event.symbol] and not a.has_newest
    cdef const Entry* entry
    cdef Span turned
    cdef size_t i
    for i in range(count):
        entry = a.entries.data() + entered[count - 1 - i]
        turned = span(&a.turned, i * a.slots)
        if at_once and not entry.counts and not entry.loops and entry.slot != NO_SLOT:
            turned = span(&a.future, entry.slot * a.slots)
        else:
            find_turned(a, entry, &turned, wides, reals)
        if at_once:
            turn_back(a, s, event, entry, &turned)
    if at_once:
        return
    end_newest(a)
    for i in range(count):
        turned = span(&a.turned, i * a.slots)
        turn_back(a, s, event, a.entries.data() + entered[count - 1 - i], &turned)


cdef void find_turned(
    Aggregation* a, const Entry* entry, const Span* out, const wide* wides, const double* reals
) noexcept nogil:
    """What becomes of paths that enter a state with the event."""
    cdef Span turned = part(out, entry.reach)
    cdef Span future
    cdef size_t reach = a.slots - entry.reach
    clear(a, &turned, reach)
    if entry.slot != NO_SLOT:
        future = span(&a.future, entry.slot * a.slots + entry.reach)
        add(a, &turned, &future, reach)
    if entry.last_slot != NO_SLOT:
        future = span(&a.future, entry.last_slot * a.slots + entry.reach)
        add(a, &turned, &future, reach)
    if entry.counts:
        append_event(a, &turned, reach, entry.state, wides, reals)


cdef void turn_back(
    Aggregation* a, Substream* s, const Logged* event, const Entry* entry, const Span* turned
) noexcept nogil:
    """Add what becomes of paths that enter the state to what becomes of those before it, and of a start."""
    cdef Span more = part(turned, entry.reach)
    cdef size_t reach = a.slots - entry.reach
    cdef Group* group
    cdef Span out
    cdef size_t k
    if entry.initial and event.start != NEVER:
        group = &s.groups[event.group]
        out = span(&group.front, (group.starts.size() - 1) * a.slots + entry.reach)
        add(a, &out, &more, reach)
    for k in range(entry.first, entry.first + entry.after + entry.directly):
        out = span(&a.future, a.sources[k] * a.slots + entry.reach)
        add(a, &out, &more, reach)
