# The records of the assembly.

cdef enum:
    MOST_NUMBERED = 16    # subjects of an event that get numbers instead of words
    MOST_ASIDE = 64       # objects whose words are looked up together
    SCOPE_BITS = 40       # of a scope: the event's number in its origin, whose number lies above

# What can be wrong with statements that are valid by themselves, and BAD_LINE.
cdef enum:
    BAD_LINE = 0      # no statement
    COMES_BACK = 1    # a graph begins again
    NO_TIME = 2       # a graph ends without time
    BAD_TIME = 3      # the object of a time statement says no time
    SECOND_TIME = 4   # another time for the same graph
    IGNORED = 5       # the first statement of the default graph that is no time: no error
    UNUSED_TIME = 6   # the first time whose graph never came: no error
    TOO_LARGE = 7     # a graph has more than `largest` bytes

cdef struct Problem:
    int kind
    size_t line           # offset of the line in the block
    string name           # of the graph, as shown
    size_t start          # the text that it is about, in the block
    size_t size

# A constraint of a wanted triple besides its predicate; UNBOUND: none.
cdef struct Use:
    word_t subject
    word_t object

# The triples that the registered patterns can use: their summary graph.
cdef cppclass Demand:
    unordered_map[word_t, vector[Use], NumberHash] by_predicate
    vector[Use] any_predicate
    bint everything           # no triple can be left out
    bint subjects             # subjects are compared with other things than subjects of their event
    uint64_t version

# What is known about a predicate of the tokenizer's memory.
cdef struct PredicateFacts:
    uint64_t version          # of the demand that these facts belong to; 0: not looked up yet
    word_t word
    bint is_time              # gives an event its time
    bint wanted               # some triple with it is
    bint always               # every triple with it is

# The time of a graph, if it has a valid one.
cdef struct GraphTime:
    int64_t time
    bint known
    bint lost                 # two times contradicted each other, or one was none
    uint64_t turn             # its number among those that waited for their graph, if it does

# The name of a graph whose time waited, and that time's number: the name may wait again since then.
cdef struct Waiting:
    string name
    uint64_t turn

# The graphs that were begun lately, with their times.
cdef cppclass RecentNames:
    # Open addressing; 0: empty, else 1 << 31, 15 bits of the name's hash, and its place in the ring.  What has left the
    # ring is not taken out: a slot counts if the ring has its hash.
    vector[uint32_t] slots
    size_t used               # slots that are not empty
    vector[string] names      # ring: number n, which counts from 1, at (n − 1) modulo `remembered`
    vector[uint64_t] numbers  # ring: the numbers
    vector[uint32_t] hashes   # ring: the hashes
    vector[GraphTime] times   # ring: the times
    uint64_t newest           # number of the latest name
    uint64_t forgotten        # number of the latest that is not remembered any more
    size_t bytes              # of the remembered names
    uint64_t remembered       # how many are kept
    size_t most_bytes         # of them; the newest is kept, however long
    uint32_t mask             # of the table

# Complete events as columns, and the triples of the open one at the end.
cdef cppclass Columns:
    uint64_t version              # of the demand when the first event began
    vector[int64_t] times
    vector[uint64_t] scopes
    vector[uint32_t] ends         # of each event's triples
    vector[word_t] subjects
    vector[word_t] predicates
    vector[word_t] objects
    vector[char] names
    vector[int64_t] name_ends
    vector[int64_t] block         # the text of each event; −1 − i: carried[i]
    vector[int64_t] starts
    vector[int64_t] stops
    vector[string] carried        # texts of events that lie in several blocks
    string lines                  # of events given whole, those that a pattern can use, one at least
    vector[int64_t] line_ends     # of each event's lines; an event that was not read from lines has none

cdef cppclass Assembly:
    TermStore* store
    void* terms                   # the Terms object, for what only Python can encode
    const Demand* demand
    const Demand* texts           # what is looked at in texts
    uint64_t* next_scope
    bint keeps_lines              # of events given whole
    int64_t unit
    size_t largest                # bytes of an event
    vector[string] time_properties
    Memory memory
    vector[PredicateFacts] facts  # by number in the memory
    PredicateFacts unnumbered     # of a predicate without number
    Columns columns
    vector[Problem] problems
    uint64_t lines                # read so far
    uint64_t ignored
    uint64_t unused_times
    # the block being read
    const uint8_t* text
    uint32_t block
    # the open graph
    bint is_open
    bint goes_on                  # the last statement was of it
    bint lost
    string written                # its name as it is written
    string name                   # and by value: `I` and an IRI, or `B` and a label
    GraphTime time
    uint64_t number               # in `recent`
    uint64_t scope
    uint64_t version              # of the demand when it began
    size_t first_triple
    size_t first_line             # where its lines begin
    word_t subject_word           # of the last statement's subject; UNBOUND: not encoded yet
    vector[string] subjects       # by value, those of the open event that have numbers; there may be older ones behind them
    size_t numbered               # how many
    size_t text_start             # in the present block
    size_t text_end
    string carried                # its text in earlier blocks
    # the message being read
    vector[Statement] message     # its statements, which lie in the present block
    size_t behind                 # behind its delimiter
    bint told_ignored             # somebody has looked closely at a message with statements that are left out
    bint told_unused              # and at one with times of others
    # the event that was given whole last
    size_t statements
    bint mixed                    # not all of them name one graph in the same way
    # other graphs
    RecentNames recent
    unordered_map[string, GraphTime, TextHash] waiting   # times whose graph has not begun
    size_t waiting_bytes                       # of their names
    vector[Waiting] waiting_order              # oldest first; some may be gone
    size_t ordered_bytes                       # of the names in that order
    size_t oldest_waiting                      # in that order; what is before it is gone
    uint64_t waited                            # how many times waited so far
    string spare                  # a name under consideration
    string given_name             # of the event that is given whole
    string copied                 # what is put behind or between other characters to be read
    # objects that wait for their words; none does between two calls from outside
    vector[Lookup] iris
    vector[uint32_t] iri_places   # in the column
    vector[uint8_t] iri_texts     # their canonical bytes
