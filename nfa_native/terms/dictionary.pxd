# cython: language_level=3
"""64-bit tagged words and the table of terms behind them."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from nfa_native.core.containers cimport vector
from nfa_native.terms.literals cimport DECIMAL_DIGITS, EPOCH, NO_ZONE, POWERS_OF_TEN, int128

cdef extern from *:
    """
    #ifndef SPASEQ_WORDS
    #define SPASEQ_WORDS
    #define SPASEQ_DOUBLE_BASE (960ULL << 52)
    #define SPASEQ_DOUBLE_MAGNITUDE ((1ULL << 59) - 1)
    #define SPASEQ_DOUBLE_SIGN (1ULL << 63)
    #define SPASEQ_MICROSECOND 1000000000000LL
    #endif
    """
    const uint64_t DOUBLE_BASE "SPASEQ_DOUBLE_BASE"            # the least exponent of an inline double
    const uint64_t DOUBLE_MAGNITUDE "SPASEQ_DOUBLE_MAGNITUDE"  # 7 bits of exponent and 52 of fraction
    const uint64_t DOUBLE_SIGN "SPASEQ_DOUBLE_SIGN"
    const int64_t MICROSECOND "SPASEQ_MICROSECOND"             # in units of 10**-18 seconds

ctypedef uint64_t word_t

# A word's low four bits.  Word 0 is UNBOUND.
cdef enum:
    TAG_TERM = 0      # id << 8 | kind << 4: a term of the dictionary
    TAG_INTEGER = 1   # 60-bit value
    TAG_DECIMAL = 2   # 55-bit mantissa << 9 | scale << 4, no trailing zero in the mantissa unless the scale is 0
    TAG_DOUBLE = 3    # sign, 7-bit exponent, 52-bit fraction: zero and magnitudes from 2**-63 to 2**65
    TAG_DATETIME = 4  # microseconds since 1970 << 5 | (no zone) << 4; UTC or without zone
    TAG_BOOLEAN = 5   # 0 or 1
    TAG_SIDE = 6      # index << 8 | kind << 4: a value of the side table

# Kinds of dictionary terms and of side values.
cdef enum:
    KIND_IRI = 1
    KIND_BLANK = 2
    KIND_STRING = 3
    KIND_LANGUAGE = 4
    KIND_TYPED = 5
    KIND_INTEGER = 6
    KIND_DECIMAL = 7
    KIND_DOUBLE = 8
    KIND_DATETIME = 9
    KIND_BOOLEAN = 10

cdef enum:
    UNBOUND = 0
    UNDECIDED = 15   # no word: it takes Python to tell

# Canonical bytes of a dictionary term; `word` differs from its own only in an alias of another lexical form.
cdef struct TermEntry:
    const char* text    # NULL: the entry is free
    uint32_t length
    uint32_t hashed     # lower half of its hash
    word_t word         # of a free entry: the next free one + 1, or 0

# An IRI, or a string without language, that is being looked up.
cdef struct Lookup:
    size_t start        # where its bytes begin in the text of all
    size_t size
    uint64_t hashed
    word_t word         # in the end

# An exact value that no word holds inline: an int64, a decimal or an instant in units of 10**-18, or a double's bits.
cdef struct SideEntry:
    int128 number       # of a free entry: the next free one + 1, or 0
    int32_t zone
    uint32_t kind       # 0: the entry is free

# Bytes in chunks that never move.
cdef cppclass Arena:
    vector[char*] chunks
    vector[size_t] sizes
    size_t chunk    # the chunk in use
    size_t used     # bytes used of it

# Entries that stand empty, linked to each other.
cdef struct FreeList:
    uint64_t first      # the first of them + 1, or 0
    size_t count

# A set of entries and side values: bit sets, whose ends stand for zeros.
cdef cppclass Marks:
    vector[uint64_t] entries
    vector[uint64_t] sides

# A table may lie on a frozen one, whose words are also its own: its entries and side values have the numbers behind those.
cdef cppclass TermStore:
    const TermStore* base         # the frozen table below; NULL: none
    size_t first_entry            # number of the first entry here: as many are below
    size_t first_side
    bint frozen                   # nothing is added any more, so that any thread may look things up
    vector[TermEntry] entries
    vector[uint64_t] slots        # open addressing: hash's upper half << 32 | entry + 1
    FreeList free_entries
    vector[SideEntry] sides
    vector[uint32_t] side_slots   # open addressing: side + 1
    FreeList free_sides
    Marks pinned                  # what no collection frees
    Arena texts
    Arena scratch                 # strings of the expression under evaluation
    bint broken                   # memory ran out while it changed, or while somebody changed who uses it


cdef inline int tag_of(word_t word) noexcept nogil:
    return <int>(word & 15)


cdef inline int kind_of(word_t word) noexcept nogil:
    """The KIND of a bound word."""
    cdef int tag = <int>(word & 15)
    if tag == TAG_TERM or tag == TAG_SIDE:
        return <int>((word >> 4) & 15)
    return tag + (KIND_INTEGER - TAG_INTEGER)


cdef word_t integer_word(TermStore* store, int64_t value) noexcept nogil
cdef word_t decimal_word(TermStore* store, int128 value) noexcept nogil
cdef word_t small_decimal(int64_t mantissa, int scale) noexcept nogil
cdef word_t double_word(TermStore* store, double value) noexcept nogil
cdef word_t datetime_word(TermStore* store, int128 instant, int32_t zone) noexcept nogil
cdef word_t boolean_word(bint value) noexcept nogil


cdef inline const SideEntry* side_entry(const TermStore* store, word_t word) noexcept nogil:
    """What a word of the side table stands for."""
    cdef size_t index = word >> 8
    if index < store.first_side:
        return store.base.sides.data() + index
    return store.sides.data() + (index - store.first_side)


# Values of words of that kind.
cdef inline int64_t integer_value(const TermStore* store, word_t word) noexcept nogil:
    if word & 15 == TAG_INTEGER:
        return <int64_t>word >> 4
    return <int64_t>side_entry(store, word).number


cdef inline int128 decimal_value(const TermStore* store, word_t word) noexcept nogil:
    """In units of 10**-18."""
    if word & 15 == TAG_DECIMAL:
        return <int128>(<int64_t>word >> 9) * POWERS_OF_TEN[DECIMAL_DIGITS - ((word >> 4) & 31)]
    return side_entry(store, word).number


cdef inline double double_value(const TermStore* store, word_t word) noexcept nogil:
    cdef uint64_t bits
    cdef double value
    if word & 15 == TAG_DOUBLE:
        bits = (word >> 4) & DOUBLE_MAGNITUDE
        if bits:
            bits += DOUBLE_BASE
        bits |= word & DOUBLE_SIGN
    else:
        bits = <uint64_t>side_entry(store, word).number
    memcpy(&value, &bits, sizeof(double))
    return value


cdef inline int128 datetime_value(const TermStore* store, word_t word, int32_t* zone) noexcept nogil:
    """The instant in units of 10**-18 seconds since the year 1, and its zone."""
    if word & 15 == TAG_DATETIME:
        zone[0] = NO_ZONE if word & 16 else 0
        return EPOCH + <int128>(<int64_t>word >> 5) * MICROSECOND
    zone[0] = side_entry(store, word).zone
    return side_entry(store, word).number


# The word of a term, which is collectable unless somebody pinned it.  UNBOUND if only Python can canonicalise it
# (xsd:float, date, duration and the like, seen first).
cdef word_t intern_term(TermStore* store, const char* text, size_t length) noexcept nogil
# The same of a literal with that XSD datatype (without namespace); UNBOUND unless it is a value of the kinds here.
cdef word_t value_literal(TermStore* store, const char* name, size_t n, const char* form, size_t m) noexcept nogil
# As `intern_term`, but nothing is added: UNBOUND if no word of the table stands for the term, UNDECIDED if only Python
# can canonicalise it.  A language is in lower case, and a string has no datatype.
cdef word_t known_term(const TermStore* store, const char* text, size_t length) noexcept nogil
# Whether an XSD datatype other than xsd:integer is read as it.
cdef bint is_derived_integer(const char* name, size_t n) noexcept nogil
# To look up many IRIs and strings, whose canonical bytes stand in one text: begin each, which asks for its memory, then finish all.
cdef void begin_lookup(const TermStore* store, const char* text, Lookup* lookup) noexcept nogil
cdef void finish_lookups(TermStore* store, const char* text, Lookup* lookups, size_t count) noexcept nogil
# The bytes of a dictionary term, which stay where they are until the next collection.
cdef const TermEntry* term_entry(const TermStore* store, word_t word) noexcept nogil
# The lexical form of a word that is no dictionary term; `out` has room for LONGEST_FORM bytes.
cdef size_t print_value(const TermStore* store, word_t word, char* out) noexcept nogil
# Space for `length` bytes until the scratch is cleared.
cdef char* scratch(TermStore* store, size_t length) noexcept nogil
cdef void clear_scratch(TermStore* store) noexcept nogil


# Whether the word is bound, and of this table as it is now.
cdef bint is_word(const TermStore* store, word_t word) noexcept nogil
# Let a bound word live as long as the table.
cdef void pin_word(TermStore* store, word_t word) noexcept nogil


cdef class Terms:
    cdef TermStore* store
    cdef readonly Terms base                      # the frozen table below, or None
    cdef readonly unsigned long long collections  # how often words were freed
    cdef object _holders                          # WeakSet of objects whose array `words` is live
    # The word of a term, collectable.
    cdef word_t transient_word(self, bytes term) except? 0
    # The word of a term, which is pinned.
    cdef word_t intern_bytes(self, bytes term) except? 0
    cdef word_t pinned(self, word_t word)
    # ValueError: the table is frozen.
    cdef int check_open(self) except -1
    cdef word_t intern_canonical(self, bytes term) except? 0
    cdef word_t add(self, bytes term, word_t alias) except? 0
