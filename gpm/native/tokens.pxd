# cython: language_level=3
"""The N-Quads and N-Triples tokenizer: where the terms of a statement lie, and whether the statement is valid."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memchr

from nfa_native.core.containers cimport string, vector

# What `read_statement` found on a line.
cdef enum:
    BAD = -1
    NOTHING = 0       # white space or a comment
    STATEMENT = 1

cdef enum:
    MOST_PREDICATES = 4096   # that a memory keeps
    DEEPEST_TRIPLE = 100     # triple terms within each other: deeper ones are refused
    LONGEST_LINE = 1 << 30   # bytes: longer ones are refused

# The terms of a statement as they are written, angle brackets and quotes included.
cdef struct Statement:
    const uint8_t* subject
    const uint8_t* predicate
    const uint8_t* object
    const uint8_t* graph
    uint32_t subject_size
    uint32_t predicate_size
    uint32_t object_size
    uint32_t graph_size       # 0: the default graph
    int32_t number            # of the predicate in the memory, −1 if the memory is full
    bint same_subject         # as that of the statement before
    bint same_graph           # as that of the statement before; the default graph equals itself

# What a memory knows of the last statement.
cdef extern from *:
    """
    #ifndef SPASEQ_LAST_STATEMENT
    #define SPASEQ_LAST_STATEMENT
    struct SpaseqLastStatement {
        const uint8_t* subject = nullptr;
        const uint8_t* graph = nullptr;
        uint32_t subject_size = 0;
        uint32_t graph_size = 0;
        int32_t predicate = -1;
        int begun = 0;
    };
    #endif
    """
    cdef cppclass LastStatement "SpaseqLastStatement":
        const uint8_t* subject    # NULL: there was none
        const uint8_t* graph
        uint32_t subject_size
        uint32_t graph_size
        int32_t predicate         # −1: it has no number
        bint begun                # there was a statement

# What was valid a while ago is compared, not validated again.  Text that is remembered is copied, except for the last
# statement's, which lies in the block that it was read from until `forget_text`.  A memory must not be copied.
cdef cppclass Memory:
    LastStatement last
    string kept_subject           # the last statement's, after its block went away
    string kept_graph
    vector[string] predicates     # as they are written; two ways to write one IRI have two numbers
    vector[uint32_t] slots        # open addressing: predicate number + 1
    vector[int32_t] successors    # which predicate followed each one last time; −1: none yet, or one without number
    vector[string] namespaces     # of each one's last object: `<` and how its IRI began, which any characters of a path
                                  # may follow, or `^^` and its datatype
    vector[uint8_t] scratch       # an IRI without its escapes


cdef inline const uint8_t* end_of_line(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """The next newline, or the end of the data."""
    cdef const uint8_t* stop = <const uint8_t*>memchr(at, c'\n', end - at)
    return stop if stop != NULL else end


# Reads the line from `at` to `end`, where a newline or a NUL is readable.  A carriage return is an error.
cdef int read_statement(const uint8_t* at, const uint8_t* end, Statement* out, Memory* memory) noexcept nogil
# To be called before the block goes away in which the last statement lies.
cdef void forget_text(Memory* memory) noexcept nogil
# Behind a term, or a part of one, that begins at `at`; NULL if it is not valid.  The byte at `end` must be of no kind.
cdef const uint8_t* read_iri(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil
cdef const uint8_t* read_label(const uint8_t* at, const uint8_t* end) noexcept nogil
# The same behind an opening quote, behind the @ of a language, and behind the ^^ of a datatype.
cdef const uint8_t* read_string(const uint8_t* at, const uint8_t* end) noexcept nogil
cdef const uint8_t* read_language(const uint8_t* at, const uint8_t* end) noexcept nogil
cdef const uint8_t* read_datatype(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil
