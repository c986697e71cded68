# The records of the solver.

# What running a step comes to.
cdef enum:
    GO_ON = 0        # all its solutions have been handed on
    STOP = 1         # one solution is enough, and it has been found
    UNDECIDED = 2    # an operand that only the fallback can judge

# Kinds of steps.
cdef enum:
    MATCH
    TEST
    ASSIGN
    ALTERNATIVES
    ATTEMPT
    SUCCESS          # the end of an ATTEMPT's chain
    JOIN
    EXCLUDE
    EMIT             # the end of a pattern
    COLLECT          # the end of a table's chain
    FOUND            # the end of an EXISTS

# Which positions of a triple pattern hold the same variable.
cdef enum:
    SUBJECT_IS_PREDICATE = 1
    OBJECT_IS_PREDICATE = 2
    OBJECT_IS_SUBJECT = 4

cdef enum:
    LARGE = 48       # events with more triples are looked up in views: where sorting them begins to pay

ctypedef pair[pair[word_t, word_t], pair[word_t, uint32_t]] Entry   # three words of a triple and its position

cdef struct Step:
    int32_t kind
    int32_t next          # the step that takes the solutions
    int32_t number        # of the condition, table, list of branches, or attempt
    int32_t start         # ATTEMPT: first step of its chain
    int32_t subject       # MATCH: registers
    int32_t predicate
    int32_t object
    int32_t repeats       # MATCH: SUBJECT_IS_PREDICATE …
    int32_t target        # ASSIGN: register

# EXISTS in an expression.
cdef struct Question:
    int32_t target        # register of the answer
    int32_t scope

cdef cppclass Formula:
    const Code* code
    vector[Question] asked     # before the code runs
    int comparison             # OP_LESS …: of a register with a number, where it is nothing else; else NO_COMPARISON
    int32_t compared           # that register
    int128 bound               # that number, in units of 10**-18

# Rows that a row is joined with, sorted; 0 is unbound.
cdef cppclass TableSpec:
    vector[int32_t] registers
    vector[word_t] rows        # width × count words
    vector[word_t] saved       # the registers' contents before the join
    size_t width
    size_t count
    vector[word_t] buffer      # for sorting

# A pattern or the inside of an EXISTS: its tables are collected on the way in.
cdef cppclass ScopeSpec:
    vector[int32_t] tables
    vector[int32_t] starts     # first step of each table's chain
    int32_t start

# The triples of an event in one order.
cdef cppclass View:
    vector[Entry] entries
    bint ready

cdef cppclass EventTriples:
    const word_t* subjects
    const word_t* predicates
    const word_t* objects
    size_t size
    int64_t now                # microseconds since 1970
    vector[View] views         # by their order; only built for large events
    bint indexed               # some view is ready

# Rows of one pattern on a run of events.
cdef cppclass RowsOut:
    size_t width
    vector[word_t] rows
    vector[uint32_t] row_event
    vector[uint32_t] undecided
    size_t found               # rows of the current event
    vector[word_t] buffer      # for sorting

# One pattern on rows that several patterns share.
cdef cppclass MemberSpec:
    vector[Formula] tests      # registers are positions in the row
    vector[int32_t] positions  # of its columns, −1: never bound
    RowsOut out

cdef cppclass Machine:
    TermStore* store
    EventTriples* event
    vector[Step] steps
    vector[Formula] formulas
    vector[vector[int32_t]] branches
    vector[TableSpec] tables
    vector[ScopeSpec] scopes   # the first is the pattern's
    vector[uint8_t] reached    # by attempt: its chain has come to its end
    vector[word_t] registers   # the last is never bound
    vector[int32_t] output     # registers of the columns
    RowsOut out
    vector[MemberSpec] members # empty: the rows are those of one pattern
