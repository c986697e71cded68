# MAX: stages (`distinct.pxi`) in which matches of more positions are followed, too (CEL's construction by pairs of sets of
# states, of sets of nodes here).  Beside what goes on to the picks so far, a stage has what goes on to these and more, its *wider*
# frontier.  A result is maximal if no wider match can be completed where it begins; a node that wider matches pick, too, leads
# to beaten ones only.


cdef void add_stage_of_unbeaten(Recognition* r, Stage* stage) noexcept nogil:
    """To the stage before the candidates that are not in wider matches."""
    cdef int64_t least = r.scratch.endings[0].least
    stage.is_beaten = True      # by what has one of the candidates, too
    pick_wider(r, stage, least)
    if drop_beaten(r, stage) and not is_known_dead(r, stage):
        stage = add_stage(r)
        begin_wider(r, stage, least)


cdef void pick_wider(Recognition* r, const Stage* stage, int64_t least) noexcept nogil:
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


cdef bint drop_beaten(Recognition* r, const Stage* stage) noexcept nogil:
    """Leave the candidates that are not in `same`; whether there are any."""
    cdef size_t kept = stage.candidates
    cdef size_t i
    for i in range(stage.candidates, r.scratch.candidates.size()):
        if not binary_search(r.scratch.same.begin(), r.scratch.same.end(), r.scratch.candidates[i].node):
            r.scratch.candidates[kept] = r.scratch.candidates[i]
            kept += 1
    r.scratch.candidates.resize(kept)
    return kept > stage.candidates


cdef bint is_known_dead(Recognition* r, const Stage* stage) noexcept nogil:
    """Whether a stage before the same nodes had no results."""
    cdef vector[uint32_t] key
    if r.scratch.dead.empty():
        return False
    write_key(r, stage, &key)
    return r.scratch.dead.count(key) > 0


cdef void write_key(const Recognition* r, const Stage* stage, vector[uint32_t]* out) noexcept nogil:
    """Append what the results before the candidates depend on."""
    cdef size_t i
    for i in range(stage.candidates, r.scratch.candidates.size()):
        out.push_back(r.scratch.candidates.at(i).node)
    out.push_back(NO_NODE)
    for i in range(r.scratch.same.size()):
        out.push_back(r.scratch.same.at(i))


cdef void begin_wider(Recognition* r, Stage* stage, int64_t least) noexcept nogil:
    """The frontier before the picks in `same`.  Each of them has a beginning in the window, so the stage's own are beaten."""
    cdef const MatchNode* node
    cdef size_t i
    stage.is_beaten = not r.scratch.same.empty()
    write_key(r, &r.scratch.stages[r.scratch.stages.size() - 2], &r.scratch.keys)
    for i in range(r.scratch.same.size()):
        node = match_node(&r.state, r.scratch.same[i])
        if not begins(node):
            reach_before(r, &r.scratch.wider, node, NO_ORIGIN, least)


cdef void note_results(Recognition* r, const Stage* stage) noexcept nogil:
    """Let the stage before know that there were results, or remember that there were none."""
    cdef vector[uint32_t] key
    if r.scratch.stages.size() < 2:
        return
    if stage.has_results:
        r.scratch.stages[r.scratch.stages.size() - 2].has_results = True
        return
    key.assign(r.scratch.keys.begin() + stage.key, r.scratch.keys.end())
    r.scratch.dead.insert(key)
