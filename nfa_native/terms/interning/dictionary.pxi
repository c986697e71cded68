# The dictionary: byte strings and their numbers.


cdef size_t find_slot(const TermStore* store, const char* text, size_t length, uint64_t hashed) noexcept nogil:
    """The slot of those bytes, or the empty one where they belong."""
    cdef size_t mask = store.slots.size() - 1
    cdef size_t slot = <uint32_t>hashed & mask
    cdef uint64_t content
    cdef const TermEntry* entry
    while True:
        content = store.slots[slot]
        if content == 0:
            return slot
        if content >> 32 == hashed >> 32:
            entry = &store.entries[<uint32_t>content - 1]
            if entry.length == length and memcmp(entry.text, text, length) == 0:
                return slot
        slot = (slot + 1) & mask


cdef void rebuild_slots(TermStore* store, size_t size) noexcept nogil:
    """Hash all living entries anew, into a table of that size, a power of two."""
    cdef vector[uint64_t] old
    cdef size_t i, slot
    store.slots.swap(old)
    store.slots.assign(size, 0)
    for i in range(old.size()):
        if old[i] == 0 or store.entries[<uint32_t>old[i] - 1].text == NULL:
            continue
        slot = store.entries[<uint32_t>old[i] - 1].hashed & (size - 1)
        while store.slots[slot]:
            slot = (slot + 1) & (size - 1)
        store.slots[slot] = old[i]


cdef word_t find_or_add(TermStore* store, const char* text, size_t length, int kind, word_t alias) noexcept nogil:
    """The word of those bytes; new bytes get `alias`, or a new dictionary word if that is UNBOUND."""
    return find_or_add_hashed(store, text, length, hash_text(text, length), kind, alias)


cdef word_t find_or_add_hashed(
    TermStore* store, const char* text, size_t length, uint64_t hashed, int kind, word_t alias
) noexcept nogil:
    cdef size_t slot = find_slot(store, text, length, hashed)
    cdef size_t index
    cdef TermEntry* entry
    cdef char* copy
    cdef word_t below
    if store.slots[slot]:
        return store.entries[<uint32_t>store.slots[slot] - 1].word
    if store.base != NULL:
        below = known_hashed(store.base, text, length, hashed)
        if below:
            return below
    invariant(not store.frozen)
    copy = reserve(&store.texts, length)
    memcpy(copy, text, length)
    index = take_entry(store)
    entry = &store.entries[index]
    entry.text = copy
    entry.length = <uint32_t>length
    entry.hashed = <uint32_t>hashed
    entry.word = alias if alias else <word_t>(store.first_entry + index) << 8 | kind << 4 | TAG_TERM
    alias = entry.word
    store.slots[slot] = (hashed >> 32) << 32 | (index + 1)
    if living_entries(store) * 2 > store.slots.size():
        rebuild_slots(store, store.slots.size() * 2)
    return alias


cdef word_t known_hashed(const TermStore* store, const char* text, size_t length, uint64_t hashed) noexcept nogil:
    """The word of those bytes; UNBOUND: they have none."""
    cdef uint64_t content = store.slots[find_slot(store, text, length, hashed)]
    if content:
        return store.entries[<uint32_t>content - 1].word
    return known_hashed(store.base, text, length, hashed) if store.base != NULL else <word_t>UNBOUND


cdef const TermEntry* term_entry(const TermStore* store, word_t word) noexcept nogil:
    cdef size_t index = word >> 8
    if index < store.first_entry:
        return store.base.entries.data() + index
    return store.entries.data() + (index - store.first_entry)
