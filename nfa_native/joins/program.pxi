# What the kernel runs: made of an automaton once, then frozen and shared by all matchers of it.

# One atom of one transition.
cdef struct Label:
    uint32_t transition
    uint32_t part         # 0 is the transition's first atom
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
    const Code* code      # NULL: outside the native subset
    bint comparison       # nothing but `left < right` of two registers, or the opposite of it
    bint inverted
    uint32_t left
    uint32_t right

# A filter that compares a column of the cell with a value of the event.
cdef struct Compared:
    uint32_t column
    uint32_t slot         # its place in the zone maps of the step's index
    bint limit            # `column < value` or the opposite of it; else `value < column` or its opposite
    bint inverted         # the opposite
    ValueSpec event

cdef cppclass StepSpec:
    vector[Join] joins
    vector[uint32_t] filters
    vector[Compared] compared         # what some of the filters ask

cdef cppclass ChoiceSpec:
    vector[uint32_t] atoms
    vector[vector[uint32_t]] slots    # per atom: the row column of each slot
    uint32_t width

cdef cppclass TargetSpec:
    uint32_t state
    bint finishes         # matches that enter the state are finished, and put out at once
    vector[ValueSpec] values

cdef cppclass TransitionSpec:
    uint32_t number
    uint32_t source
    uint32_t label        # of its first atom
    uint32_t index
    uint64_t ends         # Kleenes whose iteration ends before it
    ChoiceSpec choice
    StepSpec step
    StepSpec whole
    vector[uint32_t] probe            # row column of each column of the index
    uint32_t order                    # which of the step's comparisons orders the index; NO_ORDER: none
    bint ordered          # and whether its filters ask nothing else
    bint mapped           # its filters ask nothing but what zone maps know
    vector[TargetSpec] targets
    vector[ValueSpec] columns

cdef cppclass GuardSpec:
    uint32_t number       # among the guards of all states
    bint early
    uint32_t index
    uint64_t begun
    ChoiceSpec choice
    StepSpec step
    StepSpec whole
    vector[uint32_t] later
    vector[uint32_t] probe
    vector[LookSpec] looks

# How cells are found.
cdef cppclass IndexSpec:
    vector[uint32_t] columns
    vector[uint32_t] compared         # columns that zone maps know
    uint32_t order        # the column by whose values buckets are ordered; NO_ORDER: none
    bint falls            # from the greatest value to the least

cdef cppclass StateSpec:
    Govern govern
    Cells kind            # of its cells
    uint32_t width
    bint final
    vector[GuardSpec] guards
    vector[uint32_t] twins            # states that a partial match leaves together with this one
    vector[ValueSpec] closing         # of a final state: the finished match's columns
    vector[ValueSpec] output          # and the result's columns from them
    vector[IndexSpec] indexes

cdef cppclass KernelProgram:
    vector[uint32_t] slots
    vector[Label] labels
    vector[FormulaSpec] formulas
    vector[TransitionSpec] transitions
    vector[StateSpec] states
    vector[vector[uint32_t]] by_atom  # transitions that pick an event of the atom
    vector[uint8_t] negated           # atoms that some guard watches
    vector[uint8_t] gathered          # atoms whose events of a tick are combined with others
    bint gathers                      # there are such atoms
    vector[uint32_t] moving           # states that partial matches leave when they step, or when others do
    vector[word_t] start              # the whole match before its first step
    uint32_t guards                   # of all states
    uint32_t widest                   # values that a formula, or a whole match, may look at
    uint32_t deepest                  # atoms of a choice
    uint32_t whole
    uint32_t result_width
    bint ambiguous
    bint guarded
    bint waits                        # some match waits for its window's edge
    int64_t window
    int64_t origin
    bint sliding
    bint by_events
