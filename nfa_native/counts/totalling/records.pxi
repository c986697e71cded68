# The records of the totaller.

cdef enum:
    NO_STATE = 0xFFFFFFFF
    NO_SLOT = 0xFFFFFFFF
    NO_SUBSTREAM = 0xFFFFFFFF
    NO_EVENT = 0xFFFFFFFF
    FEW_SUBSTREAMS = 1024        # that are kept without a thought

cdef enum:
    STARTS = 0                   # the least time of a first event
    BOUND = 1                    # how many values there are
    DECIMALS = 2                 # how many of them are decimals
    POSITIVE = 3                 # the sum of the integers above 0,
    NEGATIVE = 4                 # and of those below, without their sign
    POSITIVE_DECIMALS = 5        # likewise of decimals, in units of 10**-18
    NEGATIVE_DECIMALS = 6
    LEAST = 7                    # the least value as `rank_of` has it
    GREATEST = 8                 # the greatest one, its rank negated

cdef int64_t LONG_AGO = -0x7FFFFFFFFFFFFFFF - 1

# What is known of a set of partial matches: numbers of which the first one is how many there are, and least values.
cdef struct Total:
    Natural* numbers
    wide* leasts

# Totals side by side.
cdef cppclass Table:
    vector[Natural] numbers       # [total][number]
    vector[wide] leasts           # [total][least]

# What is to be known of an atom's events.
cdef cppclass QuantitySpec:
    uint32_t kind
    bint first_only               # of a match's first event alone
    vector[uint32_t] slots        # by atom: the column of its rows that has the value, or NO_SLOT

# How an event of an atom, or events of several, come from a state to another one.
cdef struct Arc:
    uint32_t source               # NO_STATE: a match begins
    uint32_t target               # NO_STATE: a match ends
    uint32_t transition
    bint counts                   # it is the first arc of its transition

# The arcs of one event for each of several atoms at one time.
cdef cppclass Joint:
    vector[uint32_t] atoms
    vector[Arc] arcs

cdef cppclass StateRecord:
    uint32_t govern
    vector[uint32_t] twins        # states that are left together with this one
    int64_t youngest              # no partial match in it began later, by what windows measure
    uint64_t entered              # events that brought something

# An event that matched an atom.
cdef struct Entry:
    uint32_t atom
    int64_t time
    int64_t measure               # what windows measure of it
    int64_t least                 # and what a match that ends with it must have begun at or after

# The entries of one timestamp.
cdef struct LoggedTick:
    int64_t tick
    size_t first                  # its first entry in the log
    bint gap                      # the tick before it did not touch the substream: strict contiguity was broken

# The partial matches of one key.  Those that began before the front was made are a product: what they were then, by
# start, times what became of each state since.  All later ones began in the window, so their totals are enough.
cdef cppclass Substream:
    string key
    int64_t tick                  # the last one that touched it
    int64_t measure               # of its last event
    bint has_front
    bint has_back
    int64_t oldest                # start since the front was made
    Table rows                    # [state][1 + state]: totals of later starts, then for each state what came of it
    vector[int64_t] starts        # of the front, the youngest first
    size_t left                   # how many of them are in the window
    Table front                   # [start][state]: those of this start and all younger ones when the front was made
    vector[LoggedTick] ticks      # since the front was made
    vector[Entry] log
    vector[wide] log_values       # [entry][value]
    vector[Entry] pending         # of the open tick
    vector[wide] pending_values

# Matches that ended: a row for each time and key.
cdef cppclass Found:
    vector[int64_t] times
    vector[uint64_t] keys         # [row][key]
    Table totals                  # [row]

cdef cppclass Totalling:
    const TermStore* store
    size_t width                  # of a key
    size_t numbers                # of a total
    size_t leasts
    bint windowed
    vector[QuantitySpec] quantities       # those of numbers, then those of leasts
    vector[vector[uint32_t]] key_slots    # by atom
    vector[vector[Arc]] arcs      # by atom
    vector[Joint] joints
    vector[vector[uint32_t]] strikes      # by atom: states that its events empty, as it is negated there
    vector[uint8_t] opens         # by atom: matches may begin with it
    vector[StateRecord] states
    bint leaves                   # partial matches may leave some state
    vector[Substream] substreams
    vector[uint32_t] free         # numbers of substreams that may be used again
    unordered_map[string, uint32_t, TextHash] substream_of_key
    size_t sweep_at               # so many substreams are looked through for those that are over
    int64_t tick                  # the open one, or the last
    bint is_open
    vector[uint32_t] touched      # substreams with pending entries
    vector[uint64_t] matched      # by atom: events
    vector[uint64_t] fired        # by transition
    Found found
    # scratch
    Table staged                  # [state][1 + state]: what enters, or what becomes of it
    vector[uint8_t] entered       # by state: `staged` has something
    vector[uint8_t] passed        # by state: partial matches leave it in this tick
    vector[uint8_t] present       # by atom: the tick has an event of it
    Table future                  # [state][state]: what becomes of partial matches until the front is made
    Table weight                  # one: an event's, then those of a joint's atoms and of their product
    string key
