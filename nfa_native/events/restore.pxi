# The state that an archive has.  Nothing in it is believed: whatever is a place, a link, a length or an order is compared with
# what is there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.

cdef enum:
    MOST_NODES = 0x40000000

# What is known of nodes, by number, and of groups by list and place.
cdef cppclass Checked:
    size_t words                      # of a set of states
    vector[uint64_t] sources          # by state: the states from which it is entered
    vector[uint64_t] states           # by node: those in which the partial matches of its set picked last
    vector[uint64_t] sizes            # by node: how many picks its set has in union
    vector[uint8_t] viewed            # by view: some node is of it
    vector[vector[uint32_t]] newest   # of each list: the node with the greatest number up to a place
    vector[vector[uint64_t]] picks    # of each list: how many picks its groups up to a place have in union
    vector[int64_t] oldest            # by listed event: the least start in its list


cdef void load_recognition(Recognition* r, Archive* a, int64_t latest, int64_t oldest) noexcept nogil:
    """Take over what `write_recognition` gave, into a recognizer that has taken nothing.

    No event started later than `latest`, and what is picked is not before position `oldest`."""
    cdef vector[MatchNode] nodes
    cdef vector[uint32_t] heads
    cdef vector[uint32_t] last
    cdef vector[ViewForm] views
    cdef ListForms lists, recents
    cdef Checked known
    load_events(r, a)
    head_fields(a, &heads, &last)
    require(heads.size() == r.state.locals.size() * r.program.width == last.size(), b"states of partitions are missing")
    load_partitions(r)
    node_fields(a, &nodes)
    load_nodes(r, &nodes)
    begin_check(r, &known)
    if r.correlating != NULL:
        load_listed(r, a, oldest, &known)
        list_fields(a, b"groups", &lists)
        list_fields(a, b"recent", &recents)
        load_lists(r, &lists, &known)
        view_fields(a, &views)
        load_views(r, &views, &known)
    check_nodes(r, latest, oldest, &known)
    load_heads(r, &heads, &last, &known)
    if r.correlating != NULL:
        check_lists(r, &known)
        load_recents(r, &recents, &known)
    r.state.attention = r.state.ring.head


cdef inline bint has_node(const Recognition* r, uint32_t number) noexcept nogil:
    return number != NO_NODE and r.state.ring.has(number)


# ── events ──


cdef void load_events(Recognition* r, Archive* a) noexcept nogil:
    cdef uint64_t scanned = 0
    cdef size_t i
    event_fields(r, a, &scanned)
    require(0 <= r.state.position < FARTHEST and 0 <= r.state.first_number <= r.state.position, b"the position is none")
    if r.correlating != NULL:
        r.correlating.scanned = scanned
    require(
        <int64_t>r.state.local_numbers.size() == (r.state.position - r.state.first_number if r.program.numbered else 0),
        b"positions in partitions are missing",
    )
    for i in range(r.state.local_numbers.size()):
        require(-1 <= r.state.local_numbers[i] < r.state.position, b"a position in a partition is none")
    require(r.program.partitioned or r.state.locals.size() == 1, b"there are partitions")
    require(r.state.locals.size() < MOST_NODES, b"there are too many partitions")
    for i in range(r.state.locals.size()):
        require(0 <= r.state.locals[i] <= (r.state.position if r.program.partitioned else 0), b"a partition has no such number of events")


cdef void load_partitions(Recognition* r) noexcept nogil:
    cdef vector[int64_t] counts = r.state.locals
    cdef size_t i
    r.state.heads.clear()
    r.state.last.clear()
    if r.correlating != NULL:
        r.correlating.epochs.clear()
        r.correlating.direct.clear()
        r.correlating.recents.clear()
    if not counts.empty():
        know_partition(r, <uint32_t>(counts.size() - 1))
    r.state.locals = counts
    r.state.is_touched.assign(counts.size(), 0)
    require(r.program.consume == Consumed.ANY or r.state.touched.empty(), b"nothing will be consumed")
    for i in range(r.state.touched.size()):
        require(r.state.touched[i] < counts.size(), b"there is no such partition")
        require(not r.state.is_touched[r.state.touched[i]], b"a partition is touched twice")
        r.state.is_touched[r.state.touched[i]] = 1


# ── nodes ──


cdef void load_nodes(Recognition* r, const vector[MatchNode]* nodes) noexcept nogil:
    """Into the ring, with the marks that say how old they can be."""
    cdef size_t size = r.state.ring.nodes.size()
    cdef int64_t youngest = NEVER
    cdef size_t i
    require(nodes.size() < MOST_NODES, b"there are too many nodes")
    while size <= nodes.size() + 1:
        size *= 2
    r.state.ring.open(size, 1)
    for i in range(nodes.size()):
        match_node(&r.state, r.state.ring.take())[0] = nodes.at(i)
        youngest = max(youngest, nodes.at(i).youngest)
        if r.state.ring.until_mark() == 0 or i + 1 == nodes.size():
            r.state.ring.mark(youngest)


cdef void begin_check(Recognition* r, Checked* known) noexcept nogil:
    cdef const EntrySpec* entry
    cdef size_t state, i
    known.words = (r.program.width >> 6) + 1
    known.sources.assign(r.program.width * known.words, 0)
    known.states.assign(r.state.ring.count() * known.words + known.words, 0)
    known.sizes.assign(r.state.ring.count() + 1, 0)
    for state in range(r.program.width):
        entry = r.program.entries.data() + state
        for i in range(entry.first, entry.first + entry.after + entry.directly):
            set_bit(known.sources.data() + state * known.words, r.program.sources[i])


cdef bint are_among(const uint64_t* some, const uint64_t* states, size_t words) noexcept nogil:
    cdef size_t i
    for i in range(words):
        if some[i] & ~states[i]:
            return False
    return True


cdef bint are_of(const Checked* known, uint32_t node, size_t state) noexcept nogil:
    """The set of a node has partial matches of this state alone."""
    cdef const uint64_t* bits = known.states.data() + node * known.words
    cdef size_t i
    for i in range(known.words):
        if bits[i] != (<uint64_t>1 << (state & 63) if i == state >> 6 else 0):
            return False
    return True


cdef void check_nodes(Recognition* r, int64_t latest, int64_t oldest, Checked* known) noexcept nogil:
    """Links lead to older nodes, as young as they say, in states that follow each other; so walks end, with whole matches."""
    cdef int64_t before = max(oldest, r.state.first_number if r.program.numbered else 0)
    cdef const MatchNode* node
    cdef uint64_t picks = 0
    cdef uint32_t number
    for number in range(1, r.state.ring.head):
        node = match_node(&r.state, number)
        require(node.state <= UNION, b"a node is of a state that there is not")
        require(node.youngest > NEVER and (node.youngest <= latest or not r.program.rises), b"a node has no such start")
        if node.state == VIEW:
            check_view(r, node.pos, node, number, known)
            require(node.next == node.sibling == NO_NODE, b"a view is in union with others")
        else:
            check_siblings(r, node, number, known)
        if is_pick(node):
            check_pick(r, node, number, known)
            require(last_position_of(&r.state, node.pos) >= before, b"positions of picks fall")
            before = last_position_of(&r.state, node.pos)
            picks += 1
        require(known.sizes[number] <= picks, b"a set has a pick twice")
    check_views(known)
    if r.program.enumeration == EnumerationKind.ROWS:
        check_chains(r)


cdef void check_siblings(Recognition* r, const MatchNode* node, uint32_t number, Checked* known) noexcept nogil:
    """The sets in union are there, and none is younger than the first one."""
    known.sizes[number] = 0
    if node.sibling != NO_NODE:
        unite_checked(r, node, node.sibling, number, known)
    if node.state == UNION:
        require(node.next != NO_NODE, b"a union is of nothing")
        unite_checked(r, node, node.next, number, known)
        require(match_node(&r.state, node.next).youngest == node.youngest, b"a union is of another age")


cdef void unite_checked(
    Recognition* r, const MatchNode* node, uint32_t other, uint32_t number, Checked* known
) noexcept nogil:
    cdef size_t i
    require(other < number, b"a node leads to a younger one")
    require(match_node(&r.state, other).youngest <= node.youngest, b"a part of a union is too young")
    known.sizes[number] += known.sizes[other]
    for i in range(known.words):
        known.states[number * known.words + i] |= known.states[other * known.words + i]


cdef void check_pick(Recognition* r, const MatchNode* node, uint32_t number, Checked* known) noexcept nogil:
    cdef uint32_t state = node.state & ~<uint32_t>OF_VIEW
    require(state < r.program.width, b"a node is of a state that there is not")
    known.sizes[number] += 1
    set_bit(known.states.data() + number * known.words, state)
    if node.state & OF_VIEW:
        check_view(r, node.next, node, number, known)
        require(has_transition(r, node.next, state), b"a view is of another transition")
    elif node.next == NO_NODE:
        require(r.program.entries[state].initial, b"a match begins in another state")
    else:
        require(node.next < number, b"a node leads to a younger one")
        require(match_node(&r.state, node.next).youngest == node.youngest, b"a node is of another age than what it goes on with")
        require(
            are_among(
                known.states.data() + node.next * known.words, known.sources.data() + state * known.words, known.words
            ),
            b"a pick comes after other states",
        )


cdef bint has_transition(const Recognition* r, uint32_t view, uint32_t state) noexcept nogil:
    """The view is of a transition that enters the state."""
    cdef const CellSpec* cell = r.correlating.cells.data() + state
    return r.correlating.views.at(view).transition - cell.first_transition < cell.transitions


cdef void check_view(
    Recognition* r, uint32_t view, const MatchNode* node, uint32_t number, Checked* known
) noexcept nogil:
    """The node's view, which is of no other node, looks at groups that were there before it."""
    cdef ViewRecord* record
    require(r.correlating != NULL and view < known.viewed.size(), b"there is no such view")
    require(not known.viewed[view], b"two nodes are of one view")
    known.viewed[view] = 1
    record = r.correlating.views.at(view)
    record.youngest = node.youngest
    require(known.newest[record.list][<size_t>record.last] < number, b"a view has groups that came after it")
    if node.state == VIEW:
        known.sizes[number] = picks_up_to(r, record.list, <size_t>record.last, known)
        set_bit(
            known.states.data() + number * known.words, r.correlating.transitions[record.transition].source
        )


cdef uint64_t picks_up_to(Recognition* r, uint32_t list, size_t place, Checked* known) noexcept nogil:
    """How many picks the first groups of a list have in union, whose nodes have been looked at."""
    cdef vector[uint64_t]* picks = known.picks.data() + list
    cdef uint64_t before
    while picks.size() <= place:
        before = picks.back() if picks.size() else 0
        picks.push_back(before + known.sizes[list_at(r.correlating, list).nodes.at(picks.size())])
    return picks.at(place)


cdef void check_views(const Checked* known) noexcept nogil:
    cdef size_t i
    for i in range(known.viewed.size()):
        require(known.viewed.at(i), b"a view is of no node")


cdef void check_chains(Recognition* r) noexcept nogil:
    """Where each state is entered from the one before it, the sets of a state that nodes lead to are ends of one list, later
    nodes leading to longer ones."""
    cdef vector[uint32_t] chains
    cdef vector[uint8_t] is_followed
    cdef const MatchNode* node
    cdef const MatchNode* other
    cdef uint32_t number
    chains.assign(r.state.ring.count() + 1, 0)
    is_followed.assign(r.state.ring.count() + 1, 0)
    for number in range(1, r.state.ring.head):
        node = match_node(&r.state, number)
        require(node.state < r.program.width, b"there are unions in a chain")
        chains[number] = number
        if node.sibling == NO_NODE:
            continue
        other = match_node(&r.state, node.sibling)
        chains[number] = chains[node.sibling]
        require(not is_followed[node.sibling] and other.state == node.state, b"a list branches")
        is_followed[node.sibling] = 1
        require(last_position_of(&r.state, node.pos) > last_position_of(&r.state, other.pos), b"a list is not in order")
        if node.next != NO_NODE:
            require(chains[other.next] == chains[node.next] and other.next <= node.next, b"a list is not in order")


# ── heads ──


cdef void load_heads(
    Recognition* r, const vector[uint32_t]* heads, const vector[uint32_t]* last, const Checked* known
) noexcept nogil:
    cdef size_t i, partition
    for i in range(heads.size()):
        partition = i // r.program.width
        if heads.at(i) != NO_NODE:
            check_head(r, heads.at(i), i, known)
            r.state.heads[i].node = heads.at(i)
            r.state.heads[i].youngest = match_node(&r.state, heads.at(i)).youngest
        if last.at(i) != NO_NODE:
            check_head(r, last.at(i), i, known)
            r.state.last[i].node = last.at(i)
            r.state.last[i].youngest = match_node(&r.state, last.at(i)).youngest
            r.state.last[i].local = (r.state.locals[partition] if r.program.partitioned else r.state.position) - 1
    for partition in range(r.state.locals.size() if r.program.rises and r.correlating == NULL else 0):
        check_ages(r, r.state.heads.data() + partition * r.program.width)


cdef void check_head(Recognition* r, uint32_t node, size_t cell, const Checked* known) noexcept nogil:
    require(has_node(r, node), b"there is no such node")
    require(are_of(known, node, cell % r.program.width), b"partial matches wait in another state")
    require(r.correlating == NULL or r.correlating.cells[cell % r.program.width].kind == RegisterCells.HEAD, b"a state has groups")
    check_age(r, node, cell // r.program.width)


cdef inline void check_age(Recognition* r, uint32_t node, size_t partition) noexcept nogil:
    """Where windows are of positions in partitions, no match begins after the last one."""
    require(r.program.events < 0 or match_node(&r.state, node).youngest < r.state.locals[partition], b"a match begins too late")


cdef void check_ages(Recognition* r, const Head* heads) noexcept nogil:
    """As long as starts rise, what waits in a state is not younger than what may enter it."""
    cdef const EntrySpec* entry
    cdef int64_t youngest
    cdef size_t state, i
    for state in range(r.program.width):
        entry = r.program.entries.data() + state
        if entry.initial or entry.directly or heads[state].node == NO_NODE:
            continue
        youngest = NEVER
        for i in range(entry.first, entry.first + entry.after):
            youngest = max(youngest, heads[r.program.sources[i]].youngest)
        require(heads[state].youngest <= youngest, b"what waits in a state is too young")


# ── groups ──


cdef void load_lists(Recognition* r, const ListForms* forms, Checked* known) noexcept nogil:
    cdef size_t at = 0, value = 0, i
    require(forms.lists.size() < MOST_NODES, b"there are too many lists")
    known.newest.resize(forms.lists.size())
    known.picks.resize(forms.lists.size())
    for i in range(forms.lists.size()):
        check_form(r, forms, i, at, value)
        load_list(r, forms, i, at, value, known)
        at += forms.lists.at(i).groups
        value += <size_t>forms.lists.at(i).groups * r.correlating.cells[forms.lists.at(i).state].width
    require(at == forms.nodes.size() and value == forms.registers.size(), b"there are groups of no list")


cdef void check_form(Recognition* r, const ListForms* forms, size_t i, size_t at, size_t value) noexcept nogil:
    """The list has its place, and the groups are there."""
    cdef const ListForm* form = forms.lists.data() + i
    cdef size_t place, width
    require(form.partition < r.state.locals.size() and form.state < r.program.width, b"a list is of no state")
    require(r.correlating.cells[form.state].kind != RegisterCells.HEAD, b"a list is of a state that has none")
    width = r.correlating.cells[form.state].width
    require(0 < form.groups <= forms.nodes.size() - at, b"groups of a list are missing")
    require(width == 0 or form.groups <= (forms.registers.size() - value) // width, b"registers of a list are missing")
    for place in range(at, at + form.groups):
        require(has_node(r, forms.nodes.at(place)), b"a group has no node")


cdef void load_list(
    Recognition* r, const ListForms* forms, size_t i, size_t at, size_t value, Checked* known
) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef const ListForm* form = forms.lists.data() + i
    cdef const CellSpec* cell = &c.cells[form.state]
    cdef vector[int64_t] registers
    cdef GroupList* list
    cdef uint32_t node, place, newest = 0
    registers.resize(cell.width + 1)
    read_registers(r, forms.registers.data() + value, form.state, registers.data(), NULL, known)
    list = list_at(c, placed_list(r, form, registers.data()))
    for place in range(form.groups):
        node = forms.nodes.at(at + place)
        require(cell.kind == RegisterCells.MERGED or node > newest, b"groups are not in the order of their events")
        newest = max(newest, node)
        read_registers(
            r, forms.registers.data() + value + place * cell.width, form.state, registers.data(), match_node(&r.state, node),
            known,
        )
        require(cell.key < 0 or registers[cell.key] == forms.registers.at(value + cell.key), b"a group is of another key")
        add_group(list, registers.data(), node, match_node(&r.state, node).youngest)
        if cell.skyline >= 0:
            add_step(&list.skyline, registers[cell.skyline], match_node(&r.state, node).youngest)
        if cell.kind == RegisterCells.MERGED:
            know_merged(r, <uint32_t>i, list, place)
        known.newest[i].push_back(newest)


cdef uint32_t placed_list(Recognition* r, const ListForm* form, const int64_t* registers) noexcept nogil:
    """A new list for groups with these registers."""
    cdef Correlating* c = r.correlating
    cdef int32_t by = c.cells[form.state].key
    cdef uint32_t number
    require(
        find_list(r, form.partition, form.state, registers[by] if by >= 0 else 0) == NO_LIST, b"a state has a list twice"
    )
    number = new_list(r, form.partition, form.state)
    if by < 0:
        c.direct[form.partition * r.program.width + form.state] = number
        return number
    if c.keyed.is_full():
        c.keyed.spread(FEW_SLOTS)
    put_slot(&c.keyed, hash_of_key(form.partition, form.state, registers[by]), number, registers[by])
    return number


cdef void know_merged(Recognition* r, uint32_t number, GroupList* list, size_t place) noexcept nogil:
    """The last group of a list is one of merged ones."""
    cdef Correlating* c = r.correlating
    cdef Head nothing
    nothing.node = NO_NODE
    nothing.youngest = NEVER
    list.arriving.push_back(nothing)
    list.living = groups_of(list)
    if c.merged.is_full():
        c.merged.spread(FEW_SLOTS)
    put_slot(
        &c.merged, hash_of_registers(list.partition, list.state, record_of(list, place) + 1, list.width - 1), number,
        <int64_t>place,
    )


cdef void read_registers(
    Recognition* r, const int64_t* stored, uint32_t state, int64_t* out, const MatchNode* node, const Checked* known
) noexcept nogil:
    """Registers of a group; the lists of events that they have are there as long as the group's node."""
    cdef Correlating* c = r.correlating
    cdef uint32_t i
    for i in range(c.cells[state].width):
        out[i] = stored[i]
        if not has_list(c, state, i):
            continue
        require(-1 <= stored[i] < <int64_t>c.listed.size(), b"a register has a list that there is not")
        if stored[i] < 0:
            out[i] = NOT_SET
        else:
            require(
                node == NULL or not r.program.forgets or node.youngest <= known.oldest.at(<size_t>stored[i]),
                b"a list is forgotten too early",
            )


cdef void check_lists(Recognition* r, Checked* known) noexcept nogil:
    """The nodes of groups have partial matches of their state."""
    cdef Correlating* c = r.correlating
    cdef const GroupList* list
    cdef size_t i, place
    for i in range(c.lists.size()):
        list = list_at(c, <uint32_t>i)
        for place in range(groups_of(list)):
            require(are_of(known, list.nodes.at(place), list.state), b"a group is of another state")
            check_age(r, list.nodes.at(place), list.partition)


cdef void load_recents(Recognition* r, const ListForms* forms, const Checked* known) noexcept nogil:
    """What entered states with the last event."""
    cdef Correlating* c = r.correlating
    cdef const ListForm* form
    cdef vector[int64_t] registers
    cdef size_t at = 0, value = 0, i, place
    cdef uint32_t width, node
    require(c.has_recents or forms.lists.empty(), b"nothing is contiguous")
    for i in range(forms.lists.size()):
        check_form(r, forms, i, at, value)
        form = forms.lists.data() + i
        width = c.cells[form.state].width
        registers.resize(width + 1)
        require(c.recents[form.partition * r.program.width + form.state].nodes.empty(), b"a state was entered twice")
        start_recent_again(r, form)
        for place in range(form.groups):
            node = forms.nodes.at(at + place)
            require(are_of(known, node, form.state), b"a group is of another state")
            check_age(r, node, form.partition)
            read_registers(
                r, forms.registers.data() + value + place * width, form.state, registers.data(), match_node(&r.state, node),
                known,
            )
            note_recent(r, form.state, form.partition, registers.data(), node, match_node(&r.state, node).youngest)
        at += form.groups
        value += <size_t>form.groups * width
    require(at == forms.nodes.size() and value == forms.registers.size(), b"there are groups of no state")


cdef void start_recent_again(Recognition* r, const ListForm* form) noexcept nogil:
    require(r.program.entries[form.state].waits_next, b"nothing comes directly after a state")
    start_recent(
        r, form.state, form.partition, (r.state.locals[form.partition] if r.program.partitioned else r.state.position) - 1, True
    )


# ── views ──


cdef void load_views(Recognition* r, const vector[ViewForm]* forms, Checked* known) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef size_t size = c.views.nodes.size()
    cdef ViewRecord* view
    cdef const ViewForm* form
    cdef size_t i
    require(forms.size() < MOST_NODES, b"there are too many views")
    while size <= forms.size() + 1:
        size *= 2
    c.views.open(size, 0)
    known.viewed.assign(forms.size(), 0)
    for i in range(forms.size()):
        form = forms.data() + i
        check_view_form(r, form)
        view = c.views.at(c.views.head)
        c.views.head += 1
        view.list = form.list
        view.transition = form.transition
        view.last = <int64_t>form.groups - 1
        view.bounds[0] = form.bounds[0]
        view.bounds[1] = form.bounds[1]


cdef void check_view_form(Recognition* r, const ViewForm* form) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef const TransitionSpec* transition
    require(form.list < c.lists.size() and form.transition < c.transitions.size(), b"a view is of no list")
    transition = &c.transitions[form.transition]
    require(list_at(c, form.list).state == transition.source, b"a view is of another state")
    require(c.cells[transition.source].kind == RegisterCells.GROUPS, b"a view is of a state that has none")
    require(condition_count(transition) <= VIEW_BOUNDS and not transition.contiguous, b"a view has too many conditions")
    require(0 < form.groups <= groups_of(list_at(c, form.list)), b"a view is longer than its list")


# ── listed events ──


cdef void load_listed(Recognition* r, Archive* a, int64_t oldest, Checked* known) noexcept nogil:
    """Lists lead to earlier events; those that begin a list are forgotten first."""
    cdef Correlating* c = r.correlating
    cdef vector[ListedForm] forms
    cdef const ListedForm* form
    cdef Listed one
    cdef size_t i
    listed_fields(a, &forms, &c.remembered)
    require(
        c.remembered.size() // max(c.own.size(), <size_t>1) == (forms.size() if c.own.size() else 0)
        and c.remembered.size() % max(c.own.size(), <size_t>1) == 0, b"values of listed events are missing",
    )
    for i in range(forms.size()):
        form = forms.data() + i
        require(oldest <= form.position < r.state.position, b"a listed event is none")
        require(-1 <= form.before < <int64_t>i, b"a list leads nowhere")
        require(form.before < 0 or forms[form.before].position < form.position, b"a list is not in order")
        require(i == 0 or not r.program.forgets or forms[i - 1].start <= form.start, b"starts of listed events fall")
        one.position = form.position
        one.start = form.start
        one.before = form.before if form.before >= 0 else NOT_SET
        known.oldest.push_back(known.oldest[form.before] if form.before >= 0 else form.start)
        c.listed.push_back(one)
