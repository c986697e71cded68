# The front: when what was in it is too old, all starts since then become the new one.  Going back from the last tick, it
# is known for each state what becomes of a partial match there, so that each event is read once more, and then forgotten.


cdef void expire(Totalling* a, Substream* s, int64_t least, bint gap) noexcept nogil:
    """Forget what began before `least`; `gap`: strict contiguity is broken by now."""
    while s.left and s.starts[s.left - 1] < least:
        s.left -= 1
    if s.left:
        return
    s.has_front = False
    if s.has_back and s.oldest < least:
        make_front(a, s, least, gap)


cdef void make_front(Totalling* a, Substream* s, int64_t least, bint gap) noexcept nogil:
    cdef Total unit
    cdef uint32_t state
    s.starts.clear()
    replay(a, s, least, gap)
    s.left = s.starts.size()
    if s.front.numbers.size() > 4 * s.left * a.states.size() * a.numbers:
        resize_table(a, &s.front, s.left * a.states.size())       # what was large once
    s.has_front = s.left > 0
    s.has_back = False
    s.ticks.clear()
    s.log.clear()
    s.log_values.clear()
    for state in range(<uint32_t>a.states.size()):
        unit = row_at(a, s, state, 0)
        clear_total(a, &unit)
        if s.has_front:
            clear_row(a, s, state)
            unit = row_at(a, s, state, 1 + state)
            set_unit(a, &unit)


cdef inline Total future_at(Totalling* a, uint32_t state, size_t slot) noexcept nogil:
    return total_at(a, &a.future, state * a.states.size() + slot)


cdef void end_strict(Totalling* a) noexcept nogil:
    """Nothing comes of partial matches that had to go on with the next tick."""
    cdef Total future
    cdef uint32_t state
    cdef size_t k
    for state in range(<uint32_t>a.states.size()):
        if a.states[state].govern == STRICT:
            for k in range(a.states.size()):
                future = future_at(a, state, k)
                clear_total(a, &future)


cdef void begin_future(Totalling* a, bint gap) noexcept nogil:
    """What is in a state stays there."""
    cdef Total future
    cdef uint32_t state
    cdef size_t k
    for state in range(<uint32_t>a.states.size()):
        for k in range(a.states.size()):
            future = future_at(a, state, k)
            clear_total(a, &future)
            if k == state:
                set_unit(a, &future)
    if gap:
        end_strict(a)


cdef void replay(Totalling* a, Substream* s, int64_t least, bint gap) noexcept nogil:
    """Put the starts of the log that are in the window into the front."""
    cdef size_t end = s.log.size()
    cdef size_t left = s.ticks.size()
    begin_future(a, gap)
    while left and s.log[end - 1].measure >= least:
        left -= 1
        turn(a, s, s.ticks[left].first, end, least)
        if s.ticks[left].gap:
            end_strict(a)
        end = s.ticks[left].first


cdef void turn(Totalling* a, Substream* s, size_t first, size_t end, int64_t least) noexcept nogil:
    """One tick back: what becomes of partial matches before it, and of those that begin with it."""
    cdef size_t width = a.quantities.size()
    cdef size_t i, j
    cdef const Arc* arc
    cdef Total weight
    mark_passed(a, &s.log, first, end)
    i = end
    while i > first:
        i -= 1
        for j in range(a.arcs[s.log[i].atom].size()):
            arc = &a.arcs[s.log[i].atom][j]
            if arc.target != NO_STATE:
                weight = total_at(a, &a.weight, 0)
                weigh(a, &weight, s.log_values.data() + i * width, arc.source == NO_STATE)
                turn_arc(a, s, arc, &weight, s.log[i].measure, least)
    for i in range(a.joints.size()):
        for j in range(a.joints[i].arcs.size()):
            arc = &a.joints[i].arcs[j]
            if arc.target != NO_STATE and weigh_joint(
                a, &a.joints[i], &s.log, first, end, &s.log_values, arc.source == NO_STATE
            ):
                weight = total_at(a, &a.weight, 3)
                turn_arc(a, s, arc, &weight, s.log[end - 1].measure, least)
    enter_turned(a)


cdef void turn_arc(
    Totalling* a, Substream* s, const Arc* arc, const Total* weight, int64_t measure, int64_t least
) noexcept nogil:
    """What becomes of those that take the arc belongs to its source, or to a start."""
    cdef size_t states = a.states.size()
    cdef Total out, future
    cdef size_t k
    if arc.source == NO_STATE:
        if measure < least:
            return
        begin_start(a, s, measure)
    else:
        a.entered[arc.source] = True
    for k in range(states):
        out = staged_at(a, arc.source, k) if arc.source != NO_STATE else total_at(
            a, &s.front, (s.starts.size() - 1) * states + k
        )
        future = future_at(a, arc.target, k)
        add_product(a, &out, weight, &future)


cdef void begin_start(Totalling* a, Substream* s, int64_t measure) noexcept nogil:
    """The front's totals of a start, to which those of all younger ones belong."""
    cdef size_t states = a.states.size()
    cdef size_t before = s.starts.size()
    cdef Total here, younger
    cdef size_t k
    if before and s.starts.back() == measure:
        return
    s.starts.push_back(measure)
    if s.front.numbers.size() < (before + 1) * states * a.numbers:
        resize_table(a, &s.front, (before + 1) * states)
    for k in range(states):
        here = total_at(a, &s.front, before * states + k)
        if before:
            younger = total_at(a, &s.front, (before - 1) * states + k)
            copy_total(a, &here, &younger)
        else:
            clear_total(a, &here)


cdef void enter_turned(Totalling* a) noexcept nogil:
    """What is in a state stays there if it does not leave, and goes where its events took it."""
    cdef Total future, staged
    cdef uint32_t state
    cdef size_t k
    for state in range(<uint32_t>a.states.size()):
        if not a.passed[state] and not a.entered[state]:
            continue
        for k in range(a.states.size()):
            future, staged = future_at(a, state, k), staged_at(a, state, k)
            if a.passed[state]:
                clear_total(a, &future)
            if a.entered[state]:
                add_total(a, &future, &staged)
                clear_total(a, &staged)
        a.entered[state] = False
