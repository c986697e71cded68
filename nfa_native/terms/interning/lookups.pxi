# Many look-ups at once: what one of them waits for, slot, entry and text, comes from memory while others are under way.


cdef void begin_lookup(const TermStore* store, const char* text, Lookup* lookup) noexcept nogil:
    lookup.hashed = hash_text(text + lookup.start, lookup.size)
    prefetch(&store.slots[<uint32_t>lookup.hashed & (store.slots.size() - 1)])


cdef inline const TermEntry* first_entry(const TermStore* store, const Lookup* lookup) noexcept nogil:
    """The entry in the look-up's first slot if it looks like the one, else NULL."""
    cdef uint64_t content = store.slots[<uint32_t>lookup.hashed & (store.slots.size() - 1)]
    if content == 0 or content >> 32 != lookup.hashed >> 32:
        return NULL
    return &store.entries[<uint32_t>content - 1]


cdef void finish_lookups(TermStore* store, const char* text, Lookup* lookups, size_t count) noexcept nogil:
    cdef const TermEntry* entry
    cdef Lookup* one
    cdef size_t i
    cdef int kind
    for i in range(count):
        entry = first_entry(store, &lookups[i])
        if entry != NULL:
            prefetch(entry)
    for i in range(count):
        entry = first_entry(store, &lookups[i])
        if entry != NULL:
            prefetch(entry.text)
    for i in range(count):
        one = &lookups[i]
        kind = KIND_STRING if text[one.start] == c'S' else KIND_IRI
        one.word = find_or_add_hashed(store, text + one.start, one.size, one.hashed, kind, UNBOUND)
