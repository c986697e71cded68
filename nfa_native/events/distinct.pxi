# Enumeration where results may come about in several ways: all nodes that give the same positions are followed together, from
# the last one back, so each result is found once.  (A subset construction, of nodes instead of states.)  What it earns: ALL of
# `benchmarks.outside`, projected.
#
# A stage is what may come before the picks so far: beginnings of matches that have these and no other marked positions, and
# candidates, which are marked picks, the latest first.  Those of one position are picked together.


cdef bint enumerate_distinct(Recognition* r, size_t most) noexcept nogil:
    """Write results of the last event until there are `most` in all; whether that was the last of them."""
    cdef bint is_maximal = r.program.enumeration == EnumerationKind.MAXIMAL
    if r.scratch.ending != 0:
        r.scratch.ending = 0
        if is_maximal:
            begin_maximal(r)
        else:
            begin_stages(r)
    while r.scratch.found.count < most and r.scratch.given != r.program.limit and (
        next_maximal(r) if is_maximal else next_distinct(r)
    ):
        write_distinct(r, &r.scratch.beginnings.back())
        r.scratch.beginnings.pop_back()
        r.scratch.given += 1
    r.scratch.enumerating = r.scratch.found.count >= most
    return not r.scratch.enumerating


cdef bint next_distinct(Recognition* r) noexcept nogil:
    """Walk to the next result, which is that of the last beginning then; False: there is none."""
    cdef uint64_t seen = 0
    cdef Stage* stage
    while not r.scratch.stages.empty():
        seen += 1
        if seen % BETWEEN_SIGNALS == 0 and is_interrupted(r):
            return False
        stage = &r.scratch.stages.data()[r.scratch.stages.size() - 1]
        if r.scratch.beginnings.size() > stage.beginnings:
            return True
        if stage.group_end == r.scratch.candidates.size():
            r.scratch.candidates.resize(stage.candidates)
            r.scratch.stages.pop_back()
            continue
        pick_group(r, stage)
        if r.program.strategy != StrategyKind.STRICT or r.scratch.stages.size() == 1 or is_neighbour(r):
            add_stage(r)
    return False


cdef bint is_interrupted(Recognition* r) noexcept with gil:
    """Whether a signal's handler raised something, which the owner keeps; `feed` then ends."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Recognizer>r.owner)._interruption = error
        r.scratch.is_stopped = True
    return r.scratch.is_stopped


cdef inline void pick_group(const Recognition* r, Stage* stage) noexcept nogil:
    """All candidates of the next position."""
    stage.group = stage.group_end
    while stage.group_end < r.scratch.candidates.size() and r.scratch.candidates[stage.group_end].position == r.scratch.candidates[stage.group].position:
        stage.group_end += 1


cdef bint is_neighbour(const Recognition* r) noexcept nogil:
    """What is picked last comes right before what was picked before that; in a partition, among its own."""
    cdef size_t last = r.scratch.stages.size() - 1
    cdef int64_t earlier = r.scratch.candidates[r.scratch.stages[last].group].position
    cdef int64_t later = r.scratch.candidates[r.scratch.stages[last - 1].group].position
    return local_of(r, earlier) + 1 == local_of(r, later)


cdef void begin_stages(Recognition* r) noexcept nogil:
    """The stage before all picks."""
    cdef size_t i
    if r.scratch.stamps.size() != r.state.ring.nodes.size():
        r.scratch.stamps.assign(r.state.ring.nodes.size(), 0)
    r.scratch.stages.clear()
    r.scratch.candidates.clear()
    r.scratch.beginnings.clear()
    open_stage(r)
    for i in range(r.scratch.endings.size()):
        r.scratch.asked.clear()
        r.scratch.asked.push_back(r.scratch.endings[i].node)
        reach_asked(r, NO_ORIGIN)
    close_stage(r)


cdef void add_stage(Recognition* r) noexcept nogil:
    """The stage before the group that the last one has picked."""
    cdef Stage last = r.scratch.stages.back()
    cdef const MatchNode* node
    cdef size_t i
    open_stage(r)
    for i in range(last.group, last.group_end):
        node = match_node(&r.state, r.scratch.candidates[i].node)
        if begins(node):
            add_beginning(r, r.scratch.candidates[i].position, <uint32_t>i)
        else:
            r.scratch.asked.clear()
            ask_before(r, node)
            reach_asked(r, <uint32_t>i)
    close_stage(r)


cdef void open_stage(Recognition* r) noexcept nogil:
    cdef Stage stage
    stage.beginnings = r.scratch.beginnings.size()
    stage.candidates = stage.group = stage.group_end = r.scratch.candidates.size()
    r.scratch.stages.push_back(stage)
    r.scratch.stamp += 1


cdef void close_stage(Recognition* r) noexcept nogil:
    """Candidates by position, the latest first, and each start once."""
    cdef Stage* stage = &r.scratch.stages.data()[r.scratch.stages.size() - 1]
    cdef vector[Beginning].iterator first = r.scratch.beginnings.begin() + stage.beginnings
    sort(r.scratch.candidates.begin() + stage.candidates, r.scratch.candidates.end(), is_later_candidate)
    sort(first, r.scratch.beginnings.end(), begins_earlier)
    r.scratch.beginnings.erase(unique(first, r.scratch.beginnings.end(), begin_together), r.scratch.beginnings.end())


cdef void reach_asked(Recognition* r, uint32_t origin) noexcept nogil:
    """Add what the sets in `asked` have to offer, through picks that are not marked."""
    cdef int64_t least = r.scratch.endings[0].least
    cdef const MatchNode* node
    cdef uint32_t number
    cdef uint64_t* stamp
    while not r.scratch.asked.empty():
        number = r.scratch.asked.back()
        r.scratch.asked.pop_back()
        if not is_young(&r.state, number, least):
            continue
        stamp = r.scratch.stamps.data() + (number & r.state.ring.mask)
        if stamp[0] == r.scratch.stamp:
            continue
        stamp[0] = r.scratch.stamp
        node = match_node(&r.state, number)
        r.scratch.asked.push_back(node.sibling)
        if node.state == UNION:
            r.scratch.asked.push_back(node.next)
        elif node.state != VIEW and r.program.marked.data()[state_of(node)]:
            add_candidate(r, number, origin)
        elif node.state != VIEW and begins(node):
            add_beginning(r, position_of(&r.state, node.pos), origin)
        else:
            ask_before(r, node)


cdef inline void ask_before(Recognition* r, const MatchNode* node) noexcept nogil:
    """Ask for what the first part of a node goes on from."""
    if is_of_view(node):
        ask_groups(r, view_number(node))
    else:
        r.scratch.asked.push_back(node.next)


cdef void ask_groups(Recognition* r, uint32_t view) noexcept nogil:
    """Ask for all groups of a view."""
    cdef ViewVisit visit = visit_of(r.correlating, view)
    cdef uint32_t group
    while True:
        group = next_in_view(r.correlating, &visit, r.scratch.endings[0].least)
        if group == NO_NODE:
            return
        r.scratch.asked.push_back(group)


cdef inline void add_candidate(Recognition* r, uint32_t number, uint32_t origin) noexcept nogil:
    cdef Candidate one
    one.position = position_of(&r.state, match_node(&r.state, number).pos)
    one.node = number
    one.origin = origin
    r.scratch.candidates.push_back(one)


cdef inline void add_beginning(Recognition* r, int64_t start, uint32_t origin) noexcept nogil:
    cdef Beginning one
    one.start = start
    one.origin = origin
    r.scratch.beginnings.push_back(one)


cdef bint is_later_candidate(const Candidate& left, const Candidate& right) noexcept nogil:
    return left.position > right.position


cdef bint begins_earlier(const Beginning& left, const Beginning& right) noexcept nogil:
    return left.start < right.start


cdef bint begin_together(const Beginning& left, const Beginning& right) noexcept nogil:
    return left.start == right.start


cdef void write_distinct(Recognition* r, const Beginning* beginning) noexcept nogil:
    """Append the result with this start; its picks lead from one to the next."""
    cdef uint32_t pick = beginning.origin
    r.scratch.found.count += 1
    r.scratch.found.starts.push_back(beginning.start)
    r.scratch.found.ends.push_back(r.state.position)
    while pick != NO_ORIGIN:
        r.scratch.found.positions.push_back(r.scratch.candidates[pick].position)
        r.scratch.found.states.push_back(<uint16_t>state_of(match_node(&r.state, r.scratch.candidates[pick].node)))
        pick = r.scratch.candidates[pick].origin
    r.scratch.found.offsets.push_back(<int64_t>r.scratch.found.positions.size())
