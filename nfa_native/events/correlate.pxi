# The step of automata with registers: an event enters states from the groups that pass.


cdef bint take_correlated(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) noexcept nogil:
    """As `take_symbol`: the event at `position`, number `at` of its batch; whether matches end with it."""
    cdef Correlating* c = r.correlating
    cdef const EnteredState* entered = r.program.entered.data() + r.program.symbols[symbol].begin
    cdef size_t count = r.program.symbols[symbol].end - r.program.symbols[symbol].begin
    cdef size_t i
    c.start = start
    reclaim_listed(r, least)
    if r.program.symbols.data()[symbol].swift:
        return take_swiftly(r, r.program.symbols.data() + symbol, partition, start, least)
    make_much_room(r, start, least)
    c.touched.clear()
    c.touched_ends.clear()
    r.scratch.entering.clear()
    for i in range(count):
        gather_arrivals(r, entered[i].state, partition, local, start, least)
        if r.scratch.is_full or r.scratch.is_stopped:
            return False
    for i in range(count):
        settle_arrivals(r, i, entered[i].state, partition, local, start, least)
    for i in range(c.touched.size()):
        close_up(r, c.touched[i].list, least)
    r.state.attention = r.state.ring.head      # there may be more nodes now than it was asked for
    return not r.scratch.endings.empty()


# ── what enters, from the old cells ──


cdef void gather_arrivals(
    Recognition* r, uint32_t state, uint32_t partition, int64_t local, int64_t start, int64_t least
) noexcept nogil:
    """What enters a state: in `entering`, or with the groups that it goes to, which are `touched`."""
    cdef Correlating* c = r.correlating
    cdef const CellSpec* cell = &c.cells[state]
    cdef Head before
    cdef Entering one
    cdef uint32_t number
    cdef size_t i
    before.node = NO_NODE
    before.youngest = NEVER
    one.entry = state
    one.node = NO_NODE
    one.youngest = NEVER
    for i in range(cell.first_transition, cell.first_transition + cell.transitions):
        follow(r, <uint32_t>i, state, partition, local, least, &before)
        if r.scratch.is_full or r.scratch.is_stopped:
            return
    if cell.kind == RegisterCells.MERGED:
        if r.program.entries[state].initial and start != NEVER:
            begin_group(r, state, partition, start, least)
    elif has_room(r):
        arrive(r, state, before, start if r.program.entries[state].initial else NEVER, &one)
    r.scratch.entering.push_back(one)
    c.touched_ends.push_back(c.touched.size())


cdef inline void arrive(Recognition* r, uint32_t state, Head before, int64_t start, Entering* out) noexcept nogil:
    """The event added to what was there before it, and alone if it may begin a match."""
    cdef Head after
    after.node = NO_NODE
    after.youngest = NEVER
    if before.node != NO_NODE:
        after.node = pick_after(r, state, before.node, before.youngest)
        after.youngest = before.youngest
    if start != NEVER:
        unite(&r.state, &after, add_node(&r.state, state, <uint32_t>r.state.position, NO_NODE, NO_NODE, start), start)
    out.node = after.node
    out.youngest = after.youngest


cdef inline uint32_t pick_after(Recognition* r, uint32_t state, uint32_t before, int64_t youngest) noexcept nogil:
    """The node of the event after a set; of a view, which is the event's own, they are one."""
    cdef MatchNode* node = match_node(&r.state, before)
    if node.state != VIEW:
        return add_node(&r.state, state, <uint32_t>r.state.position, before, NO_NODE, youngest)
    node.state = state | OF_VIEW
    node.next = node.pos
    node.pos = <uint32_t>r.state.position
    return before


cdef inline void follow(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) noexcept nogil:
    """What comes by a transition: into `before`, or to the merged groups of the state."""
    cdef Correlating* c = r.correlating
    cdef const TransitionSpec* transition = &c.transitions[number]
    if c.cells.data()[transition.source].kind == RegisterCells.HEAD:
        follow_head(r, number, state, partition, local, least, before)
        return
    read_bounds(c, transition)
    if transition.contiguous:
        follow_recent(r, number, state, partition, local, least, before)
    elif not transition.keyed:
        follow_list(r, number, state, find_list(r, partition, transition.source, 0), least, before)
    else:
        follow_list(r, number, state, find_list(r, partition, transition.source, c.bounds[0]), least, before)
        follow_list(r, number, state, find_list(r, partition, transition.source, NOT_SET), least, before)


cdef inline void read_bounds(Correlating* c, const TransitionSpec* transition) noexcept nogil:
    """What the event has for each guard."""
    cdef uint32_t i
    cdef const GuardSpec* guards = c.guards.data() + transition.first_guard
    for i in range(transition.guards):
        c.bounds.data()[i] = c.columns.data()[guards[i].column][c.at]


cdef void follow_head(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) noexcept nogil:
    """From a state without registers."""
    cdef const TransitionSpec* transition = &r.correlating.transitions[number]
    cdef size_t cell = partition * r.program.width + transition.source
    cdef Head found = r.state.heads[cell]
    if transition.contiguous:
        found.node = r.state.last[cell].node if r.state.last[cell].local == local - 1 else <uint32_t>NO_NODE
        found.youngest = r.state.last[cell].youngest
    if found.node != NO_NODE and not is_over(&r.program, found.youngest, least):
        take_along(r, number, state, partition, NULL, found.node, found.youngest, least, before)


cdef inline void follow_list(
    Recognition* r, uint32_t number, uint32_t state, uint32_t list_number, int64_t least, Head* before
) noexcept nogil:
    """From a list of groups: as a view, if the state has one group or set for all."""
    cdef Correlating* c = r.correlating
    cdef const TransitionSpec* transition = &c.transitions[number]
    cdef size_t count = condition_count(transition)
    cdef const int64_t* bounds = c.bounds.data() + transition.keyed
    cdef GroupList* list
    cdef int64_t youngest
    if list_number == NO_LIST:
        return
    list = list_at(c, list_number)
    if c.cells[state].kind == RegisterCells.MERGED or c.cells[transition.source].kind == RegisterCells.MERGED or (
        transition.questions or count > VIEW_BOUNDS
    ):
        follow_groups(r, number, state, list_number, least, before)
        return
    if transition.by_skyline:
        c.scanned += 1
        youngest = youngest_below(&list.skyline, bounds[0], least if r.program.rises else NEVER)
    else:
        youngest = youngest_of(
            list, conditions(c, transition), count, bounds, least if r.program.rises else NEVER, &c.scanned
        )
    if youngest != NEVER and has_room(r):
        unite(&r.state, before, add_view(r, list_number, number, bounds, count, youngest, least), youngest)


cdef void follow_groups(
    Recognition* r, uint32_t number, uint32_t state, uint32_t list_number, int64_t least, Head* before
) noexcept nogil:
    """From a list of groups, one after the other."""
    cdef Correlating* c = r.correlating
    cdef const TransitionSpec* transition = &c.transitions[number]
    cdef GroupList* list = list_at(c, list_number)
    cdef int64_t floor = max(least, NEVER + 1) if r.program.rises else NEVER + 1
    cdef int64_t place = <int64_t>groups_of(list)
    cdef size_t i
    c.candidates.clear()
    while True:
        place = group_before(
            list, place, conditions(c, transition), condition_count(transition),
            c.bounds.data() + transition.keyed, floor, &c.scanned,
        )
        if place < 0:
            break
        c.candidates.push_back(place)
    ask_all(r, transition, list.records.data() + 1, list.width)
    for i in range(c.candidates.size()):
        if r.scratch.is_full or r.scratch.is_stopped:
            return
        place = c.candidates[i]
        take_along(
            r, number, state, list.partition, record_of(list, <size_t>place) + 1, list.nodes[place],
            youngest_in(list, <size_t>place), least, before,
        )


cdef void follow_recent(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) noexcept nogil:
    """From the groups that entered with the event right before this one."""
    cdef Correlating* c = r.correlating
    cdef const TransitionSpec* transition = &c.transitions[number]
    cdef const Recent* recent = &c.recents[partition * r.program.width + transition.source]
    cdef uint32_t width = c.cells[transition.source].width
    cdef size_t i, place
    c.candidates.clear()
    if recent.local != local - 1:
        return
    for i in range(recent.nodes.size()):
        if not is_over(&r.program, recent.youngest.data()[i], least) and pass_all(
            recent.registers.data() + i * width, c.guards.data() + transition.first_guard, transition.guards,
            c.bounds.data(),
        ):
            c.candidates.push_back(<int64_t>i)
    ask_all(r, transition, recent.registers.data(), width)
    for i in range(c.candidates.size()):
        place = <size_t>c.candidates[i]
        take_along(
            r, number, state, partition, recent.registers.data() + place * width, recent.nodes.data()[place],
            recent.youngest.data()[place], least, before,
        )


cdef void take_along(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, const int64_t* registers, uint32_t node,
    int64_t youngest, int64_t least, Head* before,
) noexcept nogil:
    """A set of partial matches with these registers takes a transition."""
    cdef Correlating* c = r.correlating
    cdef uint32_t list_number
    cdef int64_t group
    if not has_room(r):
        return
    if c.cells[state].kind != RegisterCells.MERGED:
        unite(&r.state, before, node, youngest)
        return
    updated(r, c.transitions[number].first_update, c.cells[state].width, registers)
    merged_group(r, partition, state, c.registers.data(), least, &list_number, &group)
    touch_group(r, list_number, group)
    unite(&r.state, &list_at(c, list_number).arriving.data()[group - list_at(c, list_number).base], node, youngest)


cdef void touch_group(Recognition* r, uint32_t list, int64_t number) noexcept nogil:
    """Note that the event adds to a group, if nothing of it does yet."""
    cdef Correlating* c = r.correlating
    cdef Touched one
    if list_at(c, list).arriving.data()[number - list_at(c, list).base].youngest == NEVER:
        one.list = list
        one.number = number
        one.begins = False
        c.touched.push_back(one)


cdef void begin_group(Recognition* r, uint32_t state, uint32_t partition, int64_t start, int64_t least) noexcept nogil:
    """A match of the event alone is to be in the merged group with its registers."""
    cdef Correlating* c = r.correlating
    cdef Touched* touched
    cdef Head* arriving
    cdef uint32_t list
    cdef int64_t number
    cdef size_t i
    updated(r, c.cells[state].first_begin, c.cells[state].width, NULL)
    merged_group(r, partition, state, c.registers.data(), least, &list, &number)
    touch_group(r, list, number)
    arriving = &list_at(c, list).arriving.data()[number - list_at(c, list).base]
    if arriving.youngest == NEVER:
        arriving.youngest = start
    i = c.touched.size()
    while i > 0:
        i -= 1
        touched = &c.touched[i]
        if touched.list == list and touched.number == number:
            touched.begins = True
            return


# ── registers ──


cdef inline void updated(Recognition* r, uint32_t first, uint32_t count, const int64_t* before) noexcept nogil:
    """Into `registers`: what they become with the event, by `count` updates."""
    cdef Correlating* c = r.correlating
    cdef const UpdateSpec* update
    cdef int64_t old
    cdef uint32_t i
    for i in range(count):
        update = c.updates.data() + first + i
        if update.change == Change.COMPUTED:
            c.registers.data()[i] = computed(c, update, before)
            continue
        old = NOT_SET if update.register_ < 0 else before[update.register_]
        c.registers.data()[i] = changed(r, update, old)


cdef inline int64_t changed(Recognition* r, const UpdateSpec* update, int64_t old) noexcept nogil:
    cdef int64_t value
    if update.change == Change.KEEP:
        return old
    if update.change == Change.LIST:
        return listed(r, old)
    value = r.correlating.columns[update.column][r.correlating.at]
    if update.change == Change.GREATER:
        return max(old, value)
    return value if old == NOT_SET or old == value else NO_VALUE


# ── what entered, to the new cells ──


cdef void settle_arrivals(
    Recognition* r, size_t i, uint32_t state, uint32_t partition, int64_t local, int64_t start, int64_t least
) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef RegisterCells kind = c.cells[state].kind
    cdef size_t first = c.touched_ends[i - 1] if i else 0
    cdef size_t number
    if kind == RegisterCells.MERGED:
        start_recent(r, state, partition, local, c.touched_ends[i] > first)
        for number in range(first, c.touched_ends[i]):
            settle_merged(r, &c.touched[number], state, partition, start, least)
    elif r.scratch.entering[i].node == NO_NODE or not has_room(r):
        return
    elif kind == RegisterCells.HEAD:
        complete_entry(r, r.program.entries.data() + state, &r.scratch.entering[i], partition, local, least)
    else:
        start_recent(r, state, partition, local, True)
        settle_group(r, &r.scratch.entering[i], state, partition, least)


cdef void start_recent(
    Recognition* r, uint32_t state, uint32_t partition, int64_t local, bint has_some
) noexcept nogil:
    """What enters now is what entered last."""
    cdef Recent* recent
    if not has_some or not r.program.entries[state].waits_next:
        return
    recent = &r.correlating.recents[partition * r.program.width + state]
    recent.local = local
    recent.registers.clear()
    recent.youngest.clear()
    recent.nodes.clear()


cdef void note_recent(
    Recognition* r, uint32_t state, uint32_t partition, const int64_t* registers, uint32_t node, int64_t youngest
) noexcept nogil:
    cdef Recent* recent
    if not r.program.entries[state].waits_next:
        return
    recent = &r.correlating.recents[partition * r.program.width + state]
    recent.registers.insert(recent.registers.end(), registers, registers + r.correlating.cells[state].width)
    recent.nodes.push_back(node)
    recent.youngest.push_back(youngest)


cdef inline void end_with(Recognition* r, uint32_t state, uint32_t node, int64_t youngest, int64_t least) noexcept nogil:
    """If the state is final, its matches wait in `endings`."""
    cdef Ending ending
    if r.program.entries[state].final and youngest >= least:
        ending.least = least
        ending.node = node
        r.scratch.endings.push_back(ending)


cdef inline void settle_group(
    Recognition* r, const Entering* one, uint32_t state, uint32_t partition, int64_t least
) noexcept nogil:
    """All that entered with the event is a group of its own."""
    cdef Correlating* c = r.correlating
    cdef const CellSpec* cell = c.cells.data() + state
    cdef uint32_t number
    cdef GroupList* list
    updated(r, cell.first_update, cell.width, NULL)
    end_with(r, state, one.node, one.youngest, least)
    if r.program.entries.data()[state].waits_next:
        note_recent(r, state, partition, c.registers.data(), one.node, one.youngest)
    if not r.program.entries.data()[state].waits:
        return
    number = list_for(r, partition, state, c.registers.data(), least)
    list = list_at(c, number)
    if r.program.rises:
        drop_front(list, least)
    add_group(list, c.registers.data(), one.node, one.youngest)
    if cell.skyline >= 0:
        if r.program.rises:
            drop_steps(&list.skyline, least)
        add_step(&list.skyline, c.registers.data()[cell.skyline], one.youngest)


cdef void settle_merged(
    Recognition* r, const Touched* touched, uint32_t state, uint32_t partition, int64_t start, int64_t least
) noexcept nogil:
    """What entered becomes one with the group."""
    cdef Correlating* c = r.correlating
    cdef GroupList* list = list_at(c, touched.list)
    cdef size_t place = <size_t>(touched.number - list.base)
    cdef Entering one
    cdef int64_t* record = record_of(list, place)
    cdef Head head
    if not has_room(r):
        return
    head = list.arriving[place]
    arrive(r, state, head, start if touched.begins else NEVER, &one)
    list.arriving.data()[place].node = NO_NODE
    list.arriving.data()[place].youngest = NEVER
    end_with(r, state, one.node, one.youngest, least)
    note_recent(r, state, partition, record + 1, one.node, one.youngest)
    if not r.program.entries[state].waits:
        return
    head.node = list.nodes[place]
    head.youngest = record[0]
    if head.node == NO_NODE or is_over(&r.program, head.youngest, least):
        head.node = NO_NODE
    unite(&r.state, &head, one.node, one.youngest)
    list.nodes.data()[place] = head.node
    record[0] = head.youngest
    list.is_ordered = False
    rejuvenate_zones(list, place)
