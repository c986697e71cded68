# Buckets: the cells of a state under one key of an index, oldest first.


cdef inline size_t slot_of(CellIndex* index, uint64_t key) noexcept nogil:
    """The slot of a key: its bucket's, or a free one for it."""
    cdef size_t mask = index.slots.size() - 1
    cdef size_t at = key & mask
    while index.slots[at] and index.buckets[index.slots[at] - 1].key != key:
        at = (at + 1) & mask
    return at


cdef void spread_slots(CellIndex* index) noexcept nogil:
    """Room for twice as many buckets as there are."""
    cdef size_t size = 16
    cdef size_t i
    while size < 4 * index.buckets.size():
        size *= 2
    index.slots.assign(size, 0)
    for i in range(index.buckets.size()):
        index.slots[slot_of(index, index.buckets[i].key)] = <uint32_t>i + 1


cdef Bucket* find_bucket(CellIndex* index, uint64_t key) noexcept nogil:
    """The bucket of a key, or NULL."""
    cdef size_t at
    if index.buckets.empty():
        return NULL
    at = slot_of(index, key)
    if index.slots[at] == 0:
        return NULL
    return &index.buckets[index.slots[at] - 1]


cdef Bucket* make_bucket(CellIndex* index, uint64_t key) noexcept nogil:
    """The bucket of a key, which may be new."""
    cdef Bucket fresh
    cdef size_t at
    if key == WILD:
        return &index.wild
    if index.slots.size() < 2 * index.buckets.size() + 2:
        spread_slots(index)
    at = slot_of(index, key)
    if index.slots[at] == 0:
        fresh.key = key
        fresh.ordered = False
        index.buckets.push_back(fresh)
        index.slots[at] = <uint32_t>index.buckets.size()
    return &index.buckets[index.slots[at] - 1]


cdef inline Bucket* home_bucket(StateData* s, const word_t* rows) noexcept nogil:
    """Where a cell with these rows lies in the state's first index; NULL if there is no such bucket."""
    cdef CellIndex* index
    cdef uint64_t key
    if s.indexes.empty():
        return NULL
    index = &s.indexes[0]
    key = hash_key(rows, index.columns.data(), index.columns.size())
    return &index.wild if key == WILD else find_bucket(index, key)


cdef void index_cell(StateData* s, uint32_t cell) noexcept nogil:
    """Enter a new cell into every index, once under each of its keys, and into the table of all live values."""
    cdef const word_t* rows = cell_rows(s, cell)
    cdef uint32_t count = s.cells[cell].rows
    cdef Bucket* bucket
    cdef CellIndex* index
    cdef uint64_t key
    cdef size_t i
    cdef uint32_t r
    for i in range(s.indexes.size()):
        index = &s.indexes[i]
        for r in range(count):
            key = hash_key(rows + <size_t>r * s.width, index.columns.data(), index.columns.size())
            bucket = make_bucket(index, key)
            if bucket.cells.empty() or bucket.cells.back().cell != cell or not is_current(s, &bucket.cells.back()):
                append_cell(s, index, bucket, cell)
    bucket = home_bucket(s, rows)
    if bucket == NULL or not bucket.ordered and bucket.cells.size() > FEW_CELLS:
        put_cell(s, cell)


cdef void append_cell(StateData* s, CellIndex* index, Bucket* bucket, uint32_t cell) noexcept nogil:
    """Put a cell at the end of a bucket, which may lose its order by it."""
    cdef CellReference reference
    cdef size_t i
    if index.order != NO_ORDER:
        drop_stale_end(s, bucket)
        if bucket.cells.empty():
            bucket.ordered = s.cells[cell].rows == 1
        elif bucket.ordered and not keeps_order(s, index, bucket, cell):
            bucket.ordered = False
            for i in range(FEW_CELLS, bucket.cells.size()):
                if is_current(s, &bucket.cells[i]):
                    put_cell(s, bucket.cells[i].cell)
    reference.cell = cell
    reference.serial = s.cells[cell].serial
    bucket.cells.push_back(reference)


cdef void sweep_bucket(StateData* s, Bucket* bucket) noexcept nogil:
    """Forget stale references."""
    cdef CellReference* references = bucket.cells.data()
    cdef size_t kept = 0
    cdef size_t i
    for i in range(bucket.cells.size()):
        references[kept] = references[i]
        kept += is_current(s, &references[i])
    bucket.cells.resize(kept)


cdef void sweep_index(StateData* s, CellIndex* index) noexcept nogil:
    """Forget stale references and keys that nothing is left of."""
    cdef size_t kept = 0
    cdef size_t i
    sweep_bucket(s, &index.wild)
    for i in range(index.buckets.size()):
        sweep_bucket(s, &index.buckets[i])
        if not index.buckets[i].cells.empty():
            index.buckets[kept].key = index.buckets[i].key
            index.buckets[kept].ordered = index.buckets[i].ordered
            index.buckets[kept].cells.swap(index.buckets[i].cells)
            kept += 1
    index.buckets.resize(kept)
    spread_slots(index)
