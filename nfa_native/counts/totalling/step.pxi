# The step: what the events of one timestamp do to the partial matches of a key.  They see those of before it.


cdef inline ExactSpan staged_at(Totalling* a, size_t state) noexcept nogil:
    return a.stacks.semiring.span(a.staged, state * (a.stacks.slots + 1))


cdef void mark_passed(
    Totalling* a, const vector[Entry]* entries, size_t first, size_t end
) noexcept nogil:
    """Mark in `passed` the states that partial matches leave with these events: by skip-till-next, strict contiguity, or
    as a negated event drops them."""
    cdef size_t i, j
    if not a.leaves:
        return
    a.present.assign(a.arcs.size(), 0)
    for i in range(a.states.size()):
        a.passed[i] = a.states[i].govern == Govern.STRICT
    for i in range(first, end):
        if a.present[entries.at(i).atom]:
            continue
        a.present[entries.at(i).atom] = True
        for j in range(a.arcs[entries.at(i).atom].size()):
            pass_state(a, a.arcs[entries.at(i).atom][j].source)
        for j in range(a.strikes[entries.at(i).atom].size()):
            a.passed[a.strikes[entries.at(i).atom][j]] = True
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
    Totalling* a, Substream* s, const Arc* arc, int64_t least, const ExactSpan& weight, const ExactSpan& out
) noexcept nogil:
    """Matches that end by an arc: those that are in its source and began at `least` or later."""
    cdef ExactSpan before
    if arc.source == NO_STATE:
        a.stacks.semiring.add_totals(out, weight, 1)
        a.fired[arc.transition] += arc.counts
        return
    if not s.window.filled[arc.source]:
        return
    before = weight_at(a, BEFORE)
    a.stacks.semiring.clear_totals(before, 1)
    a.stacks.add_window(
        s.window, 0, least, a.stacks.column(s.window, arc.source), a.stacks.first_row(s.window), before
    )
    if a.stacks.semiring.add_products(out, before, 1, weight):
        a.fired[arc.transition] += arc.counts


cdef void finish_matches(Totalling* a, Substream* s, bint gap) noexcept nogil:
    """The row of all matches that end in this tick, if there are any."""
    cdef size_t row = a.found.times.size()
    cdef const Entry* entry
    cdef size_t i, j
    cdef const Arc* arc
    cdef ExactSpan out
    a.stacks.semiring.resize(a.found.totals, row + 1)
    out = a.stacks.semiring.span(a.found.totals, row)
    a.stacks.semiring.clear_totals(out, 1)
    for i in range(s.pending.size()):
        entry = &s.pending[i]
        expire(a, s, entry.least, gap)
        for j in range(a.arcs[entry.atom].size()):
            arc = &a.arcs[entry.atom][j]
            if arc.target == NO_STATE:
                weigh(a, weight_at(a, ONE), s.pending_values.data() + i * a.quantities.size(), arc.source == NO_STATE)
                finish_arc(a, s, arc, entry.least, weight_at(a, ONE), out)
    for i in range(a.joints.size()):
        finish_joint(a, s, &a.joints[i], out)
    if not out.is_nothing():
        write_row(a, s)


cdef void finish_joint(Totalling* a, Substream* s, const Joint* joint, const ExactSpan& out) noexcept nogil:
    cdef const Arc* arc
    cdef size_t j
    for j in range(joint.arcs.size()):
        arc = joint.arcs.data() + j
        if arc.target == NO_STATE and weigh_joint(
            a, joint, &s.pending, 0, s.pending.size(), &s.pending_values, arc.source == NO_STATE
        ):
            finish_arc(a, s, arc, s.pending.back().least, weight_at(a, JOINT), out)


cdef void write_row(Totalling* a, const Substream* s) noexcept nogil:
    cdef const uint64_t* key = <const uint64_t*>s.key.data()
    cdef size_t i
    a.found.times.push_back(s.pending.back().time)
    for i in range(a.width):
        a.found.keys.push_back(key[i])


cdef void stage_arc(Totalling* a, Substream* s, const Arc* arc, const ExactSpan& weight, int64_t measure) noexcept nogil:
    """Put aside what enters the target."""
    cdef const Exact* semiring = &a.stacks.semiring
    cdef size_t first = a.stacks.first_row(s.window)
    cdef StateRecord* target = &a.states[arc.target]
    cdef ExactSpan out = staged_at(a, arc.target)
    cdef bint some = False
    if arc.source == NO_STATE:
        if s.window.groups.empty():
            a.stacks.add_group(s.window, 0)
        a.stacks.note_start(s.window, 0, measure)
        semiring.add_totals(semiring.part(out, a.stacks.slots), weight, 1)
        target.youngest = max(target.youngest, measure)
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


cdef void stage(Totalling* a, Substream* s) noexcept nogil:
    """All that the tick's events bring to states."""
    cdef size_t i, j
    cdef const Arc* arc
    for i in range(s.pending.size()):
        for j in range(a.arcs[s.pending[i].atom].size()):
            arc = &a.arcs[s.pending[i].atom][j]
            if arc.target != NO_STATE:
                weigh(a, weight_at(a, ONE), s.pending_values.data() + i * a.quantities.size(), arc.source == NO_STATE)
                stage_arc(a, s, arc, weight_at(a, ONE), s.pending[i].measure)
    for i in range(a.joints.size()):
        for j in range(a.joints[i].arcs.size()):
            arc = &a.joints[i].arcs[j]
            if arc.target != NO_STATE and weigh_joint(
                a, &a.joints[i], &s.pending, 0, s.pending.size(), &s.pending_values, arc.source == NO_STATE
            ):
                stage_arc(a, s, arc, weight_at(a, JOINT), s.pending.back().measure)


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


cdef void write_log(Totalling* a, Substream* s, bint gap) noexcept nogil:
    """Remember the tick for the next front; before the first start there is nothing to remember."""
    cdef Window[Exact, Entry]* w = &s.window
    if not a.windowed or not w.has_back:
        return
    s.pending[0].begins, s.pending[0].gap = True, gap
    w.log.insert(w.log.end(), s.pending.begin(), s.pending.end())
    w.log_wides.insert(w.log_wides.end(), s.pending_values.begin(), s.pending_values.end())


cdef void take_tick(Totalling* a, Substream* s) noexcept nogil:
    """All pending events of a substream, whose tick is complete."""
    cdef bint gap = s.tick != a.tick - 1
    cdef size_t state
    if gap:
        for state in range(a.states.size()):
            if a.states[state].govern == Govern.STRICT:
                s.window.filled[state] = False
    finish_matches(a, s, gap)
    stage(a, s)
    mark_passed(a, &s.pending, 0, s.pending.size())
    enter_staged(a, s)
    write_log(a, s, gap)
    s.tick = a.tick
    s.measure = s.pending.back().measure
    s.pending.clear()
    s.pending_values.clear()
