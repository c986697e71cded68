# NEXT and LAST without a look at all matches.  Both order sets of positions, and what is added to two sets later does not
# change which one is better (CEL): so the best match of a set of partial matches is made of best ones.
#
# It is worked out when it is asked for, and remembered until its start leaves the window.


cdef inline BestMatch* best_match(Recognition* r, uint32_t number) noexcept nogil:
    return &r.scratch.bests.data()[number & r.state.ring.mask]


cdef inline bint is_known(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """The best match of a set has been worked out, and is not over."""
    cdef const BestMatch* known = best_match(r, number)
    return known.set == number and known.start >= least and (r.program.rises or known.event == r.state.position)


cdef inline uint32_t pick_before(Recognition* r, uint32_t pick) noexcept nogil:
    """What the best match that goes on with this pick has picked before it; NO_NODE: nothing."""
    cdef uint32_t before = match_node(&r.state, pick).next
    return NO_NODE if before == NO_NODE else best_match(r, before).pick


cdef inline uint64_t age(Recognition* r, uint32_t pick) noexcept nogil:
    """How long ago the event was; nothing is older than all events."""
    return <uint64_t>1 << 32 if pick == NO_NODE else <uint32_t>(<uint32_t>r.state.position - match_node(&r.state, pick).pos)


cdef int compare(Recognition* r, uint32_t left, uint32_t right) noexcept nogil:
    """Of the best matches with these last picks, which one is better: > 0 the left one, < 0 the right one, 0: their marked
    positions are the same.  Of NEXT the first position decides that only one of them has, of LAST the last one."""
    cdef int better = 0
    cdef int owner
    cdef uint64_t left_age, right_age
    while left != right and (better == 0 or r.program.strategy == NEXT_ONES):
        left_age, right_age = age(r, left), age(r, right)
        owner = 0
        if left_age <= right_age:
            owner += r.program.marked[match_node(&r.state, left).state]
            left = pick_before(r, left)
        if right_age <= left_age:
            owner -= r.program.marked[match_node(&r.state, right).state]
            right = pick_before(r, right)
        if owner:
            better = owner
    return better


cdef void find_best(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Work out the best match of a set that is not over, and before it of what the set is made of."""
    cdef const MatchNode* node
    if r.scratch.bests.size() != r.state.ring.nodes.size():
        forget_bests(r)
    r.scratch.asked.clear()
    r.scratch.asked.push_back(number)
    while not r.scratch.asked.empty():
        number = r.scratch.asked.back()
        node = match_node(&r.state, number)
        if is_known(r, number, least) or not (ask_best(r, node.next, least) | ask_best(r, node.sibling, least)):
            r.scratch.asked.pop_back()
            if not is_known(r, number, least):
                remember_best(r, number, least)


cdef bint ask_best(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Whether the best match of a set has to be worked out first."""
    if not is_young(&r.state, number, least) or is_known(r, number, least):
        return False
    r.scratch.asked.push_back(number)
    return True


cdef void remember_best(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Work it out from that of the sets in this one."""
    cdef const MatchNode* node = match_node(&r.state, number)
    cdef BestMatch* best = best_match(r, number)
    best.set = number
    best.event = r.state.position
    best.pick = NO_NODE
    best.start = NEVER
    if node.state != UNION:
        best.pick = number
        best.start = node.youngest if node.next == NO_NODE else best_match(r, node.next).start
    elif is_young(&r.state, node.next, least):
        improve(r, best, best_match(r, node.next))
    if is_young(&r.state, node.sibling, least):
        improve(r, best, best_match(r, node.sibling))


cdef inline void improve(Recognition* r, BestMatch* best, const BestMatch* other) noexcept nogil:
    """Take the other one if it is better, or has the same positions and lives longer."""
    cdef int better = 1 if best.pick == NO_NODE else compare(r, other.pick, best.pick)
    if better > 0 or better == 0 and other.start > best.start:
        best.pick = other.pick
        best.start = other.start


cdef void forget_bests(Recognition* r) noexcept nogil:
    cdef BestMatch nothing
    nothing.set = nothing.pick = NO_NODE
    nothing.start = nothing.event = NEVER
    r.scratch.bests.assign(r.state.ring.nodes.size(), nothing)


cdef inline bint has_best(const Recognition* r) noexcept nogil:
    """The strategy orders all results, and sets are made of sets that are there."""
    return (r.program.strategy == NEXT_ONES or r.program.strategy == LAST_ONES) and r.correlating == NULL


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


cdef void lay_path(Recognition* r, uint32_t pick) noexcept nogil:
    """The best match with this last pick as the path."""
    cdef size_t depth = 0
    while pick != NO_NODE:
        add_to_path(r, match_node(&r.state, pick), depth)
        depth += 1
        pick = pick_before(r, pick)


cdef inline void add_to_path(Recognition* r, const MatchNode* node, size_t depth) noexcept nogil:
    """A pick with so many behind it."""
    if depth >= r.scratch.path_positions.size():
        lengthen_path(&r.scratch)
    r.scratch.path_begin = r.scratch.path_positions.size() - 1 - depth
    r.scratch.path_positions[r.scratch.path_begin] = position_of(&r.state, node.pos)
    r.scratch.path_states[r.scratch.path_begin] = <uint16_t>node.state


cdef void write_starts(Recognition* r, uint32_t pick) noexcept nogil:
    """Write a match with the marked positions of this one for each start that there is."""
    cdef Positions marked
    cdef set[int64_t] starts
    lay_path(r, pick)
    mark_path(r, &marked)
    r.scratch.seen.clear()
    r.scratch.ending = <size_t>-1
    r.scratch.visits.clear()
    while (r.program.limit < 0 or r.scratch.given < r.program.limit) and next_like(r, &marked):
        if starts.insert(r.scratch.path_positions[r.scratch.path_begin]).second:
            write_match(r, &r.scratch.found)
            r.scratch.given += 1


cdef bint next_like(Recognition* r, const Positions* marked) noexcept nogil:
    """Walk to the next match with these marked positions; False: there is none."""
    cdef Visiting visit
    while True:
        if not r.scratch.visits.empty():
            visit = r.scratch.visits.back()
            r.scratch.visits.pop_back()
        else:
            r.scratch.ending += 1
            if r.scratch.ending >= r.scratch.endings.size():
                return False
            visit.node = r.scratch.endings[r.scratch.ending].node
            visit.depth = 0
            r.scratch.missing.assign(1, <uint32_t>marked.size())
        if descend_like(r, visit.node, visit.depth, r.scratch.endings[r.scratch.ending].least, marked):
            return True


cdef bint descend_like(
    Recognition* r, uint32_t number, size_t depth, int64_t least, const Positions* marked
) noexcept nogil:
    """As `descend`, but not where it has been with as many positions missing, nor where one of them is left out."""
    cdef const MatchNode* node
    cdef uint32_t missing
    while is_young(&r.state, number, least):
        missing = r.scratch.missing[depth]
        if not r.scratch.seen.insert(<uint64_t>number << 32 | missing).second:
            return False
        node = match_node(&r.state, number)
        if node.sibling != NO_NODE:
            visit_later(&r.scratch, node.sibling, <uint32_t>depth)
        if node.state != UNION:
            if not fits(r, node, marked, &missing):
                return False
            add_to_path(r, node, depth)
            depth += 1
            r.scratch.missing.resize(depth + 1)
            r.scratch.missing[depth] = missing
            if node.next == NO_NODE:
                return missing == 0
        number = node.next
    return False


cdef inline bint fits(Recognition* r, const MatchNode* node, const Positions* marked, uint32_t* missing) noexcept nogil:
    """The pick is the last one missing, or is not marked and comes after that."""
    cdef int64_t position = position_of(&r.state, node.pos)
    cdef int64_t wanted = marked.at(missing[0] - 1) if missing[0] else -1
    if r.program.marked[node.state]:
        missing[0] -= position == wanted
        return position == wanted
    return position > wanted
