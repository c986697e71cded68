# The predicates that a memory keeps: a hash table, and which one is expected next.


cdef uint32_t* slot_of(Memory* memory, const uint8_t* at, size_t size) noexcept nogil:
    """The slot of a predicate, or the empty one where it belongs: at most one in four is taken."""
    cdef size_t count = memory.slots.size()
    if 4 * memory.predicates.size() >= count and count < PREDICATE_SLOTS:
        spread_predicates(memory, 2 * count if count else <size_t>FIRST_PREDICATE_SLOTS)
    return find_slot(memory, at, size)


cdef uint32_t* find_slot(Memory* memory, const uint8_t* at, size_t size) noexcept nogil:
    cdef size_t last = memory.slots.size() - 1
    cdef size_t slot = hash_text(at, size) & last
    cdef uint32_t* slots = memory.slots.data()
    cdef const string* known
    while slots[slot]:
        known = &memory.predicates[slots[slot] - 1]
        if known.size() == size and memcmp(known.data(), at, size) == 0:
            break
        slot = (slot + 1) & last
    return slots + slot


cdef void spread_predicates(Memory* memory, size_t count) noexcept nogil:
    """Put the predicates into as many slots, a power of two."""
    cdef size_t i
    memory.slots.assign(count, 0)
    for i in range(memory.predicates.size()):
        find_slot(memory, <const uint8_t*>memory.predicates[i].data(), memory.predicates[i].size())[0] = <uint32_t>(i + 1)


cdef int32_t remember_predicate(Memory* memory, uint32_t* slot, const uint8_t* at, size_t size) noexcept nogil:
    """The number of a predicate that is new; −1 if there is no room."""
    if memory.predicates.size() == MOST_PREDICATES:
        return -1
    memory.predicates.push_back(string(<const char*>at, size))
    memory.successors.push_back(-1)
    memory.namespaces.push_back(string())
    slot[0] = <uint32_t>memory.predicates.size()
    return <int32_t>memory.predicates.size() - 1


cdef const uint8_t* find_predicate(const uint8_t* at, const uint8_t* end, int32_t* number, Memory* memory) noexcept nogil:
    """A predicate that was not expected."""
    cdef const uint8_t* stop = <const uint8_t*>memchr(at, c'>', end - at)
    cdef uint32_t* slot
    if stop == NULL:
        return NULL
    stop += 1
    slot = slot_of(memory, at, stop - at)
    if slot[0]:
        number[0] = <int32_t>slot[0] - 1
        return stop
    if read_iri(at, end, memory) == NULL:
        return NULL
    number[0] = remember_predicate(memory, slot, at, stop - at)
    return stop


cdef inline const uint8_t* read_predicate(
    const uint8_t* at, const uint8_t* end, int32_t* number, Memory* memory
) noexcept nogil:
    cdef int32_t expected = memory.successors[memory.last.predicate] if memory.last.predicate >= 0 else -1
    cdef const string* known
    if expected >= 0:
        known = &memory.predicates[expected]
        if is_at(at, end, known.data(), known.size()):
            number[0] = expected
            return at + known.size()
    return find_predicate(at, end, number, memory)
