# distutils: language = c++
# cython: cdivision=True
"""64-bit tagged words and the table of terms behind them.

A term is a byte string whose first byte is its kind: ``I`` IRI, ``B`` scoped blank-node label, ``S`` string,
``L`` language NUL string, ``T`` datatype IRI NUL lexical form.  Two terms have the same word exactly if pyoxigraph's Store
makes them the same term.  Nothing here locks: a table belongs to one thread at a time.

Terms and values are collectable unless they are pinned.  Words made in native code are not, those of Python's ``intern``,
``integer`` and the like are.

A table may lie on a frozen one, which any number share: what is below has the same word in all of them.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memcpy

from weakref import WeakSet

import numpy

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport allocated, attempted, check_sound, created, guarded, guarded_number, safe_copy
from nfa_native.core.invariant cimport invariant
from nfa_native.terms.literals cimport (
    DECIMAL_ONE, LONGEST_FORM, multiply_overflows, parse_datetime, parse_decimal, parse_double, parse_integer,
    print_datetime, print_decimal, print_double, print_integer, print_scaled,
)
from nfa_native.core.mixing cimport hash_text, longest_run, mix
from nfa_native.core.prefetch cimport prefetch

cdef const char* XSD = b"http://www.w3.org/2001/XMLSchema#"
cdef enum:
    XSD_LENGTH = 33
    FIRST_CHUNK = 1 << 12
    FIRST_SLOTS = 1 << 6

include "interning/memory.pxi"
include "interning/entries.pxi"
include "interning/dictionary.pxi"
include "interning/lookups.pxi"
include "interning/sides.pxi"
include "interning/values.pxi"
include "interning/terms.pxi"
include "interning/collecting.pxi"


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

    def __cinit__(self, Terms base=None):
        if base is not None and (not base.store.frozen or base.base is not None):
            raise ValueError("a table lies on one that is frozen, and that lies on none")
        self.store = created[TermStore]()
        self.base = base
        self.store.base = NULL
        self.store.first_entry = self.store.first_side = 0
        if base is not None:
            self.store.base = base.store
            self.store.first_entry = base.store.entries.size()
            self.store.first_side = base.store.sides.size()
        self.store.frozen = False
        self.store.broken = False
        self.store.texts.chunk = self.store.texts.used = 0
        self.store.free_entries.first = self.store.free_entries.count = 0
        self.store.free_sides.first = self.store.free_sides.count = 0
        clear_scratch(self.store)
        self._holders = WeakSet()
        self.store.slots.safe_assign(FIRST_SLOTS, 0)
        self.store.side_slots.safe_assign(FIRST_SLOTS, 0)

    def __dealloc__(self):
        if self.store == NULL:
            return
        release(&self.store.texts)
        release(&self.store.scratch)
        del self.store

    def freeze(self) -> None:
        """Nothing is added or freed from now on: other tables may lie on this one, and any thread may look things up."""
        self.store.frozen = True

    cdef int check_open(self) except -1:
        if self.store.frozen:
            raise ValueError("the table is frozen")
        return 0

    def __len__(self) -> int:
        """Number of living dictionary entries and side values, without those below; values held in words take no room."""
        return living_entries(self.store) + living_sides(self.store)

    def memory(self) -> int:
        """Bytes reserved by the table."""
        cdef TermStore* store = self.store
        return (
            capacity(&store.texts) + capacity(&store.scratch) + store.entries.capacity() * sizeof(TermEntry)
            + store.slots.capacity() * 8 + store.sides.capacity() * sizeof(SideEntry) + store.side_slots.capacity() * 4
            + (store.pinned.entries.capacity() + store.pinned.sides.capacity()) * 8
        )

    def longest_run(self) -> int:
        """The most slots in a row that are taken in one of the hash tables."""
        cdef vector[uint8_t] terms, sides
        cdef size_t i
        for i in range(self.store.slots.size()):
            terms.safe_push_back(self.store.slots[i] != 0)
        for i in range(self.store.side_slots.size()):
            sides.safe_push_back(self.store.side_slots[i] != 0)
        return max(longest_run(terms), longest_run(sides))

    cdef word_t transient_word(self, bytes term) except? 0:
        cdef const char* text = PyBytes_AS_STRING(term)
        cdef size_t length = PyBytes_GET_SIZE(term)
        cdef word_t word
        self.check_open()
        if length == 0 or text[0] not in b"IBSLT" or length > 0xffffffff:
            raise ValueError(f"not a term: {term[:80]!r}")
        if text[0] in b"LT" and memchr(text, 0, length) == NULL:
            raise ValueError(f"not a term, the NUL after its language or datatype is missing: {term[:80]!r}")
        clear_scratch(self.store)
        word = guarded_number(&self.store.broken, intern_term, self.store, text, length)
        return word if word else self.intern_canonical(term)

    cdef word_t intern_bytes(self, bytes term) except? 0:
        return self.pinned(self.transient_word(term))

    cdef word_t pinned(self, word_t word):
        self.check_open()
        guarded(&self.store.broken, pin_word, self.store, word)
        return word

    cdef word_t intern_canonical(self, bytes term) except? 0:
        """Ask the Store for the canonical form, once for every form."""
        cdef bytes canonical = store_form(term)
        return self.add(term, self.add(canonical, UNBOUND))

    cdef word_t add(self, bytes term, word_t alias) except? 0:
        """The word of a typed literal; if it is new that is the alias, unless this is UNBOUND."""
        return guarded_number(
            &self.store.broken, find_or_add, self.store, PyBytes_AS_STRING(term), <size_t>PyBytes_GET_SIZE(term),
            <int>KIND_TYPED, alias,
        )

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
        self.check_open()
        mark_words(self.store, flat_words(words), &self.store.pinned)

    def hold(self, holder not None) -> None:
        """Count `holder.words`, a uint64 array, as live while the holder exists; it is not kept alive by this."""
        self._holders.add(holder)

    def check(self) -> None:
        """MemoryError: memory ran out while the table changed, or what uses it; it is not to be used any more."""
        check_sound(&self.store.broken)

    def give_up(self) -> None:
        """Memory ran out for somebody who uses the table: nobody goes on with it."""
        self.store.broken = True

    def collect(self, live) -> int:
        """Free all terms and side values that are neither pinned nor held nor among `live`; how many these were.

        `live` gives uint64 arrays of any shape.  Their words, and pinned ones, stay what they are; others become invalid
        and may later be words of other terms.  ValueError, and nothing is freed: a word in `live` is not of this table.
        """
        cdef Marks kept
        cdef size_t before = living_entries(self.store) + living_sides(self.store)
        self.check_open()
        safe_copy(kept, self.store.pinned)
        for words in live:
            mark_words(self.store, flat_words(words), &kept)
        for holder in self._holders:
            mark_words(self.store, flat_words(holder.words), &kept)
        with nogil:
            guarded(&self.store.broken, sweep, self.store, &kept)
        self.collections += 1
        return before - living_entries(self.store) - living_sides(self.store)

    def bytes(self, word_t word) -> bytes:
        """The canonical bytes of a word; ValueError for UNBOUND or a word that is not of this table."""
        cdef char buffer[LONGEST_FORM]
        cdef const TermEntry* entry
        check_sound(&self.store.broken)
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
        self.check_open()
        if -(1 << 63) <= value < 1 << 63:
            return self.pinned(guarded_number(&self.store.broken, integer_word, self.store, <int64_t>value))
        return self.intern_bytes(PREFIXES[0] + str(value).encode())

    def decimal(self, mantissa: int, int scale) -> int:
        """The word of mantissa · 10**-scale; ValueError unless 0 ≤ scale ≤ 18, OverflowError beyond 128 bits."""
        cdef int128 number
        self.check_open()
        if not 0 <= scale <= DECIMAL_DIGITS:
            raise ValueError(f"scale {scale} is not between 0 and {DECIMAL_DIGITS}")
        if not -(1 << 127) <= mantissa < 1 << 127:
            raise OverflowError("decimal out of range")
        number = <int128>(<int64_t>(mantissa >> 64)) * (<int128>1 << 64) + <int128>(<uint64_t>(mantissa & (1 << 64) - 1))
        if multiply_overflows(number, <int128>POWERS_OF_TEN[DECIMAL_DIGITS - scale], &number):
            raise OverflowError("decimal out of range")
        return self.pinned(guarded_number(&self.store.broken, decimal_word, self.store, number))

    def double(self, double value) -> int:
        """The word of an xsd:double."""
        self.check_open()
        return self.pinned(guarded_number(&self.store.broken, double_word, self.store, value))

    def boolean(self, bint value) -> int:
        """The word of an xsd:boolean."""
        return boolean_word(value)

    def datetime(self, int64_t microseconds, zone: int | None = 0) -> int:
        """The word of an xsd:dateTime: microseconds since 1970-01-01T00:00:00Z, `zone` in minutes east of UTC.

        With zone None it has no time zone, and the microseconds count from 1970-01-01T00:00:00 likewise.  ValueError for a
        zone beyond 14 hours and for fractions of seconds before the year 1, which the Store has no form for.
        """
        cdef int128 instant = EPOCH + <int128>microseconds * MICROSECOND
        self.check_open()
        if instant < 0 and instant % DECIMAL_ONE != 0:
            raise ValueError("a dateTime before the year 1 must have whole seconds")
        if zone is None:
            return self.pinned(guarded_number(&self.store.broken, datetime_word, self.store, instant, <int32_t>NO_ZONE))
        if not -840 <= zone <= 840:
            raise ValueError(f"zone {zone} is not within 14 hours")
        return self.pinned(guarded_number(&self.store.broken, datetime_word, self.store, instant, <int32_t>zone))
