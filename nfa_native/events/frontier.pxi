# Frontiers of enumeration (`frontier.hpp`).  A node is younger than all that it leads to.  So if the youngest one is always
# looked into first, each is met once, and picks come by their positions, the latest first.


cdef inline void reach(Recognition* r, Frontiers* frontier, uint32_t node, uint32_t origin, int64_t least) noexcept nogil:
    """Add a set to a frontier, unless it is over."""
    cdef Reached one
    if is_young(&r.state, node, least):
        one.place = one.view = 0
        one.is_view = False
        one.age = node - r.state.ring.tail
        one.origin = origin
        frontier.add(one)


cdef inline void reach_view(
    Recognition* r, Frontiers* frontier, ViewVisit* visit, uint32_t origin, int64_t least
) noexcept nogil:
    """Add the rest of a view to a frontier, as its next group."""
    cdef uint32_t node = next_in_view(r.correlating, visit, least)
    cdef Reached one
    if node != NO_NODE:
        one.place = visit.place
        one.view = visit.view
        one.is_view = True
        one.age = node - r.state.ring.tail
        one.origin = origin
        frontier.add(one)


cdef inline void reach_before(
    Recognition* r, Frontiers* frontier, const MatchNode* node, uint32_t origin, int64_t least
) noexcept nogil:
    """Add what the first part of a node goes on from."""
    cdef ViewVisit visit
    if is_of_view(node):
        visit = visit_of(r.correlating, view_number(node))
        reach_view(r, frontier, &visit, origin, least)
    else:
        reach(r, frontier, node.next, origin, least)


cdef void leave_newest(Recognition* r, Frontiers* frontier, int64_t least) noexcept nogil:
    """Take the newest node from a frontier, wherever it has been reached from."""
    cdef uint32_t age = frontier.newest().age
    cdef Reached one
    cdef ViewVisit visit
    while not frontier.empty() and frontier.newest().age == age:
        one = frontier.newest()
        frontier.drop_newest()
        if one.is_view:
            visit.view = one.view
            visit.place = one.place
            reach_view(r, frontier, &visit, one.origin, least)


cdef uint32_t next_pick(
    Recognition* r, Frontiers* frontier, int64_t earliest, int64_t least, uint32_t* origin
) noexcept nogil:
    """Take the next pick from a frontier, and what comes after it; NO_NODE: there is none at `earliest` or later."""
    cdef const MatchNode* node
    cdef uint32_t number
    while not frontier.empty():
        number = frontier.newest().age + r.state.ring.tail
        node = match_node(&r.state, number)
        if is_pick(node) and position_of(&r.state, node.pos) < earliest:
            return NO_NODE
        origin[0] = frontier.newest().origin
        leave_newest(r, frontier, least)
        reach(r, frontier, node.sibling, origin[0], least)
        if is_pick(node):
            return number
        reach_before(r, frontier, node, origin[0], least)
    return NO_NODE


cdef void open_unions(Recognition* r, Frontiers* frontier, int64_t least) noexcept nogil:
    """Look into the newest nodes of a frontier until one is a pick."""
    cdef const MatchNode* node
    cdef uint32_t origin
    while not frontier.empty():
        node = match_node(&r.state, frontier.newest().age + r.state.ring.tail)
        if is_pick(node):
            return
        origin = frontier.newest().origin
        leave_newest(r, frontier, least)
        reach(r, frontier, node.sibling, origin, least)
        reach_before(r, frontier, node, origin, least)
