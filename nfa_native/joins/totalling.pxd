# cython: language_level=3
"""The aggregation (`totalling/`)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Govern, MatchQuantity
from nfa_native.core.archive cimport Archive
from nfa_native.core.containers cimport string, unordered_map, vector
from nfa_native.core.mixing cimport TextHash
from nfa_native.core.two_stacks cimport StartGroup, int128
from nfa_native.terms.dictionary cimport word_t

cdef extern from "nfa_native/joins/totalling/state.hpp" namespace "spaseq::joins::totalling" nogil:
    const int128 NO_LEAST
    enum:
        NO_STATE
        NO_SLOT
    const int64_t LONG_AGO

    cdef cppclass Natural:
        bint is_too_large()
        size_t size()
        uint64_t limb(size_t at)

    cdef cppclass ExactTotals:
        vector[Natural] numbers       # [total][number]
        vector[int128] leasts         # [total][least]

    cdef cppclass Exact:
        size_t numbers
        size_t leasts

    cdef cppclass TotalsStacks "spaseq::TwoStacks<spaseq::semirings::Exact, spaseq::joins::totalling::Entry>":
        Exact semiring

    cdef cppclass TotalsWindow "spaseq::Window<spaseq::semirings::Exact, spaseq::joins::totalling::Entry>":
        vector[StartGroup[Exact]] groups
        vector[Entry] log

    cdef cppclass QuantitySpec:
        MatchQuantity kind
        bint first_only
        vector[uint32_t] slots

    cdef struct Arc:
        uint32_t source
        uint32_t target
        uint32_t transition
        bint counts

    cdef cppclass Joint:
        vector[uint32_t] atoms
        vector[Arc] arcs

    cdef cppclass StateRecord:
        Govern govern
        vector[uint32_t] twins
        uint64_t entered

    cdef cppclass Entry:
        pass

    cdef cppclass Substream:
        TotalsWindow window

    cdef cppclass Found:
        vector[int64_t] times
        vector[uint64_t] keys         # [row][key]
        ExactTotals totals            # [row]

    cdef cppclass Totalling:
        const void* store
        int128 (*measured)(const void* store, MatchQuantity kind, word_t word) noexcept nogil
        size_t width
        TotalsStacks stacks
        bint windowed
        vector[QuantitySpec] quantities
        vector[vector[uint32_t]] key_slots
        vector[vector[Arc]] arcs
        vector[Joint] joints
        vector[vector[uint32_t]] strikes
        vector[uint8_t] opens
        vector[StateRecord] states
        vector[Substream] substreams
        unordered_map[string, uint32_t, TextHash] substream_of_key
        int64_t tick
        vector[uint64_t] matched
        vector[uint64_t] fired
        Found found
        string key

    void begin_totalling(Totalling* a)

cdef extern from "nfa_native/joins/totalling/feed.hpp" namespace "spaseq::joins::totalling" nogil:
    cdef cppclass AtomRows:
        const uint32_t* events
        const uint64_t* columns
        size_t rows

    void check_rows_in_order(const vector[AtomRows]* atoms, size_t count)
    void feed_events(
        Totalling* a, const int64_t* ticks, const int64_t* times, const int64_t* measures, const int64_t* leasts,
        vector[AtomRows]* atoms
    )
    void close_open_tick(Totalling* a)
    void sum_found(const Totalling* a, Natural* out)
    void youngest_starts(const Totalling* a, int64_t* starts, int64_t* after)

cdef extern from "nfa_native/joins/totalling/archive.hpp" namespace "spaseq::joins::totalling" nogil:
    void write_totalling(Totalling* a, Archive* archive)
    void load_totalling(Totalling* a, Archive* archive)
