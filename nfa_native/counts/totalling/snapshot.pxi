# The state as an archive: a store for each part, a column for each field; lists lie one after the other, their lengths in
# columns of their own.  `restore.pxi` reads it.

cdef enum:
    # Versions of the stores.
    TOTALLING_VERSION = 1
    SUBSTREAMS_VERSION = 1
    ROWS_VERSION = 1
    FRONTS_VERSION = 1
    TICKS_VERSION = 1
    LOG_VERSION = 1
    PENDING_VERSION = 1

# A substream as it is written: the key follows, and of its starts those in the window.
cdef struct SubstreamForm:
    int64_t tick
    int64_t measure
    int64_t oldest
    uint32_t left
    uint32_t ticks
    uint32_t logged       # entries in its log
    uint32_t pending
    uint8_t has_front
    uint8_t has_back

# TotalsForm one after the other.
cdef cppclass TotalsForm:
    vector[uint32_t] sizes        # [total][number]: how many limbs
    vector[uint64_t] limbs
    vector[wide] leasts           # [total][least]

# Entries one after the other.
cdef cppclass EntriesForm:
    vector[Entry] entries
    vector[wide] values           # [entry][value]

# All substreams as they are written.
cdef cppclass Form:
    vector[SubstreamForm] substreams
    vector[uint64_t] keys         # [substream][key]
    vector[uint32_t] touched
    TotalsForm rows                   # [state][column], as far as columns have something
    vector[int64_t] starts
    TotalsForm fronts                 # [start][state]
    vector[LoggedTick] ticks
    EntriesForm log
    EntriesForm pending


cdef void write_totalling(Totalling* a, Archive* archive) noexcept nogil:
    """Everything that the future depends on; numbers of substreams that are free are left out."""
    cdef vector[uint32_t] places
    cdef Form form
    cdef size_t i
    places.assign(a.substreams.size(), 0)
    for i in range(a.free.size()):
        places[a.free[i]] = <uint32_t>NO_SUBSTREAM
    for i in range(a.substreams.size()):
        if places[i] != <uint32_t>NO_SUBSTREAM:
            places[i] = <uint32_t>form.substreams.size()
            write_substream(a, &a.substreams[i], &form)
    for i in range(a.touched.size()):
        form.touched.push_back(places[a.touched[i]])
    clock_fields(a, archive)
    state_fields(archive, &form)


# Fields: the same functions write and read.


cdef void clock_fields(Totalling* a, Archive* archive) noexcept nogil:
    """Where the stream is, what the totals are of, and statistics."""
    cdef uint64_t numbers = a.numbers
    cdef uint64_t leasts = a.leasts
    cdef uint64_t width = a.width
    cdef uint8_t is_open = a.is_open
    cdef uint64_t number = 0
    cdef const StateRecord* state = a.states.data()
    archive.store(b"totalling", TOTALLING_VERSION)
    archive.number(b"numbers", numbers)
    archive.number(b"leasts", leasts)
    archive.number(b"width", width)
    archive.number(b"tick", a.tick)
    archive.number(b"open", is_open)
    archive.update(b"matched", a.matched, number, number)
    archive.update(b"fired", a.fired, number, number)
    if not a.states.empty():
        archive.update(b"youngest", a.states, state[0], state.youngest)
        archive.update(b"entered", a.states, state[0], state.entered)
    require(numbers == a.numbers and leasts == a.leasts, b"the totals are of other quantities")
    require(width == a.width, b"the totals have other keys")
    a.is_open = is_open != 0


cdef void state_fields(Archive* archive, Form* form) noexcept nogil:
    cdef SubstreamForm one
    archive.store(b"substreams", SUBSTREAMS_VERSION)
    archive.field(b"tick", form.substreams, one, one.tick)
    archive.field(b"measure", form.substreams, one, one.measure)
    archive.field(b"oldest", form.substreams, one, one.oldest)
    archive.field(b"starts", form.substreams, one, one.left)
    archive.field(b"ticks", form.substreams, one, one.ticks)
    archive.field(b"logged", form.substreams, one, one.logged)
    archive.field(b"pending", form.substreams, one, one.pending)
    archive.field(b"has front", form.substreams, one, one.has_front)
    archive.field(b"has back", form.substreams, one, one.has_back)
    archive.words(b"key words", form.keys)
    archive.numbers(b"touched", form.touched)
    archive.store(b"rows", ROWS_VERSION)
    total_fields(archive, &form.rows)
    archive.store(b"fronts", FRONTS_VERSION)
    archive.numbers(b"starts", form.starts)
    total_fields(archive, &form.fronts)
    log_fields(archive, form)


cdef void log_fields(Archive* archive, Form* form) noexcept nogil:
    cdef LoggedTick tick
    archive.store(b"ticks", TICKS_VERSION)
    archive.field(b"tick", form.ticks, tick, tick.tick)
    archive.field(b"first", form.ticks, tick, tick.first)
    archive.field(b"gap", form.ticks, tick, tick.gap)
    archive.store(b"log", LOG_VERSION)
    entry_fields(archive, &form.log)
    archive.store(b"pending", PENDING_VERSION)
    entry_fields(archive, &form.pending)


cdef void entry_fields(Archive* archive, EntriesForm* form) noexcept nogil:
    cdef Entry entry
    archive.field(b"atom", form.entries, entry, entry.atom)
    archive.field(b"time", form.entries, entry, entry.time)
    archive.field(b"measure", form.entries, entry, entry.measure)
    archive.field(b"least", form.entries, entry, entry.least)
    archive.wides(b"values", form.values)


cdef void total_fields(Archive* archive, TotalsForm* form) noexcept nogil:
    archive.numbers(b"sizes", form.sizes)
    archive.numbers(b"limbs", form.limbs)
    archive.wides(b"least values", form.leasts)


# What lies in other forms in the totaller.


cdef void write_substream(const Totalling* a, Substream* s, Form* form) noexcept nogil:
    cdef SubstreamForm one
    cdef const uint64_t* key = <const uint64_t*>s.key.data()
    cdef size_t columns = columns_of(a, s)
    cdef size_t i
    one.tick, one.measure = s.tick, s.measure
    one.oldest = s.oldest if s.has_back else 0
    one.left = <uint32_t>s.left
    one.ticks, one.logged, one.pending = <uint32_t>s.ticks.size(), <uint32_t>s.log.size(), <uint32_t>s.pending.size()
    one.has_front, one.has_back = s.has_front, s.has_back
    form.substreams.push_back(one)
    form.keys.insert(form.keys.end(), key, key + a.width)
    for i in range(a.states.size()):
        append_totals(a, &form.rows, &s.rows, i * (1 + a.states.size()), columns)
    form.starts.insert(form.starts.end(), s.starts.begin(), s.starts.begin() + s.left)
    append_totals(a, &form.fronts, &s.front, 0, s.left * a.states.size())
    form.ticks.insert(form.ticks.end(), s.ticks.begin(), s.ticks.end())
    append_entries(&form.log, &s.log, &s.log_values)
    append_entries(&form.pending, &s.pending, &s.pending_values)


cdef void append_entries(EntriesForm* out, const vector[Entry]* entries, const vector[wide]* values) noexcept nogil:
    cdef size_t i
    for i in range(entries.size()):
        out.entries.push_back(entries.at(i))
    for i in range(values.size()):
        out.values.push_back(values.at(i))


cdef void append_totals(const Totalling* a, TotalsForm* out, Table* table, size_t first, size_t count) noexcept nogil:
    """So many totals of a table, from there on."""
    cdef Natural* number
    cdef size_t i, j
    for i in range(first * a.numbers, (first + count) * a.numbers):
        number = &table.numbers[i]
        out.sizes.push_back(<uint32_t>number.size())
        for j in range(number.size()):
            out.limbs.push_back(number.limb(j))
    for i in range(first * a.leasts, (first + count) * a.leasts):
        out.leasts.push_back(table.leasts[i])
