# Who waits for an event: asked before the rows of the next batch are made, changes nothing.

# What `waiting` says of a state where nobody waits.
NOBODY = -2**63


cdef inline bint is_waiting(KernelState* now, StateData* s) noexcept nogil:
    """Some partial match in the state may still be in the window."""
    if s.live == 0 or older(s.youngest, now.lo):
        return False
    invariant(s.youngest - now.history.first < now.history.events.size())
    return True


cdef object waiting_starts(Kernel* k):
    """See ``Matcher.waiting``."""
    starts = np.full(k.now.states.size(), NOBODY, np.int64)
    cdef int64_t[::1] out = starts
    cdef const Staged* staged
    cdef size_t i
    with nogil:
        for i in range(k.now.states.size()):
            if is_waiting(&k.now, &k.now.states[i]):
                out[i] = measure(k, k.now.states[i].youngest)
        for i in range(k.now.staged.size()):
            staged = &k.now.staged[i]
            out[staged.state] = max(out[staged.state], measure(k, staged.max_start))
    return starts


cdef void find_waiting(
    Kernel* k, StateData* s, uint32_t state, uint32_t which, const uint64_t[:, ::1] keys, uint8_t[::1] found
):
    """See ``Matcher.may_join``."""
    cdef CellIndex* index = &s.indexes[which]
    cdef vector[uint64_t] staged
    cdef size_t i
    with nogil:
        if not attempted_bint(list_staged, k, s, state, index, &staged) or has_current(&k.now, s, &index.wild.cells):
            for i in range(<size_t>found.shape[0]):
                found[i] = True
            return
        for i in range(<size_t>found.shape[0]):
            found[i] = attempted_bint(is_found, k, s, index, &staged, hash_column(keys, i))


cdef inline uint64_t hash_column(const uint64_t[:, ::1] keys, size_t at) noexcept nogil:
    """As ``hash_key``."""
    cdef uint64_t value = 0
    cdef Py_ssize_t i
    for i in range(keys.shape[0]):
        if keys[i, at] == UNBOUND:
            return WILD
        value = mix(value ^ keys[i, at])
    return value


cdef bint list_staged(
    Kernel* k, StateData* s, uint32_t state, const CellIndex* index, vector[uint64_t]* out
) noexcept nogil:
    """The keys, in order, of the sets that enter the state when the tick closes; False if one is not bound."""
    cdef const Staged* staged
    cdef uint64_t key
    cdef uint32_t r
    cdef size_t i
    for i in range(k.now.staged.size()):
        staged = &k.now.staged[i]
        if staged.state != state:
            continue
        for r in range(staged.rows):
            key = hash_key(
                k.now.staged_words.data(
                    ) + staged.word + <size_t>r * s.width, index.spec.columns.data(), index.spec.columns.size(
                )
            )
            if key == WILD:
                return False
            out.push_back(key)
    sort(out.begin(), out.end())
    return True


cdef bint is_found(
    Kernel* k, StateData* s, CellIndex* index, vector[uint64_t]* staged, uint64_t key
) noexcept nogil:
    """Some cell, or one of the keys in ``staged``, has the key; an unbound key has all."""
    cdef Bucket* bucket
    if key == WILD or binary_search(staged.begin(), staged.end(), key):
        return True
    bucket = find_bucket(index, key)
    if bucket == NULL:
        return False
    return has_current(&k.now, s, &bucket.cells) or s.kind == Cells.VIEWS and holds_group(k, bucket)


cdef bint holds_group(Kernel* k, const Bucket* bucket) noexcept nogil:
    """A group of the bucket's list is in the window."""
    cdef Bounds anything
    anything.count = 0
    if bucket.groups == NO_LIST:
        return False
    return find_youngest(&k.scratch, &k.now.lists[bucket.groups], &anything, k.now.lo) != NO_GROUP


cdef bint has_current(KernelState* now, StateData* s, const vector[CellReference]* bucket) noexcept nogil:
    """A cell of the bucket is alive and in the window."""
    cdef const CellReference* references = bucket.data()
    cdef size_t i
    for i in range(bucket.size()):
        if is_current(s, &references[i]) and not has_left(now, &s.cells[references[i].cell]):
            return True
    return False
