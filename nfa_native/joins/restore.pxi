# The state that an archive has.  Nothing in it is believed: whatever is a place, a link, a length or an order is compared with
# what is there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.

cdef void load_kernel(Kernel* k, Archive* a) noexcept nogil:
    """Take over the state that `write_kernel` gave, words already renumbered, into a kernel that has seen nothing."""
    cdef vector[Node] nodes
    cdef NodeStates known
    clock_fields(k, a)
    counter_fields(&k.now, a)
    check_counters(k)
    node_fields(a, &nodes)
    load_ring(&k.now, &nodes)
    load_history(k.program, &k.now, a)
    check_clock(k.program, &k.now)
    begin_states(k.program, &k.now, &known)
    check_nodes(k.program, &k.now, &known)
    staged_fields(&k.now, a)
    check_staged(k.program, &k.now, &known)
    load_cells(k, a, &known)
    check_views(k.program, &k.now)
    load_deadlines(&k.now, a)
    load_seen(k.program, &k.now, a)
    k.now.swept = next_position(&k.now)


cdef inline bint is_from(uint32_t a, uint32_t b) noexcept nogil:
    """a does not come before b, although positions wrap."""
    return <int32_t>(a - b) >= 0


cdef inline void check_counter(uint64_t count) noexcept nogil:
    require(count <= <uint64_t>FARTHEST, b"a counter cannot be")


cdef void check_counters(Kernel* k) noexcept nogil:
    cdef const Candidacies* tried = k.now.candidacies.data()
    cdef const StateData* s
    cdef size_t i
    check_counter(k.now.ticks | k.results.count | k.now.created | k.now.survived | k.now.next_handle)
    for i in range(k.now.matched.size()):
        check_counter(k.now.matched[i])
    for i in range(k.now.states.size()):
        s = &k.now.states[i]
        check_counter(s.entered | s.expired | s.skipped)
    for i in range(k.now.candidacies.size()):
        check_counter(tried[i].offered | tried[i].lonely | tried[i].unjoined | tried[i].unfiltered)
        check_counter(tried[i].fired | tried[i].pairs | tried[i].scanned)
    for i in range(k.now.judgements.size()):
        k.now.judgements[i].deferred = k.now.judgements[i].deferred != 0
        check_counter(k.now.judgements[i].killed)


cdef void load_ring(KernelState* now, const vector[Node]* nodes) noexcept nogil:
    """The nodes, from the tail on."""
    cdef size_t size = 64
    cdef uint32_t i
    require(nodes.size() < LONGEST_REST, b"there are too many nodes")
    while size <= nodes.size() + 1:
        size *= 2
    now.ring.nodes.resize(size)
    now.ring.mask = <uint32_t>size - 1
    now.ring.head = now.ring.tail + <uint32_t>nodes.size()
    for i in range(<uint32_t>nodes.size()):
        node_at(now, now.ring.tail + i)[0] = nodes.at(i)


# Events.


cdef void load_history(KernelProgram* program, KernelState* now, Archive* a) noexcept nogil:
    """Stored events; which atoms they matched in this tick, and where negated ones matched, follows from them."""
    cdef vector[BlockForm] blocks
    cdef size_t block = 0, word = 0, i
    history_fields(a, &now.history.events, &blocks, &now.history.words)
    require(now.history.events.size() < LONGEST_REST, b"there are too many events")
    now.history.first = now.kept
    now.history.first_block = now.history.first_word = 0
    now.history.blocks.resize(blocks.size())
    for i in range(now.history.events.size()):
        require(now.history.events[i].blocks <= blocks.size() - block, b"an event has more rows than there are")
        now.history.events[i].block = block
        load_blocks(program, now, &now.history.events[i], &blocks, &word)
        block += now.history.events[i].blocks
    require(block == blocks.size() and word == now.history.words.size(), b"there are rows of no event")


cdef void load_blocks(
    KernelProgram* program, KernelState* now, const EventRecord* event, const vector[BlockForm]* blocks, size_t* word
) noexcept nogil:
    """Place the blocks of an event, whose atoms ascend."""
    cdef const BlockForm* form = blocks.data() + event.block
    cdef Block* block = now.history.blocks.data() + event.block
    cdef uint32_t i
    for i in range(event.blocks):
        require(form.atom < program.slots.size(), b"an event matched an atom that there is not")
        require(i == 0 or form.atom > (form - 1).atom, b"an event's atoms do not ascend")
        require(form.rows > 0, b"an event has no row of an atom")
        block.atom = form.atom
        block.rows = form.rows if program.slots[form.atom] else 1
        now.many_rows = now.many_rows or block.rows > 1
        if form.shared:
            require(i > 0 and (form - 1).rows == form.rows, b"rows are shared that are not there")
            require(program.slots[form.atom] == program.slots[(form - 1).atom], b"rows are shared that are not there")
            block.word = (block - 1).word
        else:
            block.word = word[0]
            word[0] += take_words(program, now, form, word[0])
        form += 1
        block += 1


cdef size_t take_words(KernelProgram* program, KernelState* now, const BlockForm* form, size_t word) noexcept nogil:
    """The words of a block from there on."""
    cdef uint32_t slots = program.slots[form.atom]
    require(
        slots == 0 or form.rows <= (now.history.words.size() - word) // slots, b"the words of some rows are missing"
    )
    return <size_t>form.rows * slots


cdef void check_clock(KernelProgram* program, KernelState* now) noexcept nogil:
    """Positions lie among the stored events, and these are in order."""
    cdef uint32_t count = <uint32_t>now.history.events.size()
    cdef const EventRecord* event = now.history.events.data()
    cdef uint32_t i
    now.open = now.open != 0
    now.many_rows = now.many_rows != 0
    require(0 <= now.seq <= FARTHEST, b"the position is none")
    require(now.lo - now.kept <= count, b"the window begins where there is no event")
    require(not now.open or now.promised <= now.tick, b"a time is over whose events are yet to come")
    if not now.open:
        now.tick_first = next_position(now)
        now.promised = max(now.promised, now.tick + (now.tick < FOREVER and now.tick > -FOREVER))
    require(now.tick_first - now.kept <= count, b"the tick begins where there is no event")
    for i in range(count):
        check_event(now, event + i, now.kept + i)
        if i:
            require((event + i - 1).time <= event[i].time, b"events are not in order of time")
            require((event + i - 1).seq < event[i].seq, b"positions of events do not ascend")
            require((event + i - 1).handle <= event[i].handle, b"numbers of events do not ascend")
            require(is_from(event[i].head, (event + i - 1).head), b"events do not know the nodes before them")
        note_atoms(program, now, event + i, now.kept + i)


cdef void check_event(KernelState* now, const EventRecord* event, uint32_t pos) noexcept nogil:
    require(0 <= event.seq < now.seq, b"an event's position is yet to come")
    require(event.handle < now.next_handle, b"an event's number is yet to come")
    require(is_from(now.ring.head, event.head), b"an event knows nodes that are yet to come")
    require(older(pos, now.lo) or is_from(event.head, now.ring.tail), b"an event in the window knows no nodes of it")
    if now.open and not older(pos, now.tick_first):
        require(event.time == now.tick, b"an event of the tick has another time")
    else:
        require(event.time < now.tick or not now.open and event.time == now.tick, b"an event comes after the tick")


cdef void note_atoms(KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t pos) noexcept nogil:
    """Where negated atoms matched, and in this tick those that are combined with others."""
    cdef uint32_t i, atom
    for i in range(event.blocks):
        atom = now.history.blocks[event.block + i].atom
        if program.negated[atom]:
            now.watched[atom].push_back(pos)
        if program.gathered[atom] and now.open and not older(pos, now.tick_first):
            now.tick_atoms[atom].push_back(pos)


cdef bint has_atom(KernelState* now, uint32_t pos, uint32_t atom) noexcept nogil:
    """Whether the event at a stored position has rows of the atom."""
    cdef const EventRecord* event = event_at(now, pos)
    cdef uint32_t i
    for i in range(event.blocks):
        if now.history.blocks[event.block + i].atom == atom:
            return True
    return False


# Nodes.  Links lead to older nodes, and what a set is extended by goes on where its partial matches wait: so every walk ends,
# with whole steps.


# What is known of the nodes, from the tail on: for each a bit for every state in which its set may wait; none: the picks of
# its step are not complete.
cdef cppclass NodeStates:
    size_t width                      # words of a node
    vector[uint64_t] bits
    vector[uint64_t] targets          # of each transition


cdef bint holds_cells(const StateData* s) noexcept nogil:
    """Partial matches can wait in the state."""
    return s.govern != Govern.FREE and (not s.final or not s.spec.guards.empty())


cdef void begin_states(KernelProgram* program, KernelState* now, NodeStates* known) noexcept nogil:
    cdef size_t t, i
    cdef uint32_t state
    known.width = (now.states.size() >> 6) + 1
    known.bits.assign(<size_t>(now.ring.head - now.ring.tail) * known.width, 0)
    known.targets.assign(program.transitions.size() * known.width, 0)
    for t in range(program.transitions.size()):
        for i in range(program.transitions[t].targets.size()):
            state = program.transitions[t].targets[i].state
            if holds_cells(&now.states[state]):
                set_bit(known.targets.data() + t * known.width, state)


cdef void check_nodes(KernelProgram* program, KernelState* now, NodeStates* known) noexcept nogil:
    cdef uint32_t number = now.ring.tail
    while number != now.ring.head:
        if number:
            check_node(program, now, known, number)
        number += 1


cdef uint64_t* states_of(KernelState* now, NodeStates* known, uint32_t number) noexcept nogil:
    return known.bits.data() + <size_t>(number - now.ring.tail) * known.width


cdef bint is_link(KernelState* now, uint32_t link, uint32_t number) noexcept nogil:
    """Whether a link of node `number` leads to a node that is there; else to none, or to one that is over."""
    if link == 0:
        return False
    require(older(link, number), b"a node leads to itself")
    if older(link, now.ring.tail):
        return False
    require(link - now.ring.tail < number - now.ring.tail, b"a node leads nowhere")
    return True


cdef void check_node(KernelProgram* program, KernelState* now, NodeStates* known, uint32_t number) noexcept nogil:
    cdef const Node* node = node_at(now, number)
    cdef uint64_t* bits = states_of(now, known, number)
    cdef const TransitionSpec* transition
    cdef uint32_t which
    check_span(now, node, number)
    if node.label & VIEW:
        which = node.label & ~<uint32_t>VIEW
        require(which < program.transitions.size(), b"a view is of a transition that there is not")
        transition = &program.transitions[which]
        require(now.states[transition.source].kind == Cells.VIEWS, b"a view is of a state that has none")
        require(transition.choice.atoms.size() == 1, b"a view is of several events")
        require(is_from(node.pos, node.max_start), b"a view is older than what is in it")
        check_pick(now, node, transition.choice.atoms.at(0))
        set_bit(bits, transition.source)
        return
    require(node.label < program.labels.size(), b"a node is of a transition that there is not")
    check_pick(now, node, program.labels[node.label].atom)
    check_next(program, now, known, node, number)
    check_sibling(program, now, known, node, number, bits)


cdef void check_span(KernelState* now, const Node* node, uint32_t number) noexcept nogil:
    """What is in the window is not older than the node's first event knows."""
    require(older(node.pos, next_position(now)), b"a node picks an event that is yet to come")
    require(older(node.max_start, next_position(now)), b"a match begins with an event that is yet to come")
    if not older(node.max_start, now.lo):
        require(is_from(number, event_at(now, node.max_start).head), b"a node is older than its first event")


cdef void check_pick(KernelState* now, const Node* node, uint32_t atom) noexcept nogil:
    """The event has the atom's rows, if the node can be looked at."""
    if not older(node.max_start, now.lo) and node.pos - now.history.first < now.history.events.size():
        require(has_atom(now, node.pos, atom), b"a node picks an event for an atom that it did not match")


cdef void check_next(
    KernelProgram* program, KernelState* now, NodeStates* known, const Node* node, uint32_t number
) noexcept nogil:
    """What the node extends: the step's picks before it, or a set that waited where the step begins."""
    cdef const Label* label = &program.labels[node.label]
    cdef uint32_t source = program.transitions[label.transition].source
    cdef bint there = is_link(now, node.next, number)
    cdef const Node* next = node_at(now, node.next)
    if label.part:
        require(there, b"a step has lost its first events")
        require(next.label == node.label - 1 and next.sibling == 0, b"a step's events do not fit each other")
    elif program.states[source].govern == Govern.FREE:
        require(node.next == 0, b"a first step comes after another one")
    else:
        require(node.next != 0, b"a step comes after none")
        require(not there or has_bit(states_of(now, known, node.next), source), b"a step begins where nobody waits")
    if there:
        require(is_from(node.pos, next.max_start), b"a node is older than what it extends")
    elif node.next == 0 and node.sibling == 0:
        require(is_from(node.pos, node.max_start), b"a first event is older than itself")


cdef void check_sibling(
    KernelProgram* program, KernelState* now, NodeStates* known, const Node* node, uint32_t number, uint64_t* bits
) noexcept nogil:
    """A union is of sets in one state."""
    cdef const Label* label = &program.labels[node.label]
    cdef const uint64_t* targets = known.targets.data() + label.transition * known.width
    cdef const uint64_t* others = NULL
    cdef bint some = False
    cdef size_t i
    if label.part + 1 < label.parts:
        require(node.sibling == 0, b"half a step is in union with others")
        return
    if is_link(now, node.sibling, number):
        require(not node_at(now, node.sibling).label & VIEW, b"a view is in union with others")
        others = states_of(now, known, node.sibling)
    for i in range(known.width):
        bits[i] = targets[i] if others == NULL else targets[i] & others[i]
        some = some or bits[i] != 0
    require(some, b"sets of several states are in union")


# Views look at the beginnings of lists.


# A list, when it was made again: of which index of which state, and for each beginning the newest node and the youngest start.
cdef cppclass ListKnown:
    uint32_t state
    uint32_t index
    vector[uint32_t] nodes
    vector[uint32_t] starts


cdef void check_views(KernelProgram* program, KernelState* now) noexcept nogil:
    cdef vector[ListKnown] lists
    cdef uint32_t number = now.ring.tail
    lists.resize(now.lists.size())
    know_lists(now, &lists)
    while number != now.ring.head:
        if number and node_at(now, number).label & VIEW:
            check_view(program, now, &lists, node_at(now, number), number)
        number += 1


cdef void know_lists(KernelState* now, vector[ListKnown]* lists) noexcept nogil:
    cdef size_t i, j, b
    cdef uint32_t number
    for i in range(now.states.size()):
        for j in range(now.states[i].indexes.size() if now.states[i].kind == Cells.VIEWS else 0):
            for b in range(now.states[i].indexes[j].buckets.size()):
                number = now.states[i].indexes[j].buckets[b].groups
                if number != NO_LIST:
                    lists.data()[number].state = <uint32_t>i
                    lists.data()[number].index = <uint32_t>j
                    know_list(now, &now.lists[number], lists.data() + number)


cdef void know_list(KernelState* now, const GroupList* groups, ListKnown* known) noexcept nogil:
    cdef uint32_t node = now.ring.tail - 1
    cdef uint32_t start = now.lo - 1
    cdef const Group* group = groups.groups.data()
    cdef size_t i
    for i in range(groups.groups.size()):
        if is_live(now, group[i].node) and older(node, group[i].node):
            node = group[i].node
        if older(start, group[i].max_start):
            start = group[i].max_start
        known.nodes.push_back(node)
        known.starts.push_back(start)


cdef void check_view(
    KernelProgram* program, KernelState* now, vector[ListKnown]* lists, const Node* view, uint32_t number
) noexcept nogil:
    """What is in the view is older than it, and as young as it says; or it is over."""
    cdef const TransitionSpec* transition = &program.transitions[view.label & ~<uint32_t>VIEW]
    cdef const ListKnown* known
    if older(view.max_start, now.lo):
        return
    require(view.next < lists.size(), b"a view is of a list that there is not")
    known = lists.data() + view.next
    require(0 < view.sibling <= known.nodes.size(), b"a view is longer than its list")
    require(known.state == transition.source and known.index == transition.index, b"a view is of another list")
    require(older(known.nodes.at(view.sibling - 1), number), b"a view has sets that came after it")
    require(is_from(known.starts.at(view.sibling - 1), view.max_start), b"a view is younger than what is in it")


# Sets.


cdef void order_rows(word_t* rows, uint32_t count, uint32_t width) noexcept nogil:
    """Renumbered words have another order."""
    cdef vector[word_t] sorted_rows
    if count <= 1:
        return
    require(width > 0, b"there are several rows without values")
    sorted_rows.assign(rows, rows + <size_t>count * width)
    require(normalise(&sorted_rows, 0, width, count) == count, b"a set has a row twice")
    memcpy(rows, sorted_rows.data(), <size_t>count * width * sizeof(word_t))


cdef void check_staged(KernelProgram* program, KernelState* now, NodeStates* known) noexcept nogil:
    """What enters cells when the tick closes, with the rows one after the other."""
    cdef Staged* one
    cdef uint32_t width
    cdef size_t word = 0, i
    require(now.open or now.staged.empty(), b"no tick is open, but something waits for its end")
    for i in range(now.staged.size()):
        one = &now.staged[i]
        require(one.state < now.states.size(), b"a set enters a state that there is not")
        width = now.states[one.state].width
        require(one.rows > 0, b"a set has no row")
        require(width == 0 or one.rows <= (now.staged_words.size() - word) // width, b"the words of a set are missing")
        one.word = word
        order_rows(now.staged_words.data() + word, one.rows, width)
        word += <size_t>one.rows * width
        check_deadline(program, one.deadline)
        check_step(program, now, known, one)
    require(word == now.staged_words.size(), b"there are words of no set")


cdef void check_step(KernelProgram* program, KernelState* now, NodeStates* known, const Staged* staged) noexcept nogil:
    """The picks of a step in this tick, and the set that it extends."""
    cdef const Label* label
    cdef const TransitionSpec* transition
    cdef uint32_t least, pos, i
    require(staged.label < program.labels.size(), b"a set comes by a transition that there is not")
    label = &program.labels[staged.label]
    transition = &program.transitions[label.transition]
    require(label.part == 0 and staged.picks == label.parts, b"a step has another number of events")
    require(
        staged.picks <= now.staged_picks.size() and staged.pick <= now.staged_picks.size() - staged.picks,
        b"a step has lost its events",
    )
    require(
        has_bit(known.targets.data() + label.transition * known.width, staged.state),
        b"a step leads to another state",
    )
    least = now.staged_picks[staged.pick]
    for i in range(staged.picks):
        pos = now.staged_picks[staged.pick + i]
        require(pos - now.tick_first < next_position(now) - now.tick_first, b"a step is not of this tick")
        require(has_atom(now, pos, transition.choice.atoms.at(i)), b"a step picks an event that its atom did not match")
        least = pos if older(pos, least) else least
    check_start(program, now, known, staged, transition, least)


cdef void check_start(
    KernelProgram* program, KernelState* now, NodeStates* known, const Staged* staged, const TransitionSpec* transition,
    uint32_t least
) noexcept nogil:
    """The youngest first event of what a step extends."""
    require(not older(staged.max_start, now.lo), b"a step comes too late")
    if program.states[transition.source].govern == Govern.FREE:
        require(staged.next == 0 and staged.max_start == least, b"a first step comes after another one")
        return
    require(staged.next != 0 and is_live(now, staged.next), b"a step comes after none")
    require(has_bit(states_of(now, known, staged.next), transition.source), b"a step begins where nobody waits")
    require(node_at(now, staged.next).max_start == staged.max_start, b"a step begins at another time")
    require(older(staged.max_start, now.tick_first), b"a step follows events of its time")


cdef void check_deadline(KernelProgram* program, int64_t deadline) noexcept nogil:
    """An upper edge, where the automaton asks for it."""
    if not program.waits:
        require(deadline == 0, b"a set waits that need not")
    elif program.window == 0:
        require(deadline == FOREVER, b"a set waits for an edge that there is not")


cdef void load_cells(Kernel* k, Archive* a, NodeStates* known) noexcept nogil:
    cdef vector[uint32_t] counts
    cdef vector[CellForm] cells
    cdef vector[uint32_t] fired_counts
    cdef vector[uint32_t] fired
    cdef vector[word_t] words
    cdef size_t cell = 0, word = 0, step = 0, i, j
    cell_fields(a, &counts, &cells, &fired_counts, &fired, &words)
    require(counts.size() == k.now.states.size() == fired_counts.size(), b"there is another number of states")
    require(cells.size() < LONGEST_REST, b"there are too many cells")
    words.push_back(UNBOUND)        # what has no words lies somewhere, too
    for i in range(counts.size()):
        require(counts[i] <= cells.size() - cell, b"a state has more cells than there are")
        load_cells_of(k, known, <uint32_t>i, cells.data() + cell, counts[i], &words, &word)
        cell += counts[i]
        require(fired_counts[i] <= fired.size() - step, b"a state has more steps than there are")
        for j in range(fired_counts[i]):
            require(fired[step + j] < counts[i], b"a cell could step that there is not")
            k.now.states[i].fired.push_back(fired[step + j])
        step += fired_counts[i]
    require(cell == cells.size() and word + 1 == words.size() and step == fired.size(), b"there are cells of no state")


cdef void load_cells_of(
    Kernel* k, NodeStates* known, uint32_t state, const CellForm* forms, uint32_t count, vector[word_t]* words,
    size_t* word
) noexcept nogil:
    cdef StateData* s = &k.now.states[state]
    cdef uint64_t entered = s.entered
    cdef uint64_t created = k.now.created
    cdef uint32_t i
    require(count == 0 or holds_cells(s), b"cells are in a state that has none")
    for i in range(count):
        require(forms[i].rows > 0, b"a cell has no row")
        require(
            s.width == 0 or forms[i].rows <= (words.size() - 1 - word[0]) // s.width, b"the words of a cell are missing"
        )
        check_deadline(k.program, forms[i].deadline)
        load_cell(k, known, state, forms + i, words.data() + word[0], i)
        word[0] += <size_t>forms[i].rows * s.width
    s.entered = entered
    k.now.created = created


cdef void load_cell(
    Kernel* k, NodeStates* known, uint32_t state, const CellForm* form, word_t* rows, uint32_t number
) noexcept nogil:
    """A cell that is to get this number."""
    cdef StateData* s = &k.now.states[state]
    cdef Cell* cell
    order_rows(rows, form.rows, s.width)
    require(
        cell_for(k, s, rows, form.rows, form.deadline, <uint32_t>NO_CELL) == number, b"a state has the same cell twice"
    )
    cell = s.cells.data() + number
    cell.node = form.node
    cell.youngest = k.now.lo - 1
    if is_live(&k.now, form.node):
        require(has_bit(states_of(&k.now, known, form.node), state), b"a cell has the set of another state")
        require(not node_at(&k.now, form.node).label & VIEW, b"a cell has a view")
        cell.youngest = node_at(&k.now, form.node).max_start
    else:
        require(form.node != 0 and older(form.node, k.now.ring.tail), b"a cell has no set")
    cell.fired = form.fired != 0
    if s.kind == Cells.VIEWS:
        list_cell(&k.now, s, number, form.listed)
    note_start(s, s.cells[number].youngest)


cdef void load_deadlines(KernelState* now, Archive* a) noexcept nogil:
    cdef vector[DeadlineForm] forms
    cdef Waiting waiting
    cdef StateData* s
    cdef size_t i
    deadline_fields(a, &forms)
    for i in range(forms.size()):
        require(forms[i].state < now.states.size(), b"a match waits in a state that there is not")
        s = &now.states[forms[i].state]
        require(s.final and forms[i].cell < s.cells.size(), b"a match waits that there is not")
        require(s.cells[forms[i].cell].deadline == forms[i].time, b"a match waits for another edge")
        waiting.state = forms[i].state
        waiting.cell = reference_to(s, forms[i].cell)
        now.deadlines[forms[i].time].push_back(waiting)


cdef void load_seen(KernelProgram* program, KernelState* now, Archive* a) noexcept nogil:
    cdef vector[SeenForm] seen
    cdef vector[SeenPick] picks
    cdef vector[word_t] words
    cdef string key
    cdef size_t pick = 0, i
    seen_fields(a, &seen, &picks, &words)
    require(seen.size() <= (words.size() // program.result_width if program.result_width else seen.size()), b"results have lost words")
    require(words.size() == seen.size() * program.result_width, b"there are words of no result")
    for i in range(seen.size()):
        require(seen[i].picks <= picks.size() - pick, b"a result has more events than there are")
        key.clear()
        key.append(<const char*>(picks.data() + pick), seen[i].picks * sizeof(SeenPick))
        key.append(<const char*>(words.data() + i * program.result_width), program.result_width * sizeof(word_t))
        now.seen[key] = seen[i].first
        pick += seen[i].picks
    require(pick == picks.size(), b"there are events of no result")
