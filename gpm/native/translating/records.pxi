# The records of a translation.

cdef enum:
    DEEPEST = 100    # brackets within each other
    LABEL_SIZE = 40
    LONGEST_TERM = 15_000_000   # bytes: pyoxigraph, which may have to read the lines, holds 16 MiB
    LONGEST_UNIT = 1 << 26      # bytes that a unit may become; a prefix can stand for much
    ENOUGH = 1 << 24            # bytes of lines after which the rest waits for the next call

cdef struct Prefix:
    string name
    string iri       # without brackets
    bint is_open     # any name of letters, digits and - _ . : behind it makes a valid IRI

cdef cppclass Translation:
    bint graphs
    bint messages
    bint comments            # such as `# @message` are delimiters
    vector[Prefix] prefixes
    vector[Prefix] before    # those at `done`, if they have changed since
    bint changed
    Memory memory            # what the readers of terms want
    uint64_t labels          # how many nodes without label there were
    # the text
    const uint8_t* text
    const uint8_t* at
    const uint8_t* end
    const uint8_t* done      # all before it is translated, to so much of `out` and so many `places`
    size_t kept
    size_t kept_lines
    uint64_t kept_labels
    int outcome
    # the statement being read
    string subject
    string predicate
    string graph             # with a blank before it; empty: the default graph
    string node
    int depth
    bint inside              # of braces
    # the lines, and behind which byte of the text each of them was complete
    vector[uint8_t] out
    vector[size_t] places
