# MAX: results that no other contains.  Stages as those of `distinct.pxi`, in which matches of more positions are followed, too
# (CEL's construction by pairs of sets of states; here of nodes).  Beside what the picks so far go on from, a stage has what these
# and more go on from, its *wider* frontier.  Its beginnings are results if there is nothing wider, and nothing more to pick; a
# node that wider matches pick, too, leads to beaten ones only.  What it earns: MAX of `benchmarks.outside`.


cdef void begin_maximal(Recognition* r) noexcept nogil:
    """The stage before all picks."""
    cdef size_t i
    r.scratch.wide_stages.clear()
    r.scratch.candidates.clear()
    r.scratch.beginnings.clear()
    r.scratch.reached.clear()
    r.scratch.wider.clear()
    r.scratch.keys.clear()
    r.scratch.dead.clear()
    open_wide_stage(r)
    for i in range(r.scratch.endings.size()):
        reach(r, &r.scratch.reached, r.scratch.endings[i].node, NO_ORIGIN, r.scratch.endings[i].least)


cdef bint next_maximal(Recognition* r) noexcept nogil:
    """Walk to the next result, which is that of the last beginning then; False: there is none."""
    cdef uint64_t seen = 0
    cdef WideStage* stage
    while not r.scratch.wide_stages.empty():
        seen += 1
        if seen % BETWEEN_SIGNALS == 0 and is_interrupted(r):
            return False
        stage = &r.scratch.wide_stages.back()
        if not is_covered(r) and pick_next(r, stage):
            go_on(r, stage)
        elif r.scratch.beginnings.size() > stage.beginnings and not stage.is_beaten:
            stage.has_results = True
            return True
        else:
            leave_wide_stage(r, stage)
    return False


cdef bint is_covered(Recognition* r) noexcept nogil:
    """Whether wider matches go on with all that is left to the last stage."""
    if not r.scratch.wider.empty() and not r.scratch.reached.empty():
        open_unions(r, &r.scratch.reached, r.scratch.endings[0].least)
        open_unions(r, &r.scratch.wider, r.scratch.endings[0].least)
    return r.scratch.wider.covers(r.scratch.reached)


cdef bint pick_next(Recognition* r, WideStage* stage) noexcept nogil:
    """Find the candidates of the next position; False: there are none.  Beginnings on the way there are added."""
    cdef int64_t least = r.scratch.endings[0].least
    cdef const MatchNode* node
    cdef uint32_t number, origin
    r.scratch.candidates.resize(stage.candidates)
    stage.position = NEVER
    while True:
        number = next_pick(r, &r.scratch.reached, stage.position, least, &origin)
        if number == NO_NODE:
            return r.scratch.candidates.size() > stage.candidates
        node = match_node(&r.state, number)
        if r.program.marked[state_of(node)]:
            stage.position = position_of(&r.state, node.pos)
            add_candidate(r, number, origin)
        elif begins(node):
            begin_once(r, stage, position_of(&r.state, node.pos), origin)
        else:
            reach_before(r, &r.scratch.reached, node, origin, least)


cdef WideStage* open_wide_stage(Recognition* r) noexcept nogil:
    cdef WideStage stage
    stage.position = NEVER
    stage.beginnings = r.scratch.beginnings.size()
    stage.candidates = r.scratch.candidates.size()
    stage.reached = r.scratch.reached.open()
    stage.wider = r.scratch.wider.open()
    stage.key = r.scratch.keys.size()
    stage.is_beaten = stage.has_results = False
    r.scratch.wide_stages.push_back(stage)
    return &r.scratch.wide_stages.back()


cdef WideStage* add_wide_stage(Recognition* r) noexcept nogil:
    """The stage before the candidates of the last one."""
    cdef int64_t least = r.scratch.endings[0].least
    cdef size_t first = r.scratch.wide_stages.back().candidates
    cdef WideStage* stage = open_wide_stage(r)
    cdef const MatchNode* node
    cdef size_t i
    for i in range(first, stage.candidates):
        node = match_node(&r.state, r.scratch.candidates[i].node)
        if begins(node):
            begin_once(r, stage, r.scratch.candidates[i].position, <uint32_t>i)
        else:
            reach_before(r, &r.scratch.reached, node, <uint32_t>i, least)
    return stage


cdef void leave_wide_stage(Recognition* r, const WideStage* stage) noexcept nogil:
    """Go back to the one before; the last one has no more results."""
    note_results(r, stage)
    r.scratch.beginnings.resize(stage.beginnings)
    r.scratch.candidates.resize(stage.candidates)
    r.scratch.reached.close(stage.reached)
    r.scratch.wider.close(stage.wider)
    r.scratch.keys.resize(stage.key)
    r.scratch.wide_stages.pop_back()


cdef inline void begin_once(Recognition* r, const WideStage* stage, int64_t start, uint32_t origin) noexcept nogil:
    """Note where matches of a stage begin: no later than those that are noted, and each start once."""
    if r.scratch.beginnings.size() == stage.beginnings or r.scratch.beginnings.back().start != start:
        add_beginning(r, start, origin)


cdef void go_on(Recognition* r, WideStage* stage) noexcept nogil:
    """To the stage before the candidates that are not in wider matches."""
    cdef int64_t least = r.scratch.endings[0].least
    stage.is_beaten = True      # by what has one of the candidates, too
    pick_wider(r, stage, least)
    if drop_beaten(r, stage) and not is_known_dead(r, stage):
        stage = add_wide_stage(r)
        begin_wider(r, stage, least)


cdef void pick_wider(Recognition* r, const WideStage* stage, int64_t least) noexcept nogil:
    """The wider matches' picks at the position into `same`; what has the candidates is wider from now on."""
    cdef Frontiers* wider = &r.scratch.wider
    cdef const MatchNode* node
    cdef uint32_t number, origin
    cdef size_t i
    r.scratch.same.clear()
    while True:
        number = next_pick(r, wider, stage.position, least, &origin)
        if number == NO_NODE:
            break
        node = match_node(&r.state, number)
        if not begins(node):
            reach_before(r, wider, node, NO_ORIGIN, least)
        if r.program.marked[state_of(node)] and position_of(&r.state, node.pos) == stage.position:
            r.scratch.same.push_back(number)
    for i in range(stage.candidates, r.scratch.candidates.size()):
        node = match_node(&r.state, r.scratch.candidates[i].node)
        if not begins(node):
            reach_before(r, wider, node, NO_ORIGIN, least)
    sort(r.scratch.same.begin(), r.scratch.same.end())


cdef bint drop_beaten(Recognition* r, const WideStage* stage) noexcept nogil:
    """Leave the candidates that are not in `same`; whether there are any."""
    cdef size_t kept = stage.candidates
    cdef size_t i
    for i in range(stage.candidates, r.scratch.candidates.size()):
        if not binary_search(r.scratch.same.begin(), r.scratch.same.end(), r.scratch.candidates[i].node):
            r.scratch.candidates[kept] = r.scratch.candidates[i]
            kept += 1
    r.scratch.candidates.resize(kept)
    return kept > stage.candidates


cdef bint is_known_dead(Recognition* r, const WideStage* stage) noexcept nogil:
    """Whether a stage before the same nodes had no results."""
    cdef vector[uint32_t] key
    if r.scratch.dead.empty():
        return False
    write_key(r, stage, &key)
    return r.scratch.dead.count(key) > 0


cdef void write_key(const Recognition* r, const WideStage* stage, vector[uint32_t]* out) noexcept nogil:
    """Append what the results before the candidates depend on."""
    cdef size_t i
    for i in range(stage.candidates, r.scratch.candidates.size()):
        out.push_back(r.scratch.candidates.at(i).node)
    out.push_back(NO_NODE)
    for i in range(r.scratch.same.size()):
        out.push_back(r.scratch.same.at(i))


cdef void begin_wider(Recognition* r, WideStage* stage, int64_t least) noexcept nogil:
    """The frontier before the picks in `same`.  Each of them has a beginning in the window, so the stage's own are beaten."""
    cdef const MatchNode* node
    cdef size_t i
    stage.is_beaten = not r.scratch.same.empty()
    write_key(r, &r.scratch.wide_stages[r.scratch.wide_stages.size() - 2], &r.scratch.keys)
    for i in range(r.scratch.same.size()):
        node = match_node(&r.state, r.scratch.same[i])
        if not begins(node):
            reach_before(r, &r.scratch.wider, node, NO_ORIGIN, least)


cdef void note_results(Recognition* r, const WideStage* stage) noexcept nogil:
    """Let the stage before know that there were results, or remember that there were none."""
    cdef vector[uint32_t] key
    if r.scratch.wide_stages.size() < 2:
        return
    if stage.has_results:
        r.scratch.wide_stages[r.scratch.wide_stages.size() - 2].has_results = True
        return
    key.assign(r.scratch.keys.begin() + stage.key, r.scratch.keys.end())
    r.scratch.dead.insert(key)
