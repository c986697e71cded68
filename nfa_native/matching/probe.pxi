# From a candidate event to the cells that it joins.


cdef inline bint visit_cell(Kernel* k, StateData* s, uint32_t cell, uint32_t lo) noexcept nogil:
    """Whether a living cell counts in this probe: not visited yet, and with a partial match in the candidate's window."""
    if s.cells[cell].stamp == s.stamp:
        return False
    s.cells[cell].stamp = s.stamp
    return lo == k.lo or has_live(k, s.cells[cell].node, lo)


cdef void pair_cell(
    Kernel* k, StateData* s, uint32_t cell, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    """Append the pairs of the cell's and the candidate's rows that are compatible."""
    cdef const word_t* rows = cell_rows(s, cell)
    cdef Pair pair
    cdef uint32_t i, j
    pair.cell = cell
    for i in range(s.cells[cell].rows):
        for j in range(candidate.count):
            if compatible(
                step.joins.data(), step.joins.size(), rows + <size_t>i * s.width,
                candidate.rows + <size_t>j * candidate.width,
            ):
                pair.cell_row = i
                pair.event_row = j
                k.pairs.push_back(pair)


cdef void probe_bucket(
    Kernel* k, StateData* s, vector[CellReference]* bucket, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    """Pair the live cells of a bucket; forget stale references on the way, in order."""
    cdef size_t i
    cdef size_t kept = 0
    cdef uint32_t cell
    for i in range(bucket.size()):
        if not is_current(s, &bucket.at(i)):
            continue
        cell = bucket.at(i).cell
        if not has_live(k, s.cells[cell].node, k.lo):
            free_cell(s, cell)
            s.expired += 1
            continue
        if kept != i:
            bucket.data()[kept] = bucket.data()[i]
        kept += 1
        if visit_cell(k, s, cell, candidate.lo):
            pair_cell(k, s, cell, step, candidate)
    bucket.resize(kept)


cdef void probe_key(
    Kernel* k, StateData* s, CellIndex* index, uint64_t key, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    cdef unordered_map[uint64_t, vector[CellReference]].iterator at = index.buckets.find(key)
    if at == index.buckets.end():
        return
    probe_bucket(k, s, &dereference(at).second, step, candidate)


cdef void probe_all(
    Kernel* k, StateData* s, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    cdef uint32_t cell
    for cell in range(<uint32_t>s.cells.size()):
        if s.cells[cell].rows == 0 or not has_live(k, s.cells[cell].node, k.lo):
            continue
        if visit_cell(k, s, cell, candidate.lo):
            pair_cell(k, s, cell, step, candidate)


cdef void probe(
    Kernel* k, StateData* s, uint32_t which, const vector[uint32_t]* columns, const StepSpec* step,
    const Candidate* candidate
) noexcept nogil:
    """Fill `pairs` with what the candidate may join in the state; pairs of one cell stand together."""
    cdef CellIndex* index = &s.indexes[which]
    cdef uint64_t key
    cdef uint32_t i
    k.pairs.clear()
    s.stamp += 1
    if columns.empty():
        probe_key(k, s, index, 0, step, candidate)
        return
    for i in range(candidate.count):
        key = hash_key(candidate.rows + <size_t>i * candidate.width, columns.data(), columns.size())
        if key == WILD:
            probe_all(k, s, step, candidate)
            return
    for i in range(candidate.count):
        key = hash_key(candidate.rows + <size_t>i * candidate.width, columns.data(), columns.size())
        probe_key(k, s, index, key, step, candidate)
    probe_key(k, s, index, WILD, step, candidate)


cdef inline const word_t* pair_cell_row(StateData* s, const Pair* pair) noexcept nogil:
    if pair.cell == INITIAL_CELL:
        return NULL
    return cell_rows(s, pair.cell) + <size_t>pair.cell_row * s.width


cdef void filter_pairs(
    Kernel* k, StateData* s, const vector[uint32_t]* filters, const Candidate* candidate, int64_t now
) noexcept nogil:
    """Keep the pairs for which every filter is true."""
    cdef size_t i
    cdef size_t kept = 0
    cdef Pair* pair
    cdef bint ask = False
    if filters.empty() or k.pairs.empty():
        return
    k.verdicts.resize(k.pairs.size())
    for i in range(k.pairs.size()):
        pair = &k.pairs[i]
        load_registers(
            k, pair_cell_row(s, pair), s.width, candidate.rows + <size_t>pair.event_row * candidate.width,
            candidate.width,
        )
        k.verdicts[i] = <int8_t>native_verdict(k, filters, now)
        ask = ask or k.verdicts[i] == 2
    if ask:
        ask_pairs(k, s, filters, candidate, now)
    for i in range(k.pairs.size()):
        if k.verdicts[i] == 1:
            k.pairs[kept] = k.pairs[i]
            kept += 1
    k.pairs.resize(kept)


cdef void ask_pairs(
    Kernel* k, StateData* s, const vector[uint32_t]* filters, const Candidate* candidate, int64_t now
) noexcept nogil:
    """Ask, in one batch a filter, about all pairs that the native programs could not decide."""
    cdef uint32_t width = s.width + candidate.width + 1
    cdef vector[word_t] table
    cdef vector[int8_t] answers
    cdef size_t i, f, n
    for f in range(filters.size()):
        table.clear()
        for i in range(k.pairs.size()):
            if k.verdicts[i] != 2:
                continue
            load_registers(
                k, pair_cell_row(s, &k.pairs[i]), s.width,
                candidate.rows + <size_t>k.pairs[i].event_row * candidate.width, candidate.width,
            )
            table.insert(table.end(), k.registers.begin(), k.registers.begin() + width)
        answers.assign(table.size() / width, 0)
        if answers.empty():
            return
        ask_filter(k, filters.at(f), table.data(), answers.size(), width, now, answers.data())
        n = 0
        for i in range(k.pairs.size()):
            if k.verdicts[i] == 2:
                if answers[n] != 1:
                    k.verdicts[i] = 0
                n += 1
    for i in range(k.pairs.size()):
        if k.verdicts[i] == 2:
            k.verdicts[i] = 1
