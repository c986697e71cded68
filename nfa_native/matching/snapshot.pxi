# The live state as named arrays, and back.  Words stand in arrays of their own, so that they can be renumbered.

# Arrays that hold words: "words of …".
WORDS = "words of "


cdef object raw(const void* source, size_t count, size_t size):
    """`count` records of `size` bytes as uint8[count, size]."""
    out = np.empty((count, size), np.uint8)
    copy_bytes(out, source, count * size)
    return out


cdef object words_array(const word_t* source, size_t count):
    out = np.empty(count, np.uint64)
    copy_bytes(out, source, count * 8)
    return out


cdef object dump_kernel(Kernel* k):
    """Everything that the future depends on; what is dead stays behind."""
    if k.results.first.size() or not is_all_out(k):
        raise ValueError("take the results before the snapshot")
    arrays = {"numbers": dump_numbers(k), "counters": dump_counters(k)}
    dump_history(k, arrays)
    arrays["nodes"] = dump_nodes(k)
    arrays["staged"] = raw(k.staged.data(), k.staged.size(), sizeof(Staged))
    arrays["staged picks"] = raw(k.staged_picks.data(), k.staged_picks.size(), 4)
    arrays[WORDS + "staged"] = words_array(k.staged_words.data(), k.staged_words.size())
    cells = []
    for state in range(k.states.size()):
        cells.append(dump_cells(k, state, arrays))
    arrays["deadlines"] = dump_deadlines(k, cells)
    dump_seen(k, arrays)
    return arrays


cdef object dump_numbers(Kernel* k):
    return np.array(
        [
            k.lo, k.seq, <int64_t>k.next_handle, k.open, k.tick, k.promised, k.tick_first, k.many_rows,
            <int64_t>k.created, <int64_t>k.ticks, <int64_t>k.results.count, k.ring.head, k.ring.tail,
            k.kept, <int64_t>k.survived,
        ],
        np.int64,
    )


cdef object dump_counters(Kernel* k):
    """Statistics, and the guards that only finished matches can judge."""
    cdef size_t i, g
    out = [k.matched[i] for i in range(k.matched.size())]
    for i in range(k.transitions.size()):
        out += [k.transitions[i].offered, k.transitions[i].lonely, k.transitions[i].unjoined]
        out += [k.transitions[i].unfiltered, k.transitions[i].fired, k.transitions[i].pairs, k.transitions[i].scanned]
    for i in range(k.states.size()):
        out += [k.states[i].entered, k.states[i].expired, k.states[i].skipped]
        for g in range(k.states[i].guards.size()):
            out += [k.states[i].guards[g].deferred, k.states[i].guards[g].killed]
    return np.array(out, np.uint64)


cdef void load_counters(Kernel* k, object counters):
    cdef size_t i, g
    values = iter(counters.tolist())
    for i in range(k.matched.size()):
        k.matched[i] = next(values)
    for i in range(k.transitions.size()):
        k.transitions[i].offered = next(values)
        k.transitions[i].lonely = next(values)
        k.transitions[i].unjoined = next(values)
        k.transitions[i].unfiltered = next(values)
        k.transitions[i].fired = next(values)
        k.transitions[i].pairs = next(values)
        k.transitions[i].scanned = next(values)
    for i in range(k.states.size()):
        k.states[i].entered = next(values)
        k.states[i].expired = next(values)
        k.states[i].skipped = next(values)
        for g in range(k.states[i].guards.size()):
            k.states[i].guards[g].deferred = next(values)
            k.states[i].guards[g].killed = next(values)


cdef void dump_history(Kernel* k, object arrays):
    """Events that may still be looked at, with their blocks and rows."""
    cdef size_t dead = k.kept - k.history.first
    cdef size_t blocks = k.history.blocks.size()
    cdef size_t words = k.history.words.size()
    if dead < k.history.events.size():
        blocks = <size_t>(k.history.events[dead].block - k.history.first_block)
    if blocks < k.history.blocks.size():
        words = <size_t>(k.history.blocks[blocks].word - k.history.first_word)
    arrays["events"] = raw(k.history.events.data() + dead, k.history.events.size() - dead, sizeof(EventRecord))
    arrays["blocks"] = raw(k.history.blocks.data() + blocks, k.history.blocks.size() - blocks, sizeof(Block))
    arrays[WORDS + "events"] = words_array(k.history.words.data() + words, k.history.words.size() - words)
    arrays["firsts"] = np.array([k.history.first_block + blocks, k.history.first_word + words], np.uint64)


cdef object dump_nodes(Kernel* k):
    """The ring's living part; views count the groups of the lists as `load_cells` makes them again."""
    cdef vector[Node] nodes
    cdef vector[uint32_t] numbers
    cdef uint32_t i = k.ring.tail
    attempted(number_lists, k, &numbers)
    while i != k.ring.head:
        nodes.safe_push_back(node_at(k, i)[0])
        if nodes.back().label & VIEW:
            renumber_view(k, &nodes.back(), &numbers)
        i += 1
    return raw(nodes.data(), nodes.size(), sizeof(Node))


cdef object dump_cells(Kernel* k, size_t state, object arrays):
    """Add a state's living cells, oldest first; returns a dict from cell to its number among them."""
    cdef StateData* s = &k.states[state]
    cdef vector[word_t] words
    cdef const word_t* rows
    cdef uint32_t cell
    living = [(s.cells[i].serial, i) for i in range(s.cells.size()) if s.cells[i].rows]
    living.sort()
    table = []
    for _, number in living:
        cell = number
        rows = cell_rows(s, cell)
        words.safe_insert(words.end(), rows, rows + <size_t>s.cells[cell].rows * s.width)
        table.append(
            [s.cells[cell].node, s.cells[cell].deadline, s.cells[cell].rows, s.cells[cell].fired, s.cells[cell].listed]
        )
    numbers = {number: place for place, (_, number) in enumerate(living)}
    arrays[f"cells {state}"] = np.array(table, np.int64).reshape(-1, 5)
    arrays[f"{WORDS}cells {state}"] = words_array(words.data(), words.size())
    fired = [numbers[s.fired[i]] for i in range(s.fired.size()) if s.fired[i] in numbers]
    arrays[f"fired {state}"] = np.array(fired, np.uint32)
    return numbers


cdef object dump_deadlines(Kernel* k, object cells):
    """Rows (time, state, number of the cell) in the order in which they come due."""
    cdef map[int64_t, vector[Waiting]].iterator at = k.deadlines.begin()
    cdef Waiting waiting
    cdef size_t i
    out = []
    while at != k.deadlines.end():
        for i in range(dereference(at).second.size()):
            waiting = dereference(at).second[i]
            if is_current(&k.states[waiting.state], &waiting.cell):
                out.append([dereference(at).first, waiting.state, cells[waiting.state][waiting.cell.cell]])
        preincrement(at)
    return np.array(out, np.int64).reshape(-1, 3)


cdef void dump_seen(Kernel* k, object arrays):
    """Results that an ambiguous automaton must not give twice: picks, row, and the first event's position."""
    cdef unordered_map[string, uint32_t, TextHash].iterator at = k.seen.begin()
    cdef size_t row = k.result_width * sizeof(word_t)
    keys = []
    while at != k.seen.end():
        keys.append((<bytes>dereference(at).first, dereference(at).second))
        preincrement(at)
    keys.sort()
    picks = [key[: len(key) - row] for key, _ in keys]
    arrays["seen picks"] = np.frombuffer(b"".join(picks), np.uint8)
    arrays["seen sizes"] = np.array([len(one) for one in picks], np.uint64)
    arrays["seen first"] = np.array([first for _, first in keys], np.uint32)
    arrays[WORDS + "seen"] = np.frombuffer(b"".join([key[len(key) - row :] for key, _ in keys]), np.uint64)


cdef void load_seen(Kernel* k, object arrays):
    cdef string key
    cdef size_t row = k.result_width
    picks = arrays["seen picks"].tobytes()
    words = arrays[WORDS + "seen"]
    at = 0
    for number, (size, first) in enumerate(zip(arrays["seen sizes"].tolist(), arrays["seen first"].tolist())):
        take_bytes(&key, picks[at : at + size] + words[number * row : (number + 1) * row].tobytes())
        (&k.seen.safe_at(key))[0] = <uint32_t>first
        at += size


cdef void load_kernel(Kernel* k, object arrays):
    """Take over the state that `dump_kernel` gave, words already renumbered."""
    cdef int64_t[::1] n = np.ascontiguousarray(arrays["numbers"])
    if n.shape[0] != 15:
        raise ValueError("the matcher's part of the snapshot is of another version")
    k.lo = <uint32_t>n[0]
    k.kept = <uint32_t>n[13]
    k.seq = n[1]
    k.next_handle = <uint64_t>n[2]
    k.open = n[3]
    k.tick = n[4]
    k.promised = n[5]
    k.tick_first = <uint32_t>n[6]
    k.many_rows = n[7]
    k.created = <uint64_t>n[8]
    k.survived = <uint64_t>n[14]
    k.ticks = <uint64_t>n[9]
    k.results.count = <uint64_t>n[10]
    load_counters(k, arrays["counters"])
    load_history(k, arrays)
    load_nodes(k, <uint32_t>n[11], <uint32_t>n[12], arrays["nodes"])
    k.swept = next_position(k)
    load_staged(k, arrays)
    for state in range(k.states.size()):
        load_cells(k, &k.states[state], arrays, state)
    load_deadlines(k, arrays["deadlines"])
    load_seen(k, arrays)


cdef void load_bytes(void* target, object array, size_t size):
    """Copy records of `size` bytes to where there is room for as many."""
    cdef const uint8_t[::1] view
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if flat.shape[0] != len(array) * size:
        raise ValueError("an array of the snapshot has records of another size")
    if flat.shape[0]:
        view = flat
        memcpy(target, &view[0], view.shape[0])


cdef void load_history(Kernel* k, object arrays):
    """Stored events; which atoms they matched in this tick, and where negated ones matched, follows from them."""
    cdef EventRecord* event
    cdef uint32_t pos, i, atom
    k.history.events.safe_resize(len(arrays["events"]))
    load_bytes(k.history.events.data(), arrays["events"], sizeof(EventRecord))
    k.history.blocks.safe_resize(len(arrays["blocks"]))
    load_bytes(k.history.blocks.data(), arrays["blocks"], sizeof(Block))
    k.history.words.safe_resize(len(arrays[WORDS + "events"]))
    load_bytes(k.history.words.data(), arrays[WORDS + "events"], sizeof(word_t))
    k.history.first = k.kept
    k.history.first_block = arrays["firsts"][0]
    k.history.first_word = arrays["firsts"][1]
    pos = k.kept
    while pos != next_position(k):
        event = event_at(k, pos)
        for i in range(event.blocks):
            atom = k.history.blocks[event.block - k.history.first_block + i].atom
            if k.negated[atom]:
                k.watched[atom].safe_push_back(pos)
            if k.gathered[atom] and k.open and not older(pos, k.tick_first):
                k.tick_atoms[atom].safe_push_back(pos)
        pos += 1


cdef void load_nodes(Kernel* k, uint32_t head, uint32_t tail, object nodes):
    cdef vector[Node] saved
    cdef uint32_t i
    cdef size_t size = 64
    saved.safe_resize(len(nodes))
    load_bytes(saved.data(), nodes, sizeof(Node))
    while size <= saved.size() + 1:
        size *= 2
    k.ring.nodes.safe_resize(size)
    k.ring.mask = <uint32_t>size - 1
    k.ring.head = head
    k.ring.tail = tail
    for i in range(<uint32_t>saved.size()):
        node_at(k, tail + i)[0] = saved[i]


cdef void load_staged(Kernel* k, object arrays):
    cdef size_t i
    cdef vector[word_t] rows
    cdef Staged* one
    k.staged.safe_resize(len(arrays["staged"]))
    load_bytes(k.staged.data(), arrays["staged"], sizeof(Staged))
    k.staged_picks.safe_resize(len(arrays["staged picks"]))
    load_bytes(k.staged_picks.data(), arrays["staged picks"], 4)
    k.staged_words.safe_resize(len(arrays[WORDS + "staged"]))
    load_bytes(k.staged_words.data(), arrays[WORDS + "staged"], sizeof(word_t))
    for i in range(k.staged.size()):
        one = &k.staged[i]
        if one.rows > 1:
            order_rows(k.staged_words.data() + one.word, one.rows, k.states[one.state].width)


cdef void order_rows(word_t* rows, uint32_t count, uint32_t width):
    """Renumbered words have another order."""
    cdef vector[word_t] sorted_rows
    if width == 0:
        return
    sorted_rows.safe_assign(rows, rows + <size_t>count * width)
    attempted(normalise, &sorted_rows, <size_t>0, width, count)
    memcpy(rows, sorted_rows.data(), <size_t>count * width * sizeof(word_t))


cdef void load_cells(Kernel* k, StateData* s, object arrays, size_t state):
    cdef vector[word_t] words
    cdef word_t* rows
    cdef uint32_t cell
    cdef uint64_t entered = s.entered
    cdef uint64_t created = k.created
    words.safe_resize(len(arrays[f"{WORDS}cells {state}"]) + 1)
    load_bytes(words.data(), arrays[f"{WORDS}cells {state}"], sizeof(word_t))
    rows = words.data()
    for node, deadline, count, fired, listed in arrays[f"cells {state}"].tolist():
        if count > 1:
            order_rows(rows, count, s.width)
        cell = <uint32_t>attempted_number(
            cell_for, k, s, rows, <uint32_t>count, <int64_t>deadline, <uint32_t>NO_CELL
        )
        s.cells[cell].node = node
        s.cells[cell].youngest = node_at(k, node).max_start if is_live(k, node) else k.lo - 1
        s.cells[cell].fired = fired
        if s.kind == VIEWS:
            attempted(list_cell, k, s, cell, <uint32_t>listed)
        note_start(s, s.cells[cell].youngest)
        rows += <size_t>count * s.width
    for number in arrays[f"fired {state}"].tolist():
        s.fired.safe_push_back(number)
    s.entered = entered
    k.created = created


cdef void load_deadlines(Kernel* k, object deadlines):
    cdef Waiting waiting
    for time, state, number in deadlines.tolist():
        waiting.state = state
        waiting.cell.cell = number
        waiting.cell.serial = k.states[waiting.state].cells[waiting.cell.cell].serial
        k.deadlines.safe_at(time).safe_push_back(waiting)
