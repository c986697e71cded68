# Views: under skip-till-any the partial matches that an event takes along by comparisons are those in a prefix of a list
# that pass.  One node says so, however many they are; they are looked up when matches are put out.


cdef bint has_key(const GroupList* groups, const TransitionSpec* transition, const word_t* row) noexcept nogil:
    """Whether the list's key is the row's: keys may share a hash."""
    cdef size_t i
    for i in range(groups.key.size()):
        if groups.key.at(i) != row[transition.probe.at(i)]:
            return False
    return True


cdef bint fire_view(Kernel* k, uint32_t which, Candidate* candidate) noexcept nogil:
    """Take the transition from all groups of the candidate's key that pass, as one set; whether there are any.

    `aside`: there are also cells that may have the key and are in no list.  `singly`: the list cannot tell, its groups must
    be tried one by one.
    """
    cdef TransitionSpec* transition = &k.program.transitions[which]
    cdef StateData* s = &k.now.states[transition.source]
    cdef GroupList* groups
    cdef Bucket* bucket
    cdef Bounds bounds
    cdef int64_t found
    cdef uint64_t key = hash_key(candidate.rows, transition.probe.data(), transition.probe.size())
    k.scratch.singly = k.scratch.aside = candidate.count > 1 or key == WILD
    if k.scratch.singly:
        return False
    bucket = find_bucket(&s.indexes[transition.index], key)
    k.scratch.aside = not s.indexes[transition.index].wild.cells.empty() or bucket != NULL and not bucket.cells.empty()
    if bucket == NULL or bucket.groups == NO_LIST or not has_key(&k.now.lists[bucket.groups], transition, candidate.rows):
        return False
    groups = &k.now.lists[bucket.groups]
    if groups.groups.empty() or not load_bounds(
        k, &transition.step, s.width, candidate.rows, candidate.width, k.now.tick, &bounds
    ):
        k.scratch.refused = True
        return False
    k.scratch.singly = not are_comparable(groups, &bounds)
    if k.scratch.singly:
        return False
    found = find_youngest(&k.scratch, groups, &bounds, candidate.lo)
    k.scratch.refused = found == NO_GROUP
    if found != NO_GROUP:
        take_view(k, which, candidate, bucket.groups, groups, &groups.groups[found])
    return found != NO_GROUP


cdef void take_view(
    Kernel* k, uint32_t which, Candidate* candidate, uint32_t number, const GroupList* groups, const Group* group
) noexcept nogil:
    """Move what the candidate sees of list `number`; the group has the youngest start in it."""
    cdef StateData* s = &k.now.states[k.program.transitions[which].source]
    cdef size_t staged = k.now.staged.size()
    cdef size_t postponed = k.pause.postponed.size()
    cdef uint32_t head = k.now.ring.head
    cdef uint32_t start = group.max_start
    cdef uint32_t node
    cdef Pair pair
    invariant(s.cells[group.cell].serial == group.serial)       # something in it is in the window
    pair.cell = group.cell
    pair.cell_row = pair.event_row = 0
    node = write_node(&k.now, k.scratch.combination[0], VIEW | which, number, group_end(groups), start)
    advance_set(k, which, candidate, &pair, 1, node, start, 0)
    if k.now.staged.size() == staged and k.pause.postponed.size() == postponed and not k.pause.suspended:
        k.now.ring.head = head          # nobody keeps the view


cdef void visit_view(Kernel* k, const Node* view, Visit visit, uint32_t lo) noexcept nogil:
    """Visit the next group in a view, and the view again."""
    cdef const GroupList* groups = &k.now.lists[view.next]
    cdef uint32_t before = visit.before if visit.begun else view.sibling - groups.base
    cdef int64_t found = group_in_view(k, view, before, lo)
    if found == NO_GROUP:
        return
    visit.begun = 1
    visit.before = <uint32_t>found
    k.scratch.visits.push_back(visit)
    visit.begun = visit.before = 0
    visit.node = groups.groups[found].node
    k.scratch.visits.push_back(visit)


cdef int64_t group_in_view(Kernel* k, const Node* view, uint32_t before, uint32_t lo) noexcept nogil:
    """The place of the last group in a view in front of `before` that holds something from `lo` on, or NO_GROUP."""
    cdef const TransitionSpec* transition = &k.program.transitions[view.label & ~VIEW]
    cdef const EventRecord* event = event_at(&k.now, view.pos)
    cdef const word_t* row
    cdef uint32_t count
    cdef Bounds bounds
    row = rows_of(&k.now, view.pos, transition.choice.atoms.data()[0], &count)
    load_bounds(
        k, &transition.step, k.now.states[transition.source].width, row, transition.choice.width, event.time, &bounds
    )
    return find_group(&k.scratch, &k.now.lists[view.next], before, &bounds, lo)


cdef void list_cell(KernelState* now, StateData* s, uint32_t cell, uint32_t wanted) noexcept nogil:
    """Enter a cell that is complete into the list of its key in each index that is `wanted` (bits) and where it has a
    place, else among the cells that are tried one by one."""
    cdef const word_t* rows = cell_rows(s, cell)
    cdef Bucket* bucket
    cdef CellIndex* index
    cdef uint64_t key
    cdef size_t i
    cdef uint32_t r
    s.cells[cell].listed = 0
    for i in range(s.indexes.size()):
        index = &s.indexes[i]
        for r in range(s.cells[cell].rows):
            key = hash_key(rows + <size_t>r * s.width, index.spec.columns.data(), index.spec.columns.size())
            bucket = make_bucket(index, key)
            if key != WILD and wanted >> i & 1 and list_in_bucket(now, s, index, bucket, cell):
                s.cells[cell].listed |= <uint32_t>1 << i
            elif bucket.cells.empty() or bucket.cells.back().cell != cell or not is_current(s, &bucket.cells.back()):
                bucket.cells.push_back(reference_to(s, cell))


cdef bint list_in_bucket(
    KernelState* now, StateData* s, const CellIndex* index, Bucket* bucket, uint32_t cell
) noexcept nogil:
    """Append a cell of one row to a bucket's list, if it has a place there."""
    cdef const word_t* row = cell_rows(s, cell)
    cdef GroupList* groups
    cdef size_t i
    if s.cells[cell].rows > 1:
        return False
    if bucket.groups == NO_LIST:
        bucket.groups = new_list(now, <uint32_t>index.spec.compared.size())
    groups = &now.lists[bucket.groups]
    if groups.groups.empty():
        groups.key.clear()
        for i in range(index.spec.columns.size()):
            groups.key.push_back(row[index.spec.columns.at(i)])
    for i in range(index.spec.columns.size()):
        if groups.key.at(i) != row[index.spec.columns.at(i)]:
            return False
    return join_list(s, index, groups, cell, s.cells[cell].youngest)


cdef void pair_groups(
    Kernel* k, StateData* s, const GroupList* groups, const StepSpec* step, const Candidate* candidate
) noexcept nogil:
    """Try the groups of a list one by one."""
    cdef size_t i
    k.scratch.everything.clear()
    for i in range(groups.groups.size()):
        k.scratch.everything.push_back(reference_of(&groups.groups[i]))
    probe_bucket(k, s, &k.scratch.everything, step, candidate)


cdef inline CellReference reference_of(const Group* group) noexcept nogil:
    cdef CellReference reference
    reference.cell = group.cell
    reference.serial = group.serial
    return reference
