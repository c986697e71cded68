# The records of automata with registers (correlation), and of views on lists of groups.

cdef enum:
    VIEW = 0xFFFE         # instead of a state: a node for the groups of a list that pass a transition; `pos` is its number
    OF_VIEW = 0x8000      # with a state: `next` is not a node, but the number of a view

# What a register of a transition's target becomes.
cdef struct UpdateSpec:
    Change change
    int32_t register_     # of the source; -1: not set; COMPUTED: the lists are in question_registers[register_] and on
    int32_t column        # of the event's value; -1: none; COMPUTED: the number of the computation

# A condition that is asked; its registers are question_registers[first] to [first + count - 1].
cdef struct QuestionSpec:
    uint32_t number
    uint32_t first
    uint32_t count

cdef struct TransitionSpec:
    uint32_t source
    bint contiguous
    bint keyed            # its first guard is what the source's lists are looked up by
    bint by_skyline        # and all that is left to ask is whether the register of the skyline is below a bound
    uint32_t first_guard
    uint32_t guards
    uint32_t first_question
    uint32_t questions
    uint32_t first_update

# A state, seen from its cells.
cdef struct CellSpec:
    RegisterCells kind
    uint32_t width                # registers
    uint32_t first_register       # of all registers of all states
    int32_t key                   # the register by which lists are looked up; -1: one list
    int32_t skyline                # the register that its lists have skyline of; -1: none
    uint32_t first_transition     # those that enter it
    uint32_t transitions
    uint32_t first_begin          # updates of a match that begins here
    uint32_t first_update         # of RegisterCells.GROUPS: those of all that enter

# The groups of `list` up to number `last` that pass a transition with these bounds.
cdef struct ViewRecord:
    int64_t youngest
    int64_t last
    uint32_t list
    uint32_t transition
    int64_t bounds[VIEW_BOUNDS]

# An enumeration within a view: the group under way.
cdef struct ViewVisit:
    uint32_t view
    uint32_t depth
    int64_t place

# A position, and the list of those before it (NOT_SET: there are none).
cdef struct Listed:
    int64_t position
    int64_t start         # what windows measure of it
    int64_t before

# A merged group that the event under way adds to.
cdef struct Touched:
    int64_t number
    uint32_t list
    bint begins           # a match of this one event is in it

# What entered a state with the last event that did, for strict contiguity.
cdef cppclass Recent:
    int64_t local
    vector[int64_t] registers
    vector[int64_t] youngest
    vector[uint32_t] nodes

cdef cppclass Correlating:
    vector[CellSpec] cells                # by state
    vector[TransitionSpec] transitions
    vector[GuardSpec] guards
    vector[QuestionSpec] questions
    vector[int32_t] question_registers
    vector[UpdateSpec] updates
    vector[uint8_t] has_list              # by register: it has a list of events, which conditions or computations read
    bint has_recents
    vector[const int64_t*] columns        # of the batch under way
    size_t at                             # the event under way, in its batch
    int64_t start                         # what its window measures of it
    # lists
    vector[GroupList*] lists
    vector[uint32_t] free_lists
    vector[uint32_t] direct               # by partition and state: its one list
    FlatTable[Slot] keyed                   # lists by partition, state and key; `number` is the key
    FlatTable[Slot] merged                  # groups by partition, state and registers
    vector[uint32_t] epochs               # by partition: how often it was emptied
    vector[Recent] recents                # by partition and state
    # views
    NodeRing[ViewRecord] views
    vector[ViewVisit] view_visits
    # lists of events, for questions
    vector[Condition] conditions          # by number; none: the owner answers all
    vector[Condition] computations        # by number; none: nothing is known of what they give
    vector[Number] constants              # of all of them
    vector[int64_t] own                   # values of the event under way: its last columns
    vector[Listed] listed
    vector[int64_t] remembered            # of each listed event as many values as `own` has
    Choices choices
    vector[const int64_t*] rows           # scratch: values of one event of each variable
    int64_t listed_base
    size_t listed_first                   # those before it are expired
    map[int64_t, int64_t] relisted        # lists that the event under way made longer
    # scratch
    vector[int64_t] bounds
    vector[int64_t] registers
    vector[int64_t] candidates
    vector[uint8_t] answers
    vector[Touched] touched
    vector[size_t] touched_ends
    uint64_t scanned                      # groups and zones that were looked at
