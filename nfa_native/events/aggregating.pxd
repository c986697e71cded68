# cython: language_level=3
"""The aggregator (`aggregating/`)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Consumed
from nfa_native.core.archive cimport Archive
from nfa_native.core.containers cimport vector
from nfa_native.core.two_stacks cimport StartGroup, int128

cdef extern from "nfa_native/events/aggregating/state.hpp" namespace "spaseq::events::aggregating" nogil:
    enum:
        NO_SLOT
        NO_PARTITION

    int64_t high_half "spaseq::semirings::high_half"(int128 a)
    uint64_t low_half "spaseq::semirings::low_half"(int128 a)

    cdef cppclass Bounded:
        size_t wides
        bint counts_on
        size_t reals
        vector[uint8_t] is_least

    cdef cppclass PathStacks "spaseq::TwoStacks<spaseq::semirings::Bounded, spaseq::events::aggregating::Logged>":
        Bounded semiring
        size_t slots

    cdef cppclass PathWindow "spaseq::Window<spaseq::semirings::Bounded, spaseq::events::aggregating::Logged>":
        vector[StartGroup[Bounded]] groups
        vector[Logged] log

    cdef cppclass Entry:
        uint32_t state
        uint32_t first
        uint32_t after
        uint32_t directly
        uint32_t slot
        uint32_t last_slot
        bint initial
        bint final
        bint loops

    cdef cppclass Logged:
        pass

    cdef cppclass Substream:
        PathWindow window

    cdef cppclass Rows:
        vector[int64_t] ends
        vector[uint32_t] keys
        vector[uint64_t] counts
        vector[int128] wides          # [row][quantity]
        vector[double] reals

    cdef cppclass Aggregation:
        PathStacks stacks
        bint has_newest
        vector[Entry] entries
        vector[uint32_t] sources
        vector[uint32_t] symbol_begin
        vector[uint32_t] symbol_entries
        vector[uint8_t] in_order
        vector[uint8_t] opens
        vector[uint8_t] holds_wide
        vector[uint8_t] holds_real
        bint windowed
        bint partitioned
        Consumed consume
        int64_t position
        vector[Substream] substreams
        Rows rows
        vector[const int64_t*] wide_values
        vector[const uint8_t*] wide_valid
        vector[const double*] real_values
        vector[const uint8_t*] real_valid

    void begin_aggregation(Aggregation* a)

cdef extern from "nfa_native/events/aggregating/feed.hpp" namespace "spaseq::events::aggregating" nogil:
    size_t feed_events(
        Aggregation* a, const uint32_t* symbols, const int64_t* starts, const int64_t* least,
        const uint32_t* partitions, const uint32_t* keys, size_t at, size_t count, size_t most, int64_t events
    )
    void clear_rows(Rows* rows)

cdef extern from "nfa_native/events/aggregating/forget.hpp" namespace "spaseq::events::aggregating" nogil:
    void find_living(const Aggregation* a, int64_t least, int64_t events, vector[uint32_t]* out)
    void renumber_substreams(Aggregation* a, const vector[uint32_t]* numbers, size_t count)
    void find_keys(const Aggregation* a, vector[uint32_t]* out)
    void renumber_keys(Aggregation* a, const vector[uint32_t]* numbers)

cdef extern from "nfa_native/events/aggregating/archive.hpp" namespace "spaseq::events::aggregating" nogil:
    void write_aggregation(Aggregation* a, Archive* archive)
    void load_symbols(Aggregation* a, Archive* archive, vector[uint32_t]* sizes, vector[uint32_t]* entries)
    void load_aggregation(Aggregation* a, Archive* archive)
