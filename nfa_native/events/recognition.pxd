# cython: language_level=3
"""What Cython sees of the recognizer: `feed.hpp`, `feed_rules.hpp`, `partitions.hpp`, `whole_archive.hpp` and `restore.hpp`."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from nfa_native.core.archive cimport Archive
from nfa_native.core.containers cimport vector
from nfa_native.events.state cimport Correlating, Found, Recognition

cdef extern from "nfa_native/events/feed.hpp" namespace "spaseq::events" nogil:
    void let_go(Recognition* r)
    void know_partition(Recognition* r, uint32_t partition)
    void forget_numbers(Recognition* r)
    size_t feed_events(
        Recognition* r, const uint32_t* symbols, const int64_t* starts, const int64_t* least, size_t at, size_t count,
        size_t most
    )
    size_t feed_partitions(
        Recognition* r, const uint32_t* symbols, const uint32_t* partitions, const int64_t* starts, const int64_t* least,
        size_t at, size_t count, size_t most, int64_t events
    )
    void clear_found(Found* found, bint is_chain)

cdef extern from "nfa_native/events/feed_rules.hpp" namespace "spaseq::events" nogil:
    void know_rules(Recognition* r, size_t count)
    bint counts_chains(const Recognition* r)
    size_t feed_rules(
        Recognition* r, const uint32_t* symbols, const uint32_t* partitions, const int64_t* starts, const int64_t* least,
        size_t at, size_t count, size_t most, int64_t events
    )

cdef extern from "nfa_native/events/segment_spec.hpp" namespace "spaseq::events" nogil:
    void add_waiting_step(Correlating* c, uint32_t state, bint single)

cdef extern from "nfa_native/events/partitions.hpp" namespace "spaseq::events" nogil:
    void mark_living(Recognition* r, int64_t least, vector[uint8_t]* living)
    void living_of_stream(const Recognition* r, const vector[uint8_t]* owned, vector[uint8_t]* living)
    void sweep_owned(Recognition* r, int64_t least)
    void renumber_rules(Recognition* r, vector[uint32_t]* numbers, size_t count)
    void renumber_partitions(Recognition* r, vector[uint32_t]* numbers, size_t count)

cdef extern from "nfa_native/events/archive.hpp" namespace "spaseq::events" nogil:
    bint can_be_written(const Recognition* r)

cdef extern from "nfa_native/events/whole_archive.hpp" namespace "spaseq::events" nogil:
    void write_recognition(Recognition* r, Archive* a, int64_t least)
    void held_positions(Recognition* r, int64_t least, vector[int64_t]* out)

cdef extern from "nfa_native/events/restore.hpp" namespace "spaseq::events" nogil:
    void load_recognition(Recognition* r, Archive* a, int64_t latest, int64_t oldest)

cdef extern from "nfa_native/events/shedding.hpp" namespace "spaseq::events" nogil:
    void bound_groups(Recognition* r, double rate, double most, int64_t window)
