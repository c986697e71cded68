# The records of the aggregator.

cdef enum:
    NO_SLOT = 0xFFFFFFFF
    NO_GROUP = 0xFFFFFFFF
    NO_PARTITION = 0xFFFFFFFF
    MANY_BUCKETS = 256    # of a table: more are given back when groups are gone

cdef int64_t NEVER = -0x7FFFFFFFFFFFFFFF - 1
cdef int64_t NOTHING = 0x7FFFFFFFFFFFFFFF

# How an event enters a state.  A slot has all paths that are in a state, or those that entered it with one event.
cdef struct Entry:
    uint32_t state
    uint32_t first        # it comes from slots sources[first] to sources[first + after + directly - 1]
    uint32_t after        # of all paths
    uint32_t directly     # of those that the event before entered
    uint32_t slot         # of its own paths; NO_SLOT if nothing goes on from there some time
    uint32_t last_slot    # of its newest paths; NO_SLOT if nothing goes on from there directly
    uint32_t begin        # the first row of what enters that may have paths
    uint32_t reach        # the first slot to which paths that enter may come
    bint initial
    bint final
    bint loops            # one of the slots that it comes from is its own
    bint counts           # some value of the event does
    bint plain            # all of one slot enters, and nothing else; no value counts
    bint opens            # a start alone enters, of which no value counts, and settles in one slot

# An event since the front was made.
cdef struct Logged:
    int64_t local         # position in its substream
    int64_t start         # what its window measures; NEVER if no match begins
    uint32_t symbol
    uint32_t group

# The paths of a partition.  A group has the matches whose first event has one key.
cdef cppclass Substream:
    int64_t events                # so far
    Window[Bounded, Logged] window
    vector[int64_t] entered_at    # by slot of newest paths: the position of the event that they entered with
    unordered_map[uint32_t, uint32_t, NumberHash] group_of_key    # if there are two or more
    bint is_touched               # it may have paths; only under CONSUME BY ANY

# Results: a row for each end and group.
cdef cppclass Rows:
    vector[int64_t] ends
    vector[uint32_t] keys
    vector[uint64_t] counts
    vector[int128] wides          # [row][quantity]
    vector[double] reals

cdef cppclass Aggregation:
    TwoStacks[Bounded, Logged, BoundedSpan] stacks
    bint has_newest               # some slots have paths that have to go on directly
    vector[uint32_t] begins       # by slot: the first row of its column that may have paths
    vector[uint32_t] reaches      # by slot: the first slot to which its paths may come
    vector[Entry] entries         # by state
    vector[uint32_t] sources
    vector[uint32_t] symbol_begin # of each symbol: its entries in `symbol_entries`
    vector[uint32_t] symbol_entries       # from the last state to the first
    vector[uint8_t] in_order      # a state that a symbol enters comes after its predecessors that it enters, too
    vector[uint8_t] opens         # a symbol enters an initial state
    vector[uint8_t] holds_wide    # [state][quantity of integers]: events of the state count
    vector[uint8_t] holds_real
    bint windowed
    bint partitioned
    Consumed consume
    int64_t position              # of the next event, or of the one under way
    vector[Substream] substreams
    vector[uint32_t] touched
    Rows rows
    # the event under way
    vector[int128] event_wides    # its values by quantity, those that change nothing if it has none
    vector[double] event_reals
    BoundedTotals entering        # [entry][height]: what enters states
    vector[uint32_t] entered      # the states
    BoundedTotals found           # [group]: matches that end
    BoundedTotals turned          # [entry][slot]: what becomes of paths that enter a state
    # the batch under way
    vector[const int64_t*] wide_values    # by quantity
    vector[const uint8_t*] wide_valid     # NULL: all are
    vector[const double*] real_values
    vector[const uint8_t*] real_valid
