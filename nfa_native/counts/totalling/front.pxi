# The back becomes the front: going back from the last tick, it is known for each state what becomes of a partial match there,
# so that each event is read once more, and then forgotten.


cdef void expire(Totalling* a, Substream* s, int64_t least, bint gap) noexcept nogil:
    """Forget what began before `least`; `gap`: strict contiguity is broken by now."""
    if not a.stacks.expire(s.window, least):
        return
    a.stacks.begin_front(s.window)
    if gap:
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
    """Put the starts of the log that are in the window into the front."""
    cdef size_t end = s.window.log.size()
    cdef size_t first
    while end and s.window.log[end - 1].measure >= least:
        first = end - 1
        while first and not s.window.log[first].begins:
            first -= 1
        turn(a, s, first, end, least)
        if s.window.log[first].gap:
            end_strict(a)
        end = first


cdef void turn(Totalling* a, Substream* s, size_t first, size_t end, int64_t least) noexcept nogil:
    """One tick back: what becomes of partial matches before it, and of those that begin with it."""
    cdef const vector[Entry]* log = &s.window.log
    cdef size_t i, j
    cdef const Arc* arc
    mark_passed(a, log, first, end)
    for i in range(a.joints.size()):
        for j in range(a.joints[i].arcs.size()):
            arc = &a.joints[i].arcs[j]
            if arc.target != NO_STATE and weigh_joint(
                a, &a.joints[i], log, first, end, &s.window.log_wides, arc.source == NO_STATE
            ):
                turn_arc(a, s, arc, weight_at(a, JOINT), log.at(end - 1).measure, least)
    i = end
    while i > first:
        i -= 1
        for j in range(a.arcs[log.at(i).atom].size()):
            arc = &a.arcs[log.at(i).atom][j]
            if arc.target != NO_STATE:
                weigh(a, weight_at(a, ONE), s.window.log_wides.data() + i * a.quantities.size(), arc.source == NO_STATE)
                turn_arc(a, s, arc, weight_at(a, ONE), log.at(i).measure, least)
    enter_turned(a)


cdef void turn_arc(
    Totalling* a, Substream* s, const Arc* arc, const ExactSpan& weight, int64_t measure, int64_t least
) noexcept nogil:
    """What becomes of those that take the arc belongs to its source, or to a start."""
    cdef ExactSpan out
    if arc.source != NO_STATE:
        a.entered[arc.source] = True
        out = staged_at(a, arc.source)
    elif measure >= least:
        out = a.stacks.begin_start(s.window, 0, measure)
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
