# cython: language_level=3
"""What Cython sees of the state of a recognizer: `state.hpp`, `program.hpp` and `table.hpp`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport (
    Change, Consumed, EnumerationKind, Evaluating, RegisterCells, RegisterTest, StepKind, StrategyKind,
)
from nfa_native.core.allowance cimport Allowance
from nfa_native.core.containers cimport unique_ptr, vector
from nfa_native.core.flat_table cimport FlatTable
from nfa_native.core.node_ring cimport AgingRing, NodeRing
from nfa_native.events.conditions cimport Condition, Number

cdef extern from "nfa_native/events/groups.hpp" namespace "spaseq::events" nogil:
    const int64_t NEVER
    const int64_t NOT_SET
    const int64_t NO_VALUE

    cdef struct GuardSpec:
        uint32_t register_
        RegisterTest test
        uint32_t column

    cdef cppclass GroupList:
        pass

    cdef struct Slot:
        pass

cdef extern from "nfa_native/events/program.hpp" namespace "spaseq::events" nogil:
    cdef struct EntrySpec:
        uint32_t state
        uint32_t first
        uint32_t after
        uint32_t directly
        bint initial
        bint final
        StepKind step
        bint waits
        bint waits_next

    cdef struct EnteredState:
        uint32_t state
        uint32_t first
        uint32_t end

    cdef struct SymbolSpec:
        uint32_t begin
        uint32_t finals
        uint32_t begins
        uint32_t end
        bint plain
        bint swift
        bint in_order

    cdef struct UpdateSpec:
        Change change
        int32_t register_
        int32_t column

    cdef struct QuestionSpec:
        uint32_t number
        uint32_t first
        uint32_t count
        int32_t register_
        int32_t decided

    cdef struct TellingNumber:
        uint32_t register_
        int32_t argument
        bint is_real

    cdef struct TransitionSpec:
        uint32_t source
        bint contiguous
        bint keyed
        bint by_skyline
        uint32_t first_guard
        uint32_t guards
        uint32_t first_question
        uint32_t questions
        uint32_t first_update

    cdef struct CellSpec:
        RegisterCells kind
        uint32_t width
        uint32_t first_register
        int32_t key
        int32_t skyline
        uint32_t first_transition
        uint32_t transitions
        uint32_t first_begin
        uint32_t first_update

    cdef cppclass RecognizerProgram:
        size_t width
        vector[EntrySpec] entries
        vector[uint32_t] sources
        vector[uint8_t] marked
        bint all_marked
        bint start_is_marked
        bint is_chain
        vector[SymbolSpec] symbols
        vector[uint8_t] enters
        vector[EnteredState] entered
        uint32_t most_nodes
        int64_t events
        bint partitioned
        bint numbered
        bint rises
        bint forgets
        Consumed consume
        EnumerationKind enumeration
        int64_t limit
        StrategyKind strategy
        bint update_only
        uint64_t drawn
        uint64_t salt

cdef extern from "nfa_native/events/rules.hpp" namespace "spaseq::events" nogil:
    cdef struct Owned:
        uint32_t partition
        uint32_t rule

cdef extern from "nfa_native/events/table.hpp" namespace "spaseq::events" nogil:
    cdef cppclass Table:
        size_t width
        size_t room
        size_t line
        int64_t* memory

    int64_t* column_of(const Table* t, size_t state)
    void begin_table(Table* t, size_t width)

cdef extern from "nfa_native/core/trial.hpp" namespace "spaseq" nogil:
    cdef cppclass Trial:
        bint other
        uint64_t switches

cdef extern from "nfa_native/events/lazy_steps.hpp" namespace "spaseq::events" nogil:
    cdef cppclass WaitingEvents:
        size_t dead
        size_t size()

    cdef cppclass WaitingSegment:
        vector[WaitingEvents] by_list
        Trial trial

    cdef cppclass WaitingSteps:
        vector[WaitingSegment] segments
        Evaluating evaluating

cdef extern from "nfa_native/events/shed_state.hpp" namespace "spaseq::events" nogil:
    cdef cppclass GroupWorth:
        uint64_t unworthy
        uint64_t cut

    cdef cppclass GroupShedding:
        Allowance allowance
        vector[GroupWorth] states
        double reckless
        uint64_t curtailed

cdef extern from "nfa_native/events/state.hpp" namespace "spaseq::events" nogil:
    const uint32_t NO_PARTITION
    const uint32_t FEW_NODES
    const uint32_t FEW_SLOTS

    cdef cppclass ViewRecord:
        pass

    cdef cppclass Listed:
        int64_t position
        int64_t before

    cdef cppclass Correlating:
        vector[CellSpec] cells
        vector[TransitionSpec] transitions
        vector[GuardSpec] guards
        vector[QuestionSpec] questions
        vector[int32_t] question_registers
        vector[UpdateSpec] updates
        vector[vector[TellingNumber]] telling
        vector[uint8_t] judged
        vector[uint8_t] has_list
        bint has_recents
        vector[const int64_t*] columns
        vector[GroupList*] lists
        FlatTable[Slot] keyed
        FlatTable[Slot] merged
        NodeRing[ViewRecord] views
        vector[Condition] conditions
        vector[Condition] computations
        vector[Number] constants
        vector[int64_t] own
        vector[Listed] listed
        vector[int64_t] remembered
        vector[const int64_t*] rows
        int64_t listed_base
        size_t listed_first
        vector[int64_t] bounds
        vector[int64_t] registers
        vector[int64_t] candidates
        vector[uint8_t] answers
        uint64_t scanned
        WaitingSteps waiting

    cdef cppclass Rules:
        size_t count
        size_t words
        vector[int64_t] windows
        vector[vector[uint32_t]] conditions
        vector[uint32_t] symbols
        vector[uint8_t] asked
        vector[uint32_t] met
        vector[const uint32_t*] places
        vector[const uint64_t*] sets
        uint64_t* counts
        vector[Owned] owned
        bint is_under_way

    cdef cppclass Found:
        size_t count
        vector[int64_t] starts
        vector[int64_t] ends
        vector[int64_t] offsets
        vector[int64_t] positions
        vector[uint16_t] states
        vector[uint32_t] rules

    cdef cppclass MatchNode:
        uint32_t state

    cdef cppclass RecognizerState:
        AgingRing[MatchNode] ring
        uint32_t attention
        vector[int64_t] locals
        int64_t first_number
        int64_t position

    cdef cppclass RecognizerScratch:
        bint is_full
        bint is_stopped
        bint counts
        uint64_t counted
        Found found
        Table* table

    cdef struct Owner:
        void (*ask)(
            Recognition* r, const QuestionSpec* question, const int64_t* registers, size_t width
        ) noexcept with gil
        bint (*is_interrupted)(Recognition* r) noexcept with gil

    cdef cppclass Recognition:
        RecognizerProgram program
        Correlating* correlating
        Rules* rules
        RecognizerState state
        RecognizerScratch scratch
        unique_ptr[GroupShedding] shedding
        const Owner* owner
        void* recognizer

    void copy_rows(const Found* found, size_t width, int64_t* rows, int64_t* columns)
