# Lists of groups: what can be compared in them, and where they are.


cdef inline uint32_t kind_of_order(word_t word) noexcept nogil:
    """Words of one kind compare with each other; 0: it compares with nothing that a zone could tell."""
    if tag_of(word) == TAG_DECIMAL:
        return TAG_INTEGER if is_short(<int64_t>word >> 9) else 0
    if tag_of(word) == TAG_DATETIME:
        return <uint32_t>(word & 0x1F)
    return tag_of(word) if tag_of(word) == TAG_INTEGER or tag_of(word) == TAG_DOUBLE else 0


cdef inline bint is_short(int64_t number) noexcept nogil:
    """A double holds the number exactly."""
    return -(<int64_t>1 << 53) <= number <= <int64_t>1 << 53


cdef inline Measured measured(word_t word) noexcept nogil:
    """A word of some kind of order.  All is rounded once, which keeps the order."""
    cdef Measured out
    out.word = word
    if tag_of(word) == TAG_DECIMAL:
        out.about = <double>(<int64_t>word >> 9) / <double>POWERS_OF_TEN[(word >> 4) & 31]
    elif tag_of(word) == TAG_DOUBLE:
        out.about = <double>double_order(word)
    else:
        out.about = <double>(<int64_t>word >> (4 if tag_of(word) == TAG_INTEGER else 5))
    return out


cdef inline bint has_kinds(const GroupList* groups, const word_t* values) noexcept nogil:
    """Whether values compare with all that the list has."""
    cdef uint32_t i
    for i in range(groups.columns):
        if kind_of_order(values[i]) != groups.kinds[i]:
            return False
    return True


cdef bint take_kinds(GroupList* groups, const word_t* values) noexcept nogil:
    """An empty list takes groups of the kind of the first one; False if that is none."""
    cdef uint32_t i
    for i in range(groups.columns):
        groups.kinds[i] = kind_of_order(values[i])
        if groups.kinds[i] == 0:
            return False
    return True


cdef inline int64_t find_group(
    Scratch* scratch, const GroupList* groups, int64_t before, const Bounds* bounds, uint32_t lo
) noexcept nogil:
    """The place of the last group in front of `before` that passes and holds something from `lo` on, or NO_GROUP."""
    return group_before(groups, before, bounds, lo, &scratch.scanned)


cdef inline int64_t find_youngest(
    Scratch* scratch, const GroupList* groups, const Bounds* bounds, uint32_t lo
) noexcept nogil:
    """The place of a group that passes whose youngest start no other one's is after, or NO_GROUP."""
    return youngest_group(groups, bounds, lo, &scratch.scanned)


cdef uint32_t new_list(KernelState* now, uint32_t columns) noexcept nogil:
    cdef uint32_t number
    if now.free_lists.empty():
        number = <uint32_t>now.lists.size()
        now.lists.emplace_back()
    else:
        number = now.free_lists.back()
        now.free_lists.pop_back()
    now.lists[number].base = 0
    now.lists[number].columns = columns
    now.lists[number].less = is_less
    now.lists[number].key.clear()
    empty_groups(&now.lists[number])
    return number


cdef void drop_list(KernelState* now, uint32_t number) noexcept nogil:
    """Views of it that are left hold nothing that is in the window."""
    empty_groups(&now.lists[number])
    now.free_lists.push_back(number)
