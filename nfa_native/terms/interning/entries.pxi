# Entries that come and go: free numbers, and which words are alive.


cdef inline bint has_bit(const vector[uint64_t]* bits, size_t index) noexcept nogil:
    return index >> 6 < bits.size() and bits.data()[index >> 6] >> (index & 63) & 1


cdef inline void set_bit(vector[uint64_t]* bits, size_t index) noexcept nogil:
    if index >> 6 >= bits.size():
        bits.resize((index >> 6) + 1)
    bits.data()[index >> 6] |= <uint64_t>1 << (index & 63)


cdef size_t take_entry(TermStore* store) noexcept nogil:
    """A free entry, or a new one."""
    cdef size_t index
    if store.free_entries.first == 0:
        store.entries.resize(store.entries.size() + 1)
        return store.entries.size() - 1
    index = store.free_entries.first - 1
    store.free_entries.first = store.entries[index].word
    store.free_entries.count -= 1
    return index


cdef size_t take_side(TermStore* store) noexcept nogil:
    """A free entry of the side table, or a new one."""
    cdef size_t index
    if store.free_sides.first == 0:
        store.sides.resize(store.sides.size() + 1)
        return store.sides.size() - 1
    index = store.free_sides.first - 1
    store.free_sides.first = <uint64_t>store.sides[index].number
    store.free_sides.count -= 1
    return index


cdef inline size_t living_entries(const TermStore* store) noexcept nogil:
    return store.entries.size() - store.free_entries.count


cdef inline size_t living_sides(const TermStore* store) noexcept nogil:
    return store.sides.size() - store.free_sides.count


cdef bint is_word(const TermStore* store, word_t word) noexcept nogil:
    """Whether the word is bound, and of this table as it is now."""
    cdef int tag = tag_of(word)
    cdef size_t index = word >> 8
    if tag == TAG_TERM:
        if index < store.first_entry:
            return is_word(store.base, word)
        index -= store.first_entry
        return (
            word != UNBOUND and index < store.entries.size() and store.entries[index].text != NULL
            and store.entries[index].word == word
        )
    if tag == TAG_SIDE:
        if index < store.first_side:
            return is_word(store.base, word)
        index -= store.first_side
        return index < store.sides.size() and store.sides[index].kind == <uint32_t>kind_of(word) != 0
    return tag < TAG_SIDE


cdef inline void mark(const TermStore* store, Marks* marks, word_t word) noexcept nogil:
    """Add what a word stands for; values held in words are everywhere, and those of the table below stay anyway."""
    cdef size_t index = word >> 8
    if tag_of(word) == TAG_SIDE and index >= store.first_side:
        set_bit(&marks.sides, index - store.first_side)
    elif tag_of(word) == TAG_TERM and word != UNBOUND and index >= store.first_entry:
        set_bit(&marks.entries, index - store.first_entry)


cdef void pin_word(TermStore* store, word_t word) noexcept nogil:
    mark(store, &store.pinned, word)
