# The state that an archive has.  Nothing in it is believed: whatever is a place, a length, a number or an order is compared
# with what is there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.

cdef int64_t FARTHEST = 1000000000000000000      # a position: they can go on for long

# How far the lists of a form have been taken.
cdef struct Taken:
    size_t filled
    size_t column         # of their totals
    size_t group
    size_t start
    size_t front          # of their totals
    size_t log


cdef void load_symbols(Aggregation* a, Archive* archive, vector[uint32_t]* sizes, vector[uint32_t]* entries) noexcept nogil:
    """Of each symbol how many states it enters, and which, from the last one to the first; symbol 0 enters none."""
    cdef size_t at = 0, i, j
    symbol_fields(archive, sizes, entries)
    require(not sizes.empty() and sizes.at(0) == 0, b"symbol 0 is missing")
    for i in range(sizes.size()):
        require(sizes.at(i) <= entries.size() - at, b"a symbol enters more states than there are")
        for j in range(at, at + sizes.at(i)):
            require(entries.at(j) < a.entries.size(), b"a symbol enters a state that there is not")
            require(j == at or entries.at(j) < entries.at(j - 1), b"the states that a symbol enters do not descend")
        at += sizes.at(i)
    require(at == entries.size(), b"there are states of no symbol")


cdef void load_aggregation(Aggregation* a, Archive* archive) noexcept nogil:
    """Take over the state that `write_aggregation` gave; the symbols are known already."""
    cdef vector[Substream] substreams
    cdef Taken taken
    cdef Form form
    cdef int64_t position
    cdef size_t i
    clock_fields(a, archive, &position)
    require(0 <= position < FARTHEST, b"the position is none")
    state_fields(archive, &form)
    check_form(a, &form, position)
    taken.filled = taken.column = taken.group = taken.start = taken.front = taken.log = 0
    substreams.resize(form.substreams.size())
    for i in range(substreams.size()):
        load_substream(a, &form, i, &taken, &substreams[i])
    require(taken.column == form.columns.counts.size(), b"there are totals of no substream")
    require(taken.filled == form.entered_at.size(), b"there are columns of no substream")
    require(taken.group == form.groups.size() and taken.start == form.starts.size(), b"there are groups of no substream")
    require(taken.front == form.fronts.counts.size() and taken.log == form.log.size(), b"there are events of no substream")
    load_touched(a, &form, &substreams)
    a.substreams.swap(substreams)
    a.position = position


cdef void check_form(const Aggregation* a, const Form* form, int64_t position) noexcept nogil:
    """Lists that belong together are of one length, and what is kept has come."""
    cdef size_t i
    require(form.substreams.size() > 0 and (a.partitioned or form.substreams.size() == 1), b"there are other substreams")
    require(
        form.filled.size() % form.substreams.size() == 0
        and form.filled.size() // form.substreams.size() == a.slots, b"there are other slots",
    )
    check_sums(a, &form.columns)
    check_sums(a, &form.fronts)
    check_rows(form.log.size(), a.wides, form.log_wides.size())
    check_rows(form.log.size(), a.reals, form.log_reals.size())
    for i in range(form.log.size()):
        require(0 <= form.log.at(i).local < position, b"an event is kept that is yet to come")


cdef void check_sums(const Aggregation* a, const Sums* sums) noexcept nogil:
    check_rows(sums.counts.size(), a.wides, sums.wides.size())
    check_rows(sums.counts.size(), a.reals, sums.reals.size())
    check_leasts(a, sums)


cdef inline void check_rows(size_t rows, size_t width, size_t size) noexcept nogil:
    """So many rows of this width lie in a list of this size."""
    require(size == 0 if width == 0 else size % width == 0 and size // width == rows, b"totals lack some quantity")


cdef void load_substream(const Aggregation* a, const Form* form, size_t number, Taken* taken, Substream* s) noexcept nogil:
    cdef const SubstreamForm* one = &form.substreams.at(number)
    cdef size_t first = first_row(a, one.has_front)
    cdef size_t i
    require(0 <= one.events < FARTHEST, b"a substream has an impossible number of events")
    require(one.groups > 0 or not (one.has_front or one.has_back), b"partial matches are of no group")
    begin_substream(a, s)
    s.events, s.youngest, s.oldest = one.events, one.youngest, one.oldest
    s.has_front, s.has_back = one.has_front != 0, one.has_back != 0
    load_groups(a, form, one.groups, taken, s)
    for i in range(a.slots):
        if form.filled.at(number * a.slots + i):
            require(one.groups > 0, b"a column is of no group")
            require(taken.filled < form.entered_at.size(), b"a column is missing")
            s.filled[i] = True
            s.entered_at[i] = form.entered_at.at(taken.filled)
            require(NEVER <= s.entered_at[i] < FARTHEST, b"a path is of an event that is yet to come")
            taken.filled += 1
            take_sums(a, &form.columns, &taken.column, &s.columns, i * s.height + first, s.height - first)
    load_log(a, form, one.logged, taken, s)


cdef void load_groups(const Aggregation* a, const Form* form, uint32_t count, Taken* taken, Substream* s) noexcept nogil:
    cdef Span all_
    cdef size_t i
    require(count <= form.groups.size() - taken.group, b"a substream has more groups than there are")
    s.groups.resize(count)
    for i in range(count):
        load_group(a, form, taken, &s.groups[i])
        require(s.group_of_key.count(s.groups[i].key) == 0, b"two groups have one key")
        s.group_of_key[s.groups[i].key] = <uint32_t>i
    s.height = a.slots + count
    resize_totals(a, &s.columns, a.slots * s.height if count else 0)
    all_ = span(&s.columns, 0)
    clear(a, &all_, s.columns.size)


cdef void load_group(const Aggregation* a, const Form* form, Taken* taken, Group* group) noexcept nogil:
    cdef const GroupForm* one = &form.groups.at(taken.group)
    cdef size_t i
    taken.group += 1
    group.key = one.key
    group.left = one.left
    group.begun = 0
    take_part(form.starts, taken.start, one.left, group.starts)
    for i in range(1, group.left):
        require(group.starts[i] <= group.starts[i - 1], b"starts are not in order")
    require(
        a.slots == 0 or group.left <= (form.fronts.counts.size() - taken.front) // a.slots, b"totals of starts are missing"
    )
    resize_totals(a, &group.front, group.left * a.slots)
    take_sums(a, &form.fronts, &taken.front, &group.front, 0, group.left * a.slots)


cdef void take_sums(
    const Aggregation* a, const Sums* sums, size_t* at, Totals* out, size_t first, size_t count
) noexcept nogil:
    """The next totals, into a table from there on."""
    cdef size_t i, q
    require(count <= sums.counts.size() - at[0], b"totals are missing")
    for i in range(first, first + count):
        out.counts[i] = sums.counts.at(at[0])
        for q in range(a.wides):
            out.wides[q * out.size + i] = sums.wides.at(at[0] * a.wides + q)
        for q in range(a.reals):
            out.reals[q * out.size + i] = sums.reals.at(at[0] * a.reals + q)
        at[0] += 1


cdef void check_leasts(const Aggregation* a, const Sums* sums) noexcept nogil:
    """Least values are of 64 bits, or there is none."""
    cdef wide one
    cdef size_t i
    for i in range(sums.wides.size()):
        one = sums.wides.at(i)
        require(
            not a.is_least.at(i % a.wides) or one == NOTHING_LEAST or high_half(one) == <int64_t>low_half(one) >> 63,
            b"a least value is of no event",
        )


cdef void load_log(const Aggregation* a, const Form* form, uint32_t count, Taken* taken, Substream* s) noexcept nogil:
    cdef size_t wides = taken.log * a.wides
    cdef size_t reals = taken.log * a.reals
    cdef size_t i
    require(count == 0 or (s.has_back and a.windowed), b"events are kept that nobody needs")
    take_part(form.log, taken.log, count, s.log)
    take_part(form.log_wides, wides, count * a.wides, s.log_wides)
    take_part(form.log_reals, reals, count * a.reals, s.log_reals)
    for i in range(count):
        check_logged(a, s, &s.log[i])
        require(i == 0 or s.log[i - 1].local < s.log[i].local, b"the events that are kept are not in order")


cdef void check_logged(const Aggregation* a, Substream* s, const Logged* event) noexcept nogil:
    """An event that is kept; a start is counted with its group."""
    require(event.local < s.events or not a.partitioned, b"an event is kept that is yet to come")
    require(0 < event.symbol < a.symbol_begin.size() - 1, b"an event has a symbol that is not known")
    require((event.start == NEVER) == (event.group == NO_GROUP), b"a start has no group")
    if event.group != NO_GROUP:
        require(event.group < s.groups.size(), b"a start is of a group that there is not")
        s.groups[event.group].begun += 1


cdef void load_touched(Aggregation* a, const Form* form, vector[Substream]* substreams) noexcept nogil:
    """The substreams that an end consumes."""
    cdef size_t i
    require(form.touched.empty() or a.consume == CONSUME_ANY, b"substreams would be consumed")
    for i in range(form.touched.size()):
        require(form.touched.at(i) < substreams.size(), b"a substream is not there")
        require(not substreams.at(form.touched.at(i)).is_touched, b"a substream would be consumed twice")
        substreams[0][form.touched.at(i)].is_touched = True
    a.touched = form.touched
