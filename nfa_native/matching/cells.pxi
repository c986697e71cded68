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


cdef inline bint has_left(Kernel* k, const Cell* cell) noexcept nogil:
    """All partial matches of the cell began before the present window."""
    invariant(older(cell.youngest, k.lo) != has_live(k, cell.node, k.lo))
    return older(cell.youngest, k.lo)


cdef void free_cell(StateData* s, uint32_t cell) noexcept nogil:
    """Give a cell back; references to it go stale by its serial."""
    if s.cells[cell].rows == 0:
        return
    invariant(s.live > 0)
    if s.cells[cell].rows > 1:
        s.extra[s.cells[cell].extra].clear()
        s.free_extra.push_back(s.cells[cell].extra)
    s.cells[cell].rows = s.cells[cell].serial = 0
    s.free_cells.push_back(cell)
    s.live -= 1


cdef uint32_t take_cell(StateData* s) noexcept nogil:
    cdef uint32_t cell
    cdef Cell fresh
    if s.free_cells.empty():
        cell = <uint32_t>s.cells.size()
        memset(&fresh, 0, sizeof(Cell))
        s.cells.push_back(fresh)
        s.words.resize(s.words.size() + s.width)
    else:
        cell = s.free_cells.back()
        s.free_cells.pop_back()
    s.serial += 1
    s.cells[cell].serial = s.serial
    s.cells[cell].stamp = 0
    s.cells[cell].fired = s.cells[cell].listed = 0
    s.live += 1
    return cell


cdef void store_rows(StateData* s, uint32_t cell, const word_t* rows, uint32_t count) noexcept nogil:
    cdef word_t* words = s.words.data() + <size_t>cell * s.width
    cdef vector[word_t] none
    cdef uint32_t slot
    s.cells[cell].rows = count
    if count == 1:
        for slot in range(s.width):     # a few words: a call of memcpy would cost more
            words[slot] = rows[slot]
        return
    if s.free_extra.empty():
        slot = <uint32_t>s.extra.size()
        s.extra.push_back(none)
    else:
        slot = s.free_extra.back()
        s.free_extra.pop_back()
    s.extra[slot].assign(rows, rows + <size_t>count * s.width)
    s.cells[cell].extra = slot


cdef inline uint64_t hash_rows(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """Hash of all that tells a cell from others of its state."""
    return hash_words(rows, <size_t>count * s.width, mix(<uint64_t>deadline + count))


cdef inline bint has_rows(StateData* s, uint32_t cell, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """Whether a living cell has exactly these rows and this deadline."""
    cdef const word_t* mine
    cdef size_t i
    if s.cells[cell].rows != count or s.cells[cell].deadline != deadline:
        return False
    mine = cell_rows(s, cell)
    for i in range(<size_t>count * s.width):
        if mine[i] != rows[i]:
            return False
    return True


cdef uint32_t find_cell(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """The cell with exactly these rows and deadline, or NO_CELL."""
    cdef Bucket* bucket = home_bucket(s, rows)
    cdef const CellReference* reference
    cdef size_t i
    if s.indexes.empty():
        return find_exact(s, rows, count, deadline)
    if bucket == NULL:
        return NO_CELL
    if bucket.ordered:
        return find_in_order(s, bucket, rows, count, deadline)
    for i in range(min(bucket.cells.size(), <size_t>FEW_CELLS)):
        reference = bucket.cells.data() + i
        if is_current(s, reference) and has_rows(s, reference.cell, rows, count, deadline):
            return reference.cell
    return find_exact(s, rows, count, deadline) if bucket.cells.size() > FEW_CELLS else NO_CELL


cdef uint32_t find_exact(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept nogil:
    """The cell with these rows and deadline in the table, or NO_CELL."""
    cdef uint64_t key = hash_rows(s, rows, count, deadline)
    cdef size_t mask = s.exact.keys.size() - 1
    cdef size_t at = key & mask
    if s.exact.keys.empty():
        return NO_CELL
    while s.exact.cells[at].serial:
        if s.exact.keys[at] == key and is_current(s, &s.exact.cells[at]):
            if has_rows(s, s.exact.cells[at].cell, rows, count, deadline):
                return s.exact.cells[at].cell
        at = (at + 1) & mask
    return NO_CELL


cdef void put_cell(StateData* s, uint32_t cell) noexcept nogil:
    """Enter a cell into the table of all live values."""
    cdef uint64_t key = hash_rows(s, cell_rows(s, cell), s.cells[cell].rows, s.cells[cell].deadline)
    put_reference(s, key, reference_to(s, cell))


cdef void put_reference(StateData* s, uint64_t key, CellReference reference) noexcept nogil:
    """Enter a cell under its hash; a slot whose cell is gone is taken over."""
    cdef size_t mask, at
    if s.exact.used * 2 >= s.exact.keys.size():
        grow_table(s)
    mask = s.exact.keys.size() - 1
    at = key & mask
    while s.exact.cells[at].serial and is_current(s, &s.exact.cells[at]):
        at = (at + 1) & mask
    if s.exact.cells[at].serial == 0:
        s.exact.used += 1
    s.exact.keys[at] = key
    s.exact.cells[at] = reference


cdef void grow_table(StateData* s) noexcept nogil:
    """Room for twice the living cells, at least."""
    cdef vector[uint64_t] keys
    cdef vector[CellReference] cells
    cdef CellReference unused
    cdef size_t size = 16
    cdef size_t i
    while size < 4 * <size_t>s.live:
        size *= 2
    unused.cell = unused.serial = 0
    keys.swap(s.exact.keys)
    cells.swap(s.exact.cells)
    s.exact.keys.assign(size, 0)
    s.exact.cells.assign(size, unused)
    s.exact.used = 0
    for i in range(keys.size()):
        if cells[i].serial and is_current(s, &cells[i]):
            put_reference(s, keys[i], cells[i])


cdef uint32_t cell_for(
    Kernel* k, StateData* s, const word_t* rows, uint32_t count, int64_t deadline, uint32_t guess
) noexcept nogil:
    """The cell of these rows, made if there is none; a new one has node 0."""
    cdef uint32_t cell
    if guess != NO_CELL and has_rows(s, guess, rows, count, deadline):
        return guess
    cell = NO_CELL if s.kind >= VIEWS else find_cell(s, rows, count, deadline)
    if cell != NO_CELL:
        return cell
    cell = make_cell(k, s, rows, count, deadline)
    if s.kind != VIEWS:
        index_cell(k, s, cell)
    return cell


cdef uint32_t make_cell(
    Kernel* k, StateData* s, const word_t* rows, uint32_t count, int64_t deadline
) noexcept nogil:
    """A new cell, with node 0, that is in no index yet."""
    cdef uint32_t cell = take_cell(s)
    store_rows(s, cell, rows, count)
    s.cells[cell].deadline = deadline
    s.cells[cell].node = 0
    s.entered += 1
    k.created += 1
    return cell


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
    s.exact.keys.clear()
    s.exact.cells.clear()
    s.exact.used = 0
    s.live = 0
    for i in range(s.indexes.size()):
        s.indexes[i].buckets.clear()
        s.indexes[i].slots.clear()
        s.indexes[i].wild.cells.clear()


cdef void sweep_state(Kernel* k, StateData* s) noexcept nogil:
    """Free the cells whose partial matches have all left the window, and forget stale references."""
    cdef uint32_t cell
    cdef size_t i
    for cell in range(<uint32_t>s.cells.size()):
        if s.cells[cell].rows and has_left(k, &s.cells[cell]):
            free_cell(s, cell)
            s.expired += 1
    for i in range(s.indexes.size()):
        sweep_index(k, s, &s.indexes[i])


cdef void sweep(Kernel* k) noexcept nogil:
    """Sweep all states once as many cells were made as the last sweep left: constant cost a cell; but before positions wrap."""
    cdef size_t i
    cdef bint rested = next_position(k) - k.swept >= LONGEST_REST
    cdef unordered_map[string, uint32_t].iterator at
    if k.created < 1024 + k.survived and not rested:
        return
    k.created = k.survived = 0
    k.swept = next_position(k)
    for i in range(k.states.size()):
        sweep_state(k, &k.states[i])
        k.survived += k.states[i].live
    at = k.seen.begin()
    while at != k.seen.end():
        if older(dereference(at).second, k.lo):
            at = k.seen.erase(at)
        else:
            preincrement(at)
