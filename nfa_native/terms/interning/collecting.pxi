# Collection: what nobody holds is freed, its numbers are used again, and memory shrinks to what is left.


cdef const uint64_t[::1] flat_words(words):
    """The words of an array of any shape.  TypeError: it does not hold uint64."""
    array = numpy.asarray(words)
    if array.dtype != numpy.uint64:
        raise TypeError(f"words come as arrays of uint64, not of {array.dtype}")
    return numpy.ascontiguousarray(array).reshape(-1)


cdef int mark_words(const TermStore* store, const uint64_t[::1] words, Marks* marks) except -1:
    """Add words to the marks; 0 is skipped.  ValueError: a word is not of this table."""
    cdef Py_ssize_t i = 0, count = words.shape[0]
    with nogil:
        while i < count and (words[i] == UNBOUND or is_word(store, words[i])):
            attempted(mark, store, marks, words[i])
            i += 1
    if i < count:
        raise ValueError(f"no word of this table: {words[i]:#x}")
    return 0


cdef void sweep(TermStore* store, const Marks* kept) noexcept nogil:
    """Free all that is not kept."""
    sweep_entries(store, kept)
    sweep_sides(store, kept)


cdef size_t fitting(size_t slots, size_t count) noexcept nogil:
    """The size of a hash table that has `slots` now and shall hold `count`: it shrinks if most of it would stay empty."""
    while slots > FIRST_SLOTS and count * 8 < slots:
        slots //= 2
    return slots


cdef void sweep_entries(TermStore* store, const Marks* kept) noexcept nogil:
    """Free all entries but those; aliases, whose numbers are in no word, are freed with them."""
    cdef size_t end = 0  # behind the last that is kept
    cdef size_t i = store.entries.size()
    store.free_entries.first = store.free_entries.count = 0
    while i > 0:
        i -= 1
        if has_bit(&kept.entries, i):
            end = end if end else i + 1
            continue
        store.entries[i].text = NULL
        if end:
            store.entries[i].word = store.free_entries.first
            store.free_entries.first = i + 1
            store.free_entries.count += 1
    rebuild_slots(store, fitting(store.slots.size(), end - store.free_entries.count))
    store.entries.resize(end)
    if store.entries.capacity() > 2 * end:
        store.entries.shrink_to_fit()
    compact_texts(store)


cdef void compact_texts(TermStore* store) noexcept nogil:
    """Move the text of all living entries into memory of its own, and give back the rest."""
    cdef Arena texts
    cdef TermEntry* entry
    cdef char* copy
    cdef size_t i
    texts.chunk = texts.used = 0
    for i in range(store.entries.size()):
        entry = &store.entries[i]
        if entry.text != NULL:
            copy = reserve(&texts, entry.length)
            memcpy(copy, entry.text, entry.length)
            entry.text = copy
    release(&store.texts)
    store.texts = texts


cdef void sweep_sides(TermStore* store, const Marks* kept) noexcept nogil:
    """Free all side values but those."""
    cdef size_t end = 0  # behind the last that is kept
    cdef size_t i = store.sides.size()
    store.free_sides.first = store.free_sides.count = 0
    while i > 0:
        i -= 1
        if has_bit(&kept.sides, i):
            end = end if end else i + 1
            continue
        store.sides[i].kind = 0
        if end:
            store.sides[i].number = <int128>store.free_sides.first
            store.free_sides.first = i + 1
            store.free_sides.count += 1
    store.sides.resize(end)
    if store.sides.capacity() > 2 * end:
        store.sides.shrink_to_fit()
    rebuild_side_slots(store, fitting(store.side_slots.size(), living_sides(store)))
