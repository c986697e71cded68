# The step: what the events of one timestamp do to the partial matches of a key.  They see those of before it.


cdef inline ExactSpan staged_at(Totalling* a, size_t state) noexcept nogil:
    return a.stacks.semiring.span(a.staged, state * (a.stacks.slots + 1))


cdef inline bint is_after_gap(const Totalling* a, const Substream* s) noexcept nogil:
    """The tick before did not touch the substream: strict contiguity is broken."""
    return s.tick != a.tick - 1


cdef void mark_passed(Totalling* a, const Tick* tick) noexcept nogil:
    """Mark in `passed` the states that partial matches leave with these events: by skip-till-next, strict contiguity, or
    as a negated event drops them."""
    cdef uint32_t atom
    cdef size_t i, j
    if not a.leaves:
        return
    a.present.assign(a.arcs.size(), 0)
    for i in range(a.states.size()):
        a.passed[i] = a.states[i].govern == Govern.STRICT
    for i in range(tick.first, tick.end):
        atom = tick.entries.at(i).atom
        if a.present[atom]:
            continue
        a.present[atom] = True
        for j in range(a.arcs[atom].size()):
            pass_state(a, a.arcs[atom][j].source)
        for j in range(a.strikes[atom].size()):
            a.passed[a.strikes[atom][j]] = True
    for i in range(a.joints.size()):
        if is_present(a, &a.joints[i]):
            for j in range(a.joints[i].arcs.size()):
                pass_state(a, a.joints[i].arcs[j].source)


cdef void pass_state(Totalling* a, uint32_t state) noexcept nogil:
    cdef size_t i
    if state == NO_STATE or a.states[state].govern != Govern.NEXT:
        return
    a.passed[state] = True
    for i in range(a.states[state].twins.size()):
        a.passed[a.states[state].twins[i]] = True


cdef bint is_present(const Totalling* a, const Joint* joint) noexcept nogil:
    """Each of the atoms has an event."""
    cdef size_t i
    for i in range(joint.atoms.size()):
        if not a.present.at(joint.atoms.at(i)):
            return False
    return True


cdef void finish_arc(
    Totalling* a, Substream* s, const Arc* arc, const Entry* entry, const ExactSpan& weight
) noexcept nogil:
    """Matches that end by an arc: those that are in its source and began in the window."""
    cdef const Exact* semiring = &a.stacks.semiring
    cdef ExactSpan out = semiring.span(a.found.totals, a.found.times.size())
    cdef ExactSpan before
    if arc.source == NO_STATE:
        semiring.add_totals(out, weight, 1)
        a.fired[arc.transition] += arc.counts
    elif s.window.filled[arc.source]:
        before = weight_at(a, BEFORE)
        semiring.clear_totals(before, 1)
        a.stacks.add_window(
            s.window, 0, entry.least, a.stacks.column(s.window, arc.source), a.stacks.first_row(s.window), before
        )
        if semiring.add_products(out, before, 1, weight):
            a.fired[arc.transition] += arc.counts


cdef void finish_matches(Totalling* a, Substream* s, const Tick* tick) noexcept nogil:
    """The row of all matches that end in this tick, if there are any."""
    cdef size_t row = a.found.times.size()
    a.stacks.semiring.resize(a.found.totals, row + 1)
    a.stacks.semiring.clear_totals(a.stacks.semiring.span(a.found.totals, row), 1)
    take_arcs(a, s, tick, True, False, finish_arc)
    if not a.stacks.semiring.span(a.found.totals, row).is_nothing():
        write_row(a, s)


cdef void write_row(Totalling* a, const Substream* s) noexcept nogil:
    cdef const uint64_t* key = <const uint64_t*>s.key.data()
    cdef size_t i
    a.found.times.push_back(s.pending.back().time)
    for i in range(a.width):
        a.found.keys.push_back(key[i])


cdef void stage_arc(Totalling* a, Substream* s, const Arc* arc, const Entry* entry, const ExactSpan& weight) noexcept nogil:
    """Put aside what enters the target."""
    cdef const Exact* semiring = &a.stacks.semiring
    cdef size_t first = a.stacks.first_row(s.window)
    cdef StateRecord* target = &a.states[arc.target]
    cdef ExactSpan out = staged_at(a, arc.target)
    cdef bint some = False
    if arc.source == NO_STATE:
        if s.window.groups.empty():
            a.stacks.add_group(s.window, 0)
        a.stacks.note_start(s.window, 0, entry.measure)
        semiring.add_totals(semiring.part(out, a.stacks.slots), weight, 1)
        target.youngest = max(target.youngest, entry.measure)
        some = True
    else:
        if s.window.filled[arc.source]:
            some = semiring.add_products(
                semiring.part(out, first), semiring.part(a.stacks.column(s.window, arc.source), first),
                s.window.height - first, weight,
            )
        target.youngest = max(target.youngest, a.states[arc.source].youngest)
    a.entered[arc.target] |= some
    a.fired[arc.transition] += some and arc.counts
    target.entered += some


cdef void enter_staged(Totalling* a, Substream* s) noexcept nogil:
    cdef const Exact* semiring = &a.stacks.semiring
    cdef size_t first = a.stacks.first_row(s.window)
    cdef size_t height = s.window.height
    cdef ExactSpan staged
    cdef size_t state
    for state in range(a.states.size()):
        if a.passed[state]:
            s.window.filled[state] = False
        if not a.entered[state]:
            continue
        staged = semiring.part(staged_at(a, state), first)
        semiring.add_totals(semiring.part(a.stacks.filled_column(s.window, state), first), staged, height - first)
        semiring.clear_totals(staged, height - first)
        a.entered[state] = False


cdef void write_log(Totalling* a, Substream* s) noexcept nogil:
    """Remember the tick for the next front; before the first start there is nothing to remember."""
    cdef Window[Exact, Entry]* w = &s.window
    if not a.windowed or not w.has_back:
        return
    s.pending[0].begins, s.pending[0].gap = True, is_after_gap(a, s)
    w.log.insert(w.log.end(), s.pending.begin(), s.pending.end())
    w.log_wides.insert(w.log_wides.end(), s.pending_values.begin(), s.pending_values.end())


cdef void take_tick(Totalling* a, Substream* s) noexcept nogil:
    """All pending events of a substream, whose tick is complete."""
    cdef Tick tick
    cdef size_t state
    tick.entries, tick.values = &s.pending, &s.pending_values
    tick.first, tick.end = 0, s.pending.size()
    if is_after_gap(a, s):
        for state in range(a.states.size()):
            if a.states[state].govern == Govern.STRICT:
                s.window.filled[state] = False
    finish_matches(a, s, &tick)
    take_arcs(a, s, &tick, False, False, stage_arc)
    mark_passed(a, &tick)
    enter_staged(a, s)
    write_log(a, s)
    s.tick = a.tick
    s.measure = s.pending.back().measure
    s.pending.clear()
    s.pending_values.clear()
