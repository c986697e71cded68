# cython: language_level=3
"""What the kernel runs, as Cython sees it: `program.hpp`."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Cells, ColumnSource, Govern, RuleTestKind, View
from nfa_native.core.containers cimport vector
from nfa_native.terms.dictionary cimport word_t

cdef extern from "nfa_native/joins/program.hpp" namespace "spaseq::joins" nogil:
    const uint32_t NO_ORDER
    const uint32_t NO_RULES
    const uint32_t NO_JUNCTION
    const uint32_t NO_SIDE
    const uint32_t NO_COLUMN
    const uint32_t MOST_COMPARED

    cdef struct Label:
        uint32_t transition
        uint32_t part
        uint32_t parts
        uint32_t atom

    cdef struct ValueSpec:
        ColumnSource kind
        uint32_t cell
        uint32_t row
        uint32_t formula

    cdef struct Join:
        uint32_t cell
        uint32_t row

    cdef struct LookSpec:
        uint32_t column
        View view
        uint32_t kleene
        ValueSpec value

    cdef cppclass FormulaSpec:
        const void* code
        bint comparison
        bint inverted
        uint32_t left
        uint32_t right

    cdef struct Compared:
        uint32_t column
        uint32_t slot
        bint limit
        bint inverted
        ValueSpec event

    cdef struct RuleTest:
        RuleTestKind kind
        uint32_t parameter
        bint limit
        bint inverted
        ValueSpec value
        uint32_t formula

    cdef cppclass StepSpec:
        vector[Join] joins
        vector[uint32_t] filters
        vector[Compared] compared
        vector[RuleTest] tests

    cdef cppclass ChoiceSpec:
        vector[uint32_t] atoms
        vector[vector[uint32_t]] slots
        uint32_t width

    cdef cppclass TargetSpec:
        uint32_t state
        bint finishes
        vector[ValueSpec] values
        uint32_t junction
        uint32_t side
        vector[ValueSpec] whole
        uint64_t ends

    cdef struct SightSpec:
        uint32_t column
        ValueSpec value

    cdef cppclass ChanceSpec:
        uint32_t guard
        vector[SightSpec] sights
        vector[uint32_t] later

    cdef cppclass SideSpec:
        uint32_t state
        vector[uint32_t] columns

    cdef cppclass TransitionSpec:
        uint32_t number
        uint32_t source
        uint32_t label
        uint32_t index
        uint64_t ends
        ChoiceSpec choice
        StepSpec step
        StepSpec whole
        vector[uint32_t] probe
        uint32_t order
        bint ordered
        bint mapped
        vector[TargetSpec] targets
        vector[ValueSpec] columns
        vector[uint32_t] opens
        vector[uint32_t] sides
        uint32_t branch
        vector[ChanceSpec] chances

    cdef cppclass GuardSpec:
        uint32_t number
        bint early
        bint first_chance
        uint32_t index
        uint64_t begun
        ChoiceSpec choice
        StepSpec step
        StepSpec whole
        vector[uint32_t] later
        vector[uint32_t] probe
        vector[LookSpec] looks

    cdef cppclass IndexSpec:
        vector[uint32_t] columns
        vector[uint32_t] compared
        uint32_t order
        bint falls

    cdef struct MarginTerm:
        uint32_t column
        double weight

    cdef cppclass StateSpec:
        Govern govern
        Cells kind
        uint32_t width
        bint final
        uint32_t rules
        vector[GuardSpec] guards
        vector[uint32_t] twins
        vector[ValueSpec] closing
        vector[ValueSpec] output
        vector[IndexSpec] indexes
        bint forks
        uint32_t fork
        vector[uint32_t] branches
        vector[vector[MarginTerm]] margins

    cdef cppclass AcrossSpec:
        uint32_t formula
        bint repeated
        vector[uint32_t] transitions
        vector[LookSpec] looks

    cdef cppclass JunctionSpec:
        vector[SideSpec] sides
        uint32_t width
        vector[uint32_t] filters
        vector[TargetSpec] targets
        vector[uint32_t] shown
        vector[uint32_t] owners
        vector[AcrossSpec] across
        bint across_repeated
        bint anchored

    cdef cppclass ClosingSpec:
        uint32_t transition
        vector[uint32_t] key

    cdef cppclass SegmentSpec:
        uint32_t source
        uint32_t transition
        uint32_t state
        vector[uint32_t] held
        vector[uint32_t] row
        vector[ClosingSpec] closing
        bint single

    cdef cppclass KernelProgram:
        vector[uint32_t] slots
        vector[Label] labels
        vector[FormulaSpec] formulas
        vector[TransitionSpec] transitions
        vector[StateSpec] states
        vector[JunctionSpec] junctions
        bint sifted
        bint anchored
        vector[vector[uint32_t]] by_atom
        vector[uint8_t] negated
        vector[uint8_t] gathered
        bint gathers
        vector[uint32_t] moving
        vector[uint32_t] merging
        uint32_t merge_after
        uint32_t merge_ratio
        vector[word_t] start
        uint32_t guards
        uint32_t widest
        uint32_t parameters
        uint32_t rules
        uint32_t deepest
        uint32_t whole
        uint32_t result_width
        bint ambiguous
        bint guarded
        bint waits
        int64_t window
        int64_t origin
        bint sliding
        bint by_events

    void place_guard(KernelProgram* program, uint32_t state, uint32_t number)
    const uint32_t MOST_LISTS

    void order_index(StateSpec* s, TransitionSpec* transition)
    void note_joins(const KernelProgram* program, SegmentSpec* segment)
    void enter_segment(KernelProgram* program, const SegmentSpec* segment)
    void set_code(FormulaSpec* formula, const void* code)


cdef class MatcherProgram:
    cdef KernelProgram program
    cdef readonly object automaton     # holds the code of its formulas


cdef MatcherProgram program_of(object automaton)
