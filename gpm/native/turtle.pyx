# distutils: language = c++
# cython: language_level=3
"""From Turtle and TriG to N-Quads lines.

What is read here is what everybody writes: prefixed names, lists of predicates and objects, ``a``, literals of all
kinds, blank nodes in brackets, collections, graphs.  Everything else (relative IRIs, names with escapes or beyond
ASCII, triple terms, mistakes) makes the translator stop before the statement and say that it is not sure: then
pyoxigraph reads it.  What it does translate, pyoxigraph takes as well, and to the same statements.

Text is read by *units*: a statement, a directive, a graph with all in it; or by messages, if a source has those.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.string cimport memchr, memcmp

from gpm.native.characters cimport DIGIT, LABEL, LETTER, SPACE, is_kind, over, read_code_point, read_escape
from gpm.native.delimiters cimport CUT_OFF, PAUSED, UNSURE, is_delimiting_comment, is_word
from gpm.native.tokens cimport Memory, end_of_line, read_datatype, read_iri, read_label, read_language, read_string
from nfa_native.core.containers cimport string, take_bytes, vector
from nfa_native.core.guard cimport attempted, guarded

include "translating/records.pxi"
include "translating/characters.pxi"
include "translating/terms.pxi"
include "translating/literals.pxi"
include "translating/statements.pxi"
include "translating/units.pxi"


cdef class Translator:
    """Translates one source; ``graphs``: it is TriG; ``messages``: it consists of messages.

    A delimiter of messages becomes a line ``MESSAGE``.
    """

    cdef Translation state
    cdef bint broken          # memory ran out in the middle of a text: see `nfa_native.core.guard`

    def __init__(self, bint graphs, bint messages=False):
        self.broken = False
        self.state.graphs = graphs
        self.state.messages = messages
        self.state.labels = 0

    @property
    def inside(self):
        """The last call stopped in a graph, whose closing brace is still to be found."""
        return self.state.inside

    @property
    def prefixes(self):
        """The prefixes in force, with their IRIs."""
        cdef size_t i
        found = {}
        for i in range(self.state.prefixes.size()):
            found[self.state.prefixes[i].name.decode()] = self.state.prefixes[i].iri.decode()
        return found

    @prefixes.setter
    def prefixes(self, known):
        cdef string prefix, full
        self.state.prefixes.clear()
        for name, iri in known.items():
            take_bytes(&prefix, name.encode())
            take_bytes(&full, iri.encode())
            attempted(declare, &self.state, prefix, full)

    def read(self, bytes text not None, size_t at, bint comments=False):
        """Translate whole units, or messages, of ``text`` from byte ``at`` on; ``comments``: ``# @message`` delimits.

        Gives the lines, where the first unit begins that was not translated, and why not: CUT_OFF (its end is not
        there), UNSURE, or PAUSED (there are many lines already).
        """
        cdef size_t size = PyBytes_GET_SIZE(text)
        cdef Translation* t = &self.state
        if at > size:
            raise ValueError(f"a text of {size} bytes does not have {at}")
        t.text = <const uint8_t*>PyBytes_AS_STRING(text)
        t.at = t.text + at
        t.end = t.text + size
        t.comments = comments
        with nogil:
            guarded(&self.broken, translate, t)
        return PyBytes_FromStringAndSize(<const char*>t.out.data(), t.out.size()), t.done - t.text, t.outcome

    def place(self, size_t line):
        """Where in the text what became this line (from 0) of the last call's ended."""
        return self.state.places[line] if line < self.state.places.size() else self.state.done - self.state.text
