# Cells: where the groups of a state are.


cdef void know_cells(Recognition* r, uint32_t partition) noexcept nogil:
    """Room for the cells of another partition."""
    cdef Correlating* c = r.correlating
    cdef Recent nothing
    c.epochs.resize(partition + 1, 0)
    c.direct.resize((partition + 1) * r.program.width, NO_LIST)
    if c.has_recents:
        nothing.local = -2
        c.recents.resize((partition + 1) * r.program.width, nothing)


cdef void empty_cells(Recognition* r, uint32_t partition) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef size_t i
    c.epochs[partition] += 1
    if c.has_recents:
        for i in range(partition * r.program.width, (partition + 1) * r.program.width):
            c.recents[i].local = -2


cdef inline GroupList* list_at(Correlating* c, uint32_t number) noexcept nogil:
    return c.lists.data()[number]


cdef inline bint is_current(Recognition* r, const GroupList* list) noexcept nogil:
    """Its partition was not emptied since."""
    return list.epoch == r.correlating.epochs.data()[list.partition]


cdef uint32_t new_list(Recognition* r, uint32_t partition, uint32_t state) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef uint32_t number
    if c.free_lists.empty():
        number = <uint32_t>c.lists.size()
        c.lists.push_back(NULL)
        c.lists[number] = fresh[GroupList]()
    else:
        number = c.free_lists.back()
        c.free_lists.pop_back()
    list_at(c, number).width = c.cells[state].width + 1
    list_at(c, number).partition = partition
    list_at(c, number).state = state
    list_at(c, number).epoch = c.epochs[partition]
    return number


cdef inline uint32_t current(Recognition* r, uint32_t number) noexcept nogil:
    """The list, emptied if its partition was."""
    cdef GroupList* list
    if number != NO_LIST:
        list = list_at(r.correlating, number)
        if not is_current(r, list):
            empty_list(list)
            list.epoch = r.correlating.epochs[list.partition]
    return number


cdef inline uint64_t hash_of_key(uint32_t partition, uint32_t state, int64_t key) noexcept nogil:
    return mix_on(mix_on((<uint64_t>partition << 16) + state, 1), <uint64_t>key) | 1


cdef inline uint32_t find_list(Recognition* r, uint32_t partition, uint32_t state, int64_t key) noexcept nogil:
    """The list of a cell and key; NO_LIST if there is none."""
    if r.correlating.cells.data()[state].key < 0:
        return current(r, r.correlating.direct.data()[partition * r.program.width + state])
    return find_keyed(r, partition, state, key)


cdef uint32_t find_keyed(Recognition* r, uint32_t partition, uint32_t state, int64_t key) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef uint64_t hash = hash_of_key(partition, state, key)
    cdef const Slot* slots = c.keyed.slots.data()
    cdef size_t place = c.keyed.home(hash)
    cdef const GroupList* list
    while slots[place].hash != 0:
        if slots[place].hash == hash and slots[place].number == key:
            list = list_at(c, slots[place].list)
            if list.state == state and list.partition == partition:
                return current(r, slots[place].list)
        place = c.keyed.next(place)
    return NO_LIST


cdef inline uint32_t list_for(
    Recognition* r, uint32_t partition, uint32_t state, const int64_t* registers, int64_t least
) noexcept nogil:
    """The list for a group of a cell, a new one if there is none."""
    cdef Correlating* c = r.correlating
    cdef int32_t by = c.cells[state].key
    cdef int64_t key = registers[by] if by >= 0 else 0
    cdef uint32_t number = find_list(r, partition, state, key)
    if number != NO_LIST:
        return number
    number = new_list(r, partition, state)
    if by < 0:
        c.direct[partition * r.program.width + state] = number
        return number
    if c.keyed.is_full():
        sweep_lists(r, least)
    put_slot(&c.keyed, hash_of_key(partition, state, key), number, key)
    return number


cdef void free_list(Correlating* c, uint32_t number) noexcept nogil:
    empty_list(list_at(c, number))
    c.free_lists.push_back(number)


cdef void sweep_lists(Recognition* r, int64_t least) noexcept nogil:
    """Take lists without living groups out of the table, and make room in it."""
    cdef Correlating* c = r.correlating
    cdef Slot* slot
    cdef size_t i
    for i in range(c.keyed.slots.size()):
        slot = &c.keyed.slots[i]
        if slot.hash != 0 and is_lifeless(r, list_at(c, slot.list), least):
            free_list(c, slot.list)
            slot.hash = 0
    c.keyed.spread(FEW_SLOTS)


cdef bint is_lifeless(Recognition* r, GroupList* list, int64_t least) noexcept nogil:
    """Nothing in the list can become part of a match any more."""
    return is_without(r, list, least_of(r, list.partition, least))


cdef bint is_without(Recognition* r, GroupList* list, int64_t own) noexcept nogil:
    """The list has nothing that starts at `own` or later."""
    cdef size_t i
    if not is_current(r, list):
        return True
    for i in range(list.first, groups_of(list)):
        if youngest_in(list, i) >= own or is_arriving(list, i):
            return False
    return True


cdef inline bint is_arriving(const GroupList* list, size_t place) noexcept nogil:
    """The event under way adds to a merged group."""
    return place < list.arriving.size() and list.arriving.data()[place].youngest != NEVER


# ── merged groups ──


cdef uint64_t hash_of_registers(
    uint32_t partition, uint32_t state, const int64_t* registers, size_t count
) noexcept nogil:
    cdef uint64_t hash = mix_on((<uint64_t>partition << 16) + state, 2)
    cdef size_t i
    for i in range(count):
        hash = mix_on(hash, <uint64_t>registers[i])
    return hash | 1


cdef bint has_registers(GroupList* list, size_t place, const int64_t* registers) noexcept nogil:
    cdef const int64_t* own = record_of(list, place) + 1
    cdef size_t i
    for i in range(list.width - 1):
        if own[i] != registers[i]:
            return False
    return True


cdef void merged_group(
    Recognition* r, uint32_t partition, uint32_t state, const int64_t* registers, int64_t least,
    uint32_t* list_number, int64_t* number,
) noexcept nogil:
    """Where the group with these registers is; a new and empty one if there is none."""
    cdef Correlating* c = r.correlating
    cdef uint64_t hash = hash_of_registers(partition, state, registers, c.cells[state].width)
    cdef size_t place = c.merged.home(hash)
    cdef const Slot* slot
    cdef GroupList* list
    cdef Head nothing
    while c.merged.slots[place].hash != 0:
        slot = &c.merged.slots[place]
        list = list_at(c, slot.list)
        if slot.hash == hash and slot.number >= list.base and is_group_of(r, list, partition, state):
            if has_registers(list, <size_t>(slot.number - list.base), registers):
                list_number[0] = slot.list
                number[0] = slot.number
                return
        place = c.merged.next(place)
    list_number[0] = list_for(r, partition, state, registers, least)
    list = list_at(c, list_number[0])
    number[0] = list.base + <int64_t>groups_of(list)
    add_group(list, registers, NO_NODE, NEVER)
    nothing.node = NO_NODE
    nothing.youngest = NEVER
    list.arriving.push_back(nothing)
    know_group(r, hash, list_number[0], number[0], least)


cdef inline bint is_group_of(Recognition* r, const GroupList* list, uint32_t partition, uint32_t state) noexcept nogil:
    """Groups of the list are those of the cell."""
    return list.state == state and list.partition == partition and is_current(r, list)


cdef void know_group(Recognition* r, uint64_t hash, uint32_t list, int64_t number, int64_t least) noexcept nogil:
    if r.correlating.merged.is_full():
        sweep_groups(r, least)
    put_slot(&r.correlating.merged, hash, list, number)


cdef void sweep_groups(Recognition* r, int64_t least) noexcept nogil:
    """Take dead groups out of the table, and make room in it."""
    cdef FlatTable[Slot]* table = &r.correlating.merged
    cdef size_t i
    for i in range(table.slots.size()):
        if table.slots[i].hash != 0 and is_dead(r, &table.slots[i], least):
            table.slots[i].hash = 0
    table.spread(FEW_SLOTS)


cdef bint is_dead(Recognition* r, const Slot* slot, int64_t least) noexcept nogil:
    """The group is not there any more, or nothing comes of it."""
    cdef const GroupList* list = list_at(r.correlating, slot.list)
    cdef size_t place = <size_t>(slot.number - list.base)
    if slot.number < list.base or not is_current(r, list):
        return True
    return youngest_in(list, place) < least_of(r, list.partition, least) and not is_arriving(list, place)


cdef void close_up(Recognition* r, uint32_t number, int64_t least) noexcept nogil:
    """Take dead groups out of a list of merged ones when there may be as many as living ones; all get new numbers."""
    cdef Correlating* c = r.correlating
    cdef GroupList* list = list_at(c, number)
    cdef Head nothing
    cdef size_t i
    if not r.program.rises or groups_of(list) < LEAST_TO_ERASE or groups_of(list) < 2 * list.living:
        return
    list.base += <int64_t>groups_of(list)
    keep_groups(list, list.first, least)
    list.living = groups_of(list)
    nothing.node = NO_NODE
    nothing.youngest = NEVER
    list.arriving.assign(list.living, nothing)
    for i in range(list.living):
        know_group(
            r, hash_of_registers(list.partition, list.state, record_of(list, i) + 1, list.width - 1), number,
            list.base + <int64_t>i, least,
        )
