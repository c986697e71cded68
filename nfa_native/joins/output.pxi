# From compact sets to matches: walk the nodes, rebuild the rows by joining the picked events again, judge, deliver.


cdef inline uint32_t row_count(Kernel* k, size_t words, uint32_t width) noexcept nogil:
    """Rows in a table of `words`; a table without columns that is asked for has one."""
    return 1 if width == 0 else <uint32_t>(words / width)


cdef void output_matches(
    Kernel* k, uint32_t which, uint32_t final, const Candidate* candidate, uint32_t node
) noexcept nogil:
    """All matches that end with the candidate and extend the set `node` (0: the empty match), now or after the pause."""
    cdef Pick pick
    cdef size_t i
    cdef vector[Pick]* picks = &k.scratch.path if k.pause.left > 0 else &k.pause.postponed_picks
    cdef size_t before = picks.size()
    if k.pause.left > 0:
        picks.clear()
    for i in range(k.scratch.combination.size(), 0, -1):
        pick.label = k.program.transitions[which].label + <uint32_t>i - 1
        pick.pos = k.scratch.combination[i - 1]
        picks.push_back(pick)
    if k.pause.left <= 0:
        postpone(k, final, node, candidate.lo, before)
        return
    k.scratch.outer_combination.swap(k.scratch.combination)   # rebuilding and judging combine events of their own
    k.scratch.outer_merged.swap(k.scratch.merged)
    output_set(k, final, node, candidate.lo, k.now.tick)
    k.scratch.outer_combination.swap(k.scratch.combination)
    k.scratch.outer_merged.swap(k.scratch.merged)


cdef void output_set(Kernel* k, uint32_t final, uint32_t node, uint32_t lo, int64_t decided) noexcept nogil:
    """Deliver `path` extended by each member of the set that began at or after `lo`."""
    cdef Visit visit
    if is_counted(k) and not k.scratch.path.empty():
        count_set(k, node, lo, decided)
        return
    if node == 0:
        deliver(k, final, decided)
        return
    k.pause.output.final = final
    k.pause.output.lo = lo
    k.pause.output.decided = decided
    k.scratch.visits.clear()
    visit.begun = visit.before = 0
    visit.node = node
    visit.depth = <uint32_t>k.scratch.path.size()
    k.scratch.visits.push_back(visit)
    visit_sets(k, final, lo, decided)


cdef void visit_sets(Kernel* k, uint32_t final, uint32_t lo, int64_t decided) noexcept nogil:
    """Deliver what is left to be visited, up to the next pause."""
    cdef Visit visit
    cdef Node* at
    cdef Pick pick
    cdef uint32_t next, start
    while not k.scratch.visits.empty():
        if k.pause.left <= 0:
            k.pause.suspended = True
            return
        k.pause.left -= 1
        visit = k.scratch.visits.back()
        k.scratch.visits.pop_back()
        if not has_live(&k.now, visit.node, lo):
            continue
        at = node_at(&k.now, visit.node)
        if at.label & VIEW:
            visit_view(k, at, visit, lo)
            continue
        k.scratch.path.resize(visit.depth)
        pick.label = at.label
        pick.pos = at.pos
        k.scratch.path.push_back(pick)
        next = at.next
        start = at.pos if at.sibling else at.max_start
        if at.sibling:
            visit.node = at.sibling
            k.scratch.visits.push_back(visit)
        if next:
            visit.node = next
            visit.depth += 1
            k.scratch.visits.push_back(visit)
        elif not older(start, lo):
            deliver(k, final, decided)


cdef void find_steps(Kernel* k) noexcept nogil:
    """Where each step begins in `path`, which runs backwards in time."""
    cdef size_t i = k.scratch.path.size()
    k.scratch.steps.clear()
    while i > 0:
        k.scratch.steps.push_back(<uint32_t>(i - 1))
        i -= k.program.labels[k.scratch.path[i - 1].label].parts


cdef void deliver(Kernel* k, uint32_t final, int64_t decided) noexcept nogil:
    """One finished match: its rows, unless a guard drops it."""
    cdef StateData* s = &k.now.states[final]
    cdef uint32_t count, i
    cdef int64_t last
    if k.count_only and not k.now.many_rows and not k.program.ambiguous and not k.program.guarded:
        k.results.count += 1
        return
    k.pause.left -= <int64_t>k.scratch.path.size()
    find_steps(k)
    rebuild(k)
    if k.scratch.levels[k.scratch.steps.size()].empty() and k.program.whole:
        return          # what was matched joins again, but where somebody forged a snapshot
    close_rows(k, s)
    if k.program.guarded and is_dropped(k, final):
        return
    k.scratch.answer.clear()
    count = row_count(k, k.scratch.finished.size(), k.program.whole)
    for i in range(count):
        values_of(
            k, &s.spec.output, k.scratch.finished.data() + <size_t>i * k.program.whole, k.program.whole, NULL, 0, decided,
            &k.scratch.answer,
        )
    count = normalise(&k.scratch.answer, 0, k.program.result_width, count)
    collect_picks(k)
    for i in range(count):
        write_result(k, i, decided)


cdef void rebuild(Kernel* k) noexcept nogil:
    """Join the picked events' rows again, step by step: `levels[i]` has the rows after step i."""
    cdef uint32_t steps = <uint32_t>k.scratch.steps.size()
    cdef uint32_t i
    if k.scratch.levels.size() < steps + 1:
        k.scratch.levels.resize(steps + 1)
        k.scratch.parents.resize(steps + 1)
    k.scratch.levels[0].assign(k.program.start.begin(), k.program.start.end())
    for i in range(steps):
        rebuild_step(k, i)


cdef void candidate_of(Kernel* k, uint32_t step, Candidate* candidate) noexcept nogil:
    """The rows of the events that a step picked."""
    cdef uint32_t at = k.scratch.steps[step]
    cdef TransitionSpec* transition = &k.program.transitions[transition_of(k, step)]
    cdef uint32_t depth
    candidate.width = transition.choice.width
    if transition.choice.atoms.size() == 1:
        candidate.rows = rows_of(&k.now, k.scratch.path[at].pos, transition.choice.atoms[0], &candidate.count)
        return
    for depth in range(<uint32_t>transition.choice.atoms.size()):
        candidate.count = merge_rows(k, &transition.choice, depth, k.scratch.path[at - depth].pos)
    candidate.rows = k.scratch.merged[transition.choice.atoms.size()].data()


cdef void rebuild_step(Kernel* k, uint32_t step) noexcept nogil:
    cdef TransitionSpec* transition = &k.program.transitions[transition_of(k, step)]
    cdef vector[word_t]* out = &k.scratch.levels[step + 1]
    cdef Candidate candidate
    cdef const word_t* row
    cdef const word_t* whole
    cdef int64_t now = time_of(k, step)
    cdef uint32_t count = row_count(k, k.scratch.levels[step].size(), k.program.whole)
    cdef uint32_t i, j
    cdef uint32_t kept = 0
    candidate_of(k, step, &candidate)
    out.clear()
    k.scratch.parents[step + 1].clear()
    for i in range(count):
        for j in range(candidate.count):
            whole = k.scratch.levels[step].data() + <size_t>i * k.program.whole
            row = candidate.rows + <size_t>j * candidate.width
            if not compatible(&transition.whole, whole, row):
                continue
            if k.now.many_rows and not transition.whole.filters.empty():
                load_registers(&k.scratch, whole, k.program.whole, row, candidate.width)
                if not all_hold(k, &transition.whole.filters, k.program.whole + candidate.width + 1, now):
                    continue
            values_of(k, &transition.columns, whole, k.program.whole, row, candidate.width, now, out)
            k.scratch.parents[step + 1].push_back(i)
            kept += 1
    if not k.program.guarded:
        normalise(out, 0, k.program.whole, kept)


cdef void close_rows(Kernel* k, StateData* s) noexcept nogil:
    """`finished`: the last level's rows as the end of the expression leaves them."""
    cdef vector[word_t]* last = &k.scratch.levels[k.scratch.steps.size()]
    cdef uint32_t count = row_count(k, last.size(), k.program.whole)
    cdef uint32_t i
    k.scratch.finished.clear()
    for i in range(count):
        values_of(
            k, &s.spec.closing, last.data() + <size_t>i * k.program.whole, k.program.whole, NULL, 0, k.now.tick,
            &k.scratch.finished,
        )


cdef void collect_picks(Kernel* k) noexcept nogil:
    """`picks`: the events of each GPM, as a set."""
    cdef pair[uint64_t, uint64_t] one
    cdef size_t i
    cdef size_t kept = 0
    k.scratch.picks.clear()
    for i in range(k.scratch.path.size()):
        one.first = k.program.labels[k.scratch.path[i].label].atom
        one.second = event_at(&k.now, k.scratch.path[i].pos).handle
        k.scratch.picks.push_back(one)
    sort(k.scratch.picks.begin(), k.scratch.picks.end())
    for i in range(k.scratch.picks.size()):
        if kept == 0 or k.scratch.picks[i] != k.scratch.picks[kept - 1]:
            k.scratch.picks[kept] = k.scratch.picks[i]
            kept += 1
    k.scratch.picks.resize(kept)


cdef bint is_repeated(Kernel* k, uint32_t row) noexcept nogil:
    """The same picks with the same row came out before, along another path."""
    cdef string key
    key.append(<char*>k.scratch.picks.data(), k.scratch.picks.size() * sizeof(pair[uint64_t, uint64_t]))
    key.append(
        <char*>(k.scratch.answer.data() + <size_t>row * k.program.result_width), k.program.result_width * sizeof(word_t)
    )
    if k.now.seen.count(key):
        return True
    k.now.seen[key] = k.scratch.path[k.scratch.steps[0]].pos
    return False


cdef void write_result(Kernel* k, uint32_t row, int64_t decided) noexcept nogil:
    """Append one result to the output columns."""
    cdef size_t i
    if k.program.ambiguous and is_repeated(k, row):
        return
    k.results.count += 1
    if k.count_only:
        return
    k.results.first.push_back(time_of(k, 0))
    k.results.last.push_back(time_of(k, <uint32_t>k.scratch.steps.size() - 1))
    k.results.decided.push_back(decided)
    for i in range(k.scratch.picks.size()):
        k.results.atoms.push_back(<uint16_t>k.scratch.picks[i].first)
        k.results.events.push_back(k.scratch.picks[i].second)
    k.results.offsets.push_back(<int64_t>k.results.atoms.size())
    if k.tallies:
        k.results.counts.push_back(0)
    for i in range(k.program.result_width):
        k.results.words.push_back(k.scratch.answer[<size_t>row * k.program.result_width + i])
    if is_full(k):
        k.pause.left = 0


# Matches that end in a negation or an absence wait in cells of final states until their window's edge has passed.


cdef void await_deadline(KernelState* now, uint32_t state, uint32_t cell) noexcept nogil:
    cdef Waiting waiting
    waiting.state = state
    waiting.cell.cell = cell
    waiting.cell.serial = now.states[state].cells[cell].serial
    now.deadlines[now.states[state].cells[cell].deadline].push_back(waiting)


cdef bint output_deadline(Kernel* k, int64_t decided) noexcept nogil:
    """Deliver what waits for the first deadline; whether all of it is out."""
    cdef const vector[Waiting]* waiting = &dereference(k.now.deadlines.begin()).second
    cdef const Waiting* one
    cdef StateData* s
    while k.pause.awaited < waiting.size():
        if k.pause.left <= 0:
            return False
        one = waiting.data() + k.pause.awaited
        k.pause.awaited += 1
        s = &k.now.states[one.state]
        if is_current(s, &one.cell):
            k.scratch.path.clear()
            output_set(k, one.state, s.cells[one.cell.cell].node, k.now.lo, decided)
            free_cell(s, one.cell.cell)
    k.now.deadlines.erase(k.now.deadlines.begin())
    k.pause.awaited = 0
    return True


cdef bint output_until(Kernel* k, int64_t edge, int64_t decided) noexcept nogil:
    """Deliver what waits for edges below `edge`; `decided` FOREVER means: at that edge.  Whether all of it is out."""
    cdef int64_t at
    while not k.now.deadlines.empty() and dereference(k.now.deadlines.begin()).first < edge:
        at = dereference(k.now.deadlines.begin()).first
        if not output_deadline(k, at if decided == FOREVER else decided):
            return False
    return not k.pause.suspended


cdef bint output_decided(Kernel* k, int64_t time) noexcept nogil:
    """Time has come to `time`: upper edges before it have passed.  Whether all that this decides is out."""
    return not k.program.waits or k.program.by_events or output_until(k, time, FOREVER)


cdef bint output_passed(Kernel* k) noexcept nogil:
    """The tick is over: upper edges at positions that it filled have passed.  Whether all that this decides is out."""
    return not k.program.waits or not k.program.by_events or output_until(k, k.now.seq, k.now.tick)


cdef bint output_rest(Kernel* k) noexcept nogil:
    """End of input: every window closes.  Whether all that waited is out."""
    while not k.now.deadlines.empty():
        if not output_deadline(k, FOREVER if k.program.by_events else dereference(k.now.deadlines.begin()).first):
            return False
    return not k.pause.suspended
