# The records of the kernel.  Positions and node numbers are 32 bits and may wrap: compare them with `older` and `is_live`.

cdef enum:
    NO_CELL = 0xFFFFFFFF
    INITIAL_CELL = 0xFFFFFFFE    # the empty partial match, from which every match starts

    NOT_STAGED = 0xFFFFFFFFFFFFFFFF
    NO_ORDER = 0xFFFFFFFF
    NO_LIST = 0xFFFFFFFF
    FEW_FOUND = 4                # cells of a bucket without order, among which one is found without the table
    LARGE_TABLE = 4096           # entries: more than what stands ready in the processor
    FEW_PROBED = 8               # cells of a bucket without order, which are tried one by one
    EVERYWHERE = 0xFFFFFFFF
    VIEW = 0x80000000            # in a label: a view of a list; the rest of the label is a transition's number
    FEW_CREATED = 1024           # cells for which no sweep is worth while
    MUCH_CREATED = 0x7FFFFFFF    # more than any sweep leaves
    LONGEST_REST = 0x40000000    # stored events between two sweeps: positions of dead cells must not wrap

cdef int64_t FEW_STEPS = 10000                   # between two looks at signals
cdef size_t UNBOUNDED = 0xFFFFFFFFFFFFFFFF
cdef int64_t FOREVER = 0x7FFFFFFFFFFFFFFF
cdef uint64_t WILD = 0x9E3779B97F4A7C15   # hash of a key with an unbound part

# A set of partial matches: those of `next`, each with event `pos` added, and those of `sibling`.  Of a view: those in the
# groups of list `next` before number `sibling` that the event `pos` takes along by the transition in `label`.
cdef struct Node:
    uint32_t pos          # the event picked
    uint32_t label        # which atom of which transition picked it
    uint32_t next         # the set that it extends; 0: nothing was picked before
    uint32_t sibling      # the set's other members; 0: none
    uint32_t max_start    # the youngest first event in the set

# A stored event: one that was picked, or that a guard or a conjunction may still look at.
cdef struct EventRecord:
    int64_t time          # microseconds
    int64_t seq           # position in the streamset
    uint64_t handle       # the caller's number
    uint64_t block        # running number of its first block
    uint32_t blocks       # how many atoms it matched
    uint32_t head         # head of the node ring when its tick opened: older nodes are out of its reach

# The rows of one atom on one event.
cdef struct Block:
    uint64_t word         # running number of its first word
    uint32_t atom
    uint32_t rows

# All partial matches of one state with the same live values.
cdef struct Cell:
    int64_t deadline      # upper edge of their window, where the automaton asks for it
    uint32_t node         # the set
    uint32_t youngest     # the youngest first event in the set: when it has left the window, so has the set
    uint32_t rows         # rows of live values; 0: the cell is free
    uint32_t extra        # where the rows lie if there are several
    uint32_t serial       # tells this use of the cell from earlier ones; 0: the cell is free
    uint32_t stamp        # visited in this probe
    uint32_t fired        # a governed step was possible in this tick
    uint32_t listed       # bits: indexes where it is in a list that views look at

cdef extern from "nfa_native/joins/tables.hpp" namespace "spaseq" nogil:
    cdef struct CellReference:
        uint32_t cell
        uint32_t serial

    cdef struct TableEntry:
        uint32_t hash
        CellReference cell

    cdef struct KeyEntry:
        uint32_t hash
        uint32_t bucket

# A cell's row and an event's row that may join.
cdef struct Pair:
    uint32_t cell_row
    uint32_t event_row
    uint32_t cell

# A partial match set that enters a state when the tick closes.
cdef struct Staged:
    int64_t deadline
    uint64_t word         # its rows in `staged_words`
    uint64_t pick         # its picks in `staged_picks`
    uint32_t rows
    uint32_t picks
    uint32_t state
    uint32_t label        # label of its first pick
    uint32_t next
    uint32_t max_start

# A cell of a final state that waits for its window's edge.
cdef struct Waiting:
    uint32_t state
    CellReference cell

# One pick of a match under construction.
cdef struct Pick:
    uint32_t label
    uint32_t pos

# The matches of a set, all with the same last picks: what is left of them is put out after a pause.
cdef struct Output:
    int64_t decided
    size_t pick           # the last picks in `postponed_picks`
    size_t picks
    uint32_t final        # the state
    uint32_t node         # the set; 0: the empty match
    uint32_t lo           # first position of their windows

# A node still to be visited, and how many picks come after it.
cdef struct Visit:
    uint32_t node
    uint32_t depth
    uint32_t before       # of a view that is half visited: the place of the group in front of which it goes on
    uint32_t begun        # it is half visited

# One or several events for a choice, with the rows of their join.
cdef struct Candidate:
    const word_t* rows
    uint32_t count        # rows
    uint32_t width        # words a row
    uint32_t least        # its first position
    uint32_t lo           # first position of the windows that end with it
    int64_t most          # its last position in the streamset
    uint64_t pick         # its picks in `staged_picks`, or NOT_STAGED

# Groups and their lists: `groups.hpp`.
cdef extern from "nfa_native/joins/groups.hpp" namespace "spaseq" nogil:
    const uint32_t MOST_COMPARED
    const uint32_t MOST_BOUNDS
    const int64_t NO_GROUP

    cdef struct Measured:
        word_t word
        double about

    cdef struct Bound:
        Measured value
        uint32_t slot
        bint limit
        bint inverted

    cdef struct Bounds:
        Bound* each
        uint32_t count

    cdef struct Group:
        Measured* values
        uint32_t node
        uint32_t max_start
        uint32_t cell
        uint32_t serial

    cdef cppclass GroupList:
        vector[Group] groups
        vector[word_t] key
        uint32_t* kinds
        uint32_t base
        uint32_t columns
        int (*less)(word_t, word_t) noexcept

    uint32_t group_end(const GroupList* groups)
    void close_group(GroupList* groups)
    int64_t group_before(
        const GroupList* groups, int64_t before, const Bounds* bounds, uint32_t lo, uint64_t* scanned
    )
    int64_t youngest_group(const GroupList* groups, const Bounds* bounds, uint32_t lo, uint64_t* scanned)
    void empty_groups(GroupList* groups)
    void trim_groups(GroupList* groups, uint32_t lo)
    void strike_group(GroupList* groups, size_t place)

# The cells under one key, oldest first, with stale references among them.
cdef cppclass Bucket:
    uint64_t key          # the key's hash
    bint ordered          # each living cell comes in the index's order behind those before it; all have one row
    bint mixed            # some cell has no place in a zone map
    bint tabled           # all of its living cells are in the table of all live values
    uint32_t groups       # number of the list of its groups, or of the zone map of its cells; NO_LIST: there is none
    vector[CellReference] cells       # all but those in a list that views look at

# Cells by the hash of some columns.
cdef cppclass CellIndex:
    IndexSpec* spec
    vector[Bucket] buckets
    FlatTable[KeyEntry] slots         # buckets by their keys
    Bucket wild                       # cells with an unbound key

# What waits in a state.
cdef cppclass StateData:
    StateSpec* spec
    # As the program says; it is asked for with every cell.
    Govern govern
    Cells kind
    uint32_t width
    bint final
    vector[CellIndex] indexes
    FlatTable[TableEntry] exact       # by all live values: the cells of large buckets without order, and stale ones
    vector[Cell] cells
    vector[word_t] words              # row of cell i at i * width
    vector[vector[word_t]] extra      # rows of cells that have several
    vector[uint32_t] free_cells
    vector[uint32_t] free_extra
    vector[uint32_t] fired
    uint32_t live
    uint32_t youngest     # no partial match of the living cells began after it
    uint32_t entering     # the cell that was entered last in this tick
    uint32_t serial
    uint32_t stamp
    uint64_t entered
    uint64_t expired
    uint64_t skipped      # dropped because another event came first (strict contiguity)

# What became of a transition's candidates: each one is lonely, unjoined, unfiltered or fires.
cdef struct Candidacies:
    uint64_t offered
    uint64_t lonely       # no partial match was waiting
    uint64_t unjoined     # they joined none
    uint64_t unfiltered   # a filter refused all that they joined
    uint64_t fired
    uint64_t pairs        # that joined and were filtered, but for those that an order of cells ruled out; a view is one
    uint64_t scanned      # cells, groups and zones of groups that were looked at

# What became of a guard.
cdef struct Judgements:
    uint64_t killed
    uint64_t deferred     # 1: an event came that only the finished match can judge

# The past that may still matter: stored events, their rows, and where negated atoms matched.
cdef cppclass History:
    vector[EventRecord] events
    vector[Block] blocks
    vector[word_t] words
    uint32_t first        # position of events[0]
    uint64_t first_block
    uint64_t first_word

cdef cppclass Results:
    vector[int64_t] first
    vector[int64_t] last
    vector[int64_t] decided
    vector[int64_t] offsets
    vector[uint16_t] atoms
    vector[uint64_t] events
    vector[word_t] words
    vector[int64_t] counts # how many matches a result stands for; 0: it is one row of a match
    uint64_t count        # of results since the beginning

# What counts sets.
cdef cppclass Counter:
    Memory memory
    Gathering gathering   # members of the set that is being remembered
    Tally tally           # of what is being counted
    vector[uint32_t] asked
    bint too_many         # a number did not fit

# What the future depends on: all that a snapshot holds.
cdef cppclass KernelState:
    History history
    NodeRing[Node] ring
    vector[GroupList] lists
    vector[uint32_t] free_lists       # that nothing refers to but views that are over
    vector[StateData] states
    vector[Candidacies] candidacies   # by transition
    vector[Judgements] judgements     # by guard
    uint32_t lo                       # first position of the present window
    uint32_t kept                     # first position that a guard may still look at
    int64_t seq                       # position of the next event of the streamset
    uint64_t next_handle
    bint open                         # a tick is open
    int64_t tick                      # its time
    int64_t promised                  # no event below this time will come
    uint32_t tick_first               # position of its first stored event
    bint picked                       # something has picked the newest event
    bint many_rows                    # an event had several rows for an atom
    vector[vector[uint32_t]] tick_atoms
    vector[vector[uint32_t]] watched  # positions per negated atom
    vector[Staged] staged
    vector[word_t] staged_words
    vector[uint32_t] staged_picks
    map[int64_t, vector[Waiting]] deadlines
    unordered_map[string, uint32_t, TextHash] seen
    uint64_t created                  # cells since the last sweep
    uint64_t survived                 # cells that the last sweep left
    uint32_t swept                    # next position at the last sweep
    size_t next_look                  # stored events at which to look whether all of them are over
    uint64_t ticks
    vector[uint64_t] matched          # events per atom

# Where to go on after a pause: what is put out can be more than memory holds.
cdef cppclass Pause:
    int64_t left                      # steps before the next pause; 0 or less: pause
    int64_t stride                    # from one pause to the next
    size_t most                       # results that may be held,
    size_t most_held                  # and picks and words of results
    bint suspended                    # `output` is half put out: `visits` and `path` go on with it
    Output output                     # what is, or was, put out last
    vector[Output] postponed          # what comes after it
    size_t resumed                    # that many of them have been put out
    vector[Pick] postponed_picks
    size_t awaited                    # that many cells of the first deadline have been put out
    bint closing                      # the tick is closed, but not all that this decides is out

# Room for what is under way; nothing of it outlives a step, but for `visits` and `path` in a pause.
cdef cppclass Scratch:
    vector[Pair] pairs
    bint decided                      # all pairs of this probe pass the filters
    bint refused                      # an order or a zone map ruled out cells in this probe
    bint aside                        # cells that are in no list must be looked at in this probe
    bint singly                       # groups of lists are tried one by one in this probe
    uint64_t scanned                  # cells, groups and zones that were looked at
    vector[word_t] blank              # a row where nothing is bound
    vector[int8_t] verdicts
    vector[CellReference] everything  # all living cells of a state
    vector[word_t] registers
    vector[uint32_t] combination
    vector[vector[word_t]] merged
    vector[uint32_t] outer_combination    # those of the event whose matches are being output
    vector[vector[word_t]] outer_merged
    vector[Visit] visits
    vector[Pick] path
    vector[uint32_t] steps            # index in path of each step's last pick, first step first
    vector[vector[word_t]] levels
    vector[vector[uint32_t]] parents
    vector[word_t] finished           # rows of the finished match
    vector[word_t] views              # what a guard sees of them
    vector[word_t] answer             # rows of its results
    vector[pair[uint64_t, uint64_t]] picks        # atom and event: no bytes between them, for they are compared

cdef cppclass Kernel:
    KernelProgram* program            # frozen, and maybe that of other kernels too
    TermStore* store
    void* owner                       # the Matcher, for formulas outside the native subset
    bint count_only
    bint tallies                      # one result may stand for many matches
    bint failed                       # a formula raised: the exception is kept by the owner
    KernelState now
    Pause pause
    Scratch scratch
    Results results
    Counter counter


cdef inline bint older(uint32_t a, uint32_t b) noexcept nogil:
    """a comes before b, although positions wrap."""
    return <int32_t>(a - b) < 0


cdef inline EventRecord* event_at(KernelState* now, uint32_t pos) noexcept nogil:
    return &now.history.events[pos - now.history.first]


cdef inline uint32_t next_position(KernelState* now) noexcept nogil:
    return now.history.first + <uint32_t>now.history.events.size()


cdef inline const word_t* block_rows(
    KernelState* now, const EventRecord* event, uint32_t block, uint32_t* count
) noexcept nogil:
    """The rows in one of the event's blocks."""
    cdef const Block* one = &now.history.blocks[event.block - now.history.first_block + block]
    count[0] = one.rows
    return now.history.words.data() + (one.word - now.history.first_word)


cdef inline const word_t* rows_of(KernelState* now, uint32_t pos, uint32_t atom, uint32_t* count) noexcept nogil:
    """The rows of an atom on the event at `pos`."""
    cdef EventRecord* event = event_at(now, pos)
    invariant(pos - now.history.first < now.history.events.size())
    cdef Block* block = &now.history.blocks[event.block - now.history.first_block]
    cdef uint32_t i
    for i in range(event.blocks):
        if block[i].atom == atom:
            return block_rows(now, event, i, count)
    count[0] = 0
    return NULL
