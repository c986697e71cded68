# The state as an archive: a store for each part, a column for each field.
#
# When it is read, nothing in it is believed: whatever is a place, a length, a number or an order is compared with what is
# there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.

cdef enum:
    # Versions of the stores.
    AGGREGATION_VERSION = 1
    SYMBOLS_VERSION = 1
    SUBSTREAMS_VERSION = 1
    LOG_VERSION = 1

# All substreams as they are written.
cdef cppclass Form:
    vector[int64_t] events        # [substream]
    vector[int64_t] entered_at    # of the filled columns
    vector[uint32_t] touched
    WindowsForm[Bounded, Logged, BoundedSpan] windows


cdef void write_aggregation(Aggregation* a, Archive* archive) noexcept nogil:
    """Everything that the future depends on."""
    cdef vector[uint32_t] sizes
    cdef Form form
    cdef int64_t position = a.position
    cdef size_t i
    clock_fields(a, archive, &position)
    for i in range(a.symbol_begin.size() - 1):
        sizes.push_back(a.symbol_begin[i + 1] - a.symbol_begin[i])
    symbol_fields(archive, &sizes, &a.symbol_entries)
    form.touched = a.touched
    for i in range(a.substreams.size()):
        write_substream(a, &a.substreams[i], &form)
    state_fields(archive, &form)


cdef void write_substream(const Aggregation* a, Substream* s, Form* form) noexcept nogil:
    cdef size_t i
    form.events.push_back(s.events)
    for i in range(a.stacks.slots):
        if s.window.filled[i]:
            form.entered_at.push_back(s.entered_at[i])
    form.windows.append(a.stacks, s.window)


# Fields: the same functions write and read.


cdef void clock_fields(const Aggregation* a, Archive* archive, int64_t* position) noexcept nogil:
    """Where the stream is, and what the totals are of."""
    cdef uint64_t slots = a.stacks.slots
    cdef uint64_t states = a.entries.size()
    cdef uint64_t wides = a.stacks.semiring.wides
    cdef uint64_t reals = a.stacks.semiring.reals
    archive.store(b"aggregation", AGGREGATION_VERSION)
    archive.number(b"slots", slots)
    archive.number(b"states", states)
    archive.number(b"exact quantities", wides)
    archive.number(b"quantities of doubles", reals)
    archive.number(b"position", position[0])
    require(slots == a.stacks.slots and states == a.entries.size(), b"the totals are of another automaton")
    require(
        wides == a.stacks.semiring.wides and reals == a.stacks.semiring.reals, b"the totals are of other quantities"
    )


cdef void symbol_fields(Archive* archive, vector[uint32_t]* sizes, vector[uint32_t]* entries) noexcept nogil:
    """Of each symbol how many states it enters, and which."""
    archive.store(b"symbols", SYMBOLS_VERSION)
    archive.numbers(b"sizes", sizes[0])
    archive.numbers(b"states", entries[0])


cdef void state_fields(Archive* archive, Form* form) noexcept nogil:
    cdef Logged event
    archive.store(b"substreams", SUBSTREAMS_VERSION)
    archive.numbers(b"events", form.events)
    archive.numbers(b"entered at", form.entered_at)
    archive.numbers(b"touched", form.touched)
    form.windows.fields(archive[0])
    archive.store(b"log", LOG_VERSION)
    archive.field(b"position", form.windows.log, event, event.local)
    archive.field(b"start", form.windows.log, event, event.start)
    archive.field(b"symbol", form.windows.log, event, event.symbol)
    archive.field(b"group", form.windows.log, event, event.group)


# What is read.


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
    cdef Form form
    cdef int64_t position
    cdef size_t filled = 0
    cdef size_t i
    clock_fields(a, archive, &position)
    require(0 <= position < FARTHEST, b"the position is none")
    state_fields(archive, &form)
    check_form(a, &form, position)
    substreams.resize(form.events.size())
    for i in range(substreams.size()):
        load_substream(a, &form, i, &filled, &substreams[i])
    require(filled == form.entered_at.size(), b"there are columns of no substream")
    form.windows.check_all_taken(a.stacks)
    load_touched(a, &form, &substreams)
    a.substreams.swap(substreams)
    a.position = position


cdef void check_form(const Aggregation* a, const Form* form, int64_t position) noexcept nogil:
    """Lists that belong together are of one length, and what is kept has come."""
    cdef size_t i
    require(form.events.size() > 0 and (a.partitioned or form.events.size() == 1), b"there are other substreams")
    require(form.windows.size() == form.events.size(), b"a substream has no window")
    form.windows.check(a.stacks, a.stacks.semiring.wides, a.stacks.semiring.reals)
    for i in range(form.windows.log.size()):
        require(0 <= form.windows.log.at(i).local < position, b"an event is kept that is yet to come")


cdef void load_substream(const Aggregation* a, Form* form, size_t number, size_t* filled, Substream* s) noexcept nogil:
    cdef uint32_t i
    begin_substream(a, s)
    s.events = form.events[number]
    require(0 <= s.events < FARTHEST, b"a substream has an impossible number of events")
    form.windows.take_window(a.stacks, number, a.windowed, s.window)
    number_groups(s)
    require(
        s.window.groups.size() == 1 or s.group_of_key.size() == s.window.groups.size(), b"two groups have one key"
    )
    for i in range(a.stacks.slots):
        if s.window.filled[i]:
            require(filled[0] < form.entered_at.size(), b"a column is missing")
            s.entered_at[i] = form.entered_at[filled[0]]
            require(NEVER <= s.entered_at[i] < FARTHEST, b"a path is of an event that is yet to come")
            filled[0] += 1
    for i in range(<uint32_t>s.window.log.size()):
        check_logged(a, s, &s.window.log[i])
        require(i == 0 or s.window.log[i - 1].local < s.window.log[i].local, b"the events that are kept are not in order")


cdef void check_logged(const Aggregation* a, Substream* s, const Logged* event) noexcept nogil:
    """An event that is kept; a start is counted with its group."""
    require(event.local < s.events or not a.partitioned, b"an event is kept that is yet to come")
    require(0 < event.symbol < a.symbol_begin.size() - 1, b"an event has a symbol that is not known")
    require((event.start == NEVER) == (event.group == NO_GROUP), b"a start has no group")
    if event.group != NO_GROUP:
        require(event.group < s.window.groups.size(), b"a start is of a group that there is not")
        s.window.groups[event.group].begun += 1


cdef void load_touched(Aggregation* a, const Form* form, vector[Substream]* substreams) noexcept nogil:
    """The substreams that an end consumes."""
    cdef size_t i
    require(form.touched.empty() or a.consume == Consumed.ANY, b"substreams would be consumed")
    for i in range(form.touched.size()):
        require(form.touched.at(i) < substreams.size(), b"a substream is not there")
        require(not substreams.at(form.touched.at(i)).is_touched, b"a substream would be consumed twice")
        substreams[0][form.touched.at(i)].is_touched = True
    a.touched = form.touched
