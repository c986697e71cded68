# Enumeration where every state is entered from the one before it only: results are rows of one position a state.
#
# `levels[k]` is the set from which state k still has to pick, given what is picked after it; the picks stand in `row`.

cdef enum:
    TOGETHER = 4          # positions that are copied at once: there is room for so many more behind a row


cdef bint enumerate_rows(Recognition* r, size_t most) noexcept nogil:
    """Write matches of the last event until there are `most` in all; whether that was the last of them."""
    cdef size_t before = r.found.count
    cdef size_t end = most if r.limit < 0 else min(most, before + <size_t>(r.limit - r.given))
    if r.ending != 0:
        r.ending = 0
        begin_rows(r)
    walk_rows(r, r.endings[0].least, end)
    r.given += <int64_t>(r.found.count - before)
    r.enumerating = r.level < r.width - 1 and r.given != r.limit
    return not r.enumerating


cdef void begin_rows(Recognition* r) noexcept nogil:
    """The last event is picked."""
    invariant(r.width > 1 and r.endings.size() == 1)
    r.row.resize(r.width + TOGETHER)
    r.levels.resize(r.width)
    r.row[r.width - 1] = r.position
    r.level = r.width - 2
    r.levels[r.level] = match_node(r, r.endings[0].node).next


cdef void walk_rows(Recognition* r, int64_t least, size_t end) noexcept nogil:
    """Write matches until there are `end`, or no more: `level` is then that of the last event."""
    cdef const MatchNode* node
    while r.level < r.width - 1 and r.found.count < end:
        if r.level == 0:
            write_rows(r, least, min(end, room_for_rows(r)))
        elif is_young(r, r.levels[r.level], least):
            node = match_node(r, r.levels[r.level])
            invariant(node.state == r.level)
            r.row[r.level] = position_of(r, node.pos)
            r.levels[r.level] = node.sibling
            r.level -= 1
            r.levels[r.level] = node.next
        else:
            r.level += 1


cdef size_t room_for_rows(Recognition* r) noexcept nogil:
    """How many rows there is room for, at least one more than there are."""
    cdef size_t needed = (r.found.count + 1) * r.width + TOGETHER
    if needed > r.found.positions.size():
        r.found.positions.resize(2 * needed)
    return (r.found.positions.size() - TOGETHER) / r.width


cdef void write_rows(Recognition* r, int64_t least, size_t end) noexcept nogil:
    """Write matches that differ in their first event only."""
    cdef size_t width = r.width
    cdef uint32_t number = r.levels[0]
    cdef const int64_t* row = r.row.data()
    cdef int64_t* target = r.found.positions.data() + r.found.count * width
    cdef const MatchNode* node
    cdef size_t count = r.found.count
    cdef size_t i
    while count < end:
        if not is_young(r, number, least):
            r.level = 1
            break
        node = match_node(r, number)
        target[0] = position_of(r, node.pos)
        for i in range(1, width, 4):
            memcpy(target + i, row + i, TOGETHER * sizeof(int64_t))
        target += width
        count += 1
        number = node.sibling
    r.levels[0] = number
    r.found.count = count


cdef void copy_rows(const Found* found, size_t width, int64_t* rows, int64_t* columns) noexcept nogil:
    """All positions by row, and again by column; a few rows at a time, so that they are read once."""
    cdef size_t at = 0
    cdef size_t some
    while at < found.count:
        some = min(found.count - at, <size_t>8)
        memcpy(rows + at * width, found.positions.data() + at * width, some * width * sizeof(int64_t))
        transpose(rows + at * width, some, width, columns + at, found.count)
        at += some


cdef inline void transpose(
    const int64_t* rows, size_t count, size_t width, int64_t* columns, size_t apart
) noexcept nogil:
    """A few rows as columns that begin so far apart."""
    cdef const int64_t* source
    cdef size_t column, i
    for column in range(width):
        source = rows + column
        for i in range(count):
            columns[i] = source[0]
            source += width
        columns += apart
