# The records of the recognizer.  Node numbers and positions are 32 bits and may wrap.

cdef enum:
    NO_NODE = 0
    UNION = 0xFFFF               # instead of a state: a node that unites two others
    NO_PARTITION = 0xFFFFFFFF
    NO_ORIGIN = 0xFFFFFFFF
    FEW_NODES = 16               # that there is room for when an event has taken all of its own
    BETWEEN_SIGNALS = 0x10000    # stages of one event until signals are looked at

# A set of partial matches: those of `next`, each with the event `pos` added, and those of `sibling`.  Of a UNION: those of
# `next` and those of `sibling`.
cdef struct MatchNode:
    int64_t youngest      # the greatest start in the set; without UNION also that of the part with `pos`
    uint32_t pos          # the event picked, lower half of its position
    uint32_t next         # NO_NODE: nothing was picked before
    uint32_t sibling      # NO_NODE: none
    uint32_t state        # where it was picked, or UNION

# Those that entered it with one event: all that strict contiguity lets go on.
cdef struct LastEntry:
    int64_t youngest
    int64_t local         # position of the event in its substream
    uint32_t node

# How an event enters a state.
cdef struct EntrySpec:
    uint32_t state
    uint32_t first        # its predecessors are sources[first] to sources[first + after + directly - 1]
    uint32_t after
    uint32_t directly
    bint initial
    bint final
    StepKind step
    bint waits            # some state comes after it, some time
    bint waits_next       # some state comes directly after it

# A state that a symbol enters, from sources[first] to sources[end - 1].
cdef struct EnteredState:
    uint32_t state
    uint32_t first
    uint32_t end

# The states that a symbol enters are entered[begin] to entered[end - 1], from the last one to the first.  If it is `plain`, those
# that are final come first, up to `finals`, then others up to `begins`, then those, maybe again, in which matches begin.
cdef struct SymbolSpec:
    uint32_t begin
    uint32_t finals
    uint32_t begins
    uint32_t end
    bint plain            # what enters is always put before what is there
    bint swift            # of automata with registers: states are entered as wholes, in order
    bint in_order         # a state that the symbol enters comes after its predecessors that it enters, too

# What enters when the event is over.
cdef struct Entering:
    int64_t youngest
    uint32_t node
    uint32_t entry

# A node to be visited (NO_NODE: the rest of a view), and how many picks come behind it.
cdef struct Visiting:
    uint32_t node
    uint32_t depth

cdef cppclass Correlating
cdef cppclass Table


# Matches of one event that wait to be enumerated.
cdef struct Ending:
    int64_t least         # the least start in the event's window
    uint32_t node

# The best match of the set `set`, by what it picks last, and the start that it has.
cdef struct BestMatch:
    int64_t start
    int64_t event         # for which it was worked out
    uint32_t set          # NO_NODE: none
    uint32_t pick
    uint32_t before       # what the best match with the pick of node `set` itself has picked before it; NO_NODE: nothing

# A marked pick, and the one after it (its number among the candidates), NO_ORIGIN: there is none.
cdef struct Candidate:
    int64_t position
    uint32_t node
    uint32_t origin

# Where a match begins, and its first marked pick.
cdef struct Beginning:
    int64_t start
    uint32_t origin

# Its beginnings and candidates come after those of earlier stages.
cdef struct Stage:
    size_t beginnings     # the first one
    size_t candidates     # the first one
    size_t group          # those of the position that is picked are candidates[group] to candidates[group_end - 1]
    size_t group_end

# A stage of MAX.  What is its own comes after that of earlier stages.
cdef struct WideStage:
    int64_t position      # what is picked next
    size_t beginnings     # the first one, the latest in time
    size_t candidates     # the first of those at `position`
    size_t reached        # where the frontier of the stage before begins
    size_t wider          # where its wider frontier begins
    size_t key            # where it begins in `keys`
    bint is_beaten        # its beginnings are no results
    bint has_results      # they are, or those of stages that came of it

# Results.  Where all have one pick of each state, in order, the positions say everything.
cdef cppclass Found:
    size_t count
    vector[int64_t] starts
    vector[int64_t] ends
    vector[int64_t] offsets       # of each result's picks
    vector[int64_t] positions
    vector[uint16_t] states

# What an automaton does: nothing in it changes with events, but that symbols are added.
cdef cppclass RecognizerProgram:
    size_t width                  # states
    vector[EntrySpec] entries     # by state
    vector[uint32_t] sources
    vector[uint8_t] marked
    bint all_marked
    bint start_is_marked          # so results with one end and the same positions have the same start
    bint is_chain                 # results have one pick of each state, in the order of their numbers, and come once
    vector[SymbolSpec] symbols
    vector[uint8_t] enters        # by symbol: whether it enters any state; those of other queries alone do not
    vector[EnteredState] entered
    uint32_t most_nodes           # that an event can make
    int64_t events                # the window, in positions of the partition; < 0: `starts` say what it measures
    bint partitioned
    bint numbered                 # positions in the substream are remembered
    bint rises                    # starts and windows only grow within a partition
    bint forgets                  # and in all the stream: what is too old never comes back
    Consumed consume
    EnumerationKind enumeration
    int64_t limit                 # results an end; < 0: all
    StrategyKind strategy
    bint update_only              # matches are found, not enumerated

# What a snapshot holds.
cdef cppclass RecognizerState:
    AgingRing[MatchNode] ring
    uint32_t attention            # before the ring's head gets here there is something to do (`make_room`)
    vector[Head] heads            # by partition and state
    vector[LastEntry] last
    vector[int64_t] locals        # events of each partition so far
    vector[uint8_t] is_touched    # partitions that may have partial matches; only under CONSUME BY ANY
    vector[uint32_t] touched
    vector[int64_t] local_numbers # position in its substream of every event from `first_number` on
    int64_t first_number
    int64_t position              # of the next event, or of the one under way

# What is at work in an event and its enumeration, and the results until they are taken.
cdef cppclass RecognizerScratch:
    bint is_full                  # there is no room for more nodes
    bint is_stopped               # by a signal
    vector[Entering] entering
    vector[Ending] endings        # of the last event
    size_t ending                 # the one under way
    bint enumerating
    vector[Visiting] visits
    vector[int64_t] path_positions    # picks of the present match, at the end
    vector[uint16_t] path_states
    size_t path_begin             # where its first pick is
    int64_t given                 # results of the end so far
    vector[BestMatch] bests       # by node: as large as the ring
    vector[uint32_t] asked        # sets whose best match is asked for
    set[uint64_t] seen            # nodes, each with how many marked positions are missing
    vector[uint32_t] missing      # by how many picks there are
    vector[Stage] stages          # of `distinct.pxi`
    vector[Candidate] candidates
    vector[Beginning] beginnings
    vector[uint64_t] stamps       # by node: the stage that met it last
    uint64_t stamp                # that of the present stage
    vector[WideStage] wide_stages     # of `maximal.pxi`
    Frontiers reached             # of each stage: sets that the picks so far go on from
    Frontiers wider               # of each stage: sets that these and more go on from
    vector[uint32_t] same         # nodes of wider matches that pick the same position
    vector[uint32_t] keys         # by what nodes each stage is known
    set[vector[uint32_t]] dead    # those of stages without results
    Found found
    Table* table                  # has the results where there are rows

cdef cppclass Recognition:
    RecognizerProgram program
    Correlating* correlating      # NULL: nothing compares events
    RecognizerState state
    RecognizerScratch scratch
    void* owner                   # the Recognizer
