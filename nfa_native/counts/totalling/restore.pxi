# The state that an archive has.  Nothing in it is believed: whatever is a place, a length, a number or an order is compared
# with what is there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.

cdef int64_t FARTHEST = 1000000000000000000      # a tick, a counter: they can go on for long

# How far the lists of a form have been taken.
cdef struct Taken:
    size_t start
    size_t tick
    size_t log
    size_t pending
    size_t row            # of numbers,
    size_t row_limb
    size_t front          # likewise
    size_t front_limb


cdef void load_totalling(Totalling* a, Archive* archive) noexcept nogil:
    """Take over the state that `write_totalling` gave, words already renumbered, into one that has seen nothing."""
    cdef vector[Substream] substreams
    cdef unordered_map[string, uint32_t, TextHash] numbers
    cdef Taken taken
    cdef Form form
    cdef uint32_t i
    clock_fields(a, archive)
    check_counters(a)
    state_fields(archive, &form)
    check_form(a, &form)
    taken.start = taken.tick = taken.log = taken.pending = 0
    taken.row = taken.row_limb = taken.front = taken.front_limb = 0
    substreams.resize(form.substreams.size())
    for i in range(<uint32_t>substreams.size()):
        load_substream(a, &form, i, &taken, &substreams[i])
        require(numbers.count(substreams[i].key) == 0, b"two substreams have one key")
        numbers[substreams[i].key] = i
    check_all_taken(&form, &taken)
    check_touched(a, &form, &substreams)
    a.substreams.swap(substreams)
    a.substream_of_key.swap(numbers)
    a.touched.swap(form.touched)
    a.sweep_at = max(<size_t>FEW_SUBSTREAMS, 2 * a.substreams.size())


cdef void check_counters(const Totalling* a) noexcept nogil:
    cdef size_t i
    require(a.tick < FARTHEST and (a.tick > LONG_AGO or not a.is_open), b"the tick is none")
    for i in range(a.matched.size()):
        require(a.matched[i] <= <uint64_t>FARTHEST, b"a counter cannot be")
    for i in range(a.fired.size()):
        require(a.fired[i] <= <uint64_t>FARTHEST, b"a counter cannot be")
    for i in range(a.states.size()):
        require(a.states[i].entered <= <uint64_t>FARTHEST, b"a counter cannot be")


cdef void check_form(const Totalling* a, const Form* form) noexcept nogil:
    """Lists that belong together are of one length."""
    require(form.substreams.size() < NO_SUBSTREAM, b"there are too many substreams")
    check_rows(form.substreams.size(), a.width, form.keys.size())
    check_totals(a, &form.rows)
    check_totals(a, &form.fronts)
    check_entries(a, &form.log)
    check_entries(a, &form.pending)


cdef inline void check_rows(size_t rows, size_t width, size_t size) noexcept nogil:
    """So many rows of this width lie in a list of this size."""
    require(size == 0 if width == 0 else size % width == 0 and size // width == rows, b"a list has another length")


cdef void check_totals(const Totalling* a, const TotalsForm* form) noexcept nogil:
    require(form.sizes.size() % a.numbers == 0, b"a total lacks some number")
    check_rows(form.sizes.size() // a.numbers, a.leasts, form.leasts.size())


cdef void check_entries(const Totalling* a, const EntriesForm* form) noexcept nogil:
    cdef size_t i, q
    check_rows(form.entries.size(), a.quantities.size(), form.values.size())
    for i in range(form.entries.size()):
        require(form.entries.at(i).atom < a.arcs.size(), b"an entry is of an atom that there is not")
        for q in range(a.numbers - 1):
            require(form.values.at(i * a.quantities.size() + q) >= 0, b"what adds up is less than nothing")


cdef void load_substream(const Totalling* a, Form* form, size_t number, Taken* taken, Substream* s) noexcept nogil:
    cdef const SubstreamForm* one = &form.substreams.at(number)
    cdef size_t states = a.states.size()
    cdef size_t columns, i
    s.key.assign(<const char*>(form.keys.data() + number * a.width), a.width * sizeof(uint64_t))
    require(one.tick < FARTHEST, b"a substream was touched in a tick that is yet to come")
    s.tick, s.measure, s.oldest, s.left = one.tick, one.measure, one.oldest, one.left
    s.has_front, s.has_back = one.has_front != 0, one.has_back != 0
    require(s.has_front == (s.left > 0), b"a front has no starts, or starts no front")
    resize_table(a, &s.rows, states * (1 + states))
    columns = columns_of(a, s)
    for i in range(states):
        take_totals(a, &form.rows, &taken.row, &taken.row_limb, &s.rows, i * (1 + states), columns)
    load_front(a, form, taken, s)
    load_log(a, form, one, taken, s)
    take_entries(a, &form.pending, &taken.pending, one.pending, &s.pending, &s.pending_values)


cdef void load_front(const Totalling* a, Form* form, Taken* taken, Substream* s) noexcept nogil:
    cdef size_t states = a.states.size()
    take_part(form.starts, taken.start, s.left, s.starts)
    require(
        states == 0 or s.left <= (form.fronts.sizes.size() - taken.front) // a.numbers // states,
        b"totals of starts are missing",
    )
    resize_table(a, &s.front, s.left * states)
    take_totals(a, &form.fronts, &taken.front, &taken.front_limb, &s.front, 0, s.left * states)


cdef void load_log(const Totalling* a, Form* form, const SubstreamForm* one, Taken* taken, Substream* s) noexcept nogil:
    """The entries since the front was made, those of one tick after the other."""
    cdef size_t i
    require(one.logged == 0 or (s.has_back and a.windowed), b"entries are kept that nobody needs")
    require((one.logged > 0) == (one.ticks > 0), b"entries have no tick")
    take_part(form.ticks, taken.tick, one.ticks, s.ticks)
    take_entries(a, &form.log, &taken.log, one.logged, &s.log, &s.log_values)
    for i in range(s.ticks.size()):
        require(s.ticks[i].first < s.log.size(), b"a tick has no entry")
        require(s.ticks[i].first == 0 if i == 0 else s.ticks[i - 1].first < s.ticks[i].first, b"ticks are not in order")


cdef void take_entries(
    const Totalling* a, const EntriesForm* form, size_t* at, size_t count, vector[Entry]* entries, vector[wide]* values
) noexcept nogil:
    """The next entries."""
    cdef size_t value = at[0] * a.quantities.size()
    take_part(form.entries, at[0], count, entries[0])
    take_part(form.values, value, count * a.quantities.size(), values[0])


cdef void take_totals(
    const Totalling* a, const TotalsForm* form, size_t* at, size_t* limb, Table* out, size_t first, size_t count
) noexcept nogil:
    """The next totals, into a table from there on."""
    cdef size_t least = at[0] // a.numbers * a.leasts
    cdef size_t i
    require(count * a.numbers <= form.sizes.size() - at[0], b"totals are missing")
    for i in range(first * a.numbers, (first + count) * a.numbers):
        require(form.sizes.at(at[0]) <= form.limbs.size() - limb[0], b"a number lacks limbs")
        out.numbers[i].assign(form.limbs.data() + limb[0], form.sizes.at(at[0]))
        limb[0] += form.sizes.at(at[0])
        at[0] += 1
    for i in range(count * a.leasts):
        out.leasts[first * a.leasts + i] = form.leasts.at(least + i)


cdef void check_all_taken(const Form* form, const Taken* taken) noexcept nogil:
    require(taken.row == form.rows.sizes.size() and taken.row_limb == form.rows.limbs.size(), b"totals are of no substream")
    require(taken.start == form.starts.size() and taken.front == form.fronts.sizes.size(), b"starts are of no substream")
    require(taken.front_limb == form.fronts.limbs.size(), b"starts are of no substream")
    require(taken.tick == form.ticks.size() and taken.log == form.log.entries.size(), b"ticks are of no substream")
    require(taken.pending == form.pending.entries.size(), b"entries are of no substream")


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
