# Buckets: the cells of a state under one key of an index, oldest first.


cdef inline void know_key(CellIndex* index, size_t number) noexcept nogil:
    """Enter a bucket by its key."""
    cdef KeyEntry entry
    entry.hash = <uint32_t>index.buckets[number].key
    entry.bucket = <uint32_t>number + 1
    index.slots.put(entry)


cdef void spread_slots(CellIndex* index) noexcept nogil:
    """Room for twice as many buckets as there are, which may have other numbers than before."""
    cdef size_t size = 16
    cdef size_t i
    while size < 4 * index.buckets.size():
        size *= 2
    index.slots.open(size)
    for i in range(index.buckets.size()):
        know_key(index, i)


cdef inline Bucket* find_bucket(CellIndex* index, uint64_t key) noexcept nogil:
    """The bucket of a key, or NULL."""
    cdef Bucket* buckets = index.buckets.data()
    cdef const KeyEntry* slots = index.slots.slots.data()
    cdef size_t at = index.slots.home(<uint32_t>key)
    if index.slots.slots.empty():
        return NULL
    while slots[at].bucket:
        if slots[at].hash == <uint32_t>key and buckets[slots[at].bucket - 1].key == key:
            return buckets + (slots[at].bucket - 1)
        at = index.slots.next(at)
    return NULL


cdef inline Bucket* make_bucket(CellIndex* index, uint64_t key) noexcept nogil:
    """The bucket of a key, which may be new."""
    cdef Bucket* bucket = find_bucket(index, key)
    if bucket != NULL:
        return bucket
    return &index.wild if key == WILD else add_bucket(index, key)


cdef Bucket* add_bucket(CellIndex* index, uint64_t key) noexcept nogil:
    """A new bucket."""
    cdef Bucket fresh
    if index.slots.is_full():
        spread_slots(index)
    fresh.key = key
    fresh.ordered = fresh.mixed = fresh.tabled = False
    fresh.groups = NO_LIST
    index.buckets.push_back(fresh)
    know_key(index, index.buckets.size() - 1)
    return &index.buckets.back()


cdef inline uint64_t home_key(StateData* s, const word_t* rows) noexcept nogil:
    """The key of a cell with these rows in the state's first index."""
    return hash_key(rows, s.indexes[0].spec.columns.data(), s.indexes[0].spec.columns.size())


cdef inline Bucket* home_bucket(StateData* s, const word_t* rows) noexcept nogil:
    """Where a cell with these rows lies in the state's first index; NULL if there is no such bucket."""
    cdef uint64_t key
    if s.indexes.empty():
        return NULL
    key = home_key(s, rows)
    return &s.indexes[0].wild if key == WILD else find_bucket(&s.indexes[0], key)


cdef void index_further(KernelState* now, StateData* s, uint32_t cell) noexcept nogil:
    """Enter a new cell, which is in its home bucket, into every index, once under each of its keys."""
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
            key = hash_key(rows + <size_t>r * s.width, index.spec.columns.data(), index.spec.columns.size())
            bucket = make_bucket(index, key)
            if bucket.cells.empty() or bucket.cells.back().cell != cell or not is_current(s, &bucket.cells.back()):
                append_cell(now, s, index, bucket, cell)


cdef void append_cell(KernelState* now, StateData* s, CellIndex* index, Bucket* bucket, uint32_t cell) noexcept nogil:
    """Put a cell at the end of a bucket, which may lose its order by it."""
    if index.spec.order != NO_ORDER:
        drop_stale_end(s, bucket)
        if bucket.cells.empty():
            bucket.ordered = s.cells[cell].rows == 1
            bucket.tabled = False
        elif bucket.ordered and not keeps_order(s, index, bucket, cell):
            bucket.ordered = False
    bucket.cells.push_back(reference_to(s, cell))
    if bucket.groups != NO_LIST:
        map_cell(now, s, index, bucket, cell)


cdef void enter_home(KernelState* now, StateData* s, Bucket* home, uint32_t cell) noexcept nogil:
    """Put a cell at the end of its home bucket, and into the table of all live values if the bucket's cells are there."""
    append_cell(now, s, &s.indexes[0], home, cell)
    if home.ordered or s.kind == Cells.FLAT:
        return
    if home.tabled:
        put_cell(s, cell)
    elif home.cells.size() > FEW_FOUND:
        home.tabled = True
        put_cells(s, home)


cdef void put_cells(StateData* s, const Bucket* bucket) noexcept nogil:
    """Enter the cells of a bucket into the table of all live values."""
    cdef size_t i
    for i in range(bucket.cells.size()):
        if is_current(s, &bucket.cells[i]):
            put_cell(s, bucket.cells[i].cell)


cdef void sweep_bucket(StateData* s, Bucket* bucket) noexcept nogil:
    """Forget stale references."""
    cdef CellReference* references = bucket.cells.data()
    cdef size_t kept = 0
    cdef size_t i
    for i in range(bucket.cells.size()):
        references[kept] = references[i]
        kept += is_current(s, &references[i])
    bucket.cells.resize(kept)


cdef void sweep_groups(KernelState* now, StateData* s, Bucket* bucket) noexcept nogil:
    """Forget groups that are over; a zone map of cells is made again when it is needed."""
    bucket.mixed = False
    if bucket.groups == NO_LIST:
        return
    if s.kind == Cells.VIEWS:
        trim_groups(&now.lists[bucket.groups], now.lo)
    if s.kind != Cells.VIEWS or now.lists[bucket.groups].groups.empty():
        drop_list(now, bucket.groups)
        bucket.groups = NO_LIST


cdef void sweep_index(KernelState* now, StateData* s, CellIndex* index) noexcept nogil:
    """Forget stale references and keys that nothing is left of."""
    cdef size_t kept = 0
    cdef size_t i
    cdef Bucket* bucket
    sweep_bucket(s, &index.wild)
    for i in range(index.buckets.size()):
        bucket = &index.buckets[i]
        sweep_bucket(s, bucket)
        sweep_groups(now, s, bucket)
        if not bucket.cells.empty() or bucket.groups != NO_LIST:
            index.buckets[kept].key = bucket.key
            index.buckets[kept].ordered = bucket.ordered
            index.buckets[kept].mixed = bucket.mixed
            index.buckets[kept].tabled = bucket.tabled
            index.buckets[kept].groups = bucket.groups
            index.buckets[kept].cells.swap(bucket.cells)
            kept += 1
    index.buckets.resize(kept)
    spread_slots(index)


cdef size_t longest_in_kernel(KernelState* now):
    """See ``Matcher.longest_run``; of the results that were seen it is the fullest bucket."""
    cdef size_t longest = 0, state, i
    for i in range(now.seen.bucket_count()):
        longest = max(longest, now.seen.bucket_size(i))
    for state in range(now.states.size()):
        longest = max(longest, longest_in_state(&now.states[state]))
    return longest


cdef size_t longest_in_state(const StateData* s):
    cdef size_t longest = s.exact.longest_run()
    cdef size_t index
    for index in range(s.indexes.size()):
        longest = max(longest, s.indexes[index].slots.longest_run())
    return longest
