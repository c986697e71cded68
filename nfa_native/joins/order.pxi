# Ordered buckets: where a comparison with the event decides which cells go on, those that stay behind under skip-till-next
# are a monotone stack.  A bucket is ordered while every cell came in order behind those before it.


cdef inline word_t order_value(StateData* s, const CellIndex* index, uint32_t cell) noexcept nogil:
    """What the index compares of a cell with one row."""
    return s.words[<size_t>cell * s.width + index.spec.order]


cdef inline int follows(const CellIndex* index, word_t value, word_t last) noexcept nogil:
    """Whether a value may stand behind another one only: 1, 0 (before it, or they are equal), or 2 if they are not comparable."""
    return is_less(value, last) if index.spec.falls else is_less(last, value)


cdef inline void drop_stale_end(StateData* s, Bucket* bucket) noexcept nogil:
    """Forget the references at the end whose cells are gone."""
    while not bucket.cells.empty() and not is_current(s, &bucket.cells.back()):
        bucket.cells.pop_back()


cdef bint keeps_order(StateData* s, const CellIndex* index, const Bucket* bucket, uint32_t cell) noexcept nogil:
    """A cell may stand at the end of an ordered bucket whose last cell is alive."""
    if s.cells[cell].rows > 1:
        return False
    return follows(index, order_value(s, index, bucket.cells.back().cell), order_value(s, index, cell)) == 0


cdef uint32_t find_in_order(
    StateData* s, const Bucket* bucket, const word_t* rows, uint32_t count, int64_t deadline
) noexcept nogil:
    """The cell of an ordered bucket with exactly these rows and deadline, or NO_CELL."""
    cdef const CellIndex* index = &s.indexes[0]
    cdef const CellReference* reference
    cdef size_t i = bucket.cells.size()
    if count > 1:
        return NO_CELL
    while i > 0:
        i -= 1
        reference = bucket.cells.data() + i
        if not is_current(s, reference):
            continue
        if has_rows(s, reference.cell, rows, count, deadline):
            return reference.cell
        if follows(index, rows[index.spec.order], order_value(s, index, reference.cell)) == 1:
            return NO_CELL
    return NO_CELL


cdef inline bint probe_by_value(
    Kernel* k, StateData* s, Bucket* bucket, const TransitionSpec* transition, const Candidate* candidate
) noexcept nogil:
    """Pair the cells of a bucket that the transition's comparisons accept; False if it has neither order nor zone map."""
    if bucket.ordered:
        return probe_in_order(k, s, bucket, transition, candidate)
    return probe_zones(k, s, bucket, transition, candidate)


cdef bint probe_in_order(
    Kernel* k, StateData* s, Bucket* bucket, const TransitionSpec* transition, const Candidate* candidate
) noexcept nogil:
    """Pair the cells that the transition's order accepts: the last ones of an ordered bucket.

    False, and nothing is paired, if some value cannot be compared.
    """
    cdef const Compared* compared = &transition.step.compared.data()[transition.order]
    cdef const CellIndex* index = &s.indexes[transition.index]
    cdef word_t yours = bound_value(k, compared, s.width, candidate.rows, candidate.width, k.now.tick)
    cdef size_t before = k.scratch.pairs.size()
    cdef const CellReference* reference
    cdef size_t i
    cdef word_t mine
    cdef int less
    drop_stale_end(s, bucket)
    i = bucket.cells.size()
    while i > 0:
        i -= 1
        reference = bucket.cells.data() + i
        if not is_current(s, reference):
            continue
        k.scratch.scanned += 1
        mine = order_value(s, index, reference.cell)
        less = is_less(mine if compared.limit else yours, yours if compared.limit else mine)
        if less == 2:
            k.scratch.pairs.resize(before)
            return False
        if less == compared.inverted:
            k.scratch.refused = True
            break
        if not older(s.cells[reference.cell].youngest, candidate.lo):
            if compatible(&transition.step, s.words.data() + <size_t>reference.cell * s.width, candidate.rows):
                pair_row(&k.scratch, reference.cell, 0, 0)
    k.scratch.decided = k.scratch.decided and transition.ordered
    if k.scratch.pairs.size() > before + 1:
        reverse(k.scratch.pairs.begin() + before, k.scratch.pairs.end())    # oldest first, as everywhere
    return True
