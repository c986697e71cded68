# The back becomes the front: going back from the last event, it is known for each slot what becomes of a path there, so that
# each event is read once more, and then forgotten.


cdef void make_front(Aggregation* a, Substream* s, int64_t least) noexcept nogil:
    a.stacks.begin_front(s.window)
    replay(a, s, least)
    if a.stacks.end_front(s.window):
        number_groups(s)


cdef void number_groups(Substream* s) noexcept nogil:
    """Find groups by their keys."""
    cdef unordered_map[uint32_t, uint32_t, NumberHash] fresh
    cdef uint32_t i
    if s.group_of_key.bucket_count() > 4 * s.window.groups.size() + MANY_BUCKETS:
        s.group_of_key.swap(fresh)
    s.group_of_key.clear()
    for i in range(<uint32_t>s.window.groups.size() if s.window.groups.size() > 1 else 0):
        s.group_of_key[s.window.groups[i].key] = i


cdef void replay(Aggregation* a, Substream* s, int64_t least) noexcept nogil:
    """Put the starts of the log that are in the window into the front."""
    cdef const Logged* event
    cdef BoundedSpan start
    cdef size_t left = s.window.log.size()
    while left:
        left -= 1
        event = &s.window.log[left]
        if event.start != NEVER and event.start < least:
            break
        if a.has_newest and left + 1 < s.window.log.size() and s.window.log[left + 1].local != event.local + 1:
            end_newest(a)
        if event.start != NEVER:
            start = a.stacks.begin_start(s.window, event.group, event.start)
        turn(a, s, left, &start)


cdef void end_newest(Aggregation* a) noexcept nogil:
    """Nothing comes of paths that had to go on with the next event."""
    cdef size_t state
    for state in range(a.entries.size()):
        if a.entries[state].last_slot != NO_SLOT:
            a.stacks.end_future(a.entries[state].last_slot)


cdef void turn(Aggregation* a, Substream* s, size_t at, const BoundedSpan* start) noexcept nogil:
    """What becomes of paths in a slot before an event of the log, from what becomes of those after it: they stay, or enter a
    state.

    What is read must not be written before: so all that enters is found first, unless going from the first state to the
    last is enough."""
    cdef const Logged* event = &s.window.log[at]
    cdef const uint32_t* entered = a.symbol_entries.data() + a.symbol_begin[event.symbol]
    cdef size_t count = a.symbol_begin[event.symbol + 1] - a.symbol_begin[event.symbol]
    cdef bint at_once = a.in_order[event.symbol] and not a.has_newest
    cdef const Entry* entry
    cdef BoundedSpan turned
    cdef size_t i
    if event.start == NEVER:
        start = NULL
    for i in range(count):
        entry = a.entries.data() + entered[count - 1 - i]
        turned = a.stacks.semiring.span(a.turned, i * a.stacks.slots)
        if at_once and not entry.counts and not entry.loops and entry.slot != NO_SLOT:
            turned = a.stacks.future_of(entry.slot)
        else:
            find_turned(a, s, at, entry, &turned)
        if at_once:
            turn_back(a, entry, &turned, start)
    if at_once:
        return
    end_newest(a)
    for i in range(count):
        turned = a.stacks.semiring.span(a.turned, i * a.stacks.slots)
        turn_back(a, a.entries.data() + entered[count - 1 - i], &turned, start)


cdef void find_turned(Aggregation* a, Substream* s, size_t at, const Entry* entry, const BoundedSpan* out) noexcept nogil:
    """What becomes of paths that enter a state with the event."""
    cdef const Bounded* semiring = &a.stacks.semiring
    cdef BoundedSpan turned = semiring.part(out[0], entry.reach)
    cdef size_t reach = a.stacks.slots - entry.reach
    semiring.clear_totals(turned, reach)
    if entry.slot != NO_SLOT:
        semiring.add_totals(turned, semiring.part(a.stacks.future_of(entry.slot), entry.reach), reach)
    if entry.last_slot != NO_SLOT:
        semiring.add_totals(turned, semiring.part(a.stacks.future_of(entry.last_slot), entry.reach), reach)
    if entry.counts:
        append_event(
            a, entry.state, &turned, reach, s.window.log_wides.data() + at * semiring.wides,
            s.window.log_reals.data() + at * semiring.reals,
        )


cdef inline void append_event(
    const Aggregation* a, uint32_t state, const BoundedSpan* out, size_t count, const int128* wides, const double* reals
) noexcept nogil:
    """Each path with an event more, which entered the state."""
    a.stacks.semiring.append_event(
        out[0], count, a.holds_wide.data() + state * a.stacks.semiring.wides, wides,
        a.holds_real.data() + state * a.stacks.semiring.reals, reals,
    )


cdef void turn_back(
    Aggregation* a, const Entry* entry, const BoundedSpan* turned, const BoundedSpan* start
) noexcept nogil:
    """Add what becomes of paths that enter the state to what becomes of those before it, and of a start if there is one."""
    cdef const Bounded* semiring = &a.stacks.semiring
    cdef BoundedSpan more = semiring.part(turned[0], entry.reach)
    cdef size_t reach = a.stacks.slots - entry.reach
    cdef size_t k
    if entry.initial and start != NULL:
        semiring.add_totals(semiring.part(start[0], entry.reach), more, reach)
    for k in range(entry.first, entry.first + entry.after + entry.directly):
        semiring.add_totals(semiring.part(a.stacks.future_of(a.sources[k]), entry.reach), more, reach)
