# Enumeration where every state is entered from the one before it only: results are rows of one position a state.
#
# What is left to a state is the set from which it still has to pick, given what is picked after it.  The sets of one state are
# the same list from different nodes on, the longest one first.  So the picks of the first two states that go with the first pick
# of all others end with those that go with any other one: these pairs are found once for an event, and then copied, unless there
# are very many.  What it earns: Q1 to Q3 and P3 to P24 of `benchmarks.ceql`, with all matches out.


cdef bint enumerate_rows(Recognition* r, size_t most) noexcept nogil:
    """Write matches of the last event until there are `most` in all; whether that was the last of them."""
    cdef Table* t = r.scratch.table
    cdef size_t before = r.scratch.found.count
    cdef size_t end = most if r.program.limit < 0 else min(most, before + <size_t>(r.program.limit - r.scratch.given))
    if r.scratch.ending != 0:
        r.scratch.ending = 0
        begin_rows(r)
    begin_columns(t, before)
    if make_rows(r, before, most):
        walk_rows(r, r.scratch.endings[0].least, end, most)
        fill_columns(t, r.scratch.found.count)
    r.scratch.given += <int64_t>(r.scratch.found.count - before)
    r.scratch.enumerating = t.level < last_level(t) and r.scratch.given != r.program.limit
    return not r.scratch.enumerating


cdef inline size_t last_level(const Table* t) noexcept nogil:
    """The state whose pick is the event; of two states, the second one picks nothing else."""
    return max(t.width - 1, <size_t>2)


cdef void begin_rows(Recognition* r) noexcept nogil:
    """The last event is picked."""
    cdef Table* t = r.scratch.table
    cdef uint32_t node = r.scratch.endings[0].node
    invariant(t.width > 1 and r.scratch.endings.size() == 1)
    t.firsts.clear()
    t.seconds.clear()
    t.groups.clear()
    t.group = t.pair = 0
    t.is_met = t.are_many = False
    t.level = last_level(t) - 1
    t.picked.data()[0].left = NO_NODE
    t.picked.data()[t.level].left = node if t.width == 2 else match_node(&r.state, node).next
    set_pick(t, t.width - 1, r.state.position)


cdef void walk_rows(Recognition* r, int64_t least, size_t end, size_t most) noexcept nogil:
    """Write matches until there are `end`, or no more: `level` is then that of the last event."""
    cdef Table* t = r.scratch.table
    cdef const MatchNode* node
    cdef Picked* one
    while t.level < last_level(t) and r.scratch.found.count < end:
        one = t.picked.data() + t.level
        if t.level == 1:
            if not make_rows(r, r.scratch.found.count, most):
                return
            write_some(r, least, min(end, t.room))
        elif is_young(&r.state, one.left, least):
            node = match_node(&r.state, one.left)
            invariant(node.state == t.level)
            pick(t, t.level, position_of(&r.state, node.pos), r.scratch.found.count)
            one.left = node.sibling
            t.level -= 1
            t.picked.data()[t.level].left = node.next
            if t.level == 1 and t.are_many:
                t.is_met = False
            elif t.level == 1 and t.is_met:
                find_pairs(r, least)
        else:
            t.level += 1


cdef void find_pairs(Recognition* r, int64_t least) noexcept nogil:
    """Where the pairs begin that are left to the first two states."""
    cdef Table* t = r.scratch.table
    cdef const Second* groups = t.groups.data()
    cdef size_t count = t.groups.size()
    cdef uint32_t number = t.picked.data()[1].left
    cdef int64_t position
    t.pair = t.firsts.size()
    if not is_young(&r.state, number, least):
        return
    position = position_of(&r.state, match_node(&r.state, number).pos)
    while t.group > 0 and groups[t.group - 1].position <= position:
        t.group -= 1
    while t.group < count - 1 and groups[t.group].position > position:
        t.group += 1
    invariant(groups[t.group].position == position)
    t.pair = groups[t.group].begin


cdef inline void write_some(Recognition* r, int64_t least, size_t end) noexcept nogil:
    """Write matches that differ in their first two events only, until there are `end`, or no more."""
    cdef Table* t = r.scratch.table
    cdef size_t more
    if not t.is_met:
        if t.firsts.size() > MOST_PAIRS:
            forget_pairs(t)
        meet_pairs(r, least, end - r.scratch.found.count)
    more = min(end - r.scratch.found.count, t.firsts.size() - t.pair)
    write_pairs(t, r.scratch.found.count, more)
    r.scratch.found.count += more
    t.pair += more
    if t.is_met and t.pair == t.firsts.size():
        t.level = 2


cdef void meet_pairs(Recognition* r, int64_t least, size_t missing) noexcept nogil:
    """The next pairs of the first two states, as many as are missing."""
    cdef Table* t = r.scratch.table
    cdef Picked* first = t.picked.data()
    cdef Picked* second = first + 1
    cdef const MatchNode* node
    while missing:
        if is_young(&r.state, first.left, least):
            node = match_node(&r.state, first.left)
            t.firsts.push_back(position_of(&r.state, node.pos))
            t.seconds.push_back(t.groups.back().position)
            first.left = node.sibling
            missing -= 1
        elif is_young(&r.state, second.left, least):
            node = match_node(&r.state, second.left)
            meet_second(t, position_of(&r.state, node.pos))
            first.left = node.next
            second.left = node.sibling
        else:
            t.is_met = True
            return


cdef void forget_pairs(Table* t) noexcept nogil:
    """All of them are written; others will be met again when they are left to the first two states."""
    cdef Second last = t.groups.back()
    invariant(t.pair == t.firsts.size())
    t.are_many = True
    t.pair = last.begin = 0
    t.firsts.clear()
    t.seconds.clear()
    t.groups.clear()
    t.groups.push_back(last)


cdef inline void meet_second(Table* t, int64_t position) noexcept nogil:
    """The next pairs have this pick of the second state."""
    cdef Second one
    one.position = position
    one.begin = t.firsts.size()
    t.groups.push_back(one)


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
