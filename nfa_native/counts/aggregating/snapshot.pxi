# The state as an archive: a store for each part, a column for each field; lists lie one after the other, their lengths in
# columns of their own.  `restore.pxi` reads it.

cdef enum:
    # Versions of the stores.
    AGGREGATION_VERSION = 1
    SYMBOLS_VERSION = 1
    SUBSTREAMS_VERSION = 1
    GROUPS_VERSION = 1
    LOG_VERSION = 1

# A substream as it is written.
cdef struct SubstreamForm:
    int64_t events
    int64_t youngest
    int64_t oldest
    uint32_t groups
    uint32_t logged       # events in its log
    uint8_t has_front
    uint8_t has_back

# A group as it is written: of its starts those in the window.
cdef struct GroupForm:
    uint32_t key
    uint32_t left

# Totals one after the other.
cdef cppclass Sums:
    vector[uint64_t] counts
    vector[wide] wides            # [total][quantity]
    vector[double] reals

# All substreams as they are written.
cdef cppclass Form:
    vector[SubstreamForm] substreams
    vector[uint8_t] filled        # [substream][slot]
    vector[int64_t] entered_at    # of the filled ones
    Sums columns                  # likewise the rows that are looked at
    vector[uint32_t] touched
    vector[GroupForm] groups
    vector[int64_t] starts
    Sums fronts                   # [start][slot]
    vector[Logged] log
    vector[wide] log_wides        # [event][quantity]
    vector[double] log_reals


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


# Fields: the same functions write and read.


cdef void clock_fields(const Aggregation* a, Archive* archive, int64_t* position) noexcept nogil:
    """Where the stream is, and what the totals are of."""
    cdef uint64_t slots = a.slots
    cdef uint64_t states = a.entries.size()
    cdef uint64_t wides = a.wides
    cdef uint64_t reals = a.reals
    archive.store(b"aggregation", AGGREGATION_VERSION)
    archive.number(b"slots", slots)
    archive.number(b"states", states)
    archive.number(b"exact quantities", wides)
    archive.number(b"quantities of doubles", reals)
    archive.number(b"position", position[0])
    require(slots == a.slots and states == a.entries.size(), b"the totals are of another automaton")
    require(wides == a.wides and reals == a.reals, b"the totals are of other quantities")


cdef void symbol_fields(Archive* archive, vector[uint32_t]* sizes, vector[uint32_t]* entries) noexcept nogil:
    """Of each symbol how many states it enters, and which."""
    archive.store(b"symbols", SYMBOLS_VERSION)
    archive.numbers(b"sizes", sizes[0])
    archive.numbers(b"states", entries[0])


cdef void state_fields(Archive* archive, Form* form) noexcept nogil:
    cdef SubstreamForm substream
    cdef GroupForm group
    archive.store(b"substreams", SUBSTREAMS_VERSION)
    archive.field(b"events", form.substreams, substream, substream.events)
    archive.field(b"youngest", form.substreams, substream, substream.youngest)
    archive.field(b"oldest", form.substreams, substream, substream.oldest)
    archive.field(b"groups", form.substreams, substream, substream.groups)
    archive.field(b"logged", form.substreams, substream, substream.logged)
    archive.field(b"has front", form.substreams, substream, substream.has_front)
    archive.field(b"has back", form.substreams, substream, substream.has_back)
    archive.numbers(b"filled", form.filled)
    archive.numbers(b"entered at", form.entered_at)
    archive.numbers(b"touched", form.touched)
    sum_fields(archive, &form.columns)
    archive.store(b"groups", GROUPS_VERSION)
    archive.field(b"key", form.groups, group, group.key)
    archive.field(b"left", form.groups, group, group.left)
    archive.numbers(b"starts", form.starts)
    sum_fields(archive, &form.fronts)
    log_fields(archive, form)


cdef void log_fields(Archive* archive, Form* form) noexcept nogil:
    cdef Logged event
    archive.store(b"log", LOG_VERSION)
    archive.field(b"position", form.log, event, event.local)
    archive.field(b"start", form.log, event, event.start)
    archive.field(b"symbol", form.log, event, event.symbol)
    archive.field(b"group", form.log, event, event.group)
    archive.wides(b"values", form.log_wides)
    archive.doubles(b"doubles", form.log_reals)


cdef void sum_fields(Archive* archive, Sums* sums) noexcept nogil:
    archive.numbers(b"counts", sums.counts)
    archive.wides(b"exact", sums.wides)
    archive.doubles(b"doubles", sums.reals)


# What lies in other forms in the aggregator.


cdef void write_substream(const Aggregation* a, Substream* s, Form* form) noexcept nogil:
    cdef SubstreamForm one
    cdef size_t first = first_row(a, s.has_front)
    cdef size_t i
    one.events = s.events
    one.youngest = s.youngest if s.has_front else 0
    one.oldest = s.oldest if s.has_back else 0
    one.groups, one.logged = <uint32_t>s.groups.size(), <uint32_t>s.log.size()
    one.has_front, one.has_back = s.has_front, s.has_back
    form.substreams.push_back(one)
    for i in range(a.slots):
        form.filled.push_back(s.filled[i])
        if s.filled[i]:
            form.entered_at.push_back(s.entered_at[i])
            append_sums(a, &form.columns, &s.columns, i * s.height + first, a.slots + s.groups.size() - first)
    for i in range(s.groups.size()):
        write_group(a, &s.groups[i], form)
    form.log.insert(form.log.end(), s.log.begin(), s.log.end())
    form.log_wides.insert(form.log_wides.end(), s.log_wides.begin(), s.log_wides.end())
    form.log_reals.insert(form.log_reals.end(), s.log_reals.begin(), s.log_reals.end())


cdef inline size_t first_row(const Aggregation* a, bint has_front) noexcept nogil:
    """The first row of columns that is looked at."""
    return 0 if has_front else a.slots


cdef void write_group(const Aggregation* a, Group* group, Form* form) noexcept nogil:
    cdef GroupForm one
    one.key, one.left = group.key, <uint32_t>group.left
    form.groups.push_back(one)
    form.starts.insert(form.starts.end(), group.starts.begin(), group.starts.begin() + group.left)
    append_sums(a, &form.fronts, &group.front, 0, group.left * a.slots)


cdef void append_sums(const Aggregation* a, Sums* out, Totals* totals, size_t first, size_t count) noexcept nogil:
    """So many totals of a table, from there on."""
    cdef size_t i, q
    for i in range(first, first + count):
        out.counts.push_back(totals.counts[i])
        for q in range(a.wides):
            out.wides.push_back(totals.wides[q * totals.size + i])
        for q in range(a.reals):
            out.reals.push_back(totals.reals[q * totals.size + i])
