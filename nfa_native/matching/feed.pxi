# The door of the kernel: batches in, columns out.

# The rows of one atom in a batch, borrowed from the caller.
cdef struct AtomColumns:
    const uint32_t* row_event
    const word_t* columns
    size_t rows
    size_t at             # rows before it are used up


cdef bint is_ascending(const uint32_t* numbers, size_t count, size_t below) noexcept nogil:
    """Whether the numbers ascend and the last one is less than `below`."""
    cdef size_t i
    for i in range(1, count):
        if numbers[i] < numbers[i - 1]:
            return False
    return count == 0 or numbers[count - 1] < below


cdef object borrow_columns(vector[AtomColumns]* out, object atom, uint32_t slots, size_t events):
    """Note where the rows of an atom lie; the result keeps them alive."""
    cdef AtomColumns one
    cdef const uint32_t[::1] row_event
    cdef const uint64_t[:, ::1] columns
    one.row_event = NULL
    one.columns = NULL
    one.rows = one.at = 0
    if atom is not None and len(atom.row_event):
        row_event = np.ascontiguousarray(atom.row_event)
        columns = np.ascontiguousarray(atom.columns)
        if columns.shape[0] != slots or (slots and columns.shape[1] != row_event.shape[0]):
            raise ValueError(f"an atom of {slots} slots got columns of shape {tuple(atom.columns.shape)}")
        if not is_ascending(&row_event[0], <size_t>row_event.shape[0], events):
            raise ValueError(f"row_event must ascend and number the {events} events of the batch")
        one.row_event = &row_event[0]
        one.rows = <size_t>row_event.shape[0]
        if slots:
            one.columns = &columns[0, 0]
        out.push_back(one)
        return row_event, columns
    out.push_back(one)
    return None


cdef bint feed_batch(
    Kernel* k, const int64_t* times, const uint64_t* handles, size_t count, vector[AtomColumns]* atoms
) noexcept nogil:
    """False if time runs backwards."""
    cdef size_t i
    for i in range(count):
        if not k.open or times[i] > k.tick:
            if k.open:
                close_tick(k)
            if times[i] < k.promised:
                return False
            open_tick(k, times[i])
        elif times[i] < k.tick:
            return False
        k.next_handle = handles[i] + 1
        if store_matches(k, times[i], handles[i], <uint32_t>i, atoms):
            take_event(k, next_position(k) - 1)
        k.seq += 1
    return True


cdef bint store_matches(
    Kernel* k, int64_t time, uint64_t handle, uint32_t number, vector[AtomColumns]* atoms
) noexcept nogil:
    """Store the event with its rows if any atom matched it."""
    cdef size_t a, end
    cdef AtomColumns* one
    cdef bint stored = False
    for a in range(atoms.size()):
        one = &atoms.at(a)
        end = one.at
        while end < one.rows and one.row_event[end] == number:
            end += 1
        if end == one.at:
            continue
        if not stored:
            store_event(k, time, handle)
            stored = True
        store_rows_of(k, <uint32_t>a, one.columns, one.rows, <uint32_t>one.at, <uint32_t>(end - one.at))
        one.at = end
    return stored


cdef void advance_to(Kernel* k, int64_t time) noexcept nogil:
    if k.open and k.tick < time:
        close_tick(k)
    if time > k.promised:
        k.promised = time
    if not k.open:
        output_decided(k, time)
        if not k.by_events:
            move_window(k, time)


cdef object take_results(Kernel* k):
    cdef Results* r = &k.results
    cdef size_t count = r.first.size()
    first = np.empty(count, np.int64)
    last = np.empty(count, np.int64)
    decided = np.empty(count, np.int64)
    offsets = np.empty(count + 1, np.int64)
    atoms = np.empty(r.atoms.size(), np.uint16)
    events = np.empty(r.events.size(), np.uint64)
    words = np.empty((count, k.result_width), np.uint64)
    copy_bytes(first, r.first.data(), count * 8)
    copy_bytes(last, r.last.data(), count * 8)
    copy_bytes(decided, r.decided.data(), count * 8)
    copy_bytes(offsets, r.offsets.data(), (count + 1) * 8)
    copy_bytes(atoms, r.atoms.data(), r.atoms.size() * 2)
    copy_bytes(events, r.events.data(), r.events.size() * 8)
    copy_bytes(words, r.words.data(), r.words.size() * 8)
    r.first.clear()
    r.last.clear()
    r.decided.clear()
    r.offsets.assign(1, 0)
    r.atoms.clear()
    r.events.clear()
    r.words.clear()
    return RawMatches(first, last, decided, offsets, atoms, events, words)


cdef void copy_bytes(object array, const void* source, size_t size):
    cdef uint8_t[::1] view
    if size:
        view = array.reshape(-1).view(np.uint8)
        memcpy(&view[0], source, size)


cdef object statistics_of(Kernel* k):
    cdef size_t i
    return {
        "events": k.seq,
        "results": k.results.count,
        "ticks": k.ticks,
        "atoms": [k.matched[i] for i in range(k.matched.size())],
        "transitions": [
            {
                "offered": k.transitions[i].offered,
                "nobody_waited": k.transitions[i].lonely,
                "join_failed": k.transitions[i].unjoined,
                "filter_failed": k.transitions[i].unfiltered,
                "fired": k.transitions[i].fired,
                "pairs": k.transitions[i].pairs,
            }
            for i in range(k.transitions.size())
        ],
        "states": [
            {
                "groups": k.states[i].live,
                "entered": k.states[i].entered,
                "expired": k.states[i].expired,
                "dropped_by_contiguity": k.states[i].skipped,
                "dropped_by_negation": sum([k.states[i].guards[g].killed for g in range(k.states[i].guards.size())]),
            }
            for i in range(k.states.size())
        ],
        "nodes": k.ring.head - k.ring.tail,
        "stored_events": k.history.events.size(),
    }
