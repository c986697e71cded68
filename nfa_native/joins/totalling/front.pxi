# The back becomes the front: going back from the last tick, it is known for each state what becomes of a partial match there,
# so that each event is read once more, and then forgotten.


cdef void expire(Totalling* a, Substream* s, int64_t least) noexcept nogil:
    """Forget what began before `least`."""
    if not a.stacks.expire(s.window, least):
        return
    a.stacks.begin_front(s.window)
    if is_after_gap(a, s):
        end_strict(a)
    replay(a, s, least)
    a.stacks.end_front(s.window)


cdef void end_strict(Totalling* a) noexcept nogil:
    """Nothing comes of partial matches that had to go on with the next tick."""
    cdef size_t state
    for state in range(a.states.size()):
        if a.states[state].govern == Govern.STRICT:
            a.stacks.end_future(state)


cdef void replay(Totalling* a, Substream* s, int64_t least) noexcept nogil:
    """Put the starts of the log that are in the window into the front, from the last tick to the first."""
    cdef Tick tick
    tick.entries, tick.values = &s.window.log, &s.window.log_wides
    tick.end = s.window.log.size()
    a.least = least
    while tick.end and s.window.log[tick.end - 1].measure >= least:
        tick.first = tick.end - 1
        while tick.first and not s.window.log[tick.first].begins:
            tick.first -= 1
        mark_passed(a, &tick)
        take_arcs(a, s, &tick, False, True, turn_arc)
        enter_turned(a)
        if s.window.log[tick.first].gap:
            end_strict(a)
        tick.end = tick.first


cdef void turn_arc(Totalling* a, Substream* s, const Arc* arc, const Entry* entry, const ExactSpan& weight) noexcept nogil:
    """What becomes of those that take the arc belongs to its source, or to a start."""
    cdef ExactSpan out
    if arc.source != NO_STATE:
        a.entered[arc.source] = True
        out = staged_at(a, arc.source)
    elif entry.measure >= a.least:
        out = a.stacks.begin_start(s.window, 0, entry.measure)
    else:
        return
    a.stacks.semiring.add_products(out, a.stacks.future_of(arc.target), a.stacks.slots, weight)


cdef void enter_turned(Totalling* a) noexcept nogil:
    """What is in a state stays there if it does not leave, and goes where its events took it."""
    cdef size_t state
    for state in range(a.states.size()):
        if a.passed[state]:
            a.stacks.end_future(state)
        if a.entered[state]:
            a.stacks.semiring.add_totals(a.stacks.future_of(state), staged_at(a, state), a.stacks.slots)
            a.stacks.semiring.clear_totals(staged_at(a, state), a.stacks.slots)
        a.entered[state] = False
