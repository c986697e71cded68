# distutils: language = c++
# cython: language_level=3
"""The aggregator: how many matches of a complex event automaton end at each event, and totals of their events' values.

Nothing is enumerated: paths that are in one state are added up, those that leave the window by a product of what was when
the last ones of the window before had left it, and what became of it (a queue of two stacks).  So an event costs, for each
state that it can enter, a time that depends on the automaton alone.
"""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport PathQuantity
from nfa_native.core.archive cimport Archive, close_archive, open_archive
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, check_sound, guarded, guarded_number
from nfa_native.events.aggregating cimport (
    NO_PARTITION, NO_SLOT, Aggregation, Entry, Rows, begin_aggregation, clear_rows, feed_events, find_keys, find_living,
    high_half, load_aggregation, load_symbols, low_half, renumber_keys, renumber_substreams, write_aggregation,
)

MOST_MATCHES = 2**64 - 1
NO_LEAST = 2**100


class PathTotal(NamedTuple):
    """What is to be known of an event's values in all matches, over the events picked in ``states``.

    MATCHES is how many there are in 128 bits, and not of values; it comes first, and sums then are exact in more matches
    than 64 bits can count, too."""

    kind: int  # a PathQuantity
    states: tuple


class Column(NamedTuple):
    """A quantity's values in a batch: int64[n], of a SUM OF DOUBLES float64[n]; ``valid`` is 0 where there is none."""

    values: np.ndarray
    valid: np.ndarray = None  # uint8[n]; None: all are


class Aggregates(NamedTuple):
    """A row for each end and key with matches, in the order of their ends; m rows.

    ``totals`` has for each quantity: of a SUM, LEAST and MATCHES two columns, the upper half of 128 bits (int64) and the
    lower one (uint64); of a SUM OF DOUBLES one column, of float64.  LEAST is NO_LEAST if there is no value; what has the
    upper half -2**63 else is not known, as it is too large.
    """

    ends: np.ndarray           # int64[m], positions in the whole stream
    keys: np.ndarray           # uint32[m], of the matches' first events
    counts: np.ndarray         # uint64[m]: MOST_MATCHES, or so many
    totals: tuple
    number: np.ndarray = None  # float64[m]: the counts as doubles, if a quantity is of doubles


cdef class Aggregator:
    """Runs one automaton over one stream, or over each partition of it."""

    cdef Aggregation state
    cdef readonly object automaton
    cdef readonly object quantities
    cdef int64_t events
    cdef bint broken          # memory ran out in the middle of an event: see `nfa_native.core.guard`

    def __init__(self, automaton, quantities=(), *, consume=0, partitioned=False, windowed=True, events=None):
        """ValueError: the automaton is ambiguous, so that its paths are not its matches, or it has registers.

        ``consume`` is a Consumed.
        ``windowed``: matches have to start where their end's ``least`` says; neither starts nor windows ever move back.
        ``events``: a window of so many positions within a partition (end − start), instead of starts and windows."""
        if automaton.ambiguous:
            raise ValueError("paths of an ambiguous automaton are not its matches: they cannot be counted")
        if automaton.correlation is not None:
            raise ValueError("paths of an automaton with registers are not alike: they cannot be counted")
        self.automaton = automaton
        self.quantities = tuple(quantities)
        self.events = -1 if events is None else events
        self.state.consume = consume
        self.state.partitioned = partitioned
        self.state.windowed = windowed or events is not None
        build(&self.state, automaton.states)
        measure(&self.state, self.quantities)
        attempted(begin_aggregation, &self.state)

    def know_symbols(self, symbols):
        """Symbols after those that are known, each as the atoms that it stands for (a bit mask).  Symbol 0 is no atom."""
        states = list(enumerate(self.automaton.states))
        check_sound(&self.broken)
        for atoms in symbols:
            self._know(
                [number for number, state in reversed(states) if any([atoms >> atom & 1 for atom in state.atoms])]
            )

    cdef _know(self, entered):
        """A symbol that enters these states, the last one first."""
        some = [self.automaton.states[number] for number in entered]
        late = [
            number for number, state in zip(entered, some, strict=True)
            for one in (*state.after, *state.directly_after) if one > number and one in entered
        ]
        for number in entered:
            self.state.symbol_entries.safe_push_back(<uint32_t>number)
        self.state.symbol_begin.safe_push_back(<uint32_t>self.state.symbol_entries.size())
        self.state.in_order.safe_push_back(not late)
        self.state.opens.safe_push_back(any([state.initial for state in some]))

    @property
    def symbols(self):
        """How many symbols are known, 0 included."""
        return self.state.symbol_begin.size() - 1

    def feed(
        self, const uint32_t[::1] symbols not None, const int64_t[::1] starts not None,
        const int64_t[::1] least not None, columns=(), const uint32_t[::1] partitions=None,
        const uint32_t[::1] keys=None, size_t at=0, size_t most=1 << 20,
    ):
        """Take the events of a batch from number ``at`` on, until all are taken or ``most`` rows wait.

        ``starts``, ``least`` and ``partitions`` are those of the recognizer.  A match counts under the key of its first
        event.  ``columns`` has one for each quantity but MATCHES.  Gives the first event that is not done with."""
        cdef Aggregation* a = &self.state
        cdef size_t count = symbols.shape[0]
        cdef size_t i
        if <size_t>starts.shape[0] != count or <size_t>least.shape[0] != count:
            raise ValueError(f"{count} symbols came with {starts.shape[0]} starts and {least.shape[0]} windows")
        if (partitions is None) == a.partitioned or (a.partitioned and <size_t>partitions.shape[0] != count):
            raise ValueError("each event needs its partition" if a.partitioned else "there are no partitions")
        if keys is not None and <size_t>keys.shape[0] != count:
            raise ValueError(f"{count} symbols came with {keys.shape[0]} keys")
        if at >= count:
            return count
        if at == 0:
            for i in range(count):
                if symbols[i] >= a.symbol_begin.size() - 1:
                    raise ValueError(f"symbol {symbols[i]} is not known")
        of_values = self.quantities[a.stacks.semiring.counts_on :]
        kept = [self._column(*pair, count) for pair in zip(of_values, columns, strict=True)]
        self._point_to(kept)
        with nogil:
            at = guarded_number(
                &self.broken, feed_events, a, &symbols[0], &starts[0], &least[0],
                <const uint32_t*>(&partitions[0] if a.partitioned else NULL),
                <const uint32_t*>(&keys[0] if keys is not None else NULL), at, count, most, self.events,
            )
        return at

    def _column(self, quantity, column, size_t count):
        """The column in the types that are read; ValueError if it has another length."""
        values, valid = column
        if <size_t>len(values) != count or (valid is not None and <size_t>len(valid) != count):
            raise ValueError(f"{count} symbols came with {len(values)} values")
        type_ = np.float64 if quantity.kind == PathQuantity.SUM_OF_DOUBLES else np.int64
        return Column(
            np.ascontiguousarray(values, type_), None if valid is None else np.ascontiguousarray(valid, np.uint8)
        )

    cdef _point_to(self, columns):
        cdef Aggregation* a = &self.state
        cdef const int64_t[::1] integers
        cdef const double[::1] doubles
        cdef const uint8_t[::1] valid
        cdef const uint8_t* where
        a.wide_values.clear()
        a.wide_valid.clear()
        a.real_values.safe_assign(1, NULL)
        a.real_valid.safe_assign(1, NULL)
        if a.stacks.semiring.counts_on:
            a.wide_values.safe_push_back(NULL)
            a.wide_valid.safe_push_back(NULL)
        for quantity, column in zip(self.quantities[a.stacks.semiring.counts_on :], columns, strict=True):
            where = NULL
            if column.valid is not None:
                valid = column.valid
                where = &valid[0]
            if quantity.kind == PathQuantity.SUM_OF_DOUBLES:
                doubles = column.values
                a.real_values.safe_push_back(&doubles[0])
                a.real_valid.safe_push_back(where)
            else:
                integers = column.values
                a.wide_values.safe_push_back(&integers[0])
                a.wide_valid.safe_push_back(where)

    def take(self):
        """The rows since the last call."""
        cdef Rows* rows = &self.state.rows
        cdef size_t count = rows.ends.size()
        check_sound(&self.broken)
        ends, keys, counts = np.empty(count, np.int64), np.empty(count, np.uint32), np.empty(count, np.uint64)
        highs = np.empty((self.state.stacks.semiring.wides, count), np.int64)
        lows = np.empty((self.state.stacks.semiring.wides, count), np.uint64)
        reals = np.empty((self.state.stacks.semiring.reals, count), np.float64)
        if count:
            copy_rows(rows, ends, keys, counts, highs, lows, reals)
        clear_rows(rows)
        exact, doubles = iter(zip(highs, lows, strict=True)), iter(reals[1:])
        totals = tuple([
            next(doubles) if quantity.kind == PathQuantity.SUM_OF_DOUBLES else next(exact) for quantity in self.quantities
        ])
        return Aggregates(ends, keys, counts, totals, reals[0] if self.state.stacks.semiring.reals else None)

    def snapshot(self):
        """The state as bytes, with the symbols that are known.  ValueError: rows wait to be taken."""
        cdef Archive archive
        check_sound(&self.broken)
        if not self.state.rows.ends.empty():
            raise ValueError("take the rows before the snapshot")
        attempted(write_aggregation, &self.state, &archive)
        return close_archive(&archive)

    def restore(self, bytes data not None):
        """Go on where the snapshot was taken, of one with the same automaton, quantities and options.

        Nothing may have come before, nor any symbol: the snapshot has them.  ValueError: the data are damaged."""
        cdef Archive archive
        cdef vector[uint32_t] sizes
        cdef vector[uint32_t] entries
        cdef size_t at = 0, i
        check_sound(&self.broken)
        if self.symbols > 1 or self.state.position:
            raise ValueError("only what has seen nothing can be restored")
        open_archive(&archive, data)
        attempted(load_symbols, &self.state, &archive, &sizes, &entries)
        for i in range(1, sizes.size()):
            self._know([entries[at + j] for j in range(sizes[i])])
            at += sizes[i]
        attempted(load_aggregation, &self.state, &archive)

    def keys(self):
        """The keys under which matches may still end (n), some of them several times."""
        cdef vector[uint32_t] found
        attempted(find_keys, &self.state, &found)
        return np.array(found, np.uint32)

    def renumber(self, const uint32_t[::1] numbers not None):
        """The key k becomes ``numbers[k]``, if there is that; those of ``keys`` stay apart.  Between batches only."""
        cdef vector[uint32_t] new
        check_sound(&self.broken)
        if numbers.shape[0]:
            new.safe_assign(&numbers[0], &numbers[0] + numbers.shape[0])
        with nogil:
            guarded(&self.broken, renumber_keys, &self.state, &new)

    def living(self, int64_t least):
        """The partitions (uint32, rising) in which something began that ends at ``least`` or later may have in its window.

        Without windows: in which something began; of windows of ``events``, ``least`` is not asked for."""
        cdef vector[uint32_t] found
        check_sound(&self.broken)
        with nogil:
            attempted(find_living, &self.state, least, self.events, &found)
        return np.array(found, np.uint32)

    def keep(self, const uint32_t[::1] kept not None):
        """Forget all partitions but these (rising), which get the numbers from 0 on; between batches only."""
        cdef vector[uint32_t] numbers
        cdef size_t i
        check_sound(&self.broken)
        numbers.safe_resize(self.state.substreams.size(), NO_PARTITION)
        for i in range(<size_t>kept.shape[0]):
            if kept[i] >= numbers.size() or i and kept[i] <= kept[i - 1]:
                raise ValueError(f"{kept[i]} of {numbers.size()} partitions does not rise")
            numbers[kept[i]] = <uint32_t>i
        with nogil:
            guarded(&self.broken, renumber_substreams, &self.state, &numbers, <size_t>kept.shape[0])

    @property
    def position(self):
        """How many events were taken."""
        return self.state.position

    def statistics(self):
        """Events that are kept until they are too old, starts that are, and partitions."""
        cdef size_t i, k
        kept = {"log": 0, "starts": 0, "partitions": self.state.substreams.size() if self.state.partitioned else 0}
        for i in range(self.state.substreams.size()):
            kept["log"] += self.state.substreams[i].window.log.size()
            for k in range(self.state.substreams[i].window.groups.size()):
                kept["starts"] += self.state.substreams[i].window.groups[k].left
        return kept


cdef build(Aggregation* a, states):
    """The automaton as arrays."""
    cdef Entry entry
    slots = {}
    for before in sorted({one for state in states for one in state.after}):
        slots["all", before] = len(slots)
    for before in sorted({one for state in states for one in state.directly_after}):
        slots["newest", before] = len(slots)
    a.stacks.slots = len(slots)
    a.has_newest = any([kind == "newest" for kind, _ in slots])
    for number, state in enumerate(states):
        entry.state = number
        entry.first = <uint32_t>a.sources.size()
        entry.after = len(state.after)
        entry.directly = len(state.directly_after)
        entry.slot = <uint32_t>slots["all", number] if ("all", number) in slots else NO_SLOT
        entry.last_slot = <uint32_t>slots["newest", number] if ("newest", number) in slots else NO_SLOT
        entry.initial = state.initial
        entry.final = state.final
        entry.loops = number in state.after
        for one in state.after:
            a.sources.safe_push_back(<uint32_t>slots["all", one])
        for one in state.directly_after:
            a.sources.safe_push_back(<uint32_t>slots["newest", one])
        a.entries.safe_push_back(entry)


cdef measure(Aggregation* a, quantities):
    """What is to be known of paths."""
    exact = [one for one in quantities if one.kind != PathQuantity.SUM_OF_DOUBLES]
    doubles = [one for one in quantities if one.kind == PathQuantity.SUM_OF_DOUBLES]
    if any([one.kind == PathQuantity.MATCHES for one in quantities[1:]]):
        raise ValueError("the number of matches comes first")
    a.stacks.semiring.counts_on = any([one.kind == PathQuantity.MATCHES for one in quantities])
    a.stacks.semiring.wides = len(exact)
    a.stacks.semiring.reals = len(doubles) + 1 if doubles else 0
    for one in exact:
        a.stacks.semiring.is_least.safe_push_back(one.kind == PathQuantity.LEAST)
    for state in range(a.entries.size()):
        for one in exact:
            a.holds_wide.safe_push_back(state in one.states if one.kind != PathQuantity.MATCHES else False)
        if doubles:
            a.holds_real.safe_push_back(False)
        for one in doubles:
            a.holds_real.safe_push_back(state in one.states)


cdef void copy_rows(
    const Rows* rows, int64_t[::1] ends, uint32_t[::1] keys, uint64_t[::1] counts, int64_t[:, ::1] highs,
    uint64_t[:, ::1] lows, double[:, ::1] reals,
) noexcept nogil:
    cdef size_t count = rows.ends.size()
    cdef size_t i, q
    for i in range(count):
        ends[i] = rows.ends[i]
        keys[i] = rows.keys[i]
        counts[i] = rows.counts[i]
    for q in range(highs.shape[0]):
        for i in range(count):
            highs[q, i] = high_half(rows.wides[i * highs.shape[0] + q])
            lows[q, i] = low_half(rows.wides[i * highs.shape[0] + q])
    for q in range(reals.shape[0]):
        for i in range(count):
            reals[q, i] = rows.reals[i * reals.shape[0] + q]
