# cython: language_level=3
"""What Cython sees of the state of a matcher: `state.hpp`."""

from libc.stdint cimport int8_t, int64_t, uint16_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Evaluating
from nfa_native.core.allowance cimport Allowance
from nfa_native.core.containers cimport unique_ptr, vector
from nfa_native.joins.program cimport KernelProgram
from nfa_native.terms.dictionary cimport word_t

cdef extern from "nfa_native/joins/state.hpp" namespace "spaseq::joins" nogil:
    const uint32_t MUCH_CREATED
    const int64_t FOREVER

    cdef cppclass Merging:
        uint64_t due
        uint64_t switches

    cdef cppclass StateData:
        Merging merging
        vector[CellIndex] indexes
        uint32_t live
        uint64_t entered
        uint64_t expired
        uint64_t skipped

    cdef cppclass CellIndex:
        pass

    cdef struct Candidacies:
        uint64_t offered
        uint64_t lonely
        uint64_t unjoined
        uint64_t unfiltered
        uint64_t fired
        uint64_t pairs
        uint64_t scanned

    cdef cppclass History:
        vector[EventRecord] events

    cdef cppclass EventRecord:
        uint64_t handle

    cdef cppclass Ring:
        uint32_t count()

    cdef cppclass Results:
        vector[int64_t] first
        vector[int64_t] last
        vector[int64_t] decided
        vector[int64_t] offsets
        vector[uint16_t] atoms
        vector[uint64_t] events
        vector[word_t] words
        vector[int64_t] counts
        uint64_t count

    const uint32_t MOST_RULES

    cdef cppclass RuleColumn:
        vector[word_t] words

    cdef cppclass RuleTable:
        uint32_t count
        vector[RuleColumn] columns
        vector[int64_t] windows
        vector[uint64_t] found

    cdef cppclass Segment:
        size_t waiting
        bint lazy
        uint64_t switches

    cdef cppclass KernelState:
        vector[Segment] segments
        RuleTable rules
        History history
        Ring ring
        vector[StateData] states
        vector[Candidacies] candidacies
        uint32_t lo
        int64_t seq
        uint64_t next_handle
        bint open
        int64_t tick
        int64_t promised
        uint64_t created
        uint64_t ticks
        vector[uint64_t] matched

    cdef cppclass Pause:
        int64_t left
        int64_t stride
        size_t most
        size_t most_held

    cdef cppclass StateLoads:
        uint64_t unworthy
        uint64_t cut
        uint64_t hopeless

    cdef enum class Telling(uint32_t):
        pass

    cdef cppclass LoadShedding:
        Allowance allowance
        double reckless
        uint64_t curtailed
        Telling telling
        vector[StateLoads] states

    cdef cppclass Sampling:
        double until
        bint over

    cdef cppclass Counter:
        bint too_many

    cdef cppclass Scratch:
        vector[word_t] registers

    cdef struct Evaluation:
        int (*test)(const void* code, const word_t* registers, int64_t now, void* store) noexcept nogil
        int (*compute)(
            const void* code, const word_t* registers, int64_t now, void* store, word_t* out
        ) noexcept nogil
        void (*ask_filter)(
            Kernel* k, uint32_t formula, const word_t* registers, size_t count, uint32_t width, int64_t now, int8_t* answers
        ) noexcept with gil
        word_t (*ask_value)(Kernel* k, uint32_t formula, uint32_t width, int64_t now) noexcept with gil

    cdef cppclass Kernel:
        unique_ptr[LoadShedding] shedding
        unique_ptr[Sampling] sampling
        const Evaluation* evaluation
        KernelProgram* program
        void* store
        void* owner
        bint count_only
        bint tallies
        Evaluating evaluating
        bint failed
        KernelState now
        Pause pause
        Scratch scratch
        Results results
        Counter counter

    void build_kernel(Kernel* k, KernelProgram* program)
    void clear_results(Results* results)
    EventRecord* event_at(KernelState* now, uint32_t pos)
    uint32_t next_position(KernelState* now)
    uint64_t killed_in(KernelProgram* program, KernelState* now, size_t state)
