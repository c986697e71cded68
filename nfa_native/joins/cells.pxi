# Cells: one for each state and set of live rows, found by exact value or through an index on join columns.


cdef inline const word_t* cell_rows(StateData* s, uint32_t cell) noexcept nogil:
    if s.cells[cell].rows > 1:
        return s.extra[s.cells[cell].extra].data()
    return s.words.data() + <size_t>cell * s.width


cdef inline uint64_t hash_words(const word_t* words, size_t count, uint64_t seed) noexcept nogil:
    cdef size_t i
    for i in range(count):
        seed = mix(seed ^ words[i])
    return seed


cdef inline uint64_t hash_key(const word_t* row, const uint32_t* columns, size_t count) noexcept nogil:
    """Hash of a row's key; WILD if part of it is unbound."""
    cdef uint64_t value = 0
    cdef size_t i
    for i in range(count):
        if row[columns[i]] == UNBOUND:
            return WILD
        value = mix(value ^ row[columns[i]])
    return value


cdef inline bint is_current(StateData* s, const CellReference* reference) noexcept nogil:
    return s.cells[reference.cell].serial == reference.serial


cdef inline CellReference reference_to(StateData* s, uint32_t cell) noexcept nogil:
    cdef CellReference reference
    reference.cell = cell
    reference.serial = s.cells[cell].serial
    return reference


cdef inline bint has_left(KernelState* now, const Cell* cell) noexcept nogil:
    """All partial matches of the cell began before the present window."""
    invariant(older(cell.youngest, now.lo) != has_live(now, cell.node, now.lo))
    return older(cell.youngest, now.lo)


cdef void free_cell(StateData* s, uint32_t cell) noexcept nogil:
    """Give a cell back; references to it go stale by its serial."""
    cdef Cell* one = s.cells.data() + cell
    if one.rows == 0:
        return
    invariant(s.live > 0)
    if one.rows > 1:
        s.extra[one.extra].clear()
        s.free_extra.push_back(one.extra)
    one.rows = one.serial = 0
    s.free_cells.push_back(cell)
    s.live -= 1


cdef inline uint32_t take_cell(StateData* s) noexcept nogil:
    """A cell with nothing in it yet, and a serial for it."""
    cdef uint32_t cell
    if s.free_cells.empty():
        cell = <uint32_t>s.cells.size()
        s.cells.emplace_back()
        s.words.resize(s.words.size() + s.width)
    else:
        cell = s.free_cells.back()
        s.free_cells.pop_back()
    s.serial += 1
    s.live += 1
    return cell


cdef uint32_t take_extra(StateData* s, const word_t* rows, uint32_t count) noexcept nogil:
    """Where several rows of a cell then lie."""
    cdef uint32_t slot
    if s.free_extra.empty():
        slot = <uint32_t>s.extra.size()
        s.extra.emplace_back()
    else:
        slot = s.free_extra.back()
        s.free_extra.pop_back()
    s.extra[slot].assign(rows, rows + <size_t>count * s.width)
    return slot


cdef inline uint32_t hash_rows(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """Hash of all that tells a cell from others of its state."""
    return <uint32_t>hash_words(rows, <size_t>count * s.width, <uint64_t>deadline + count)


cdef inline bint has_rows(
    StateData* s, uint32_t cell, const word_t* rows, uint32_t count, int64_t deadline
) noexcept nogil:
    """Whether a living cell has exactly these rows and this deadline."""
    cdef const Cell* one = s.cells.data() + cell
    cdef const word_t* mine
    cdef size_t i
    if one.rows != count or one.deadline != deadline:
        return False
    mine = cell_rows(s, cell)
    for i in range(<size_t>count * s.width):
        if mine[i] != rows[i]:
            return False
    return True


cdef uint32_t find_cell(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """The cell with exactly these rows and deadline, or NO_CELL."""
    cdef Bucket* home = home_bucket(s, rows)
    if s.indexes.empty():
        return find_exact(s, rows, count, deadline)
    return NO_CELL if home == NULL else find_at_home(s, home, rows, count, deadline)


cdef uint32_t find_at_home(
    StateData* s, const Bucket* home, const word_t* rows, uint32_t count, int64_t deadline
) noexcept nogil:
    """The cell with exactly these rows and deadline, whose bucket in the first index is `home`, or NO_CELL."""
    cdef const CellReference* reference = home.cells.data()
    cdef const CellReference* end = reference + home.cells.size()
    if home.ordered:
        return find_in_order(s, home, rows, count, deadline)
    if home.tabled:
        return find_exact(s, rows, count, deadline)
    while reference != end:
        if is_current(s, reference) and has_rows(s, reference.cell, rows, count, deadline):
            return reference.cell
        reference += 1
    return NO_CELL


cdef uint32_t find_exact(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """The cell with these rows and deadline in the table, or NO_CELL."""
    cdef uint32_t hash = hash_rows(s, rows, count, deadline)
    cdef const TableEntry* entries = s.exact.slots.data()
    cdef size_t at = s.exact.home(hash)
    if s.exact.slots.empty():
        return NO_CELL
    while entries[at].cell.serial:
        if entries[at].hash == hash and is_current(s, &entries[at].cell):
            if has_rows(s, entries[at].cell.cell, rows, count, deadline):
                return entries[at].cell.cell
        at = s.exact.next(at)
    return NO_CELL


cdef inline void expect_cell(const StateData* s, const word_t* row) noexcept nogil:
    """A cell of one row will soon be looked for, most likely without a deadline: ask for its place in a large table."""
    if s.exact.mask + 1 >= LARGE_TABLE:
        prefetch(s.exact.slots.data() + s.exact.home(hash_words(row, s.width, 1)))


cdef void put_cell(StateData* s, uint32_t cell) noexcept nogil:
    """Enter a cell into the table of all live values."""
    cdef TableEntry entry
    if s.exact.is_full():
        grow_table(s)
    entry.hash = hash_rows(s, cell_rows(s, cell), s.cells[cell].rows, s.cells[cell].deadline)
    entry.cell = reference_to(s, cell)
    s.exact.put(entry)


cdef void grow_table(StateData* s) noexcept nogil:
    """Room for more, when stale entries are dropped."""
    cdef size_t i
    for i in range(s.exact.slots.size()):
        if not is_current(s, &s.exact.slots[i].cell):
            s.exact.slots[i].cell.serial = 0
    s.exact.spread(16)


cdef uint32_t cell_for(
    Kernel* k, StateData* s, const word_t* rows, uint32_t count, int64_t deadline, uint32_t guess
) noexcept nogil:
    """The cell of these rows, made if there is none; a new one has node 0."""
    cdef Bucket* home
    cdef uint32_t cell
    if guess != NO_CELL and has_rows(s, guess, rows, count, deadline):
        return guess
    if s.kind == Cells.VIEWS:
        return make_cell(&k.now, s, rows, count, deadline)
    if s.indexes.empty():
        return cell_in_table(&k.now, s, rows, count, deadline)
    home = make_bucket(&s.indexes[0], home_key(s, rows))
    cell = NO_CELL if s.kind == Cells.FLAT else find_at_home(s, home, rows, count, deadline)
    if cell == NO_CELL:
        cell = make_cell(&k.now, s, rows, count, deadline)
        enter_home(&k.now, s, home, cell)
        if count > 1 or s.indexes.size() > 1:
            index_further(&k.now, s, cell)
    return cell


cdef uint32_t cell_in_table(
    KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline
) noexcept nogil:
    """As `cell_for`, in a state where nothing looks for cells by a key."""
    cdef uint32_t cell = NO_CELL if s.kind == Cells.FLAT else find_exact(s, rows, count, deadline)
    if cell == NO_CELL:
        cell = make_cell(now, s, rows, count, deadline)
        if s.kind != Cells.FLAT:
            put_cell(s, cell)
    return cell


cdef uint32_t make_cell(
    KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline
) noexcept nogil:
    """A new cell, with node 0, that is in no index yet."""
    cdef uint32_t number = take_cell(s)
    cdef Cell* cell = s.cells.data() + number
    cdef word_t* words = s.words.data() + <size_t>number * s.width
    cdef uint32_t i
    cell.serial = s.serial
    cell.deadline = deadline
    cell.rows = count
    cell.node = cell.stamp = cell.fired = cell.listed = 0
    if count > 1:
        cell.extra = take_extra(s, rows, count)
    else:
        for i in range(s.width):        # a few words: a call of memcpy would cost more
            words[i] = rows[i]
    s.entered += 1
    now.created += 1
    return number


cdef inline void note_start(StateData* s, uint32_t start) noexcept nogil:
    """A cell of the state, maybe its only one, has a partial match that began at `start`."""
    if s.live == 1 or older(s.youngest, start):
        s.youngest = start


cdef void clear_cells(StateData* s) noexcept nogil:
    """Drop every cell of the state at once, in time proportional to those that were made since the last time."""
    cdef size_t i
    if s.cells.empty():
        return
    s.cells.clear()
    s.words.clear()
    s.extra.clear()
    s.free_cells.clear()
    s.free_extra.clear()
    s.exact.clear()
    s.live = 0
    for i in range(s.indexes.size()):
        s.indexes[i].buckets.clear()
        s.indexes[i].slots.clear()
        s.indexes[i].wild.cells.clear()


cdef void sweep_state(KernelState* now, StateData* s) noexcept nogil:
    """Free the cells whose partial matches have all left the window, and forget stale references."""
    cdef uint32_t cell
    cdef size_t i
    for cell in range(<uint32_t>s.cells.size()):
        if s.cells[cell].rows and has_left(now, &s.cells[cell]):
            free_cell(s, cell)
            s.expired += 1
    for i in range(s.indexes.size()):
        sweep_index(now, s, &s.indexes[i])


cdef void sweep(Kernel* k) noexcept nogil:
    """Sweep all states once as many cells were made as the last sweep left: constant cost a cell; but before positions wrap."""
    cdef size_t i
    cdef bint rested = next_position(&k.now) - k.now.swept >= LONGEST_REST
    cdef unordered_map[string, uint32_t, TextHash].iterator at
    if k.now.created < FEW_CREATED + k.now.survived and not rested:
        return
    k.now.created = k.now.survived = 0
    k.now.swept = next_position(&k.now)
    for i in range(k.now.states.size()):
        sweep_state(&k.now, &k.now.states[i])
        k.now.survived += k.now.states[i].live
    at = k.now.seen.begin()
    while at != k.now.seen.end():
        if older(dereference(at).second, k.now.lo):
            at = k.now.seen.erase(at)
        else:
            preincrement(at)
