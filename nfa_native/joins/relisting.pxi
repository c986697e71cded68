# Lists of groups in snapshots: not written, but made again from the living cells, in their order.  So are their numbers,
# and views are written with the numbers that they will have.


cdef vector[uint32_t] cells_in_order(StateData* s) noexcept nogil:
    """The living cells, oldest first."""
    cdef vector[pair[uint32_t, uint32_t]] living
    cdef vector[uint32_t] out
    cdef pair[uint32_t, uint32_t] one
    cdef uint32_t cell
    cdef size_t i
    for cell in range(<uint32_t>s.cells.size()):
        if s.cells[cell].rows:
            one.first = s.cells[cell].serial
            one.second = cell
            living.push_back(one)
    sort(living.begin(), living.end())
    for i in range(living.size()):
        out.push_back(living[i].second)
    return out


cdef void number_lists(KernelState* now, vector[uint32_t]* numbers) noexcept nogil:
    """For each list the number that it gets when cells enter lists again in their order; NO_LIST: none of its cells lives."""
    cdef vector[uint32_t] cells
    cdef StateData* s
    cdef uint32_t given = 0
    cdef uint32_t number
    cdef size_t i, j, state
    numbers.assign(now.lists.size(), NO_LIST)
    for state in range(now.states.size()):
        s = &now.states[state]
        if s.kind != Cells.VIEWS:
            continue
        cells = cells_in_order(s)
        for i in range(cells.size()):
            for j in range(s.indexes.size()):
                if s.cells[cells[i]].listed >> j & 1:
                    number = list_of(s, &s.indexes[j], cells[i])
                    if numbers.at(number) == NO_LIST:
                        numbers.data()[number] = given
                        given += 1


cdef inline uint32_t list_of(StateData* s, CellIndex* index, uint32_t cell) noexcept nogil:
    """The list where a cell is in an index."""
    return find_bucket(index, hash_key(cell_rows(s, cell), index.spec.columns.data(), index.spec.columns.size())).groups


cdef void renumber_view(
    KernelProgram* program, KernelState* now, Node* view, const vector[uint32_t]* numbers
) noexcept nogil:
    """A view by the numbers of lists and groups after loading; what is over says nothing any more."""
    cdef const StateData* s = &now.states[program.transitions[view.label & ~VIEW].source]
    cdef const GroupList* groups
    cdef uint32_t before = 0
    cdef size_t i
    if older(view.max_start, now.lo):
        view.next = view.sibling = 0
        return
    invariant(numbers.at(view.next) != NO_LIST)
    groups = &now.lists[view.next]
    for i in range(view.sibling - groups.base):
        before += s.cells.data()[groups.groups.data()[i].cell].serial == groups.groups.data()[i].serial
    view.next = numbers.at(view.next)
    view.sibling = before
