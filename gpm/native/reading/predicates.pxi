# The predicates that a memory keeps: a hash table, and which one is expected next.


cdef uint32_t* slot_of(Memory* memory, const uint8_t* at, size_t size) noexcept nogil:
    """The slot of a predicate, or the empty one where it belongs."""
    cdef size_t slot = hash_text(at, size) & (PREDICATE_SLOTS - 1)
    cdef uint32_t* slots
    cdef const string* known
    if memory.slots.empty():
        memory.slots.assign(PREDICATE_SLOTS, 0)
    slots = memory.slots.data()
    while slots[slot]:
        known = &memory.predicates[slots[slot] - 1]
        if known.size() == size and memcmp(known.data(), at, size) == 0:
            break
        slot = (slot + 1) & (PREDICATE_SLOTS - 1)
    return slots + slot


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
