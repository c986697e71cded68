# distutils: language = c++
# cython: cdivision=True
"""64-bit tagged words and the table of terms behind them.

A term is a byte string whose first byte is its kind: ``I`` IRI, ``B`` scoped blank-node label, ``S`` string,
``L`` language NUL string, ``T`` datatype IRI NUL lexical form.  Two terms have the same word exactly if pyoxigraph's Store
makes them the same term.  Nothing here locks: a table belongs to one thread at a time.

Terms and values are collectable unless they are pinned.  Words made in native code are not, those of Python's ``intern``,
``integer`` and the like are.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from weakref import WeakSet

import numpy

from nfa_native.literals cimport (
    DECIMAL_ONE,
    LONGEST_FORM,
    multiply_overflows,
    parse_datetime,
    parse_decimal,
    parse_double,
    parse_integer,
    print_datetime,
    print_decimal,
    print_double,
    print_integer,
)

cdef extern from *:
    """
    #ifndef SPASEQ_FOLD
    #define SPASEQ_FOLD
    /* Both halves of the 128-bit product, folded: the step of the byte hash. */
    static inline uint64_t spaseq_fold(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    #endif
    """
    uint64_t fold "spaseq_fold"(uint64_t a, uint64_t b) nogil

cdef const char* XSD = b"http://www.w3.org/2001/XMLSchema#"
cdef enum:
    XSD_LENGTH = 33
    FIRST_CHUNK = 1 << 16
    FIRST_SLOTS = 1 << 10


# ── memory ───────────────────────────────────────────────────────────────────────────────────────────────
cdef char* reserve(Arena* arena, size_t length) noexcept nogil:
    """That many bytes of the arena, uninitialised."""
    cdef size_t size
    while arena.chunk < arena.chunks.size():
        if arena.used + length <= arena.sizes[arena.chunk]:
            arena.used += length
            return arena.chunks[arena.chunk] + arena.used - length
        arena.chunk += 1
        arena.used = 0
    size = FIRST_CHUNK << (arena.chunks.size() if arena.chunks.size() < 8 else 8)
    if size < length:
        size = length
    arena.chunks.push_back(<char*>malloc(size))
    arena.sizes.push_back(size)
    arena.used = length
    return arena.chunks[arena.chunk]


cdef size_t capacity(const Arena* arena) noexcept nogil:
    cdef size_t total = 0, i
    for i in range(arena.sizes.size()):
        total += arena.sizes[i]
    return total


cdef void release(Arena* arena) noexcept nogil:
    cdef size_t i
    for i in range(arena.chunks.size()):
        free(arena.chunks[i])


cdef char* scratch(TermStore* store, size_t length) noexcept nogil:
    return reserve(&store.scratch, length)


cdef void clear_scratch(TermStore* store) noexcept nogil:
    store.scratch.chunk = 0
    store.scratch.used = 0


# ── entries that come and go ─────────────────────────────────────────────────────────────────────────────
cdef inline bint has_bit(const vector[uint64_t]* bits, size_t index) noexcept nogil:
    return index >> 6 < bits.size() and bits.data()[index >> 6] >> (index & 63) & 1


cdef inline void set_bit(vector[uint64_t]* bits, size_t index) noexcept nogil:
    if index >> 6 >= bits.size():
        bits.resize((index >> 6) + 1)
    bits.data()[index >> 6] |= <uint64_t>1 << (index & 63)


cdef size_t take_entry(TermStore* store) noexcept nogil:
    """A free entry, or a new one."""
    cdef size_t index
    if store.free_entries.first == 0:
        store.entries.resize(store.entries.size() + 1)
        return store.entries.size() - 1
    index = store.free_entries.first - 1
    store.free_entries.first = store.entries[index].word
    store.free_entries.count -= 1
    return index


cdef size_t take_side(TermStore* store) noexcept nogil:
    """A free entry of the side table, or a new one."""
    cdef size_t index
    if store.free_sides.first == 0:
        store.sides.resize(store.sides.size() + 1)
        return store.sides.size() - 1
    index = store.free_sides.first - 1
    store.free_sides.first = <uint64_t>store.sides[index].number
    store.free_sides.count -= 1
    return index


cdef inline size_t living_entries(const TermStore* store) noexcept nogil:
    return store.entries.size() - store.free_entries.count


cdef inline size_t living_sides(const TermStore* store) noexcept nogil:
    return store.sides.size() - store.free_sides.count


cdef bint is_word(const TermStore* store, word_t word) noexcept nogil:
    """Whether the word is bound, and of this table as it is now."""
    cdef int tag = tag_of(word)
    cdef size_t index = word >> 8
    if tag == TAG_TERM:
        return (
            word != UNBOUND and index < store.entries.size() and store.entries[index].text != NULL
            and store.entries[index].word == word
        )
    if tag == TAG_SIDE:
        return index < store.sides.size() and store.sides[index].kind == <uint32_t>kind_of(word) != 0
    return tag < TAG_SIDE


cdef inline void mark(Marks* marks, word_t word) noexcept nogil:
    """Add what a word stands for; values held in words are everywhere."""
    if tag_of(word) == TAG_SIDE:
        set_bit(&marks.sides, word >> 8)
    elif tag_of(word) == TAG_TERM and word != UNBOUND:
        set_bit(&marks.entries, word >> 8)


cdef void pin_word(TermStore* store, word_t word) noexcept nogil:
    mark(&store.pinned, word)


# ── the dictionary ───────────────────────────────────────────────────────────────────────────────────────
cdef uint64_t hash_bytes(const char* text, size_t length) noexcept nogil:
    cdef uint64_t state = <uint64_t>0x9e3779b97f4a7c15 ^ length
    cdef uint64_t block = 0
    while length > 8:
        memcpy(&block, text, 8)
        state = fold(state ^ block, <uint64_t>0xa0761d6478bd642f)
        text += 8
        length -= 8
    block = 0
    memcpy(&block, text, length)
    return mix(fold(state ^ block, <uint64_t>0xe7037ed1a0b428db))


cdef size_t find_slot(const TermStore* store, const char* text, size_t length, uint64_t hashed) noexcept nogil:
    """The slot of those bytes, or the empty one where they belong."""
    cdef size_t mask = store.slots.size() - 1
    cdef size_t slot = <uint32_t>hashed & mask
    cdef uint64_t content
    cdef const TermEntry* entry
    while True:
        content = store.slots[slot]
        if content == 0:
            return slot
        if content >> 32 == hashed >> 32:
            entry = &store.entries[<uint32_t>content - 1]
            if entry.length == length and memcmp(entry.text, text, length) == 0:
                return slot
        slot = (slot + 1) & mask


cdef void rebuild_slots(TermStore* store, size_t size) noexcept nogil:
    """Hash all living entries anew, into a table of that size, a power of two."""
    cdef vector[uint64_t] old
    cdef size_t i, slot
    store.slots.swap(old)
    store.slots.assign(size, 0)
    for i in range(old.size()):
        if old[i] == 0 or store.entries[<uint32_t>old[i] - 1].text == NULL:
            continue
        slot = store.entries[<uint32_t>old[i] - 1].hashed & (size - 1)
        while store.slots[slot]:
            slot = (slot + 1) & (size - 1)
        store.slots[slot] = old[i]


cdef word_t find_or_add(TermStore* store, const char* text, size_t length, int kind, word_t alias) noexcept nogil:
    """The word of those bytes; new bytes get `alias`, or a new dictionary word if that is UNBOUND."""
    cdef uint64_t hashed = hash_bytes(text, length)
    cdef size_t slot = find_slot(store, text, length, hashed)
    cdef size_t index
    cdef TermEntry* entry
    cdef char* copy
    if store.slots[slot]:
        return store.entries[<uint32_t>store.slots[slot] - 1].word
    copy = reserve(&store.texts, length)
    memcpy(copy, text, length)
    index = take_entry(store)
    entry = &store.entries[index]
    entry.text = copy
    entry.length = <uint32_t>length
    entry.hashed = <uint32_t>hashed
    entry.word = alias if alias else <word_t>index << 8 | kind << 4 | TAG_TERM
    alias = entry.word
    store.slots[slot] = (hashed >> 32) << 32 | (index + 1)
    if living_entries(store) * 2 > store.slots.size():
        rebuild_slots(store, store.slots.size() * 2)
    return alias


cdef const TermEntry* term_entry(const TermStore* store, word_t word) noexcept nogil:
    return &store.entries[word >> 8]


# ── the side table ───────────────────────────────────────────────────────────────────────────────────────
cdef inline uint64_t hash_side(const SideEntry* entry) noexcept nogil:
    cdef uint64_t low = <uint64_t>entry.number
    cdef uint64_t high = <uint64_t>(entry.number >> 64)
    return mix(mix(low) ^ high * 3 ^ (<uint64_t>entry.zone << 8) ^ entry.kind)


cdef size_t find_side(const TermStore* store, const SideEntry* wanted) noexcept nogil:
    cdef size_t mask = store.side_slots.size() - 1
    cdef size_t slot = hash_side(wanted) & mask
    cdef const SideEntry* entry
    while store.side_slots[slot]:
        entry = &store.sides[store.side_slots[slot] - 1]
        if entry.number == wanted.number and entry.zone == wanted.zone and entry.kind == wanted.kind:
            break
        slot = (slot + 1) & mask
    return slot


cdef void rebuild_side_slots(TermStore* store, size_t size) noexcept nogil:
    """Hash all living side values anew, into a table of that size, a power of two."""
    cdef vector[uint32_t] slots
    cdef size_t i
    slots.resize(size)
    store.side_slots.swap(slots)
    for i in range(store.sides.size()):
        if store.sides[i].kind:
            store.side_slots[find_side(store, &store.sides[i])] = <uint32_t>(i + 1)


cdef word_t side_word(TermStore* store, int kind, int128 number, int32_t zone) noexcept nogil:
    """The word of a value that no word holds inline; UNBOUND without a store."""
    cdef SideEntry entry
    cdef size_t slot, index
    if store == NULL:
        return UNBOUND
    entry.number = number
    entry.zone = zone
    entry.kind = kind
    slot = find_side(store, &entry)
    if store.side_slots[slot]:
        return <word_t>(store.side_slots[slot] - 1) << 8 | kind << 4 | TAG_SIDE
    index = take_side(store)
    store.sides[index] = entry
    store.side_slots[slot] = <uint32_t>(index + 1)
    if living_sides(store) * 2 > store.side_slots.size():
        rebuild_side_slots(store, store.side_slots.size() * 2)
    return <word_t>index << 8 | kind << 4 | TAG_SIDE


# ── values to words ──────────────────────────────────────────────────────────────────────────────────────
cdef inline word_t inline_word(int64_t value, int shift) noexcept nogil:
    return <word_t>value << shift


cdef word_t integer_word(TermStore* store, int64_t value) noexcept nogil:
    if value >> 59 == 0 or value >> 59 == -1:
        return inline_word(value, 4) | TAG_INTEGER
    return side_word(store, KIND_INTEGER, value, 0)


cdef word_t decimal_word(TermStore* store, int128 value) noexcept nogil:
    cdef int scale = DECIMAL_DIGITS
    cdef int128 mantissa = value
    cdef int64_t small
    while scale > 0 and mantissa != <int64_t>mantissa and mantissa % 10 == 0:
        mantissa = mantissa // 10
        scale -= 1
    if mantissa == <int64_t>mantissa:
        small = <int64_t>mantissa
        while scale > 0 and small % 10 == 0:
            small = small // 10
            scale -= 1
        if small >> 54 == 0 or small >> 54 == -1:
            return inline_word(small, 9) | <word_t>(scale << 4) | TAG_DECIMAL
    return side_word(store, KIND_DECIMAL, value, 0)


cdef inline uint64_t double_bits(double value) noexcept nogil:
    """The bits of a double; there is one NaN."""
    cdef uint64_t bits
    if value != value:
        return <uint64_t>0x7ff8000000000000
    memcpy(&bits, &value, sizeof(double))
    return bits


cdef word_t bits_word(TermStore* store, uint64_t bits) noexcept nogil:
    cdef uint64_t magnitude = bits & ~DOUBLE_SIGN
    if magnitude == 0:
        return bits | TAG_DOUBLE
    if magnitude > DOUBLE_BASE and magnitude - DOUBLE_BASE <= DOUBLE_MAGNITUDE:
        return (bits & DOUBLE_SIGN) | (magnitude - DOUBLE_BASE) << 4 | TAG_DOUBLE
    return side_word(store, KIND_DOUBLE, <int128>bits, 0)


cdef word_t double_word(TermStore* store, double value) noexcept nogil:
    return bits_word(store, double_bits(value))


cdef word_t datetime_word(TermStore* store, int128 instant, int32_t zone) noexcept nogil:
    cdef int128 since = instant - EPOCH
    cdef int128 micros
    if (zone == 0 or zone == NO_ZONE) and since % MICROSECOND == 0:
        micros = since // MICROSECOND
        if micros >= -(<int64_t>1 << 58) and micros < <int64_t>1 << 58:
            return inline_word(<int64_t>micros, 5) | (16 if zone == NO_ZONE else 0) | TAG_DATETIME
    return side_word(store, KIND_DATETIME, instant, zone)


cdef word_t boolean_word(bint value) noexcept nogil:
    return <word_t>(1 if value else 0) << 4 | TAG_BOOLEAN


# ── terms to words ───────────────────────────────────────────────────────────────────────────────────────
cdef inline bint is_name(const char* text, size_t length, const char* name, size_t name_length) noexcept nogil:
    return length == name_length and memcmp(text, name, length) == 0


cdef bint is_derived_integer(const char* name, size_t n) noexcept nogil:
    """Whether the Store reads this XSD datatype as xsd:integer."""
    if n == 3 or n == 4:
        return is_name(name, n, "int", 3) or is_name(name, n, "byte", 4) or is_name(name, n, "long", 4)
    return (
        is_name(name, n, "short", 5) or is_name(name, n, "unsignedInt", 11) or is_name(name, n, "unsignedLong", 12)
        or is_name(name, n, "unsignedByte", 12) or is_name(name, n, "unsignedShort", 13)
        or is_name(name, n, "positiveInteger", 15) or is_name(name, n, "negativeInteger", 15)
        or is_name(name, n, "nonPositiveInteger", 18) or is_name(name, n, "nonNegativeInteger", 18)
    )


cdef bint needs_store(const char* name, size_t n) noexcept nogil:
    """Whether only the Store canonicalises this XSD datatype."""
    return (
        is_name(name, n, "float", 5) or is_name(name, n, "date", 4) or is_name(name, n, "time", 4)
        or is_name(name, n, "duration", 8) or is_name(name, n, "dayTimeDuration", 15)
        or is_name(name, n, "yearMonthDuration", 17) or is_name(name, n, "gYear", 5)
        or is_name(name, n, "gYearMonth", 10) or is_name(name, n, "gMonth", 6) or is_name(name, n, "gMonthDay", 9)
        or is_name(name, n, "gDay", 4)
    )


cdef bint read_boolean(const char* form, size_t n, SideEntry* value) noexcept nogil:
    value.kind = KIND_BOOLEAN
    value.number = is_name(form, n, "true", 4) or is_name(form, n, "1", 1)
    return value.number or is_name(form, n, "false", 5) or is_name(form, n, "0", 1)


cdef bint read_datetime(const char* form, size_t n, SideEntry* value) noexcept nogil:
    value.kind = KIND_DATETIME
    # The Store misprints fractions of seconds before the year 1: such a literal stays opaque, in the form it came in.
    return parse_datetime(form, n, &value.number, &value.zone) and (value.number >= 0 or value.number % DECIMAL_ONE == 0)


cdef bint read_integer(const char* form, size_t n, SideEntry* value) noexcept nogil:
    cdef int64_t whole = 0
    cdef bint valid = parse_integer(form, n, &whole)
    value.kind = KIND_INTEGER
    value.number = whole
    return valid


cdef bint read_double(const char* form, size_t n, SideEntry* value) noexcept nogil:
    cdef double real = 0
    cdef bint valid = parse_double(form, n, &real)
    value.kind = KIND_DOUBLE
    value.number = <int128>double_bits(real)
    return valid


cdef bint read_value(const char* name, size_t n, const char* form, size_t m, SideEntry* value) noexcept nogil:
    """The value of a literal of an XSD datatype that has values here; False for others and ill-formed ones."""
    value.zone = 0
    if n == 7 and memcmp(name, "integer", 7) == 0 or is_derived_integer(name, n):
        return read_integer(form, m, value)
    if is_name(name, n, "decimal", 7):
        value.kind = KIND_DECIMAL
        return parse_decimal(form, m, &value.number)
    if is_name(name, n, "double", 6):
        return read_double(form, m, value)
    if is_name(name, n, "dateTime", 8) or is_name(name, n, "dateTimeStamp", 13):
        return read_datetime(form, m, value)
    return is_name(name, n, "boolean", 7) and read_boolean(form, m, value)


cdef word_t value_word(TermStore* store, const SideEntry* value) noexcept nogil:
    """The word of a value; UNBOUND if no word holds it and there is no store."""
    if value.kind == KIND_INTEGER:
        return integer_word(store, <int64_t>value.number)
    if value.kind == KIND_DECIMAL:
        return decimal_word(store, value.number)
    if value.kind == KIND_DOUBLE:
        return bits_word(store, <uint64_t>value.number)
    if value.kind == KIND_DATETIME:
        return datetime_word(store, value.number, value.zone)
    return boolean_word(value.number != 0)


cdef word_t value_literal(TermStore* store, const char* name, size_t n, const char* form, size_t m) noexcept nogil:
    cdef SideEntry value
    return value_word(store, &value) if read_value(name, n, form, m, &value) else <word_t>UNBOUND


cdef word_t intern_typed(TermStore* store, const char* text, size_t length, const char* nul) noexcept nogil:
    """The word of a typed literal; UNBOUND if the Store must canonicalise it first."""
    cdef size_t n = nul - text - 1
    cdef size_t m = length - n - 2
    cdef const char* name = text + 1 + XSD_LENGTH
    cdef word_t word
    cdef uint64_t hashed
    cdef size_t slot
    cdef char* copy
    if n <= XSD_LENGTH or memcmp(text + 1, XSD, XSD_LENGTH) != 0:
        return find_or_add(store, text, length, KIND_TYPED, UNBOUND)
    n -= XSD_LENGTH
    word = value_literal(store, name, n, nul + 1, m)
    if word:
        return word
    if is_name(name, n, "string", 6):
        copy = scratch(store, m + 1)
        copy[0] = c'S'
        memcpy(copy + 1, nul + 1, m)
        return find_or_add(store, copy, m + 1, KIND_STRING, UNBOUND)
    if needs_store(name, n):
        hashed = hash_bytes(text, length)
        slot = find_slot(store, text, length, hashed)
        return store.entries[<uint32_t>store.slots[slot] - 1].word if store.slots[slot] else <word_t>UNBOUND
    return find_or_add(store, text, length, KIND_TYPED, UNBOUND)


cdef word_t intern_language(TermStore* store, const char* text, size_t length, const char* nul) noexcept nogil:
    """The word of a string with a language, whose tag the Store writes in lower case."""
    cdef size_t i
    cdef bint lower = True
    cdef char* copy
    for i in range(1, <size_t>(nul - text)):
        lower = lower and not (c'A' <= text[i] <= c'Z')
    if lower:
        return find_or_add(store, text, length, KIND_LANGUAGE, UNBOUND)
    copy = scratch(store, length)
    memcpy(copy, text, length)
    for i in range(1, <size_t>(nul - text)):
        if c'A' <= text[i] <= c'Z':
            copy[i] = text[i] + 32
    return find_or_add(store, copy, length, KIND_LANGUAGE, UNBOUND)


cdef word_t intern_term(TermStore* store, const char* text, size_t length) noexcept nogil:
    cdef const char* nul
    if text[0] == c'I':
        return find_or_add(store, text, length, KIND_IRI, UNBOUND)
    if text[0] == c'S':
        return find_or_add(store, text, length, KIND_STRING, UNBOUND)
    if text[0] == c'B':
        return find_or_add(store, text, length, KIND_BLANK, UNBOUND)
    nul = <const char*>memchr(text, 0, length)
    if text[0] == c'L':
        return intern_language(store, text, length, nul)
    return intern_typed(store, text, length, nul)


cdef word_t known_bytes(const TermStore* store, const char* text, size_t length) noexcept nogil:
    cdef uint64_t content = store.slots[find_slot(store, text, length, hash_bytes(text, length))]
    return store.entries[<uint32_t>content - 1].word if content else <word_t>UNBOUND


cdef word_t known_value(const TermStore* store, const SideEntry* value) noexcept nogil:
    cdef word_t word = value_word(NULL, value)
    cdef uint32_t side
    if word:
        return word
    side = store.side_slots[find_side(store, value)]
    return <word_t>(side - 1) << 8 | value.kind << 4 | TAG_SIDE if side else <word_t>UNBOUND


cdef word_t known_term(const TermStore* store, const char* text, size_t length) noexcept nogil:
    cdef SideEntry value
    cdef const char* nul = <const char*>memchr(text, 0, length) if text[0] == c'T' else NULL
    cdef const char* name = text + 1 + XSD_LENGTH
    cdef word_t word
    if nul == NULL or nul <= name or memcmp(text + 1, XSD, XSD_LENGTH) != 0:
        return known_bytes(store, text, length)
    if read_value(name, nul - name, nul + 1, text + length - nul - 1, &value):
        return known_value(store, &value)
    word = known_bytes(store, text, length)
    return <word_t>UNDECIDED if word == UNBOUND and needs_store(name, nul - name) else word


cdef size_t print_value(const TermStore* store, word_t word, char* out) noexcept nogil:
    """The canonical lexical form of a word that is no dictionary term; `out` holds LONGEST_FORM bytes."""
    cdef int kind = kind_of(word)
    cdef int32_t zone
    cdef int128 instant
    if kind == KIND_INTEGER:
        return print_integer(integer_value(store, word), out)
    if kind == KIND_DECIMAL:
        return print_decimal(decimal_value(store, word), out)
    if kind == KIND_DOUBLE:
        return print_double(double_value(store, word), out)
    if kind == KIND_DATETIME:
        instant = datetime_value(store, word, &zone)
        return print_datetime(instant, zone, out)
    if word >> 4:
        memcpy(out, "true", 4)
        return 4
    memcpy(out, "false", 5)
    return 5


include "collecting.pxi"


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────
cdef tuple PREFIXES = (
    b"Thttp://www.w3.org/2001/XMLSchema#integer\0",
    b"Thttp://www.w3.org/2001/XMLSchema#decimal\0",
    b"Thttp://www.w3.org/2001/XMLSchema#double\0",
    b"Thttp://www.w3.org/2001/XMLSchema#dateTime\0",
    b"Thttp://www.w3.org/2001/XMLSchema#boolean\0",
)


def store_form(term: bytes) -> bytes:
    """A typed literal's bytes as pyoxigraph's Store canonicalises it."""
    import pyoxigraph

    datatype, form = term[1:].decode().split("\0", 1)
    node = pyoxigraph.NamedNode("urn:x")
    store = pyoxigraph.Store()
    store.add(pyoxigraph.Quad(node, node, pyoxigraph.Literal(form, datatype=pyoxigraph.NamedNode(datatype))))
    literal = next(iter(store)).object
    return b"T" + literal.datatype.value.encode() + b"\0" + literal.value.encode()


cdef class Terms:
    """The table of terms: byte strings to words and back.

    A word stays valid as long as the table lives if it is pinned, otherwise until a collection that does not hear of it.
    """

    def __cinit__(self):
        self.store = new TermStore()
        self.store.texts.chunk = self.store.texts.used = 0
        self.store.free_entries.first = self.store.free_entries.count = 0
        self.store.free_sides.first = self.store.free_sides.count = 0
        clear_scratch(self.store)
        self._holders = WeakSet()
        self.store.slots.assign(FIRST_SLOTS, 0)
        self.store.side_slots.assign(FIRST_SLOTS, 0)

    def __dealloc__(self):
        release(&self.store.texts)
        release(&self.store.scratch)
        del self.store

    def __len__(self) -> int:
        """Number of living dictionary entries and side values; values held in words take no room."""
        return living_entries(self.store) + living_sides(self.store)

    def memory(self) -> int:
        """Bytes reserved by the table."""
        cdef TermStore* store = self.store
        return (
            capacity(&store.texts) + capacity(&store.scratch) + store.entries.capacity() * sizeof(TermEntry)
            + store.slots.capacity() * 8 + store.sides.capacity() * sizeof(SideEntry) + store.side_slots.capacity() * 4
            + (store.pinned.entries.capacity() + store.pinned.sides.capacity()) * 8
        )

    cdef word_t transient_word(self, bytes term) except? 0:
        cdef const char* text = PyBytes_AS_STRING(term)
        cdef size_t length = PyBytes_GET_SIZE(term)
        cdef word_t word
        if length == 0 or text[0] not in b"IBSLT" or length > 0xffffffff:
            raise ValueError(f"not a term: {term[:80]!r}")
        if text[0] in b"LT" and memchr(text, 0, length) == NULL:
            raise ValueError(f"not a term, the NUL after its language or datatype is missing: {term[:80]!r}")
        clear_scratch(self.store)
        word = intern_term(self.store, text, length)
        return word if word else self.intern_canonical(term)

    cdef word_t intern_bytes(self, bytes term) except? 0:
        return self.pinned(self.transient_word(term))

    cdef word_t pinned(self, word_t word):
        pin_word(self.store, word)
        return word

    cdef word_t intern_canonical(self, bytes term) except? 0:
        """Ask the Store for the canonical form, once for every form."""
        cdef bytes canonical = store_form(term)
        cdef word_t word = find_or_add(
            self.store, PyBytes_AS_STRING(canonical), PyBytes_GET_SIZE(canonical), KIND_TYPED, UNBOUND
        )
        return find_or_add(self.store, PyBytes_AS_STRING(term), PyBytes_GET_SIZE(term), KIND_TYPED, word)

    def intern(self, bytes term not None) -> int:
        """The word of a term, pinned; ValueError if the bytes are no term."""
        return self.intern_bytes(term)

    def intern_many(self, list terms not None):
        """uint64[n]: the words of n terms, pinned; ValueError as `intern`."""
        words = self.intern_many_transient(terms)
        self.pin(words)
        return words

    def intern_transient(self, bytes term not None) -> int:
        """The word of a term, collectable unless something else pinned it; ValueError as `intern`."""
        return self.transient_word(term)

    def intern_many_transient(self, list terms not None):
        """uint64[n]: the words of n terms as of `intern_transient`."""
        cdef Py_ssize_t n = len(terms), i
        words = numpy.empty(n, dtype=numpy.uint64)
        cdef uint64_t[::1] out = words
        for i in range(n):
            out[i] = self.transient_word(<bytes?>terms[i])
        return words

    def pin(self, words not None) -> None:
        """Let words live as long as the table.  ValueError: one is not of this table (0, unbound, is skipped)."""
        mark_words(self.store, flat_words(words), &self.store.pinned)

    def hold(self, holder not None) -> None:
        """Count `holder.words`, a uint64 array, as live while the holder exists; it is not kept alive by this."""
        self._holders.add(holder)

    def collect(self, live) -> int:
        """Free all terms and side values that are neither pinned nor held nor among `live`; how many these were.

        `live` gives uint64 arrays of any shape.  Their words, and pinned ones, stay what they are; others become invalid
        and may later be words of other terms.  ValueError, and nothing is freed: a word in `live` is not of this table.
        """
        cdef Marks kept = self.store.pinned
        cdef size_t before = living_entries(self.store) + living_sides(self.store)
        for words in live:
            mark_words(self.store, flat_words(words), &kept)
        for holder in self._holders:
            mark_words(self.store, flat_words(holder.words), &kept)
        with nogil:
            sweep_entries(self.store, &kept)
            sweep_sides(self.store, &kept)
        self.collections += 1
        return before - living_entries(self.store) - living_sides(self.store)

    def bytes(self, word_t word) -> bytes:
        """The canonical bytes of a word; ValueError for UNBOUND or a word that is not of this table."""
        cdef char buffer[LONGEST_FORM]
        cdef const TermEntry* entry
        if not is_word(self.store, word):
            raise ValueError(f"no word of this table: {word:#x}")
        if tag_of(word) == TAG_TERM:
            entry = term_entry(self.store, word)
            return PyBytes_FromStringAndSize(entry.text, entry.length)
        return PREFIXES[kind_of(word) - KIND_INTEGER] + buffer[:print_value(self.store, word, buffer)]

    def bytes_many(self, const uint64_t[:] words not None) -> list:
        """The canonical bytes of many words."""
        return [self.bytes(words[i]) for i in range(words.shape[0])]

    def integer(self, value: int) -> int:
        """The word of an xsd:integer; beyond 64 bits it is an opaque term, as in the Store."""
        if -(1 << 63) <= value < 1 << 63:
            return self.pinned(integer_word(self.store, value))
        return self.intern_bytes(PREFIXES[0] + str(value).encode())

    def decimal(self, mantissa: int, int scale) -> int:
        """The word of mantissa · 10**-scale; ValueError unless 0 ≤ scale ≤ 18, OverflowError beyond 128 bits."""
        cdef int128 number
        if not 0 <= scale <= DECIMAL_DIGITS:
            raise ValueError(f"scale {scale} is not between 0 and {DECIMAL_DIGITS}")
        if not -(1 << 127) <= mantissa < 1 << 127:
            raise OverflowError("decimal out of range")
        number = <int128>(<int64_t>(mantissa >> 64)) * (<int128>1 << 64) + <int128>(<uint64_t>(mantissa & (1 << 64) - 1))
        if multiply_overflows(number, <int128>POWERS_OF_TEN[DECIMAL_DIGITS - scale], &number):
            raise OverflowError("decimal out of range")
        return self.pinned(decimal_word(self.store, number))

    def double(self, double value) -> int:
        """The word of an xsd:double."""
        return self.pinned(double_word(self.store, value))

    def boolean(self, bint value) -> int:
        """The word of an xsd:boolean."""
        return boolean_word(value)

    def datetime(self, int64_t microseconds, zone: int | None = 0) -> int:
        """The word of an xsd:dateTime: microseconds since 1970-01-01T00:00:00Z, `zone` in minutes east of UTC.

        With zone None it has no time zone, and the microseconds count from 1970-01-01T00:00:00 likewise.  ValueError for a
        zone beyond 14 hours and for fractions of seconds before the year 1, which the Store has no form for.
        """
        cdef int128 instant = EPOCH + <int128>microseconds * MICROSECOND
        if instant < 0 and instant % DECIMAL_ONE != 0:
            raise ValueError("a dateTime before the year 1 must have whole seconds")
        if zone is None:
            return self.pinned(datetime_word(self.store, instant, NO_ZONE))
        if not -840 <= zone <= 840:
            raise ValueError(f"zone {zone} is not within 14 hours")
        return self.pinned(datetime_word(self.store, instant, zone))
