# What of a word counts in a total.

cdef int128 MOST_RANKED = <int128>1 << 125


cdef inline bint is_exact(const TermStore* store, word_t word) noexcept nogil:
    """An integer, or a decimal that is not too large to be ranked."""
    cdef int kind = kind_of(word)
    if kind == KIND_DECIMAL:
        return -MOST_RANKED < decimal_value(store, word) < MOST_RANKED
    return kind == KIND_INTEGER


cdef inline int128 rank_of(const TermStore* store, word_t word) noexcept nogil:
    """Its place in the order of exact numbers: the value in units of half 10**-18; a decimal comes after an equal integer."""
    if kind_of(word) == KIND_INTEGER:
        return <int128>integer_value(store, word) * DECIMAL_ONE * 2
    return decimal_value(store, word) * 2 + 1


cdef inline int128 positive(int128 value) noexcept nogil:
    return value if value > 0 else <int128>0


cdef int128 measured(const TermStore* store, MatchQuantity kind, word_t word) noexcept nogil:
    """What a bound word adds to a quantity; of sums of numbers, and of ranks, it is exact."""
    cdef bint is_decimal = kind_of(word) == KIND_DECIMAL
    if kind == MatchQuantity.BOUND:
        return 1
    if kind == MatchQuantity.DECIMALS:
        return is_decimal
    if kind == MatchQuantity.POSITIVE:
        return <int128>0 if is_decimal else positive(integer_value(store, word))
    if kind == MatchQuantity.NEGATIVE:
        return <int128>0 if is_decimal else positive(-<int128>integer_value(store, word))
    if kind == MatchQuantity.POSITIVE_DECIMALS:
        return positive(decimal_value(store, word)) if is_decimal else <int128>0
    if kind == MatchQuantity.NEGATIVE_DECIMALS:
        return positive(-decimal_value(store, word)) if is_decimal else <int128>0
    return rank_of(store, word) if kind == MatchQuantity.LEAST else -rank_of(store, word)


cdef void read_values(
    const Totalling* a, const Entry* entry, const uint64_t* columns, size_t rows, size_t row, vector[int128]* out
) noexcept nogil:
    """Append the values of an entry, one for each quantity."""
    cdef const QuantitySpec* quantity
    cdef uint32_t slot
    cdef word_t word
    cdef size_t q
    for q in range(a.quantities.size()):
        quantity = &a.quantities.at(q)
        slot = quantity.slots.at(entry.atom)
        word = columns[slot * rows + row] if slot != NO_SLOT else <word_t>UNBOUND
        if quantity.kind == MatchQuantity.STARTS:
            out.push_back(entry.time)
        elif word == UNBOUND:
            out.push_back(<int128>0 if q < a.stacks.semiring.numbers - 1 else NO_LEAST)
        else:
            out.push_back(measured(a.store, quantity.kind, word))
