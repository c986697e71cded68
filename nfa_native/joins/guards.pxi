# Negation and absence: early, on cells, where nothing that comes later can change the verdict; else on the finished match.


cdef void strike(Kernel* k) noexcept nogil:
    """At the end of a tick: every early guard against the cells that were there before it."""
    cdef size_t i, g
    cdef Purpose purpose
    memset(&purpose, 0, sizeof(Purpose))
    purpose.mode = KILLING
    purpose.time = k.tick
    for i in range(k.states.size()):
        if k.states[i].live == 0:
            continue
        for g in range(k.states[i].guards.size()):
            if k.states[i].guards[g].early:
                purpose.state = <uint32_t>i
                purpose.which = <uint32_t>g
                combine(k, &k.states[i].guards[g].choice, &purpose)


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
    cdef StateData* s = &k.states[state]
    cdef GuardSpec* guard = &s.guards[which]
    cdef size_t i, start, end
    cdef size_t kept = 0
    measure_candidate(k, candidate)
    k.pairs.clear()
    probe(k, s, guard.index, &guard.probe, &guard.step, candidate, NULL)
    for i in range(k.pairs.size()):
        if is_open(s, guard, &k.pairs[i]):
            guard.deferred = True
        else:
            k.pairs[kept] = k.pairs[i]
            kept += 1
    k.pairs.resize(kept)
    filter_pairs(k, s, &guard.step.filters, candidate, k.tick)
    start = 0
    while start < k.pairs.size():
        end = start + 1
        while end < k.pairs.size() and k.pairs[end].cell == k.pairs[start].cell:
            end += 1
        kill_cell(k, s, guard, candidate, start, end)
        start = end


cdef void kill_cell(
    Kernel* k, StateData* s, GuardSpec* guard, const Candidate* candidate, size_t start, size_t end
) noexcept nogil:
    """The pairs from `start` to `end` are one cell's; they come in the order of its rows."""
    cdef uint32_t cell = k.pairs[start].cell
    cdef uint32_t covered = 1
    cdef size_t i
    if s.final and (candidate.most if k.by_events else k.tick) > s.cells[cell].deadline:
        return
    for i in range(start + 1, end):
        if k.pairs[i].cell_row != k.pairs[i - 1].cell_row:
            covered += 1
    if covered < s.cells[cell].rows:
        guard.deferred = True
        return
    guard.killed += 1
    free_cell(s, cell)


cdef size_t first_watched(Kernel* k, uint32_t atom, int64_t time) noexcept nogil:
    """Index of the first watched position of the atom whose event is at or after `time`."""
    cdef size_t low = 0
    cdef size_t high = k.watched[atom].size()
    cdef size_t middle
    while low < high:
        middle = (low + high) // 2
        if event_at(k, k.watched[atom][middle]).time < time:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint is_dropped(Kernel* k, uint32_t final) noexcept nogil:
    """Some guard along the path drops the finished match."""
    cdef uint32_t steps = <uint32_t>k.steps.size()
    cdef uint32_t boundary, state
    cdef size_t g
    cdef GuardSpec* guard
    for boundary in range(steps + 1):
        state = final
        if boundary < steps:
            state = k.transitions[transition_of(k, boundary)].source
        for g in range(k.states[state].guards.size()):
            guard = &k.states[state].guards[g]
            if guard.early and not guard.deferred and not k.many_rows:
                continue
            if is_violated(k, state, <uint32_t>g, boundary):
                guard.killed += 1
                return True
    return False


cdef inline uint32_t transition_of(Kernel* k, uint32_t step) noexcept nogil:
    return k.labels[k.path[k.steps[step]].label].transition


cdef inline int64_t time_of(Kernel* k, uint32_t step) noexcept nogil:
    return event_at(k, k.path[k.steps[step]].pos).time


cdef bint is_violated(Kernel* k, uint32_t state, uint32_t which, uint32_t boundary) noexcept nogil:
    """The guard's choice has a match strictly between step `boundary` (from 1; 0: none) and the next one."""
    cdef GuardSpec* guard = &k.states[state].guards[which]
    cdef uint32_t atom = guard.choice.atoms[0]
    cdef uint32_t steps = <uint32_t>k.steps.size()
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
    elif k.by_events:
        purpose.to_seq = upper_edge(k, first_measure(k))
    else:
        until = upper_edge(k, first_measure(k))
    if boundary > 0:
        i = first_watched(k, atom, time_of(k, boundary - 1) + 1)
    elif k.by_events:
        i = 0
        purpose.from_seq = lower_edge(k, first_measure(k), last_measure(k))
    else:
        i = first_watched(k, atom, lower_edge(k, first_measure(k), last_measure(k)))
    look(k, guard, boundary)
    while i < k.watched[atom].size() and not purpose.found:
        purpose.time = event_at(k, k.watched[atom][i]).time
        if purpose.time > until:
            break
        combine(k, &guard.choice, &purpose)
        while i < k.watched[atom].size() and event_at(k, k.watched[atom][i]).time == purpose.time:
            i += 1
    return purpose.found


cdef int64_t first_measure(Kernel* k) noexcept nogil:
    """What windows measure of the match's first event."""
    cdef uint32_t at = k.steps[0]
    cdef uint32_t parts = k.labels[k.path[at].label].parts
    cdef int64_t least = measure(k, k.path[at].pos)
    cdef uint32_t i
    for i in range(1, parts):
        least = min(least, measure(k, k.path[at - i].pos))
    return least


cdef int64_t last_measure(Kernel* k) noexcept nogil:
    """What windows measure of the match's last event."""
    cdef uint32_t parts = k.labels[k.path[0].label].parts
    cdef int64_t most = measure(k, k.path[0].pos)
    cdef uint32_t i
    for i in range(1, parts):
        most = max(most, measure(k, k.path[i].pos))
    return most


cdef void look(Kernel* k, const GuardSpec* guard, uint32_t boundary) noexcept nogil:
    """Fill `views`: each row of the finished match, with the columns that the guard takes from elsewhere."""
    cdef uint32_t count = row_count(k, k.finished.size(), k.whole)
    cdef uint32_t r, level
    cdef size_t i
    cdef const LookSpec* one
    k.views.assign(k.finished.begin(), k.finished.end())
    for r in range(count):
        for i in range(guard.looks.size()):
            one = &guard.looks[i]
            level = boundary
            if one.view == ITERATION_VIEW:
                level = end_of_iteration(k, boundary, one.kleene, (guard.begun >> one.kleene) & 1)
            k.views[<size_t>r * k.whole + one.column] = value_of(
                k, &one.value, ancestor(k, r, level), k.whole, NULL, 0, k.tick
            )


cdef uint32_t end_of_iteration(Kernel* k, uint32_t level, uint32_t kleene, bint begun) noexcept nogil:
    """The level after the last step of the iteration that the guard at `level` lies in."""
    cdef uint32_t steps = <uint32_t>k.steps.size()
    if begun and level < steps:
        level += 1
    while level < steps and not (k.transitions[transition_of(k, level)].ends >> kleene) & 1:
        level += 1
    return level


cdef const word_t* ancestor(Kernel* k, uint32_t row, uint32_t level) noexcept nogil:
    """The row at `level` from which row `row` of the last level came."""
    cdef uint32_t at = <uint32_t>k.steps.size()
    while at > level:
        row = k.parents[at][row]
        at -= 1
    return k.levels[level].data() + <size_t>row * k.whole


cdef bint judge(Kernel* k, uint32_t state, uint32_t which, const Candidate* candidate, int64_t time) noexcept nogil:
    """The negated events join what the guard sees of the finished match."""
    cdef GuardSpec* guard = &k.states[state].guards[which]
    cdef uint32_t count = row_count(k, k.finished.size(), k.whole)
    cdef const word_t* seen
    cdef const word_t* row
    cdef uint32_t i, j
    for i in range(count):
        for j in range(candidate.count):
            seen = k.views.data() + <size_t>i * k.whole
            row = candidate.rows + <size_t>j * candidate.width
            if not compatible(&guard.whole, seen, row):
                continue
            load_registers(k, seen, k.whole, row, candidate.width)
            if all_hold(k, &guard.whole.filters, k.whole + candidate.width + 1, time):
                return True
    return False
