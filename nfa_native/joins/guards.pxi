# Negation and absence: early, on cells, where nothing that comes later can change the verdict; else on the finished match.


cdef void strike(Kernel* k) noexcept nogil:
    """At the end of a tick: every early guard against the cells that were there before it."""
    cdef size_t i, g
    cdef Purpose purpose
    memset(&purpose, 0, sizeof(Purpose))
    purpose.mode = KILLING
    purpose.time = k.now.tick
    for i in range(k.now.states.size()):
        if k.now.states[i].live == 0:
            continue
        for g in range(k.program.states[i].guards.size()):
            if k.program.states[i].guards[g].early:
                purpose.state = <uint32_t>i
                purpose.which = <uint32_t>g
                combine(k, &k.program.states[i].guards[g].choice, &purpose)


cdef bint is_open(StateData* s, const GuardSpec* guard, const Pair* pair) noexcept nogil:
    """A later step may still bind what the guard reads of this row."""
    cdef const word_t* row = pair_cell_row(s, pair)
    cdef size_t i
    for i in range(guard.later.size()):
        if row[guard.later[i]] == UNBOUND:
            return True
    return False


cdef void kill(Kernel* k, uint32_t state, uint32_t which, Candidate* candidate) noexcept nogil:
    """Drop the cells all of whose rows join the negated events; leave doubtful ones to the finished match."""
    cdef StateData* s = &k.now.states[state]
    cdef GuardSpec* guard = &s.spec.guards[which]
    cdef size_t i, start, end
    cdef size_t kept = 0
    measure_candidate(k, candidate)
    k.scratch.pairs.clear()
    probe(k, s, guard.index, &guard.probe, &guard.step, candidate, NULL)
    for i in range(k.scratch.pairs.size()):
        if is_open(s, guard, &k.scratch.pairs[i]):
            k.now.judgements[guard.number].deferred = True
        else:
            k.scratch.pairs[kept] = k.scratch.pairs[i]
            kept += 1
    k.scratch.pairs.resize(kept)
    filter_pairs(k, s, &guard.step.filters, candidate, k.now.tick)
    start = 0
    while start < k.scratch.pairs.size():
        end = start + 1
        while end < k.scratch.pairs.size() and k.scratch.pairs[end].cell == k.scratch.pairs[start].cell:
            end += 1
        kill_cell(k, s, guard, candidate, start, end)
        start = end


cdef void kill_cell(
    Kernel* k, StateData* s, GuardSpec* guard, const Candidate* candidate, size_t start, size_t end
) noexcept nogil:
    """The pairs from `start` to `end` are one cell's; they come in the order of its rows."""
    cdef uint32_t cell = k.scratch.pairs[start].cell
    cdef uint32_t covered = 1
    cdef size_t i
    if s.final and (candidate.most if k.program.by_events else k.now.tick) > s.cells[cell].deadline:
        return
    for i in range(start + 1, end):
        if k.scratch.pairs[i].cell_row != k.scratch.pairs[i - 1].cell_row:
            covered += 1
    if covered < s.cells[cell].rows:
        k.now.judgements[guard.number].deferred = True
        return
    k.now.judgements[guard.number].killed += 1
    free_cell(s, cell)


cdef size_t first_watched(KernelState* now, uint32_t atom, int64_t time) noexcept nogil:
    """Index of the first watched position of the atom whose event is at or after `time`."""
    cdef size_t low = 0
    cdef size_t high = now.watched[atom].size()
    cdef size_t middle
    while low < high:
        middle = (low + high) // 2
        if event_at(now, now.watched[atom][middle]).time < time:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint is_dropped(Kernel* k, uint32_t final) noexcept nogil:
    """Some guard along the path drops the finished match."""
    cdef uint32_t steps = <uint32_t>k.scratch.steps.size()
    cdef uint32_t boundary, state
    cdef size_t g
    cdef GuardSpec* guard
    for boundary in range(steps + 1):
        state = final
        if boundary < steps:
            state = k.program.transitions[transition_of(k, boundary)].source
        for g in range(k.program.states[state].guards.size()):
            guard = &k.program.states[state].guards[g]
            if guard.early and not k.now.judgements[guard.number].deferred and not k.now.many_rows:
                continue
            if is_violated(k, state, <uint32_t>g, boundary):
                k.now.judgements[guard.number].killed += 1
                return True
    return False


cdef inline uint32_t transition_of(Kernel* k, uint32_t step) noexcept nogil:
    return k.program.labels[k.scratch.path[k.scratch.steps[step]].label].transition


cdef inline int64_t time_of(Kernel* k, uint32_t step) noexcept nogil:
    return event_at(&k.now, k.scratch.path[k.scratch.steps[step]].pos).time


cdef bint is_violated(Kernel* k, uint32_t state, uint32_t which, uint32_t boundary) noexcept nogil:
    """The guard's choice has a match strictly between step `boundary` (from 1; 0: none) and the next one."""
    cdef GuardSpec* guard = &k.program.states[state].guards[which]
    cdef uint32_t atom = guard.choice.atoms[0]
    cdef uint32_t steps = <uint32_t>k.scratch.steps.size()
    cdef Purpose purpose
    cdef int64_t until = FOREVER
    cdef size_t i
    memset(&purpose, 0, sizeof(Purpose))
    purpose.mode = JUDGING
    purpose.state = state
    purpose.which = which
    purpose.to_seq = FOREVER
    if boundary < steps:
        until = time_of(k, boundary) - 1
    elif k.program.by_events:
        purpose.to_seq = upper_edge(k.program, first_measure(k))
    else:
        until = upper_edge(k.program, first_measure(k))
    if boundary > 0:
        i = first_watched(&k.now, atom, time_of(k, boundary - 1) + 1)
    elif k.program.by_events:
        i = 0
        purpose.from_seq = lower_edge(k.program, first_measure(k), last_measure(k))
    else:
        i = first_watched(&k.now, atom, lower_edge(k.program, first_measure(k), last_measure(k)))
    look(k, guard, boundary)
    while i < k.now.watched[atom].size() and not purpose.found:
        purpose.time = event_at(&k.now, k.now.watched[atom][i]).time
        if purpose.time > until:
            break
        combine(k, &guard.choice, &purpose)
        while i < k.now.watched[atom].size() and event_at(&k.now, k.now.watched[atom][i]).time == purpose.time:
            i += 1
    return purpose.found


cdef int64_t first_measure(Kernel* k) noexcept nogil:
    """What windows measure of the match's first event."""
    cdef uint32_t at = k.scratch.steps[0]
    cdef uint32_t parts = k.program.labels[k.scratch.path[at].label].parts
    cdef int64_t least = measure(k, k.scratch.path[at].pos)
    cdef uint32_t i
    for i in range(1, parts):
        least = min(least, measure(k, k.scratch.path[at - i].pos))
    return least


cdef int64_t last_measure(Kernel* k) noexcept nogil:
    """What windows measure of the match's last event."""
    cdef uint32_t parts = k.program.labels[k.scratch.path[0].label].parts
    cdef int64_t most = measure(k, k.scratch.path[0].pos)
    cdef uint32_t i
    for i in range(1, parts):
        most = max(most, measure(k, k.scratch.path[i].pos))
    return most


cdef void look(Kernel* k, const GuardSpec* guard, uint32_t boundary) noexcept nogil:
    """Fill `views`: each row of the finished match, with the columns that the guard takes from elsewhere."""
    cdef uint32_t count = row_count(k, k.scratch.finished.size(), k.program.whole)
    cdef uint32_t r, level
    cdef size_t i
    cdef const LookSpec* one
    k.scratch.views.assign(k.scratch.finished.begin(), k.scratch.finished.end())
    for r in range(count):
        for i in range(guard.looks.size()):
            one = &guard.looks[i]
            level = boundary
            if one.view == View.ITERATION:
                level = end_of_iteration(k, boundary, one.kleene, (guard.begun >> one.kleene) & 1)
            k.scratch.views[<size_t>r * k.program.whole + one.column] = value_of(
                k, &one.value, ancestor(k, r, level), k.program.whole, NULL, 0, k.now.tick
            )


cdef uint32_t end_of_iteration(Kernel* k, uint32_t level, uint32_t kleene, bint begun) noexcept nogil:
    """The level after the last step of the iteration that the guard at `level` lies in."""
    cdef uint32_t steps = <uint32_t>k.scratch.steps.size()
    if begun and level < steps:
        level += 1
    while level < steps and not (k.program.transitions[transition_of(k, level)].ends >> kleene) & 1:
        level += 1
    return level


cdef const word_t* ancestor(Kernel* k, uint32_t row, uint32_t level) noexcept nogil:
    """The row at `level` from which row `row` of the last level came."""
    cdef uint32_t at = <uint32_t>k.scratch.steps.size()
    while at > level:
        row = k.scratch.parents[at][row]
        at -= 1
    return k.scratch.levels[level].data() + <size_t>row * k.program.whole


cdef bint judge(Kernel* k, uint32_t state, uint32_t which, const Candidate* candidate, int64_t time) noexcept nogil:
    """The negated events join what the guard sees of the finished match."""
    cdef GuardSpec* guard = &k.program.states[state].guards[which]
    cdef uint32_t count = row_count(k, k.scratch.finished.size(), k.program.whole)
    cdef const word_t* seen
    cdef const word_t* row
    cdef uint32_t i, j
    for i in range(count):
        for j in range(candidate.count):
            seen = k.scratch.views.data() + <size_t>i * k.program.whole
            row = candidate.rows + <size_t>j * candidate.width
            if not compatible(&guard.whole, seen, row):
                continue
            load_registers(&k.scratch, seen, k.program.whole, row, candidate.width)
            if all_hold(k, &guard.whole.filters, k.program.whole + candidate.width + 1, time):
                return True
    return False
