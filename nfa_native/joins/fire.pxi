# The step: a candidate takes a transition out of every cell that it joins.  Cells change only when the tick closes.


cdef inline void measure_candidate(Kernel* k, Candidate* candidate) noexcept nogil:
    """Its first position, its last one in the streamset, and where the windows that end with it begin."""
    cdef const uint32_t* pos = k.scratch.combination.data()
    cdef const uint32_t* end = pos + k.scratch.combination.size()
    candidate.least = pos[0]
    candidate.most = event_at(&k.now, pos[0]).seq
    pos += 1
    while pos != end:
        if older(pos[0], candidate.least):
            candidate.least = pos[0]
        candidate.most = max(candidate.most, event_at(&k.now, pos[0]).seq)
        pos += 1
    candidate.lo = k.now.lo
    if k.program.by_events:
        candidate.lo = position_from(k, k.now.lo, earliest_start(k.program, candidate.most))


cdef void fire(Kernel* k, uint32_t which, Candidate* candidate) noexcept nogil:
    """Take transition `which` with the candidate, from every partial match that it joins."""
    cdef TransitionSpec* transition = &k.program.transitions[which]
    cdef StateData* s = &k.now.states[transition.source]
    cdef Candidacies* tried = &k.now.candidacies[which]
    cdef uint64_t scanned = k.scratch.scanned
    cdef bint fired = False
    tried.offered += 1
    candidate.pick = NOT_STAGED
    measure_candidate(k, candidate)
    k.scratch.pairs.clear()
    k.scratch.refused = k.scratch.singly = k.scratch.decided = False
    k.scratch.aside = True
    if s.govern == Govern.FREE:
        if older(candidate.least, candidate.lo):
            return
        pair_initial(&k.scratch, candidate)
        k.scratch.decided = transition.step.filters.empty()
    elif s.live == 0:
        tried.lonely += 1
        return
    else:
        if s.kind == Cells.VIEWS:
            fired = fire_view(k, which, candidate)
        if k.scratch.aside or k.scratch.singly:
            probe(k, s, transition.index, &transition.probe, &transition.step, candidate, transition)
        tried.scanned += k.scratch.scanned - scanned
    fire_pairs(k, which, candidate, fired)


cdef void fire_pairs(Kernel* k, uint32_t which, Candidate* candidate, bint fired) noexcept nogil:
    """Move the cells of the pairs that the filters accept, and count; `fired`: a view was taken before."""
    cdef TransitionSpec* transition = &k.program.transitions[which]
    cdef Candidacies* tried = &k.now.candidacies[which]
    cdef bint joined = fired or not k.scratch.pairs.empty()
    if joined:
        tried.pairs += k.scratch.pairs.size() + fired
        if not k.scratch.decided and not k.scratch.pairs.empty():
            filter_pairs(k, &k.now.states[transition.source], &transition.step.filters, candidate, k.now.tick)
    if fired or not k.scratch.pairs.empty():
        tried.fired += 1
        k.now.picked = True
        advance_cells(k, which, candidate)
    elif joined or k.scratch.refused:
        tried.unfiltered += 1
    else:
        tried.unjoined += 1


cdef void pair_initial(Scratch* scratch, const Candidate* candidate) noexcept nogil:
    cdef Pair pair
    cdef uint32_t i
    pair.cell = INITIAL_CELL
    pair.cell_row = 0
    for i in range(candidate.count):
        pair.event_row = i
        scratch.pairs.push_back(pair)


cdef void advance_cells(Kernel* k, uint32_t which, Candidate* candidate) noexcept nogil:
    """Move each run of pairs that share a cell."""
    cdef const Pair* pairs = k.scratch.pairs.data()
    cdef size_t count = k.scratch.pairs.size()
    cdef size_t start = 0
    cdef size_t end
    while start < count:
        end = start + 1
        while end < count and pairs[end].cell == pairs[start].cell:
            end += 1
        advance_cell(k, which, candidate, pairs + start, <uint32_t>(end - start))
        invariant(k.scratch.pairs.size() == count)      # output joins rows, it needs no pairs
        start = end


cdef void advance_cell(
    Kernel* k, uint32_t which, Candidate* candidate, const Pair* pairs, uint32_t count
) noexcept nogil:
    """Stage the successors of one cell, output those that are finished, and remember that it could step."""
    cdef StateData* s = &k.now.states[k.program.transitions[which].source]
    cdef Cell* cell
    cdef uint32_t node = 0
    cdef uint32_t start = candidate.least
    cdef int64_t deadline = 0
    if pairs.cell != INITIAL_CELL:
        cell = s.cells.data() + pairs.cell
        node = cell.node
        start = cell.youngest
        deadline = cell.deadline
        if s.govern == Govern.NEXT and not cell.fired:
            cell.fired = 1
            s.fired.push_back(pairs.cell)
    elif k.program.waits:
        deadline = upper_edge(k.program, measure(k, candidate.least))
    advance_set(k, which, candidate, pairs, count, node, start, deadline)


cdef void advance_set(
    Kernel* k, uint32_t which, Candidate* candidate, const Pair* pairs, uint32_t count, uint32_t node, uint32_t start,
    int64_t deadline
) noexcept nogil:
    """Stage the successors of the partial matches in `node`, which are alike, and output those that are finished."""
    cdef const TargetSpec* target = k.program.transitions[which].targets.data()
    cdef const TargetSpec* end = target + k.program.transitions[which].targets.size()
    while target != end:
        if target.finishes:
            output_matches(k, which, target.state, candidate, node)
        else:
            stage(k, which, target, candidate, pairs, count, node, start, deadline)
        target += 1


cdef void stage(
    Kernel* k, uint32_t which, const TargetSpec* target, Candidate* candidate, const Pair* pairs, uint32_t count,
    uint32_t node, uint32_t start, int64_t deadline
) noexcept nogil:
    """Put the successors of one cell aside until the tick closes."""
    cdef TransitionSpec* transition = &k.program.transitions[which]
    cdef StateData* s = &k.now.states[transition.source]
    cdef Staged* staged
    cdef uint64_t word = k.now.staged_words.size()
    cdef uint32_t i
    if candidate.pick == NOT_STAGED:
        candidate.pick = k.now.staged_picks.size()
        for i in range(<uint32_t>k.scratch.combination.size()):
            k.now.staged_picks.push_back(k.scratch.combination[i])
    for i in range(count):
        values_of(
            k, &target.values, pair_cell_row(s, &pairs[i]), s.width,
            candidate.rows + <size_t>pairs[i].event_row * candidate.width, candidate.width, k.now.tick, &k.now.staged_words,
        )
    k.now.staged.emplace_back()
    staged = &k.now.staged.back()
    staged.word = word
    staged.rows = count
    if count == 1:
        expect_cell(&k.now.states[target.state], k.now.staged_words.data() + word)
    else:
        staged.rows = normalise(&k.now.staged_words, word, <uint32_t>target.values.size(), count)
    staged.pick = candidate.pick
    staged.picks = <uint32_t>k.scratch.combination.size()
    staged.state = target.state
    staged.label = transition.label
    staged.next = node
    staged.max_start = start
    staged.deadline = deadline


cdef void enter(Kernel* k, const Staged* staged) noexcept nogil:
    """Add a staged set to its cell, which often is the one before."""
    cdef StateData* s = &k.now.states[staged.state]
    cdef uint32_t cell = cell_for(
        k, s, k.now.staged_words.data() + staged.word, staged.rows, staged.deadline, s.entering
    )
    cdef Cell* one = s.cells.data() + cell
    cdef bint fresh = one.node == 0
    invariant(staged.rows > 0 and staged.picks > 0)
    if cell != s.entering:
        complete_cell(&k.now, s)
    s.entering = cell
    one.node = extend(
        k, k.now.staged_picks.data() + staged.pick, staged.picks, staged.label, staged.next, staged.max_start, one.node
    )
    one.youngest = node_at(&k.now, one.node).max_start
    note_start(s, one.youngest)
    if s.final and fresh:
        await_deadline(&k.now, staged.state, cell)


cdef inline void complete_cell(KernelState* now, StateData* s) noexcept nogil:
    """No more sets enter the cell that was entered last."""
    if s.kind == Cells.VIEWS and s.entering != NO_CELL:
        list_cell(now, s, s.entering, EVERYWHERE)
    s.entering = NO_CELL


cdef void enter_staged(Kernel* k) noexcept nogil:
    """All sets that the tick staged enter their cells; sets of one event and state often share theirs."""
    cdef size_t i
    for i in range(k.now.staged.size()):
        enter(k, &k.now.staged[i])
    for i in range(k.now.staged.size()):
        complete_cell(&k.now, &k.now.states[k.now.staged[i].state])
    k.now.staged.clear()
    k.now.staged_words.clear()
    k.now.staged_picks.clear()
