# What an event's row asks of zone maps, and zone maps of the cells in a bucket that has no order.


cdef inline word_t bound_value(
    Kernel* k, const Compared* compared, uint32_t width, const word_t* row, uint32_t row_width, int64_t now
) noexcept nogil:
    """The event's side of a comparison, for cells of `width` columns."""
    if compared.event.kind == ColumnSource.ROW:
        return row[compared.event.row]
    return value_of(k, &compared.event, k.scratch.blank.data(), width, row, row_width, now)


cdef inline bint load_bounds(
    Kernel* k, const StepSpec* step, uint32_t width, const word_t* row, uint32_t row_width, int64_t now, Bounds* bounds
) noexcept nogil:
    """The step's comparisons with the values of a row; False if one is not bound: it holds for no cell."""
    cdef const Compared* compared = step.compared.data()
    cdef const Compared* end = compared + step.compared.size()
    cdef Bound* bound
    cdef word_t value
    bounds.count = 0
    while compared != end:
        if compared.slot < MOST_COMPARED and bounds.count < MOST_BOUNDS:
            bound = bounds.each + bounds.count
            value = bound_value(k, compared, width, row, row_width, now)
            bound.value = measured(value)
            bound.slot = compared.slot
            bound.limit = compared.limit
            bound.inverted = compared.inverted
            bounds.count += 1
            if value == UNBOUND:
                return False
        compared += 1
    return True


cdef bint are_comparable(const GroupList* groups, const Bounds* bounds) noexcept nogil:
    """Whether every bound compares with what the list has."""
    cdef uint32_t i
    for i in range(bounds.count):
        if kind_of_order(bounds.each[i].value.word) != groups.kinds[bounds.each[i].slot]:
            return False
    return True


cdef inline void read_values(const CellIndex* index, const word_t* row, word_t* out) noexcept nogil:
    """What the index compares of a cell's row."""
    cdef const uint32_t* column = index.spec.compared.data()
    cdef const uint32_t* end = column + index.spec.compared.size()
    out[0] = out[1] = UNBOUND
    while column != end:
        out[0] = row[column[0]]
        out += 1
        column += 1


cdef bint join_list(
    StateData* s, const CellIndex* index, GroupList* groups, uint32_t cell, uint32_t start
) noexcept nogil:
    """Append a cell to a list, unless its values do not compare with those there; whether it was."""
    cdef const Cell* one = s.cells.data() + cell
    cdef word_t values[MOST_COMPARED]
    cdef Group* group
    cdef uint32_t i
    if one.rows > 1:
        return False
    read_values(index, s.words.data() + <size_t>cell * s.width, values)
    if not (take_kinds(groups, values) if groups.groups.empty() else has_kinds(groups, values)):
        return False
    groups.groups.emplace_back()
    group = &groups.groups.back()
    for i in range(groups.columns):
        group.values[i] = measured(values[i])
    group.node = one.node
    group.max_start = start
    group.cell = cell
    group.serial = one.serial
    close_group(groups)
    return True


# The zone map of a bucket's cells: `max_start` says whether a group's cell may be alive, 1 or 0.


cdef void map_cell(
    KernelState* now, StateData* s, const CellIndex* index, Bucket* bucket, uint32_t cell
) noexcept nogil:
    """Add a new cell to the bucket's zone map; without a place in it the bucket has no map."""
    if not join_list(s, index, &now.lists[bucket.groups], cell, 1):
        drop_list(now, bucket.groups)
        bucket.groups = NO_LIST
        bucket.mixed = True


cdef void map_bucket(KernelState* now, StateData* s, const CellIndex* index, Bucket* bucket) noexcept nogil:
    """Make the zone map of a bucket, if all of its cells have a place in one."""
    cdef size_t i
    bucket.groups = new_list(now, <uint32_t>index.spec.compared.size())
    for i in range(bucket.cells.size()):
        if bucket.groups != NO_LIST and is_current(s, &bucket.cells[i]):
            map_cell(now, s, index, bucket, bucket.cells[i].cell)


cdef bint probe_zones(
    Kernel* k, StateData* s, Bucket* bucket, const TransitionSpec* transition, const Candidate* candidate
) noexcept nogil:
    """Pair the cells of a bucket that its zone map finds; False, and nothing is paired, if it cannot tell."""
    cdef CellIndex* index = &s.indexes[transition.index]
    cdef size_t before = k.scratch.pairs.size()
    cdef Bounds bounds
    cdef int64_t at
    if bucket.mixed or bucket.cells.size() <= FEW_PROBED:
        return False
    if bucket.groups == NO_LIST:
        map_bucket(&k.now, s, index, bucket)
        if bucket.groups == NO_LIST:
            return False
    k.scratch.refused = True
    if not load_bounds(k, &transition.step, s.width, candidate.rows, candidate.width, k.now.tick, &bounds):
        return True
    if not are_comparable(&k.now.lists[bucket.groups], &bounds):
        return False
    at = find_group(
        &k.scratch, &k.now.lists[bucket.groups], <int64_t>k.now.lists[bucket.groups].groups.size(), &bounds, 1
    )
    while at != NO_GROUP:
        pair_group(k, s, &k.now.lists[bucket.groups], at, &transition.step, candidate)
        at = find_group(&k.scratch, &k.now.lists[bucket.groups], at, &bounds, 1)
    k.scratch.decided = k.scratch.decided and transition.mapped
    if k.scratch.pairs.size() > before + 1:
        reverse(k.scratch.pairs.begin() + before, k.scratch.pairs.end())    # oldest first, as everywhere
    return True


cdef void pair_group(
    Kernel* k, StateData* s, GroupList* groups, size_t at, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    """Pair the cell of a group with the candidate, if it is alive and joins."""
    cdef const Group* group = &groups.groups[at]
    cdef Cell* cell = &s.cells[group.cell]
    if cell.serial == group.serial and has_left(&k.now, cell):
        free_cell(s, group.cell)
        s.expired += 1
    if cell.serial != group.serial:
        strike_group(groups, at)
    elif not older(cell.youngest, candidate.lo):
        if compatible(step, s.words.data() + <size_t>group.cell * s.width, candidate.rows):
            pair_row(&k.scratch, group.cell, 0, 0)
