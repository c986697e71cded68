# Enumeration where results may come about in several ways: all nodes that give the same positions are followed together, from
# the last one back, so each result is found once.  (A subset construction, of nodes instead of states.)
#
# A stage is what may come before the picks so far: a frontier, beginnings of matches that have these and no other marked
# positions, and candidates, which are marked picks of one position; these are picked together.


cdef bint enumerate_distinct(Recognition* r, size_t most) noexcept nogil:
    """Write results of the last event until there are `most` in all; whether that was the last of them."""
    if r.scratch.ending != 0:
        r.scratch.ending = 0
        begin_stages(r)
    while r.scratch.found.count < most:
        if r.program.limit >= 0 and r.scratch.given >= r.program.limit or not next_distinct(r):
            r.scratch.enumerating = False
            return True
        write_distinct(r, &r.scratch.beginnings.back())
        r.scratch.beginnings.pop_back()
        r.scratch.given += 1
    return False


cdef bint next_distinct(Recognition* r) noexcept nogil:
    """Walk to the next result, which is that of the last beginning then; False: there is none."""
    cdef uint64_t seen = 0
    cdef Stage* stage
    while not r.scratch.stages.empty():
        seen += 1
        if seen % BETWEEN_SIGNALS == 0 and is_interrupted(r):
            return False
        stage = &r.scratch.stages.back()
        if pick_next(r, stage):
            go_on(r, stage)
        elif r.scratch.beginnings.size() > stage.beginnings and not stage.is_beaten:
            stage.has_results = True
            return True
        else:
            leave_stage(r, stage)
    return False


cdef bint is_interrupted(Recognition* r) noexcept with gil:
    """Whether a signal's handler raised something, which the owner keeps; `feed` then ends."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Recognizer>r.owner)._interruption = error
        r.scratch.is_stopped = True
    return r.scratch.is_stopped


cdef bint pick_next(Recognition* r, Stage* stage) noexcept nogil:
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
            add_candidate(r, number, stage.position, origin)
        elif begins(node):
            add_beginning(r, stage, position_of(&r.state, node.pos), origin)
        else:
            reach_before(r, &r.scratch.reached, node, origin, least)


cdef void go_on(Recognition* r, Stage* stage) noexcept nogil:
    """To the stage before the candidates, if there are results to be found."""
    if r.program.strategy == MAXIMAL_ONES:
        add_stage_of_unbeaten(r, stage)
    elif r.program.strategy != STRICT_ONES or r.scratch.stages.size() == 1 or is_neighbour(r):
        add_stage(r)


cdef bint is_neighbour(const Recognition* r) noexcept nogil:
    """What is picked last comes right before what was picked before that; in a partition, among its own."""
    cdef size_t last = r.scratch.stages.size() - 1
    return local_of(r, r.scratch.stages[last].position) + 1 == local_of(r, r.scratch.stages[last - 1].position)


cdef void begin_stages(Recognition* r) noexcept nogil:
    """The stage before all picks."""
    cdef size_t i
    r.scratch.stages.clear()
    r.scratch.candidates.clear()
    r.scratch.beginnings.clear()
    r.scratch.reached.clear()
    r.scratch.wider.clear()
    r.scratch.keys.clear()
    r.scratch.dead.clear()
    open_stage(r)
    for i in range(r.scratch.endings.size()):
        reach(r, &r.scratch.reached, r.scratch.endings[i].node, NO_ORIGIN, r.scratch.endings[i].least)


cdef Stage* open_stage(Recognition* r) noexcept nogil:
    cdef Stage stage
    stage.position = NEVER
    stage.beginnings = r.scratch.beginnings.size()
    stage.candidates = r.scratch.candidates.size()
    stage.reached = r.scratch.reached.open()
    stage.wider = r.scratch.wider.open()
    stage.key = r.scratch.keys.size()
    stage.is_beaten = stage.has_results = False
    r.scratch.stages.push_back(stage)
    return &r.scratch.stages.back()


cdef Stage* add_stage(Recognition* r) noexcept nogil:
    """The stage before the candidates of the last one."""
    cdef int64_t least = r.scratch.endings[0].least
    cdef size_t first = r.scratch.stages.back().candidates
    cdef Stage* stage = open_stage(r)
    cdef const MatchNode* node
    cdef size_t i
    for i in range(first, stage.candidates):
        node = match_node(&r.state, r.scratch.candidates[i].node)
        if begins(node):
            add_beginning(r, stage, r.scratch.candidates[i].position, <uint32_t>i)
        else:
            reach_before(r, &r.scratch.reached, node, <uint32_t>i, least)
    return stage


cdef void leave_stage(Recognition* r, const Stage* stage) noexcept nogil:
    """Go back to the one before; the last one has no more results."""
    if r.program.strategy == MAXIMAL_ONES:
        note_results(r, stage)
    r.scratch.beginnings.resize(stage.beginnings)
    r.scratch.candidates.resize(stage.candidates)
    r.scratch.reached.close(stage.reached)
    r.scratch.wider.close(stage.wider)
    r.scratch.keys.resize(stage.key)
    r.scratch.stages.pop_back()


cdef inline void add_candidate(Recognition* r, uint32_t number, int64_t position, uint32_t origin) noexcept nogil:
    cdef Candidate one
    one.position = position
    one.node = number
    one.origin = origin
    r.scratch.candidates.push_back(one)


cdef inline void add_beginning(Recognition* r, const Stage* stage, int64_t start, uint32_t origin) noexcept nogil:
    """Note where matches of a stage begin: no later than those that are noted, and each start once."""
    cdef Beginning one
    if r.scratch.beginnings.size() > stage.beginnings and r.scratch.beginnings.back().start == start:
        return
    one.start = start
    one.origin = origin
    r.scratch.beginnings.push_back(one)


cdef void write_distinct(Recognition* r, const Beginning* beginning) noexcept nogil:
    """Append the result with this start; its picks lead from one to the next."""
    cdef uint32_t pick = beginning.origin
    r.scratch.found.count += 1
    r.scratch.row.clear()
    while pick != NO_ORIGIN:
        r.scratch.row.push_back(r.scratch.candidates[pick].position)
        if not r.program.is_chain:
            r.scratch.found.states.push_back(<uint16_t>state_of(match_node(&r.state, r.scratch.candidates[pick].node)))
        pick = r.scratch.candidates[pick].origin
    if r.program.is_chain:
        write_chain(&r.scratch.found, r.scratch.row.data(), r.scratch.row.size())
        return
    r.scratch.found.starts.push_back(beginning.start)
    r.scratch.found.ends.push_back(r.state.position)
    r.scratch.found.positions.insert(r.scratch.found.positions.end(), r.scratch.row.begin(), r.scratch.row.end())
    r.scratch.found.offsets.push_back(<int64_t>r.scratch.found.positions.size())
