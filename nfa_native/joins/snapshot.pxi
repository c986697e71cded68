# The live state as an archive: a store for each part, a column for each field.  What is dead stays behind, and what follows
# from other fields is not written.  `restore.pxi` reads it.

cdef enum:
    # Versions of the stores.
    CLOCK_VERSION = 1
    COUNTERS_VERSION = 1
    HISTORY_VERSION = 1
    NODES_VERSION = 1
    STAGED_VERSION = 1
    CELLS_VERSION = 1
    DEADLINES_VERSION = 1
    SEEN_VERSION = 1

# A block as it is written: its words come one after the other.
cdef struct BlockForm:
    uint32_t atom
    uint32_t rows
    uint8_t shared        # its rows are those of the block before, and not written again

# A cell as it is written: its state follows from the number of cells of each state.
cdef struct CellForm:
    int64_t deadline
    uint32_t node
    uint32_t rows
    uint32_t listed
    uint8_t fired

# A match that waits for its window's edge.
cdef struct DeadlineForm:
    int64_t time
    uint32_t state
    uint32_t cell         # number among the state's cells as they are written

# A result that must not come twice.
cdef struct SeenForm:
    uint32_t picks
    uint32_t first        # position of the first event

# One pick of it.
cdef struct SeenPick:
    uint64_t atom
    uint64_t event

ctypedef vector[vector[uint32_t]] Places     # for each state and cell its number as it is written


cdef bint can_be_written(const Kernel* k) noexcept nogil:
    """All results are out and taken."""
    return k.results.first.empty() and is_all_out(&k.pause)


cdef void write_kernel(Kernel* k, Archive* a) noexcept nogil:
    """Everything that the future depends on."""
    cdef Places places
    clock_fields(k, a)
    counter_fields(&k.now, a)
    write_history(k.program, &k.now, a)
    write_nodes(k.program, &k.now, a)
    staged_fields(&k.now, a)
    write_cells(&k.now, a, &places)
    write_deadlines(&k.now, a, &places)
    write_seen(k.program, &k.now, a)


# Fields: the same functions write and read.


cdef void clock_fields(Kernel* k, Archive* a) noexcept nogil:
    """Where the streamset, its windows and the ring are."""
    a.store(b"clock", CLOCK_VERSION)
    a.number(b"lo", k.now.lo)
    a.number(b"kept", k.now.kept)
    a.number(b"position", k.now.seq)
    a.number(b"next event", k.now.next_handle)
    a.number(b"open", k.now.open)
    a.number(b"tick", k.now.tick)
    a.number(b"promised", k.now.promised)
    a.number(b"first of tick", k.now.tick_first)
    a.number(b"many rows", k.now.many_rows)
    a.number(b"created", k.now.created)
    a.number(b"survived", k.now.survived)
    a.number(b"ticks", k.now.ticks)
    a.number(b"results", k.results.count)
    a.number(b"tail", k.now.ring.tail)


cdef void counter_fields(KernelState* now, Archive* a) noexcept nogil:
    """Statistics, and of the guards which of them only finished matches can judge."""
    cdef Candidacies tried
    cdef Judgements judged
    cdef const StateData* state = now.states.data()
    cdef uint64_t number = 0
    a.store(b"counters", COUNTERS_VERSION)
    a.update(b"matched", now.matched, number, number)
    a.update(b"deferred", now.judgements, judged, judged.deferred)
    a.update(b"killed", now.judgements, judged, judged.killed)
    if not now.states.empty():
        a.update(b"entered", now.states, state[0], state.entered)
        a.update(b"expired", now.states, state[0], state.expired)
        a.update(b"skipped", now.states, state[0], state.skipped)
    a.update(b"offered", now.candidacies, tried, tried.offered)
    a.update(b"lonely", now.candidacies, tried, tried.lonely)
    a.update(b"unjoined", now.candidacies, tried, tried.unjoined)
    a.update(b"unfiltered", now.candidacies, tried, tried.unfiltered)
    a.update(b"fired", now.candidacies, tried, tried.fired)
    a.update(b"pairs", now.candidacies, tried, tried.pairs)
    a.update(b"scanned", now.candidacies, tried, tried.scanned)


cdef void history_fields(
    Archive* a, vector[EventRecord]* events, vector[BlockForm]* blocks, vector[word_t]* words
) noexcept nogil:
    cdef EventRecord event
    cdef BlockForm block
    a.store(b"history", HISTORY_VERSION)
    a.field(b"time", events[0], event, event.time)
    a.field(b"position", events[0], event, event.seq)
    a.field(b"event", events[0], event, event.handle)
    a.field(b"blocks", events[0], event, event.blocks)
    a.field(b"head", events[0], event, event.head)
    a.field(b"atom", blocks[0], block, block.atom)
    a.field(b"rows", blocks[0], block, block.rows)
    a.field(b"shared", blocks[0], block, block.shared)
    a.words(b"words", words[0])


cdef void node_fields(Archive* a, vector[Node]* nodes) noexcept nogil:
    cdef Node node
    a.store(b"nodes", NODES_VERSION)
    a.field(b"pos", nodes[0], node, node.pos)
    a.field(b"label", nodes[0], node, node.label)
    a.field(b"next", nodes[0], node, node.next)
    a.field(b"sibling", nodes[0], node, node.sibling)
    a.field(b"max start", nodes[0], node, node.max_start)


cdef void staged_fields(KernelState* now, Archive* a) noexcept nogil:
    """What enters cells when the tick closes; rows come one after the other."""
    cdef Staged staged
    a.store(b"staged", STAGED_VERSION)
    a.field(b"deadline", now.staged, staged, staged.deadline)
    a.field(b"pick", now.staged, staged, staged.pick)
    a.field(b"rows", now.staged, staged, staged.rows)
    a.field(b"picks", now.staged, staged, staged.picks)
    a.field(b"state", now.staged, staged, staged.state)
    a.field(b"label", now.staged, staged, staged.label)
    a.field(b"next", now.staged, staged, staged.next)
    a.field(b"max start", now.staged, staged, staged.max_start)
    a.numbers(b"picked", now.staged_picks)
    a.words(b"words", now.staged_words)


cdef void cell_fields(
    Archive* a, vector[uint32_t]* counts, vector[CellForm]* cells, vector[uint32_t]* fired_counts,
    vector[uint32_t]* fired, vector[word_t]* words
) noexcept nogil:
    """Cells of one state after the other, and those of which each state knows that they could step in this tick."""
    cdef CellForm cell
    a.store(b"cells", CELLS_VERSION)
    a.numbers(b"of state", counts[0])
    a.field(b"node", cells[0], cell, cell.node)
    a.field(b"deadline", cells[0], cell, cell.deadline)
    a.field(b"rows", cells[0], cell, cell.rows)
    a.field(b"fired", cells[0], cell, cell.fired)
    a.field(b"listed", cells[0], cell, cell.listed)
    a.numbers(b"fired of state", fired_counts[0])
    a.numbers(b"fired cells", fired[0])
    a.words(b"words", words[0])


cdef void deadline_fields(Archive* a, vector[DeadlineForm]* waiting) noexcept nogil:
    cdef DeadlineForm one
    a.store(b"deadlines", DEADLINES_VERSION)
    a.field(b"time", waiting[0], one, one.time)
    a.field(b"state", waiting[0], one, one.state)
    a.field(b"cell", waiting[0], one, one.cell)


cdef void seen_fields(
    Archive* a, vector[SeenForm]* seen, vector[SeenPick]* picks, vector[word_t]* words
) noexcept nogil:
    cdef SeenForm one
    cdef SeenPick pick
    a.store(b"seen", SEEN_VERSION)
    a.field(b"picks", seen[0], one, one.picks)
    a.field(b"first", seen[0], one, one.first)
    a.field(b"atom", picks[0], pick, pick.atom)
    a.field(b"event", picks[0], pick, pick.event)
    a.words(b"words", words[0])


# What lies in other forms in the kernel.


cdef void write_history(KernelProgram* program, KernelState* now, Archive* a) noexcept nogil:
    """Events that may still be looked at, with their blocks and rows."""
    cdef vector[EventRecord] events
    cdef vector[BlockForm] blocks
    cdef vector[word_t] words
    cdef uint32_t pos = now.kept
    cdef uint32_t i
    while pos != next_position(now):
        events.push_back(event_at(now, pos)[0])
        for i in range(events.back().blocks):
            write_block(program, now, event_at(now, pos), i, &blocks, &words)
        pos += 1
    history_fields(a, &events, &blocks, &words)


cdef void write_block(
    KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t number,
    vector[BlockForm]* blocks, vector[word_t]* words
) noexcept nogil:
    cdef const Block* block = &now.history.blocks[event.block - now.history.first_block + number]
    cdef BlockForm form
    cdef uint32_t count
    cdef const word_t* rows = block_rows(now, event, number, &count)
    cdef size_t size = <size_t>count * program.slots[block.atom]
    form.atom = block.atom
    form.rows = count if program.slots[block.atom] else 1       # rows without values are all alike
    # Where a block without words comes first, the next one's begin at the same place.
    form.shared = number > 0 and size > 0 and (block - 1).word == block.word and program.slots[(block - 1).atom] > 0
    blocks.push_back(form)
    if not form.shared:
        words.insert(words.end(), rows, rows + size)


cdef void write_nodes(KernelProgram* program, KernelState* now, Archive* a) noexcept nogil:
    """The ring's living part; views count the groups of the lists as `load_cells` makes them again."""
    cdef vector[Node] nodes
    cdef vector[uint32_t] numbers
    cdef uint32_t i = now.ring.tail
    number_lists(now, &numbers)
    while i != now.ring.head:
        nodes.push_back(node_at(now, i)[0])
        if i == 0:
            memset(&nodes.back(), 0, sizeof(Node))      # a number that is never given
        elif nodes.back().label & VIEW:
            renumber_view(program, now, &nodes.back(), &numbers)
        i += 1
    node_fields(a, &nodes)


cdef void write_cells(KernelState* now, Archive* a, Places* places) noexcept nogil:
    """The living cells, oldest first."""
    cdef vector[uint32_t] counts
    cdef vector[CellForm] cells
    cdef vector[uint32_t] fired_counts
    cdef vector[uint32_t] fired
    cdef vector[word_t] words
    cdef size_t i, before
    places.resize(now.states.size())
    for i in range(now.states.size()):
        before = cells.size()
        write_cells_of(&now.states[i], &cells, &words, &places.at(i))
        counts.push_back(<uint32_t>(cells.size() - before))
        before = fired.size()
        write_fired(&now.states[i], &fired, &places.at(i))
        fired_counts.push_back(<uint32_t>(fired.size() - before))
    cell_fields(a, &counts, &cells, &fired_counts, &fired, &words)


cdef void write_cells_of(
    StateData* s, vector[CellForm]* cells, vector[word_t]* words, vector[uint32_t]* places
) noexcept nogil:
    cdef vector[uint32_t] living = cells_in_order(s)
    cdef CellForm form
    cdef const Cell* cell
    cdef const word_t* rows
    cdef size_t i
    places.assign(s.cells.size(), <uint32_t>NO_CELL)
    for i in range(living.size()):
        cell = s.cells.data() + living[i]
        rows = cell_rows(s, living[i])
        words.insert(words.end(), rows, rows + <size_t>cell.rows * s.width)
        form.node = cell.node
        form.deadline = cell.deadline
        form.rows = cell.rows
        form.fired = cell.fired != 0
        form.listed = cell.listed
        cells.push_back(form)
        places.data()[living[i]] = <uint32_t>i


cdef void write_fired(const StateData* s, vector[uint32_t]* fired, const vector[uint32_t]* places) noexcept nogil:
    cdef size_t i
    for i in range(s.fired.size()):
        if places.at(s.fired.at(i)) != NO_CELL:
            fired.push_back(places.at(s.fired.at(i)))


cdef void write_deadlines(KernelState* now, Archive* a, const Places* places) noexcept nogil:
    """In the order in which they come due."""
    cdef map[int64_t, vector[Waiting]].iterator at = now.deadlines.begin()
    cdef vector[DeadlineForm] out
    cdef DeadlineForm form
    cdef const Waiting* waiting
    cdef size_t i
    while at != now.deadlines.end():
        form.time = dereference(at).first
        for i in range(dereference(at).second.size()):
            waiting = dereference(at).second.data() + i
            if is_current(&now.states[waiting.state], &waiting.cell):
                form.state = waiting.state
                form.cell = places.at(waiting.state).at(waiting.cell.cell)
                out.push_back(form)
        preincrement(at)
    deadline_fields(a, &out)


cdef void write_seen(KernelProgram* program, KernelState* now, Archive* a) noexcept nogil:
    """Results that an ambiguous automaton must not give twice, in an order of their own."""
    cdef unordered_map[string, uint32_t, TextHash].iterator at = now.seen.begin()
    cdef vector[pair[string, uint32_t]] keys
    cdef pair[string, uint32_t] key
    cdef vector[SeenForm] seen
    cdef vector[SeenPick] picks
    cdef vector[word_t] words
    cdef size_t i
    while at != now.seen.end():
        key.first = dereference(at).first
        key.second = dereference(at).second
        keys.push_back(key)
        preincrement(at)
    sort(keys.begin(), keys.end())
    for i in range(keys.size()):
        write_seen_key(program, &keys[i], &seen, &picks, &words)
    seen_fields(a, &seen, &picks, &words)


cdef void write_seen_key(
    KernelProgram* program, const pair[string, uint32_t]* key, vector[SeenForm]* seen, vector[SeenPick]* picks,
    vector[word_t]* words
) noexcept nogil:
    """A key has the picks, atom and event, and then the row."""
    cdef size_t row = program.result_width * sizeof(word_t)
    cdef size_t count = (key.first.size() - row) // sizeof(SeenPick)
    cdef size_t before = picks.size()
    cdef SeenForm form
    form.picks = <uint32_t>count
    form.first = key.second
    seen.push_back(form)
    picks.resize(before + count)
    words.resize(words.size() + program.result_width)
    if count:
        memcpy(picks.data() + before, key.first.data(), count * sizeof(SeenPick))
    if row:
        memcpy(words.data() + words.size() - program.result_width, key.first.data() + key.first.size() - row, row)
