# Forgetting partitions of which nothing is left: the others get new numbers.


cdef inline int64_t least_to_come(const Recognition* r, size_t partition, int64_t least) noexcept nogil:
    """The least start that is of use to a partition's next event, whose window begins at `least` or later."""
    return least if r.program.events < 0 else r.state.locals.at(partition) - r.program.events


cdef bint lives_in(const Recognition* r, size_t partition, int64_t least) noexcept nogil:
    """Some partial match of a partition, outside of groups, starts at `least` or later."""
    cdef int64_t own = least_to_come(r, partition, least)
    cdef size_t i
    for i in range(partition * r.program.width, (partition + 1) * r.program.width):
        if r.state.heads[i].node != NO_NODE and r.state.heads[i].youngest >= own:
            return True
        if r.state.last[i].node != NO_NODE and r.state.last[i].youngest >= own:
            if is_latest(r, partition, r.state.last[i].local):
                return True
    return False


cdef void mark_lists(Recognition* r, int64_t least, vector[uint8_t]* living) noexcept nogil:
    """Mark the partitions that have groups with something that starts at `least` or later."""
    cdef Correlating* c = r.correlating
    cdef size_t i
    for i in range(c.direct.size()):
        if c.direct[i] != NO_LIST and has_living(r, list_at(c, c.direct[i]), least):
            living.data()[i // r.program.width] = True
    for i in range(c.keyed.slots.size()):
        if c.keyed.slots[i].hash != 0 and has_living(r, list_at(c, c.keyed.slots[i].list), least):
            living.data()[list_at(c, c.keyed.slots[i].list).partition] = True
    for i in range(c.recents.size()):
        if is_latest(r, i // r.program.width, c.recents[i].local):
            living.data()[i // r.program.width] |= has_recent(
                &c.recents[i], least_to_come(r, i // r.program.width, least)
            )


cdef bint has_living(Recognition* r, GroupList* list, int64_t least) noexcept nogil:
    """Something in the list can become part of a match."""
    return not is_without(r, list, least_to_come(r, list.partition, least))


cdef bint has_recent(const Recent* recent, int64_t least) noexcept nogil:
    cdef size_t i
    for i in range(recent.youngest.size()):
        if recent.youngest[i] >= least:
            return True
    return False


cdef void renumber_partitions(Recognition* r, const vector[uint32_t]* numbers, size_t count) noexcept nogil:
    """Give each partition its new number, which is none that is greater; NO_PARTITION: it is forgotten."""
    cdef size_t old, i
    cdef uint32_t new
    if r.correlating != NULL:
        renumber_lists(r, numbers)
    for old in range(numbers.size()):
        new = numbers.at(old)
        if new == NO_PARTITION:
            continue
        for i in range(r.program.width):
            r.state.heads[new * r.program.width + i] = r.state.heads[old * r.program.width + i]
            r.state.last[new * r.program.width + i] = r.state.last[old * r.program.width + i]
        r.state.locals[new] = r.state.locals[old]
        r.state.is_touched[new] = r.state.is_touched[old]
    r.state.heads.resize(count * r.program.width)
    r.state.last.resize(count * r.program.width)
    r.state.locals.resize(count)
    r.state.is_touched.resize(count)
    i = 0
    for old in range(r.state.touched.size()):
        if numbers.at(r.state.touched[old]) != NO_PARTITION:
            r.state.touched[i] = numbers.at(r.state.touched[old])
            i += 1
    r.state.touched.resize(i)
    if r.correlating != NULL:
        shorten_cells(r, numbers, count)


cdef void renumber_lists(Recognition* r, const vector[uint32_t]* numbers) noexcept nogil:
    """Free the lists of forgotten partitions, and let the tables know the new numbers of the others."""
    cdef Correlating* c = r.correlating
    cdef Slot* slot
    cdef size_t i
    for i in range(c.direct.size()):
        if c.direct[i] != NO_LIST and numbers.at(i // r.program.width) == NO_PARTITION:
            free_list(c, c.direct[i])
    for i in range(c.keyed.slots.size()):
        slot = &c.keyed.slots[i]
        if slot.hash != 0 and numbers.at(list_at(c, slot.list).partition) == NO_PARTITION:
            free_list(c, slot.list)
            slot.hash = 0
    for i in range(c.lists.size()):
        if list_at(c, <uint32_t>i).partition < numbers.size():
            list_at(c, <uint32_t>i).partition = numbers.at(list_at(c, <uint32_t>i).partition)
    for i in range(c.keyed.slots.size()):
        slot = &c.keyed.slots[i]
        slot.hash = hash_in_keyed(c, slot) if slot.hash != 0 else 0
    for i in range(c.merged.slots.size()):
        slot = &c.merged.slots[i]
        if slot.hash != 0:
            slot.hash = hash_in_merged(c, slot) if slot.number >= list_at(c, slot.list).base else 0
    c.keyed.spread(FEW_SLOTS)
    c.merged.spread(FEW_SLOTS)


cdef uint64_t hash_in_keyed(Correlating* c, const Slot* slot) noexcept nogil:
    cdef const GroupList* list = list_at(c, slot.list)
    return hash_of_key(list.partition, list.state, slot.number)


cdef uint64_t hash_in_merged(Correlating* c, const Slot* slot) noexcept nogil:
    cdef GroupList* list = list_at(c, slot.list)
    cdef const int64_t* registers = record_of(list, <size_t>(slot.number - list.base)) + 1
    return hash_of_registers(list.partition, list.state, registers, list.width - 1)


cdef void shorten_cells(Recognition* r, const vector[uint32_t]* numbers, size_t count) noexcept nogil:
    cdef Correlating* c = r.correlating
    cdef size_t old, i
    cdef uint32_t new
    for old in range(numbers.size()):
        new = numbers.at(old)
        if new == NO_PARTITION:
            continue
        c.epochs[new] = c.epochs[old]
        for i in range(r.program.width):
            c.direct[new * r.program.width + i] = c.direct[old * r.program.width + i]
            if c.has_recents and new < old:
                c.recents[new * r.program.width + i] = c.recents[old * r.program.width + i]
    c.epochs.resize(count)
    c.direct.resize(count * r.program.width)
    if c.has_recents:
        c.recents.resize(count * r.program.width)
