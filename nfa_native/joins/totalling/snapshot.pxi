# The state as an archive: a store for each part, a column for each field; lists lie one after the other, their lengths in
# columns of their own.
#
# When it is read, nothing in it is believed: whatever is a place, a length, a number or an order is compared with what is
# there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.

cdef enum:
    # Versions of the stores.
    TOTALLING_VERSION = 1
    SUBSTREAMS_VERSION = 1
    LOG_VERSION = 1
    PENDING_VERSION = 1

# A substream as it is written, without its key and its window.
cdef struct SubstreamForm:
    int64_t tick
    int64_t measure
    uint32_t pending      # entries

# All substreams as they are written.
cdef cppclass Form:
    vector[SubstreamForm] substreams
    vector[uint64_t] keys         # [substream][key]
    vector[uint32_t] touched
    WindowsForm[Exact, Entry, ExactSpan] windows
    vector[Entry] pending
    vector[int128] pending_values # [entry][value]


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


cdef void write_substream(const Totalling* a, Substream* s, Form* form) noexcept nogil:
    cdef const uint64_t* key = <const uint64_t*>s.key.data()
    cdef SubstreamForm one
    one.tick, one.measure, one.pending = s.tick, s.measure, <uint32_t>s.pending.size()
    form.substreams.push_back(one)
    form.keys.insert(form.keys.end(), key, key + a.width)
    form.windows.append(a.stacks, s.window)
    form.pending.insert(form.pending.end(), s.pending.begin(), s.pending.end())
    form.pending_values.insert(form.pending_values.end(), s.pending_values.begin(), s.pending_values.end())


# Fields: the same functions write and read.


cdef void clock_fields(Totalling* a, Archive* archive) noexcept nogil:
    """Where the stream is, what the totals are of, and statistics."""
    cdef uint64_t numbers = a.stacks.semiring.numbers
    cdef uint64_t leasts = a.stacks.semiring.leasts
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
    require(
        numbers == a.stacks.semiring.numbers and leasts == a.stacks.semiring.leasts, b"the totals are of other quantities"
    )
    require(width == a.width, b"the totals have other keys")
    a.is_open = is_open != 0


cdef void state_fields(Archive* archive, Form* form) noexcept nogil:
    cdef SubstreamForm one
    cdef Entry entry
    archive.store(b"substreams", SUBSTREAMS_VERSION)
    archive.field(b"tick", form.substreams, one, one.tick)
    archive.field(b"measure", form.substreams, one, one.measure)
    archive.field(b"pending", form.substreams, one, one.pending)
    archive.words(b"key words", form.keys)
    archive.numbers(b"touched", form.touched)
    form.windows.fields(archive[0])
    archive.store(b"log", LOG_VERSION)
    entry_fields(archive, &form.windows.log)
    archive.field(b"begins", form.windows.log, entry, entry.begins)
    archive.field(b"gap", form.windows.log, entry, entry.gap)
    archive.store(b"pending", PENDING_VERSION)
    entry_fields(archive, &form.pending)
    archive.wides(b"values", form.pending_values)


cdef void entry_fields(Archive* archive, vector[Entry]* entries) noexcept nogil:
    cdef Entry entry
    archive.field(b"atom", entries[0], entry, entry.atom)
    archive.field(b"time", entries[0], entry, entry.time)
    archive.field(b"measure", entries[0], entry, entry.measure)
    archive.field(b"least", entries[0], entry, entry.least)


# What is read.


cdef void load_totalling(Totalling* a, Archive* archive) noexcept nogil:
    """Take over the state that `write_totalling` gave, words already renumbered, into one that has seen nothing."""
    cdef vector[Substream] substreams
    cdef unordered_map[string, uint32_t, TextHash] numbers
    cdef Form form
    cdef size_t pending = 0
    cdef uint32_t i
    clock_fields(a, archive)
    check_counters(a)
    state_fields(archive, &form)
    check_form(a, &form)
    substreams.resize(form.substreams.size())
    for i in range(<uint32_t>substreams.size()):
        load_substream(a, &form, i, &pending, &substreams[i])
        require(numbers.count(substreams[i].key) == 0, b"two substreams have one key")
        numbers[substreams[i].key] = i
    form.windows.check_all_taken(a.stacks)
    require(pending == form.pending.size(), b"entries are of no substream")
    check_touched(a, &form, &substreams)
    a.substreams.swap(substreams)
    a.substream_of_key.swap(numbers)
    a.touched.swap(form.touched)
    a.sweep_at = max(<size_t>FEW_SUBSTREAMS, 2 * a.substreams.size())


cdef void check_counters(const Totalling* a) noexcept nogil:
    cdef size_t i
    require(a.tick < FARTHEST and (a.tick > LONG_AGO or not a.is_open), b"the tick is none")
    for i in range(a.matched.size()):
        require(a.matched[i] <= FARTHEST, b"a counter cannot be")
    for i in range(a.fired.size()):
        require(a.fired[i] <= FARTHEST, b"a counter cannot be")
    for i in range(a.states.size()):
        require(a.states[i].entered <= FARTHEST, b"a counter cannot be")


cdef void check_form(const Totalling* a, const Form* form) noexcept nogil:
    """Lists that belong together are of one length."""
    require(form.substreams.size() < NO_SUBSTREAM, b"there are too many substreams")
    require(form.windows.size() == form.substreams.size(), b"a substream has no window")
    require_rows(form.substreams.size(), a.width, form.keys.size())
    require_rows(form.pending.size(), a.quantities.size(), form.pending_values.size())
    form.windows.check(a.stacks, a.quantities.size(), 0)
    check_entries(a, &form.windows.log, &form.windows.log_wides)
    check_entries(a, &form.pending, &form.pending_values)


cdef void check_entries(const Totalling* a, const vector[Entry]* entries, const vector[int128]* values) noexcept nogil:
    cdef size_t i, q
    for i in range(entries.size()):
        require(entries.at(i).atom < a.arcs.size(), b"an entry is of an atom that there is not")
        for q in range(a.stacks.semiring.numbers - 1):
            require(values.at(i * a.quantities.size() + q) >= 0, b"what adds up is less than nothing")


cdef void load_substream(const Totalling* a, Form* form, size_t number, size_t* pending, Substream* s) noexcept nogil:
    cdef const SubstreamForm* one = &form.substreams[number]
    cdef size_t value = pending[0] * a.quantities.size()
    s.key.assign(<const char*>(form.keys.data() + number * a.width), a.width * sizeof(uint64_t))
    require(one.tick < FARTHEST, b"a substream was touched in a tick that is yet to come")
    s.tick, s.measure = one.tick, one.measure
    form.windows.take_window(a.stacks, number, a.windowed, s.window)
    require(s.window.groups.size() <= 1, b"a substream has starts of several groups")
    if not s.window.groups.empty():
        s.window.groups[0].begun = s.window.log.size()      # or less
    take_part(form.pending, pending[0], one.pending, s.pending)
    take_part(form.pending_values, value, one.pending * a.quantities.size(), s.pending_values)


cdef void check_touched(const Totalling* a, const Form* form, const vector[Substream]* substreams) noexcept nogil:
    """The open tick touched the substreams that have pending entries, each once."""
    cdef vector[uint8_t] is_touched
    cdef size_t i
    require(a.is_open or form.touched.empty(), b"no tick is open")
    is_touched.assign(substreams.size(), 0)
    for i in range(form.touched.size()):
        require(form.touched.at(i) < substreams.size(), b"a substream is touched that there is not")
        require(not is_touched[form.touched.at(i)], b"a substream is touched twice")
        is_touched[form.touched.at(i)] = True
    for i in range(substreams.size()):
        require(is_touched[i] == (not substreams.at(i).pending.empty()), b"entries wait for no tick")
