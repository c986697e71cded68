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


cdef word_t known_side(const TermStore* store, const SideEntry* wanted) noexcept nogil:
    """The word of a side value; UNBOUND: it has none."""
    cdef uint32_t side = store.side_slots[find_side(store, wanted)]
    if side:
        return <word_t>(store.first_side + side - 1) << 8 | wanted.kind << 4 | TAG_SIDE
    return known_side(store.base, wanted) if store.base != NULL else <word_t>UNBOUND


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
    cdef word_t below
    if store == NULL:
        return UNBOUND
    entry.number = number
    entry.zone = zone
    entry.kind = kind
    slot = find_side(store, &entry)
    if store.side_slots[slot]:
        return <word_t>(store.first_side + store.side_slots[slot] - 1) << 8 | kind << 4 | TAG_SIDE
    if store.base != NULL:
        below = known_side(store.base, &entry)
        if below:
            return below
    invariant(not store.frozen)
    index = take_side(store)
    store.sides[index] = entry
    store.side_slots[slot] = <uint32_t>(index + 1)
    if living_sides(store) * 2 > store.side_slots.size():
        rebuild_side_slots(store, store.side_slots.size() * 2)
    return <word_t>(store.first_side + index) << 8 | kind << 4 | TAG_SIDE
