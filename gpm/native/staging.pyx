# distutils: language = c++
# cython: language_level=3
"""Events that are still text as named graphs of one text."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp

from gpm.native.tokens cimport STATEMENT, Memory, Statement, end_of_line, forget_text, read_statement
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, attempted_number


cdef void append(vector[uint8_t]* out, const uint8_t* text, size_t size) noexcept nogil:
    out.insert(out.end(), text, text + size)


cdef void append_bytes(vector[uint8_t]* out, bytes text):
    attempted(append, out, <const uint8_t*>PyBytes_AS_STRING(text), <size_t>PyBytes_GET_SIZE(text))


cdef void append_node(vector[uint8_t]* out, const uint8_t* node, size_t size, bytes label):
    """A term, a blank node with `label` before its own."""
    if node[0] == c'_':
        append_bytes(out, label)
        attempted(append, out, node + 2, size - 2)
    else:
        attempted(append, out, node, size)


cdef bint is_wanted(const Statement* st, object wanted):
    """A predicate with an escape may be any."""
    if wanted is None or memchr(st.predicate, c'\\', st.predicate_size) != NULL:
        return True
    return st.predicate[: st.predicate_size] in wanted


cdef bint is_triple_term(const Statement* st) noexcept nogil:
    return st.object_size > 2 and memcmp(st.object, b"<<", 2) == 0


def stage_lines(list runs not None, wanted, str graph not None, list labels not None):
    """The valid N-Quads lines of many events as one text, in which event n is the graph ``<{graph}{n}>``.

    Lines without graph do not count if some lines of their event have one.  Only predicates in ``wanted`` (a set of bytes
    with angle brackets; None: all) are kept.  ``labels[n]`` goes before the blank node labels of event n.  Gives the text
    and whether it has blank nodes; None if there is a triple term, which may hide blank nodes.
    """
    cdef vector[uint8_t] out
    cdef bint blank = False
    cdef int found = 0
    cdef Memory memory
    for n, run in enumerate(runs):
        found = stage_run(&out, run, wanted, f" <{graph}{n}> .\n".encode(), b"_:" + labels[n], &memory)
        if found < 0:
            return None
        blank = blank or found > 0
    return PyBytes_FromStringAndSize(<const char*>out.data(), out.size()), blank


cdef int stage_run(vector[uint8_t]* out, bytes run, object wanted, bytes name, bytes label, Memory* memory) except? -2:
    """Add an event's lines; gives 1 if they have blank nodes, 0 if not, −1 for a triple term."""
    cdef Statement st
    cdef const uint8_t* at = <const uint8_t*>PyBytes_AS_STRING(run)
    cdef const uint8_t* end = at + PyBytes_GET_SIZE(run)
    cdef const uint8_t* line_end
    cdef size_t start = out.size()
    cdef bint named = False
    cdef int blank = 0
    while at < end:
        line_end = end_of_line(at, end)
        if attempted_number(read_statement, at, line_end, &st, memory) == STATEMENT:
            if is_triple_term(&st):
                return -1
            if st.graph_size and not named:
                named = True
                out.safe_resize(start)
            if (st.graph_size or not named) and is_wanted(&st, wanted):
                blank = blank or st.subject[0] == c'_' or st.object[0] == c'_'
                append_node(out, st.subject, st.subject_size, label)
                out.safe_push_back(c' ')
                attempted(append, out, st.predicate, <size_t>st.predicate_size)
                out.safe_push_back(c' ')
                append_node(out, st.object, st.object_size, label)
                append_bytes(out, name)
        at = line_end + 1
    attempted(forget_text, memory)
    return blank
