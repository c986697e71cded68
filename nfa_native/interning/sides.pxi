# The side table: values that no word holds inline.


cdef inline uint64_t hash_side(const SideEntry* entry) noexcept nogil:
    cdef uint64_t low = <uint64_t>entry.number
    cdef uint64_t high = <uint64_t>(entry.number >> 64)
    return mix(mix(low) ^ high * 3 ^ (<uint64_t>entry.zone << 8) ^ entry.kind)


cdef size_t find_side(const TermStore* store, const SideEntry* wanted) noexcept nogil:
    cdef size_t mask = store.side_slots.size() - 1
    cdef size_t slot = hash_side(wanted) & mask
    cdef const SideEntry* entry
    while store.side_slots[slot]:
        entry = &store.sides[store.side_slots[slot] - 1]
        if entry.number == wanted.number and entry.zone == wanted.zone and entry.kind == wanted.kind:
            break
        slot = (slot + 1) & mask
    return slot


cdef void rebuild_side_slots(TermStore* store, size_t size) noexcept nogil:
    """Hash all living side values anew, into a table of that size, a power of two."""
    cdef vector[uint32_t] slots
    cdef size_t i
    slots.resize(size)
    store.side_slots.swap(slots)
    for i in range(store.sides.size()):
        if store.sides[i].kind:
            store.side_slots[find_side(store, &store.sides[i])] = <uint32_t>(i + 1)


cdef word_t side_word(TermStore* store, int kind, int128 number, int32_t zone) noexcept nogil:
    """The word of a value that no word holds inline; UNBOUND without a store."""
    cdef SideEntry entry
    cdef size_t slot, index
    if store == NULL:
        return UNBOUND
    entry.number = number
    entry.zone = zone
    entry.kind = kind
    slot = find_side(store, &entry)
    if store.side_slots[slot]:
        return <word_t>(store.side_slots[slot] - 1) << 8 | kind << 4 | TAG_SIDE
    index = take_side(store)
    store.sides[index] = entry
    store.side_slots[slot] = <uint32_t>(index + 1)
    if living_sides(store) * 2 > store.side_slots.size():
        rebuild_side_slots(store, store.side_slots.size() * 2)
    return <word_t>index << 8 | kind << 4 | TAG_SIDE
