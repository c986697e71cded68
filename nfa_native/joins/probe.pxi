# From a candidate event to the cells that it joins.


cdef inline bint visit_cell(Cell* cell, uint32_t stamp, uint32_t lo) noexcept nogil:
    """Whether a living cell counts in this probe: not visited yet, and with a partial match in the candidate's window."""
    if cell.stamp == stamp:
        return False
    cell.stamp = stamp
    return not older(cell.youngest, lo)


cdef inline void pair_row(Scratch* scratch, uint32_t cell, uint32_t cell_row, uint32_t event_row) noexcept nogil:
    cdef Pair pair
    pair.cell = cell
    pair.cell_row = cell_row
    pair.event_row = event_row
    scratch.pairs.push_back(pair)


cdef void pair_rows(
    Scratch* scratch, StateData* s, uint32_t cell, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    """Append the pairs of the cell's and the candidate's rows that are compatible."""
    cdef const word_t* rows = cell_rows(s, cell)
    cdef uint32_t i, j
    for i in range(s.cells[cell].rows):
        for j in range(candidate.count):
            if compatible(step, rows + <size_t>i * s.width, candidate.rows + <size_t>j * candidate.width):
                pair_row(scratch, cell, i, j)


cdef void probe_bucket(
    Kernel* k, StateData* s, vector[CellReference]* bucket, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    """Pair the live cells of a bucket, whatever filters say; forget stale references on the way, in order."""
    cdef CellReference* references = bucket.data()
    cdef uint32_t number
    cdef Cell* cell
    cdef size_t kept = 0
    cdef size_t i
    k.scratch.scanned += bucket.size()
    k.scratch.decided = False
    for i in range(bucket.size()):
        number = references[i].cell
        cell = &s.cells[number]
        if cell.serial != references[i].serial:
            continue
        if has_left(&k.now, cell):
            free_cell(s, number)
            s.expired += 1
            continue
        if kept != i:
            references[kept] = references[i]
        kept += 1
        if not visit_cell(cell, s.stamp, candidate.lo):
            continue
        if cell.rows > 1 or candidate.count > 1:
            pair_rows(&k.scratch, s, number, step, candidate)
        elif compatible(step, s.words.data() + <size_t>number * s.width, candidate.rows):
            pair_row(&k.scratch, number, 0, 0)
    if kept < bucket.size():
        bucket.resize(kept)


cdef void list_everything(Kernel* k, StateData* s) noexcept nogil:
    """All living cells, as if they stood in one bucket."""
    cdef CellReference one
    cdef uint32_t cell
    k.scratch.everything.clear()
    for cell in range(<uint32_t>s.cells.size()):
        if s.cells[cell].rows and not has_left(&k.now, &s.cells[cell]):
            one.cell = cell
            one.serial = s.cells[cell].serial
            k.scratch.everything.push_back(one)


cdef void probe_everything(Kernel* k, StateData* s, const StepSpec* step, const Candidate* candidate) noexcept nogil:
    """Pair all living cells of the state, for a row of the candidate may join any of them."""
    k.scratch.pairs.clear()
    s.stamp += 1
    list_everything(k, s)
    probe_bucket(k, s, &k.scratch.everything, step, candidate)


cdef void probe(
    Kernel* k, StateData* s, uint32_t which, const vector[uint32_t]* columns, const StepSpec* step,
    const Candidate* candidate, const TransitionSpec* transition,
) noexcept nogil:
    """Fill `pairs`, which is empty, with what the candidate may join in the state; pairs of one cell stand together.

    Some pairs that comparisons of the transition refuse may be missing (NULL: of a guard),
    and those with groups of lists,
    unless they are to be tried `singly`.
    """
    cdef CellIndex* index = &s.indexes[which]
    cdef bint by_value = transition != NULL and transition.order != NO_ORDER and candidate.count == 1
    cdef Bucket* bucket
    cdef uint64_t key
    cdef uint32_t i
    s.stamp += 1
    k.scratch.decided = True
    for i in range(candidate.count):
        key = hash_key(candidate.rows + <size_t>i * candidate.width, columns.data(), columns.size())
        if key == WILD:
            probe_everything(k, s, step, candidate)
            return
        bucket = find_bucket(index, key)
        if bucket == NULL or by_value and probe_by_value(k, s, bucket, transition, candidate):
            continue
        probe_bucket(k, s, &bucket.cells, step, candidate)
        if k.scratch.singly and bucket.groups != NO_LIST:
            pair_groups(k, s, &k.now.lists[bucket.groups], step, candidate)
    if not index.wild.cells.empty():
        probe_bucket(k, s, &index.wild.cells, step, candidate)


cdef inline const word_t* pair_cell_row(StateData* s, const Pair* pair) noexcept nogil:
    if pair.cell == INITIAL_CELL:
        return NULL
    return cell_rows(s, pair.cell) + <size_t>pair.cell_row * s.width


cdef void filter_pairs(
    Kernel* k, StateData* s, const vector[uint32_t]* filters, const Candidate* candidate, int64_t now
) noexcept nogil:
    """Keep the pairs for which every filter is true."""
    cdef bint decided = True
    cdef size_t i
    for i in range(filters.size()):
        decided = compare_pairs(&k.scratch, s, &k.program.formulas[filters.data()[i]], candidate) and decided
    if not decided:
        test_pairs(k, s, filters, candidate, now)


cdef bint compare_pairs(
    Scratch* scratch, StateData* s, const FormulaSpec* formula, const Candidate* candidate
) noexcept nogil:
    """Drop the pairs that a comparison of the cell with the event refuses; whether it could decide on all of them."""
    cdef bint is_limit = formula.left < s.width         # an upper limit, that is
    cdef uint32_t cell_column = formula.left if is_limit else formula.right
    cdef uint32_t row_column = (formula.right if is_limit else formula.left) - s.width
    cdef Pair* pairs = scratch.pairs.data()
    cdef uint32_t unsure = 0
    cdef size_t kept = 0
    cdef word_t mine, yours
    cdef size_t i
    cdef int less
    if not formula.comparison or cell_column >= s.width or row_column >= candidate.width:
        return False
    for i in range(scratch.pairs.size()):
        mine = cell_rows(s, pairs[i].cell)[<size_t>pairs[i].cell_row * s.width + cell_column]
        yours = candidate.rows[<size_t>pairs[i].event_row * candidate.width + row_column]
        less = is_less(mine if is_limit else yours, yours if is_limit else mine)
        unsure |= less & 2
        pairs[kept] = pairs[i]
        kept += less != formula.inverted
    scratch.pairs.resize(kept)
    return not unsure


cdef inline void load_pair(Scratch* scratch, StateData* s, const Pair* pair, const Candidate* candidate) noexcept nogil:
    """The pair's two rows into the registers."""
    load_registers(
        scratch, pair_cell_row(s, pair), s.width, candidate.rows + <size_t>pair.event_row * candidate.width,
        candidate.width
    )


cdef void test_pairs(
    Kernel* k, StateData* s, const vector[uint32_t]* filters, const Candidate* candidate, int64_t now
) noexcept nogil:
    """Run the filters' programs; ask about the pairs that they cannot decide on."""
    cdef size_t kept = 0
    cdef bint ask = False
    cdef size_t i
    k.scratch.verdicts.resize(k.scratch.pairs.size())
    for i in range(k.scratch.pairs.size()):
        load_pair(&k.scratch, s, &k.scratch.pairs[i], candidate)
        k.scratch.verdicts[i] = <int8_t>native_verdict(k, filters, now)
        ask = ask or k.scratch.verdicts[i] == 2
    if ask:
        ask_pairs(k, s, filters, candidate, now)
    for i in range(k.scratch.pairs.size()):
        if k.scratch.verdicts[i] == 1:
            k.scratch.pairs[kept] = k.scratch.pairs[i]
            kept += 1
    k.scratch.pairs.resize(kept)


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
        for i in range(k.scratch.pairs.size()):
            if k.scratch.verdicts[i] == 2:
                load_pair(&k.scratch, s, &k.scratch.pairs[i], candidate)
                table.insert(table.end(), k.scratch.registers.begin(), k.scratch.registers.begin() + width)
        answers.assign(table.size() / width, 0)
        if answers.empty():
            return
        ask_filter(k, filters.at(f), table.data(), answers.size(), width, now, answers.data())
        n = 0
        for i in range(k.scratch.pairs.size()):
            if k.scratch.verdicts[i] == 2:
                if answers[n] != 1:
                    k.scratch.verdicts[i] = 0
                n += 1
    for i in range(k.scratch.pairs.size()):
        if k.scratch.verdicts[i] == 2:
            k.scratch.verdicts[i] = 1
