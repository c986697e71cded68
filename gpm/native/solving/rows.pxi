# Rows of words: order, sorting, lookup.


cdef inline bint is_less(const word_t* a, const word_t* b, size_t width) noexcept nogil:
    cdef size_t i
    for i in range(width):
        if a[i] != b[i]:
            return a[i] < b[i]
    return False


cdef inline void copy_rows(word_t* to, const word_t* start, size_t words) noexcept nogil:
    if words:
        memcpy(to, start, words * sizeof(word_t))


cdef void insertion_sort(word_t* rows, size_t count, size_t width, word_t* space) noexcept nogil:
    """Sort a few rows; `space` has room for one."""
    cdef size_t i, at
    for i in range(1, count):
        at = i
        copy_rows(space, rows + i * width, width)
        while at > 0 and is_less(space, rows + (at - 1) * width, width):
            copy_rows(rows + at * width, rows + (at - 1) * width, width)
            at -= 1
        copy_rows(rows + at * width, space, width)


cdef void merge_sort(word_t* rows, size_t count, size_t width, word_t* space) noexcept nogil:
    """Sort rows; `space` has room for half of them, and for one."""
    cdef size_t half = count // 2
    cdef size_t left = 0, right = half, to = 0
    if count <= 16:
        insertion_sort(rows, count, width, space)
        return
    merge_sort(rows, half, width, space)
    merge_sort(rows + half * width, count - half, width, space)
    copy_rows(space, rows, half * width)
    while left < half:
        if right < count and is_less(rows + right * width, space + left * width, width):
            copy_rows(rows + to * width, rows + right * width, width)
            right += 1
        else:
            copy_rows(rows + to * width, space + left * width, width)
            left += 1
        to += 1


cdef size_t sort_rows(vector[word_t]* rows, size_t begin, size_t count, size_t width, vector[word_t]* buffer) noexcept nogil:
    """Sort the last `count` rows, which begin at word `begin`, and remove duplicates: how many stay."""
    cdef word_t* data = rows.data() + begin
    cdef size_t i, kept = 1
    if count < 2:
        return count
    if width == 0:
        return 1
    if buffer.size() < (count // 2 + 1) * width:
        buffer.resize((count // 2 + 1) * width)
    merge_sort(data, count, width, buffer.data())
    for i in range(1, count):
        if is_less(data + (kept - 1) * width, data + i * width, width):
            if kept != i:
                copy_rows(data + kept * width, data + i * width, width)
            kept += 1
    rows.resize(begin + kept * width)
    return kept


cdef size_t first_from(const TableSpec* table, word_t word) noexcept nogil:
    """The number of the first row of a sorted table whose first column is `word` or more."""
    cdef size_t low = 0, high = table.count, middle
    while low < high:
        middle = (low + high) // 2
        if table.rows[middle * table.width] < word:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline void candidates(const TableSpec* table, word_t first, size_t* bounds) noexcept nogil:
    """Two ranges of rows, begin and end, with all that `first` in the first column may join (0: anything)."""
    bounds[0] = bounds[2] = bounds[3] = 0
    bounds[1] = table.count
    if first != UNBOUND and table.count > 4:
        bounds[1] = first_from(table, 1)
        bounds[2] = first_from(table, first)
        bounds[3] = first_from(table, first + 1) if first + 1 else table.count


cdef void close_event(RowsOut* out, uint32_t number, int outcome) noexcept nogil:
    """Sort the rows of an event, or take them back if they cannot be decided."""
    cdef size_t begin = out.rows.size() - out.found * out.width
    cdef size_t i
    if outcome == UNDECIDED:
        out.rows.resize(begin)
        out.undecided.push_back(number)
        out.found = 0
        return
    if out.found > 1:
        out.found = sort_rows(&out.rows, begin, out.found, out.width, &out.buffer)
    for i in range(out.found):
        out.row_event.push_back(number)
    out.found = 0
