# The step: what the events of one timestamp do to the partial matches of a key.  They see those of before it.


cdef inline Total row_at(const Totalling* a, Substream* s, uint32_t state, size_t column) noexcept nogil:
    return total_at(a, &s.rows, state * (1 + a.states.size()) + column)


cdef inline Total staged_at(Totalling* a, uint32_t state, size_t column) noexcept nogil:
    return total_at(a, &a.staged, state * (1 + a.states.size()) + column)


cdef inline size_t columns_of(const Totalling* a, const Substream* s) noexcept nogil:
    """How many columns of a row have something."""
    return 1 + (a.states.size() if s.has_front else 0)


cdef void clear_row(const Totalling* a, Substream* s, uint32_t state) noexcept nogil:
    cdef Total total
    cdef size_t i
    for i in range(columns_of(a, s)):
        total = row_at(a, s, state, i)
        clear_total(a, &total)


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
        a.passed[i] = a.states[i].govern == STRICT
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
    if state == NO_STATE or a.states[state].govern != NEXT:
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


cdef void value_of(Totalling* a, Substream* s, uint32_t state, Total* out) noexcept nogil:
    """The partial matches in a state whose start is in the window."""
    cdef Total row = row_at(a, s, state, 0)
    cdef Total front
    cdef size_t k
    copy_total(a, out, &row)
    if not s.has_front:
        return
    for k in range(a.states.size()):
        row = row_at(a, s, state, 1 + k)
        front = total_at(a, &s.front, (s.left - 1) * a.states.size() + k)
        add_product(a, out, &front, &row)


cdef void finish_arc(Totalling* a, Substream* s, const Arc* arc, Total* weight, Total* out) noexcept nogil:
    """Matches that end by an arc."""
    cdef Total before
    if arc.source == NO_STATE:
        add_total(a, out, weight)
        a.fired[arc.transition] += arc.counts
        return
    before = total_at(a, &a.weight, 1)
    value_of(a, s, arc.source, &before)
    if not is_nothing(&before):
        add_product(a, out, &before, weight)
        a.fired[arc.transition] += arc.counts


cdef void finish_matches(Totalling* a, Substream* s, bint gap) noexcept nogil:
    """The row of all matches that end in this tick, if there are any."""
    cdef size_t width = a.quantities.size()
    cdef size_t i, j
    cdef const Arc* arc
    cdef Total weight, out
    resize_table(a, &a.found.totals, a.found.times.size() + 1)
    out = total_at(a, &a.found.totals, a.found.times.size())
    clear_total(a, &out)
    for i in range(s.pending.size()):
        expire(a, s, s.pending[i].least, gap)
        for j in range(a.arcs[s.pending[i].atom].size()):
            arc = &a.arcs[s.pending[i].atom][j]
            if arc.target == NO_STATE:
                weight = total_at(a, &a.weight, 0)
                weigh(a, &weight, s.pending_values.data() + i * width, arc.source == NO_STATE)
                finish_arc(a, s, arc, &weight, &out)
    for i in range(a.joints.size()):
        finish_joint(a, s, &a.joints[i], &out)
    if not is_nothing(&out):
        write_row(a, s)


cdef void finish_joint(Totalling* a, Substream* s, const Joint* joint, Total* out) noexcept nogil:
    cdef Total weight = total_at(a, &a.weight, 3)
    cdef const Arc* arc
    cdef size_t j
    for j in range(joint.arcs.size()):
        arc = joint.arcs.data() + j
        if arc.target == NO_STATE and weigh_joint(
            a, joint, &s.pending, 0, s.pending.size(), &s.pending_values, arc.source == NO_STATE
        ):
            finish_arc(a, s, arc, &weight, out)


cdef void write_row(Totalling* a, const Substream* s) noexcept nogil:
    cdef const uint64_t* key = <const uint64_t*>s.key.data()
    cdef size_t i
    a.found.times.push_back(s.pending.back().time)
    for i in range(a.width):
        a.found.keys.push_back(key[i])


cdef void stage_arc(Totalling* a, Substream* s, const Arc* arc, const Total* weight, int64_t measure) noexcept nogil:
    """Put aside what enters the target."""
    cdef size_t columns = columns_of(a, s)
    cdef bint some = False
    cdef Total out, before
    cdef size_t i
    a.entered[arc.target] = True
    if arc.source == NO_STATE:
        out = staged_at(a, arc.target, 0)
        add_total(a, &out, weight)
        if not s.has_back:
            s.has_back, s.oldest = True, measure
        a.states[arc.target].youngest = max(a.states[arc.target].youngest, measure)
        some = True
    else:
        for i in range(columns):
            before = row_at(a, s, arc.source, i)
            some = some or not is_nothing(&before)
            out = staged_at(a, arc.target, i)
            add_product(a, &out, &before, weight)
        a.states[arc.target].youngest = max(a.states[arc.target].youngest, a.states[arc.source].youngest)
    a.fired[arc.transition] += some and arc.counts
    a.states[arc.target].entered += some


cdef void stage(Totalling* a, Substream* s) noexcept nogil:
    """All that the tick's events bring to states."""
    cdef size_t width = a.quantities.size()
    cdef size_t i, j
    cdef const Arc* arc
    cdef Total weight
    for i in range(s.pending.size()):
        for j in range(a.arcs[s.pending[i].atom].size()):
            arc = &a.arcs[s.pending[i].atom][j]
            if arc.target != NO_STATE:
                weight = total_at(a, &a.weight, 0)
                weigh(a, &weight, s.pending_values.data() + i * width, arc.source == NO_STATE)
                stage_arc(a, s, arc, &weight, s.pending[i].measure)
    for i in range(a.joints.size()):
        for j in range(a.joints[i].arcs.size()):
            arc = &a.joints[i].arcs[j]
            if arc.target != NO_STATE and weigh_joint(
                a, &a.joints[i], &s.pending, 0, s.pending.size(), &s.pending_values, arc.source == NO_STATE
            ):
                weight = total_at(a, &a.weight, 3)
                stage_arc(a, s, arc, &weight, s.pending.back().measure)


cdef void enter_staged(Totalling* a, Substream* s) noexcept nogil:
    cdef Total row, staged
    cdef uint32_t state
    cdef size_t i
    for state in range(<uint32_t>a.states.size()):
        if a.passed[state]:
            clear_row(a, s, state)
        if not a.entered[state]:
            continue
        for i in range(columns_of(a, s)):
            row, staged = row_at(a, s, state, i), staged_at(a, state, i)
            add_total(a, &row, &staged)
            clear_total(a, &staged)
        a.entered[state] = False


cdef void write_log(Totalling* a, Substream* s, bint gap) noexcept nogil:
    """Remember the tick for the next front; before the first start there is nothing to remember."""
    cdef LoggedTick tick
    if not a.windowed or not s.has_back:
        return
    tick.tick = a.tick
    tick.first = s.log.size()
    tick.gap = gap
    s.ticks.push_back(tick)
    s.log.insert(s.log.end(), s.pending.begin(), s.pending.end())
    s.log_values.insert(s.log_values.end(), s.pending_values.begin(), s.pending_values.end())


cdef void take_tick(Totalling* a, Substream* s) noexcept nogil:
    """All pending events of a substream, whose tick is complete."""
    cdef bint gap = s.tick != a.tick - 1
    cdef uint32_t state
    if gap:
        for state in range(<uint32_t>a.states.size()):
            if a.states[state].govern == STRICT:
                clear_row(a, s, state)
    finish_matches(a, s, gap)
    stage(a, s)
    mark_passed(a, &s.pending, 0, s.pending.size())
    enter_staged(a, s)
    write_log(a, s, gap)
    s.tick = a.tick
    s.measure = s.pending.back().measure
    s.pending.clear()
    s.pending_values.clear()
