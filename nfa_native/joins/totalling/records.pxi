# The records of the totaller.

cdef enum:
    NO_STATE = 0xFFFFFFFF
    NO_SLOT = 0xFFFFFFFF
    NO_SUBSTREAM = 0xFFFFFFFF
    NO_EVENT = 0xFFFFFFFF
    FEW_SUBSTREAMS = 1024        # that are kept without a thought

cdef int64_t LONG_AGO = -0x7FFFFFFFFFFFFFFF - 1

# What is to be known of an atom's events.
cdef cppclass QuantitySpec:
    MatchQuantity kind            # values of LEAST and GREATEST are ranks (`rank_of`), those negated
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
    Govern govern
    vector[uint32_t] twins        # states that are left together with this one
    int64_t youngest              # no partial match in it began later, by what windows measure
    uint64_t entered              # events that brought something

# An event that matched an atom.
cdef struct Entry:
    uint32_t atom
    uint8_t begins                # of the log: it is the first one of its tick,
    uint8_t gap                   # and the tick before it did not touch the substream: strict contiguity was broken
    int64_t time
    int64_t measure               # what windows measure of it
    int64_t least                 # and what a match that ends with it must have begun at or after

# The entries of one timestamp, pending or of the log.
cdef struct Tick:
    const vector[Entry]* entries
    const vector[int128]* values
    size_t first
    size_t end

# The partial matches of one key.  A slot is a state, and all starts are of one group.
cdef cppclass Substream:
    string key
    int64_t tick                  # the last one that touched it
    int64_t measure               # of its last event
    Window[Exact, Entry] window
    vector[Entry] pending         # of the open tick
    vector[int128] pending_values # [entry][value]

# Matches that ended: a row for each time and key.
cdef cppclass Found:
    vector[int64_t] times
    vector[uint64_t] keys         # [row][key]
    ExactTotals totals            # [row]

# What is done with an arc of an entry, or of several of which it is the last one, and its weight.
ctypedef void (*ArcStep)(
    Totalling* a, Substream* s, const Arc* arc, const Entry* entry, const ExactSpan& weight
) noexcept nogil

cdef cppclass Totalling:
    const TermStore* store
    size_t width                  # of a key
    TwoStacks[Exact, Entry, ExactSpan] stacks
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
    int64_t least                 # no start of the front that is made is before it
    ExactTotals staged            # [state][height]: what enters, or what becomes of it
    vector[uint8_t] entered       # by state: `staged` has something
    vector[uint8_t] passed        # by state: partial matches leave it in this tick
    vector[uint8_t] present       # by atom: the tick has an event of it
    ExactTotals weight            # one: an event's, then those of a joint's atoms and of their product
    string key
