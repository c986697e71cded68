# Enumeration where results may come about in several ways: all nodes that give the same positions are followed together, from
# the last one back, so each result is found once.  (A subset construction, of nodes instead of states.)
#
# A stage is what may come before the picks so far: beginnings of matches that have these and no other marked positions, and
# candidates, which are marked picks, the latest first.  Those of one position are picked together.


cdef bint enumerate_distinct(Recognition* r, size_t most) noexcept nogil:
    """Write results of the last event until there are `most` in all; whether that was the last of them."""
    if r.ending != 0:
        r.ending = 0
        begin_stages(r)
    while r.found.count < most:
        if r.limit >= 0 and r.given >= r.limit or not next_distinct(r):
            r.enumerating = False
            return True
        write_distinct(r, &r.beginnings.back())
        r.beginnings.pop_back()
        r.given += 1
    return False


cdef bint next_distinct(Recognition* r) noexcept nogil:
    """Walk to the next result, which is that of the last beginning then; False: there is none."""
    cdef Stage* stage
    while not r.stages.empty():
        stage = &r.stages.data()[r.stages.size() - 1]
        if r.beginnings.size() > stage.beginnings:
            return True
        if stage.group_end == r.candidates.size():
            r.candidates.resize(stage.candidates)
            r.stages.pop_back()
            continue
        pick_group(r, stage)
        if r.strategy != STRICT_ONES or r.stages.size() == 1 or is_neighbour(r):
            add_stage(r)
    return False


cdef inline void pick_group(const Recognition* r, Stage* stage) noexcept nogil:
    """All candidates of the next position."""
    stage.group = stage.group_end
    while stage.group_end < r.candidates.size() and r.candidates[stage.group_end].position == r.candidates[stage.group].position:
        stage.group_end += 1


cdef bint is_neighbour(const Recognition* r) noexcept nogil:
    """What is picked last comes right before what was picked before that; in a partition, among its own."""
    cdef size_t last = r.stages.size() - 1
    cdef int64_t earlier = r.candidates[r.stages[last].group].position
    cdef int64_t later = r.candidates[r.stages[last - 1].group].position
    return local_of(r, earlier) + 1 == local_of(r, later)


cdef void begin_stages(Recognition* r) noexcept nogil:
    """The stage before all picks."""
    cdef size_t i
    if r.stamps.size() != r.ring.nodes.size():
        r.stamps.assign(r.ring.nodes.size(), 0)
    r.stages.clear()
    r.candidates.clear()
    r.beginnings.clear()
    open_stage(r)
    for i in range(r.endings.size()):
        reach(r, r.endings[i].node, NO_ORIGIN)
    close_stage(r)


cdef void add_stage(Recognition* r) noexcept nogil:
    """The stage before the group that the last one has picked."""
    cdef Stage last = r.stages.back()
    cdef uint32_t before
    cdef size_t i
    open_stage(r)
    for i in range(last.group, last.group_end):
        before = match_node(r, r.candidates[i].node).next
        if before == NO_NODE:
            add_beginning(r, r.candidates[i].position, <uint32_t>i)
        else:
            reach(r, before, <uint32_t>i)
    close_stage(r)


cdef void open_stage(Recognition* r) noexcept nogil:
    cdef Stage stage
    stage.beginnings = r.beginnings.size()
    stage.candidates = stage.group = stage.group_end = r.candidates.size()
    r.stages.push_back(stage)
    r.stamp += 1


cdef void close_stage(Recognition* r) noexcept nogil:
    """Candidates by position, the latest first, and each start once."""
    cdef Stage* stage = &r.stages.data()[r.stages.size() - 1]
    cdef vector[Beginning].iterator first = r.beginnings.begin() + stage.beginnings
    sort(r.candidates.begin() + stage.candidates, r.candidates.end(), is_later_candidate)
    sort(first, r.beginnings.end(), begins_earlier)
    r.beginnings.erase(unique(first, r.beginnings.end(), begin_together), r.beginnings.end())


cdef void reach(Recognition* r, uint32_t number, uint32_t origin) noexcept nogil:
    """Add what a set has to offer, through picks that are not marked."""
    cdef int64_t least = r.endings[0].least
    cdef const MatchNode* node
    cdef uint64_t* stamp
    r.asked.clear()
    r.asked.push_back(number)
    while not r.asked.empty():
        number = r.asked.back()
        r.asked.pop_back()
        if not is_young(r, number, least):
            continue
        stamp = r.stamps.data() + (number & r.ring.mask)
        if stamp[0] == r.stamp:
            continue
        stamp[0] = r.stamp
        node = match_node(r, number)
        r.asked.push_back(node.sibling)
        if node.state == UNION or not r.marked[node.state] and node.next != NO_NODE:
            r.asked.push_back(node.next)
        elif r.marked[node.state]:
            add_candidate(r, number, origin)
        else:
            add_beginning(r, position_of(r, node.pos), origin)


cdef inline void add_candidate(Recognition* r, uint32_t number, uint32_t origin) noexcept nogil:
    cdef Candidate one
    one.position = position_of(r, match_node(r, number).pos)
    one.node = number
    one.origin = origin
    r.candidates.push_back(one)


cdef inline void add_beginning(Recognition* r, int64_t start, uint32_t origin) noexcept nogil:
    cdef Beginning one
    one.start = start
    one.origin = origin
    r.beginnings.push_back(one)


cdef bint is_later_candidate(const Candidate& left, const Candidate& right) noexcept nogil:
    return left.position > right.position


cdef bint begins_earlier(const Beginning& left, const Beginning& right) noexcept nogil:
    return left.start < right.start


cdef bint begin_together(const Beginning& left, const Beginning& right) noexcept nogil:
    return left.start == right.start


cdef void write_distinct(Recognition* r, const Beginning* beginning) noexcept nogil:
    """Append the result with this start; its picks lead from one to the next."""
    cdef uint32_t pick = beginning.origin
    r.found.count += 1
    r.found.starts.push_back(beginning.start)
    r.found.ends.push_back(r.position)
    while pick != NO_ORIGIN:
        r.found.positions.push_back(r.candidates[pick].position)
        r.found.states.push_back(<uint16_t>match_node(r, r.candidates[pick].node).state)
        pick = r.candidates[pick].origin
    r.found.offsets.push_back(<int64_t>r.found.positions.size())
