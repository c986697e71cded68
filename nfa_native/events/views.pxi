# Views: all groups of a list that pass a transition, as one node, looked for when they are enumerated.


cdef inline ViewRecord* view_at(Correlating* c, uint32_t number) noexcept nogil:
    return c.views.at(number)


cdef void reclaim_views(Recognition* r, int64_t least) noexcept nogil:
    """Free the oldest ones that hold nothing that starts at `least` or later; room for as many as there are then."""
    cdef NodeRing[ViewRecord]* views = &r.correlating.views
    while r.program.forgets and views.count() and views.at(views.tail).youngest < least:
        views.tail += 1
    if not views.has_room(<uint64_t>views.count()):
        views.grow()


cdef inline uint32_t add_view(
    Recognition* r, uint32_t list, uint32_t transition, const int64_t* bounds, size_t count, int64_t youngest,
    int64_t least,
) noexcept nogil:
    """The node of a view on all groups that are now in a list."""
    cdef Correlating* c = r.correlating
    cdef GroupList* groups = list_at(c, list)
    cdef uint32_t number
    cdef ViewRecord* view
    cdef size_t i
    if not c.views.has_room(1):
        reclaim_views(r, least)
    number = c.views.head               # may be 0: whether there is a view, nodes say otherwise
    c.views.head += 1
    view = c.views.at(number)
    view.youngest = youngest
    view.list = list
    view.transition = transition
    view.last = groups.base + <int64_t>groups_of(groups) - 1
    for i in range(count):
        view.bounds[i] = bounds[i]
    return add_node(&r.state, VIEW, number, NO_NODE, NO_NODE, youngest)


cdef inline const GuardSpec* conditions(const Correlating* c, const TransitionSpec* transition) noexcept nogil:
    """The guards that are not done with when a list is found."""
    return c.guards.data() + transition.first_guard + transition.keyed


cdef inline size_t condition_count(const TransitionSpec* transition) noexcept nogil:
    return transition.guards - transition.keyed


cdef uint32_t next_in_view(Correlating* c, ViewVisit* visit, int64_t least) noexcept nogil:
    """The node of the next group; NO_NODE: that was the last one."""
    cdef const ViewRecord* view = view_at(c, visit.view)
    cdef const TransitionSpec* transition = &c.transitions[view.transition]
    cdef GroupList* list = list_at(c, view.list)
    visit.place = group_before(
        list, visit.place, conditions(c, transition), condition_count(transition), view.bounds, least, &c.scanned
    )
    return list.nodes.data()[visit.place] if visit.place >= 0 else <uint32_t>NO_NODE


cdef inline uint32_t view_number(const MatchNode* node) noexcept nogil:
    """The view that a node has."""
    return node.pos if node.state == VIEW else node.next


cdef inline ViewVisit visit_of(Correlating* c, uint32_t number) noexcept nogil:
    """A visit of a view that has not come to any group."""
    cdef ViewVisit visit
    visit.view = number
    visit.depth = 0
    visit.place = view_at(c, number).last - list_at(c, view_at(c, number).list).base + 1
    return visit


cdef uint32_t enter_view(Recognition* r, uint32_t number, size_t depth, int64_t least) noexcept nogil:
    """The node of the first group of a view; the others are left for later."""
    cdef Correlating* c = r.correlating
    cdef ViewVisit visit = visit_of(c, number)
    cdef uint32_t node = next_in_view(c, &visit, least)
    visit.depth = <uint32_t>depth
    if node != NO_NODE:
        c.view_visits.push_back(visit)
        visit_later(&r.scratch, NO_NODE, <uint32_t>depth)
    return node


cdef bint resume_view(Recognition* r, int64_t least, Visiting* out) noexcept nogil:
    """Go on with the innermost view; False: there was no group left in it."""
    cdef Correlating* c = r.correlating
    cdef ViewVisit visit = c.view_visits.back()
    c.view_visits.pop_back()
    out.node = next_in_view(c, &visit, least)
    out.depth = visit.depth
    if out.node == NO_NODE:
        return False
    c.view_visits.push_back(visit)
    visit_later(&r.scratch, NO_NODE, visit.depth)
    return True
