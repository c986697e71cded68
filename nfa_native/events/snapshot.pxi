# The live state as an archive: a store for each part, a column for each field.  What is over stays behind, what is left gets new
# numbers, and what follows from other fields is not written.  `restore.pxi` reads it.

cdef enum:
    # Versions of the stores.
    EVENTS_VERSION = 1
    NODES_VERSION = 1
    HEADS_VERSION = 1
    GROUPS_VERSION = 1
    VIEWS_VERSION = 1
    LISTED_VERSION = 1
    NO_VIEW = 0xFFFFFFFF

# A list of groups as it is written, or what entered a state last: registers and nodes of its groups come one after the other.
cdef struct ListForm:
    uint32_t partition
    uint32_t state
    uint32_t groups

# A view as it is written; it is as young as its node.
cdef struct ViewForm:
    uint32_t list
    uint32_t transition
    uint32_t groups       # it looks at so many of the list's
    int64_t[2] bounds     # VIEW_BOUNDS

# A listed event as it is written.
cdef struct ListedForm:
    int64_t position
    int64_t start
    int64_t before        # number of the list before it; -1: there is none

# Lists as they are written.
cdef cppclass ListForms:
    vector[ListForm] lists
    vector[int64_t] registers
    vector[uint32_t] nodes

# New numbers of what is written.
cdef cppclass Renumbered:
    vector[uint32_t] nodes                # by distance from the tail; NO_NODE: left behind
    vector[uint32_t] views                # the same
    vector[uint32_t] lists                # by number; NO_LIST: left behind
    vector[vector[uint32_t]] groups       # of each list: how many come before a place
    vector[int64_t] listed                # by place; NOT_SET: left behind


cdef bint can_be_written(const Recognition* r) noexcept nogil:
    """All results are out and taken."""
    return not r.scratch.enumerating and r.scratch.found.count == 0


cdef void write_recognition(Recognition* r, Archive* a, int64_t least) noexcept nogil:
    """Everything that the future depends on; no window will begin before `least`."""
    cdef Renumbered numbers
    keep_nodes(r, least, &numbers.nodes)
    if r.correlating != NULL:
        keep_views(r, &numbers)
        keep_lists(r, least, &numbers)
    write_events(r, a, &numbers)
    write_nodes(r, a, &numbers)
    write_heads(r, a, &numbers)
    if r.correlating != NULL:
        keep_listed(r, least, &numbers)
        write_lists(r, a, least, &numbers)
        write_views(r, a, &numbers)
        write_listed(r, a, &numbers)


# ── fields: the same functions write and read ──


cdef void event_fields(Recognition* r, Archive* a, uint64_t* scanned) noexcept nogil:
    """Where the events are, in all and in each partition."""
    a.store(b"events", EVENTS_VERSION)
    a.number(b"position", r.state.position)
    a.number(b"first number", r.state.first_number)
    a.number(b"scanned", scanned[0])
    a.numbers(b"local numbers", r.state.local_numbers)
    a.numbers(b"partitions", r.state.locals)
    a.numbers(b"touched", r.state.touched)


cdef void node_fields(Archive* a, vector[MatchNode]* nodes) noexcept nogil:
    """The first one has number 1."""
    cdef MatchNode node
    a.store(b"nodes", NODES_VERSION)
    a.field(b"youngest", nodes[0], node, node.youngest)
    a.field(b"position", nodes[0], node, node.pos)
    a.field(b"next", nodes[0], node, node.next)
    a.field(b"sibling", nodes[0], node, node.sibling)
    a.field(b"state", nodes[0], node, node.state)


cdef void head_fields(Archive* a, vector[uint32_t]* heads, vector[uint32_t]* last) noexcept nogil:
    """Nodes by partition and state: of all that waits, and of what entered with the last event."""
    a.store(b"heads", HEADS_VERSION)
    a.numbers(b"all", heads[0])
    a.numbers(b"last", last[0])


cdef void list_fields(Archive* a, const char* name, ListForms* forms) noexcept nogil:
    cdef ListForm one
    a.store(name, GROUPS_VERSION)
    a.field(b"partition", forms.lists, one, one.partition)
    a.field(b"state", forms.lists, one, one.state)
    a.field(b"groups", forms.lists, one, one.groups)
    a.numbers(b"registers", forms.registers)
    a.numbers(b"nodes", forms.nodes)


cdef void view_fields(Archive* a, vector[ViewForm]* views) noexcept nogil:
    cdef ViewForm one
    a.store(b"views", VIEWS_VERSION)
    a.field(b"list", views[0], one, one.list)
    a.field(b"transition", views[0], one, one.transition)
    a.field(b"groups", views[0], one, one.groups)
    a.field(b"bound", views[0], one, one.bounds[0])
    a.field(b"other bound", views[0], one, one.bounds[1])


cdef void listed_fields(Archive* a, vector[ListedForm]* listed, vector[int64_t]* remembered) noexcept nogil:
    cdef ListedForm one
    a.store(b"listed", LISTED_VERSION)
    a.field(b"position", listed[0], one, one.position)
    a.field(b"start", listed[0], one, one.start)
    a.field(b"before", listed[0], one, one.before)
    a.numbers(b"remembered", remembered[0])


# ── what is left, and its new numbers ──


cdef inline bint is_latest(const Recognition* r, size_t partition, int64_t local) noexcept nogil:
    """The event was the last one of its partition, so what entered with it can go on contiguously."""
    return local == (r.state.locals.at(partition) if r.program.partitioned else r.state.position) - 1


cdef void keep_nodes(Recognition* r, int64_t least, vector[uint32_t]* nodes) noexcept nogil:
    cdef uint32_t number = 1
    cdef int64_t own
    cdef size_t i
    nodes.assign(r.state.ring.count(), NO_NODE)
    for i in range(r.state.heads.size()):
        own = least_of(r, i // r.program.width, least)
        mark_from(r, r.state.heads[i].node, own, nodes)
        if is_latest(r, i // r.program.width, r.state.last[i].local):
            mark_from(r, r.state.last[i].node, own, nodes)
    if r.correlating != NULL:
        mark_kept_groups(r, least, nodes)
    for i in range(nodes.size()):
        if nodes.at(i) != NO_NODE:
            nodes.data()[i] = number
            number += 1


cdef void mark_kept_groups(Recognition* r, int64_t least, vector[uint32_t]* nodes) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef const GroupList* list
    cdef size_t i, place
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        if not is_kept(r, list):
            continue
        for place in range(list.first, groups_of(list)):
            mark_from(r, list.nodes.at(place), least_of(r, list.partition, least), nodes)
    for i in range(c.recents.size()):
        if is_latest(r, i // r.program.width, c.recents[i].local):
            for place in range(c.recents[i].nodes.size()):
                mark_from(r, c.recents[i].nodes[place], least_of(r, i // r.program.width, least), nodes)


cdef inline bint is_kept(Recognition* r, const GroupList* list) noexcept nogil:
    """The list is one of a partition, and was not emptied since; one that is free has no groups."""
    return list.partition < r.correlating.epochs.size() and is_current(r, list)


cdef inline bint is_live_group(
    Recognition* r, const GroupList* list, size_t place, int64_t least, const Renumbered* numbers
) noexcept nogil:
    """Something of the group starts in a window that may come."""
    cdef uint32_t node = list.nodes.at(place)
    return is_young(&r.state, node, least_of(r, list.partition, least)) and kept_number(&r.state, numbers, node) != NO_NODE


cdef inline uint32_t kept_number(const RecognizerState* s, const Renumbered* numbers, uint32_t node) noexcept nogil:
    """The new number of a node; NO_NODE: it is left behind."""
    cdef uint32_t place = node - s.ring.tail
    return numbers.nodes.at(place) if node != NO_NODE and place < numbers.nodes.size() else <uint32_t>NO_NODE


cdef void keep_views(Recognition* r, Renumbered* numbers) noexcept nogil:
    """Views of nodes that are written, in their order."""
    cdef Correlating* c = r.correlating
    cdef const uint32_t* view
    cdef uint32_t kept = 0
    cdef size_t i
    numbers.views.assign(c.views.count(), 0)
    for i in range(numbers.nodes.size()):
        if numbers.nodes[i] != NO_NODE:
            view = view_of(match_node(&r.state, r.state.ring.tail + <uint32_t>i))
            if view != NULL:
                numbers.views[view[0] - c.views.tail] = 1
    for i in range(numbers.views.size()):
        if numbers.views[i]:
            numbers.views[i] = kept
            kept += 1
        else:
            numbers.views[i] = NO_VIEW


cdef void keep_lists(Recognition* r, int64_t least, Renumbered* numbers) noexcept nogil:
    """Lists with groups that are left, in their order."""
    cdef Correlating* c = r.correlating
    cdef const GroupList* list
    cdef uint32_t kept = 0
    cdef uint32_t before
    cdef size_t i, place
    numbers.lists.assign(c.lists.size(), NO_LIST)
    numbers.groups.resize(c.lists.size())
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        before = 0
        numbers.groups[i].push_back(before)
        for place in range(groups_of(list) if is_kept(r, list) else 0):
            before += place >= list.first and is_live_group(r, list, place, least, numbers)
            numbers.groups[i].push_back(before)
        if before:
            numbers.lists[i] = kept
            kept += 1


cdef void keep_listed(Recognition* r, int64_t least, Renumbered* numbers) noexcept nogil:
    """Listed events that registers of groups lead to, in their order."""
    cdef Correlating* c = r.correlating
    cdef const GroupList* list
    cdef int64_t kept = 0
    cdef size_t i, place
    numbers.listed.assign(c.listed.size(), NOT_SET)
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        for place in range(groups_of(list) if numbers.lists[i] != NO_LIST else 0):
            if numbers.groups[i][place] != numbers.groups[i][place + 1]:
                mark_listed(c, list.state, list.records.data() + place * list.width + 1, &numbers.listed)
    for i in range(c.recents.size()):
        place = 0
        while is_latest(r, i // r.program.width, c.recents[i].local) and place < c.recents[i].nodes.size():
            if kept_number(&r.state, numbers, c.recents[i].nodes[place]) != NO_NODE:
                mark_listed(
                    c, i % r.program.width, c.recents[i].registers.data() + place * c.cells[i % r.program.width].width, &numbers.listed
                )
            place += 1
    for i in range(numbers.listed.size()):
        if numbers.listed[i] != NOT_SET:
            numbers.listed[i] = kept
            kept += 1


cdef void mark_listed(Correlating* c, size_t state, const int64_t* registers, vector[int64_t]* live) noexcept nogil:
    cdef int64_t number
    cdef uint32_t i
    for i in range(c.cells[state].width):
        number = registers[i] if has_list(c, state, i) else NOT_SET
        while number >= c.listed_base and live.at(<size_t>(number - c.listed_base)) == NOT_SET:
            live.data()[number - c.listed_base] = 0
            number = c.listed[<size_t>(number - c.listed_base)].before


cdef inline bint has_list(const Correlating* c, size_t state, uint32_t register_) noexcept nogil:
    """The register of a state has a list of events."""
    return c.has_list.at(c.cells.at(state).first_register + register_)


# ── what is left, in its form ──


cdef void write_events(Recognition* r, Archive* a, const Renumbered* numbers) noexcept nogil:
    cdef uint64_t scanned = r.correlating.scanned if r.correlating != NULL else 0
    cdef int64_t oldest = r.state.position
    cdef const MatchNode* node
    cdef size_t i
    for i in range(numbers.nodes.size()):
        node = match_node(&r.state, r.state.ring.tail + <uint32_t>i)
        if numbers.nodes.at(i) != NO_NODE and is_pick(node):
            oldest = last_position_of(&r.state, node.pos)
            break
    if r.program.numbered:
        r.state.local_numbers.erase(r.state.local_numbers.begin(), r.state.local_numbers.begin() + (oldest - r.state.first_number))
    r.state.first_number = oldest
    event_fields(r, a, &scanned)


cdef inline int64_t last_position_of(const RecognizerState* s, uint32_t pos) noexcept nogil:
    """As `position_of`, where `position` is that of the next event."""
    return s.position - 1 - <int64_t>(<uint32_t>(<uint32_t>(s.position - 1) - pos))


cdef void write_nodes(Recognition* r, Archive* a, const Renumbered* numbers) noexcept nogil:
    cdef vector[MatchNode] nodes
    cdef MatchNode node
    cdef size_t i
    for i in range(numbers.nodes.size()):
        if numbers.nodes.at(i) == NO_NODE:
            continue
        node = match_node(&r.state, r.state.ring.tail + <uint32_t>i)[0]
        node.sibling = kept_number(&r.state, numbers, node.sibling)
        if node.state == VIEW:
            node.pos = numbers.views.at(node.pos - r.correlating.views.tail)
        elif is_of_view(&node):
            node.next = numbers.views.at(node.next - r.correlating.views.tail)
        else:
            node.next = kept_number(&r.state, numbers, node.next)
        nodes.push_back(node)
    node_fields(a, &nodes)


cdef void write_heads(Recognition* r, Archive* a, const Renumbered* numbers) noexcept nogil:
    cdef vector[uint32_t] heads
    cdef vector[uint32_t] last
    cdef size_t i
    for i in range(r.state.heads.size()):
        heads.push_back(kept_number(&r.state, numbers, r.state.heads[i].node))
        last.push_back(kept_number(&r.state, numbers, r.state.last[i].node) if is_latest(r, i // r.program.width, r.state.last[i].local) else 0)
    head_fields(a, &heads, &last)


cdef void write_lists(Recognition* r, Archive* a, int64_t least, const Renumbered* numbers) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef const GroupList* list
    cdef ListForms lists, recents
    cdef size_t i, place
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        if numbers.lists.at(i) == NO_LIST:
            continue
        begin_list(&lists, list.partition, list.state)
        for place in range(groups_of(list)):
            if numbers.groups.at(i).at(place) != numbers.groups.at(i).at(place + 1):
                write_group(
                    r, &lists, list.records.data() + place * list.width + 1,
                    kept_number(&r.state, numbers, list.nodes.at(place)), numbers,
                )
    for i in range(c.recents.size()):
        if is_latest(r, i // r.program.width, c.recents[i].local):
            write_recent(r, &recents, i, numbers)
    list_fields(a, b"groups", &lists)
    list_fields(a, b"recent", &recents)


cdef void begin_list(ListForms* forms, uint32_t partition, uint32_t state) noexcept nogil:
    cdef ListForm one
    one.partition = partition
    one.state = state
    one.groups = 0
    forms.lists.push_back(one)


cdef void write_group(
    Recognition* r, ListForms* forms, const int64_t* registers, uint32_t node, const Renumbered* numbers
) noexcept nogil:
    """Of registers that have lists, their new numbers, -1 for none."""
    cdef Correlating* c = r.correlating
    cdef ListForm* form = forms.lists.data() + (forms.lists.size() - 1)
    cdef uint32_t state = form.state
    cdef int64_t value
    cdef uint32_t i
    for i in range(c.cells[state].width):
        value = registers[i]
        if has_list(c, state, i):
            value = -1 if value == NOT_SET else numbers.listed.at(<size_t>(value - c.listed_base))
        forms.registers.push_back(value)
    forms.nodes.push_back(node)
    form.groups += 1


cdef void write_recent(Recognition* r, ListForms* forms, size_t cell, const Renumbered* numbers) noexcept nogil:
    """What entered a state with the last event of a partition."""
    cdef const Recent* recent = r.correlating.recents.data() + cell
    cdef uint32_t width = r.correlating.cells[cell % r.program.width].width
    cdef uint32_t node
    cdef size_t i
    begin_list(forms, <uint32_t>(cell // r.program.width), <uint32_t>(cell % r.program.width))
    for i in range(recent.nodes.size()):
        node = kept_number(&r.state, numbers, recent.nodes.at(i))
        if node != NO_NODE:
            write_group(r, forms, recent.registers.data() + i * width, node, numbers)
    if forms.lists.back().groups == 0:
        forms.lists.pop_back()


cdef void write_views(Recognition* r, Archive* a, const Renumbered* numbers) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef vector[ViewForm] views
    cdef const ViewRecord* view
    cdef ViewForm one
    cdef size_t i, count
    for i in range(numbers.views.size()):
        if numbers.views.at(i) == NO_VIEW:
            continue
        view = view_at(c, c.views.tail + <uint32_t>i)
        count = condition_count(c.transitions.data() + view.transition)
        one.list = numbers.lists.at(view.list)
        one.transition = view.transition
        one.groups = numbers.groups.at(view.list).at(<size_t>(view.last - list_at(c, view.list).base + 1))
        one.bounds[0] = view.bounds[0] if count > 0 else 0
        one.bounds[1] = view.bounds[1] if count > 1 else 0
        views.push_back(one)
    view_fields(a, &views)


cdef void write_listed(Recognition* r, Archive* a, const Renumbered* numbers) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef vector[ListedForm] listed
    cdef vector[int64_t] remembered
    cdef const int64_t* values
    cdef ListedForm one
    cdef size_t i
    for i in range(c.listed.size()):
        if numbers.listed.at(i) == NOT_SET:
            continue
        one.position = c.listed[i].position
        one.start = c.listed[i].start
        one.before = -1
        if c.listed[i].before >= c.listed_base:
            one.before = numbers.listed.at(<size_t>(c.listed[i].before - c.listed_base))
        listed.push_back(one)
        values = c.remembered.data() + i * c.own.size()
        remembered.insert(remembered.end(), values, values + c.own.size())
    listed_fields(a, &listed, &remembered)
