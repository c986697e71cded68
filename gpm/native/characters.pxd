# cython: language_level=3
"""Characters of RDF's line formats: classes of bytes, code points in UTF-8, escapes, and what a label may consist of."""

from libc.stdint cimport uint8_t, uint32_t

# What a character of ASCII may be part of; other bytes are of no kind.
cdef extern from *:
    """
    #ifndef SPASEQ_KINDS
    #define SPASEQ_KINDS
    enum {
        SPASEQ_SCHEME = 1, SPASEQ_REGISTERED = 2, SPASEQ_PATH = 4, SPASEQ_DIGIT = 8,
        SPASEQ_LETTER = 16, SPASEQ_LABEL = 32, SPASEQ_HEXADECIMAL = 64, SPASEQ_SPACE = 128
    };
    struct SpaseqKinds {
        unsigned char of[256];
        constexpr void add(const char* characters, int kind) {
            for (; *characters; characters++) of[(int)*characters] |= kind;
        }
        constexpr SpaseqKinds() : of() {
            const int name = SPASEQ_SCHEME | SPASEQ_REGISTERED | SPASEQ_PATH | SPASEQ_LABEL;
            add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", name | SPASEQ_LETTER);
            add("0123456789", name | SPASEQ_DIGIT);
            add("0123456789ABCDEFabcdef", SPASEQ_HEXADECIMAL);
            add("+-.", SPASEQ_SCHEME);
            add("-._~!$&'()*+,;=", SPASEQ_REGISTERED | SPASEQ_PATH);
            add(":@/", SPASEQ_PATH);
            add("_", SPASEQ_LABEL);
            add(" \t", SPASEQ_SPACE);
        }
    };
    static constexpr SpaseqKinds SPASEQ_KINDS_TABLE;
    #endif
    """
    const uint8_t* KINDS "SPASEQ_KINDS_TABLE.of"
    const int SCHEME "SPASEQ_SCHEME"            # of an IRI: A-Z a-z 0-9 + - .
    const int REGISTERED "SPASEQ_REGISTERED"    # name of a host, or a user: unreserved characters and sub-delimiters
    const int PATH "SPASEQ_PATH"                # of an IRI's path: the same and : @ /
    const int DIGIT "SPASEQ_DIGIT"
    const int LETTER "SPASEQ_LETTER"            # A-Z a-z
    const int LABEL "SPASEQ_LABEL"              # of a blank node: A-Z a-z 0-9 _
    const int HEXADECIMAL "SPASEQ_HEXADECIMAL"
    const int SPACE "SPASEQ_SPACE"              # between terms: blank and tab


cdef inline bint is_kind(uint8_t byte, int kind) noexcept nogil:
    return KINDS[byte] & kind != 0


cdef inline const uint8_t* over(const uint8_t* at, int kind) noexcept nogil:
    """The first byte that is not of that kind; the byte at the end of the data must not be."""
    while KINDS[at[0]] & kind:
        at += 1
    return at


# Behind the code point that begins at `at` < `end`; NULL if the bytes are not UTF-8.
cdef const uint8_t* read_code_point(const uint8_t* at, const uint8_t* end, uint32_t* code) noexcept nogil
# Writes a code point in UTF-8; how many bytes.
cdef int write_code_point(uint32_t code, uint8_t* out) noexcept nogil
# Behind \uXXXX or \UXXXXXXXX at `at`, where the backslash is; NULL if it is none or stands for no character.
cdef const uint8_t* read_code_escape(const uint8_t* at, const uint8_t* end, uint32_t* code) noexcept nogil
# Behind any escape that strings may have.
cdef const uint8_t* read_escape(const uint8_t* at, const uint8_t* end, uint32_t* code) noexcept nogil
# Copies text whose escapes are valid without them; `out` has room for `size` bytes.  How many bytes it wrote.
cdef size_t unescape(const uint8_t* text, size_t size, uint8_t* out) noexcept nogil
# Whether the label of a blank node may begin with the code point, and whether it may go on with it.
cdef bint begins_label(uint32_t code) noexcept nogil
cdef bint continues_label(uint32_t code) noexcept nogil
