# NEXT and LAST without a look at all matches.  Both order sets of positions, and what is added to two sets later does not
# change which one is better (CEL): so the best match of a set of partial matches is made of best ones.
#
# It is worked out when it is asked for, and remembered until its start leaves the window.  The best match of a view is the
# best one of its groups.  What this earns: NEXT and LAST of `benchmarks.outside`, compared.


cdef inline BestMatch* best_match(Recognition* r, uint32_t number) noexcept nogil:
    return &r.scratch.bests.data()[number & r.state.ring.mask]


cdef inline bint is_known(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """The best match of a set has been worked out, and is not over."""
    cdef const BestMatch* known = best_match(r, number)
    return known.set == number and known.start >= least and (r.program.rises or known.event == r.state.position)


cdef inline uint32_t pick_before(Recognition* r, uint32_t pick) noexcept nogil:
    """What the best match that goes on with this pick has picked before it; NO_NODE: nothing."""
    return best_match(r, pick).before


cdef inline uint64_t age(Recognition* r, uint32_t pick) noexcept nogil:
    """How long ago the event was; nothing is older than all events."""
    return <uint64_t>1 << 32 if pick == NO_NODE else <uint32_t>(<uint32_t>r.state.position - match_node(&r.state, pick).pos)


cdef int compare(Recognition* r, uint32_t left, uint32_t right) noexcept nogil:
    """Of the best matches with these last picks, which one is better: > 0 the left one, < 0 the right one, 0: their marked
    positions are the same.  Of NEXT the first position decides that only one of them has, of LAST the last one."""
    cdef int better = 0
    cdef int owner
    cdef uint64_t left_age, right_age
    while left != right and (better == 0 or r.program.strategy == StrategyKind.NEXT):
        left_age, right_age = age(r, left), age(r, right)
        owner = 0
        if left_age <= right_age:
            owner += r.program.marked[state_of(match_node(&r.state, left))]
            left = pick_before(r, left)
        if right_age <= left_age:
            owner -= r.program.marked[state_of(match_node(&r.state, right))]
            right = pick_before(r, right)
        if owner:
            better = owner
    return better


cdef void find_best(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Work out the best match of a set that is not over, and before it of what the set is made of."""
    if r.scratch.bests.size() != r.state.ring.nodes.size():
        forget_bests(r)
    r.scratch.asked.clear()
    r.scratch.asked.push_back(number)
    while not r.scratch.asked.empty():
        number = r.scratch.asked.back()
        if is_known(r, number, least) or work_out(r, number, least):
            r.scratch.asked.pop_back()


cdef bint work_out(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Work out the best match of a set from those of the sets in it; False: some of these are asked for first."""
    cdef const MatchNode* node = match_node(&r.state, number)
    cdef BestMatch* best = best_match(r, number)
    cdef size_t asked = r.scratch.asked.size()
    best.set = best.pick = NO_NODE
    best.start = NEVER
    take_best_before(r, node, best, least)
    if is_pick(node):
        best.before = best.pick
        best.pick = number
        if begins(node):
            best.start = node.youngest
    if r.scratch.asked.size() > asked:
        ask_best(r, node.sibling, least)
        return False
    take_best(r, node.sibling, best, least)
    if r.scratch.asked.size() > asked:
        return False
    best.set = number
    best.event = r.state.position
    return True


cdef void take_best_before(Recognition* r, const MatchNode* node, BestMatch* best, int64_t least) noexcept nogil:
    """The best match of what the first part of a node goes on from: that of a view is the best one of its groups."""
    cdef ViewVisit visit
    cdef uint32_t group
    if not is_of_view(node):
        take_best(r, node.next, best, least)
        return
    visit = visit_of(r.correlating, view_number(node))
    while True:
        group = next_in_view(r.correlating, &visit, least)
        if group == NO_NODE:
            return
        take_best(r, group, best, least)


cdef inline void ask_best(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Ask for the best match of a set, unless it is known."""
    if is_young(&r.state, number, least) and not is_known(r, number, least):
        r.scratch.asked.push_back(number)


cdef inline void take_best(Recognition* r, uint32_t number, BestMatch* best, int64_t least) noexcept nogil:
    """Take the best match of a set if it is better; if it is not known yet, ask for it."""
    if not is_young(&r.state, number, least):
        return
    if is_known(r, number, least):
        improve(r, best, best_match(r, number))
    else:
        r.scratch.asked.push_back(number)


cdef inline void improve(Recognition* r, BestMatch* best, const BestMatch* other) noexcept nogil:
    """Take the other one if it is better, or has the same positions and lives longer."""
    cdef int better = 1 if best.pick == NO_NODE else compare(r, other.pick, best.pick)
    if better > 0 or better == 0 and other.start > best.start:
        best.pick = other.pick
        best.start = other.start


cdef void forget_bests(Recognition* r) noexcept nogil:
    cdef BestMatch nothing
    nothing.set = nothing.pick = nothing.before = NO_NODE
    nothing.start = nothing.event = NEVER
    r.scratch.bests.assign(r.state.ring.nodes.size(), nothing)


cdef void choose_best(Recognition* r) noexcept nogil:
    """Write the best results of the event: their marked positions are the same, their starts differ."""
    cdef BestMatch best
    cdef size_t i
    best.pick = NO_NODE
    best.start = NEVER
    for i in range(r.scratch.endings.size()):
        find_best(r, r.scratch.endings[i].node, r.scratch.endings[i].least)
        improve(r, &best, best_match(r, r.scratch.endings[i].node))
    if r.program.start_is_marked:
        lay_path(r, best.pick)
        write_match(r, &r.scratch.found)
        r.scratch.given = 1
    else:
        write_starts(r, best.pick)
    r.scratch.enumerating = False
