# distutils: language = c++
# cython: language_level=3
"""Paths of regular path queries: what Python sees of the search (semantics.md 6)."""

import numpy as np

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free

from nfa_native.automata import kinds
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, check_sound, guarded
from nfa_native.paths.search cimport (
    Adjacency, Column, FoundPaths, PathAutomaton, PathGraph, PathSearch, symbol_t, vertex_t,
)

MOST_CONDITIONS = 64
RESTRICTORS = kinds.PathRestrictor.__members__
SELECTORS = {name.replace("_", " "): one for name, one in kinds.PathSelection.__members__.items()}


cdef class EdgeIndex:
    """The edges of a graph by label, along and against their direction; frozen but for ``add``."""

    def __init__(self, uint32_t vertices):
        self.graph.vertices = vertices
        self.arrays = []

    @property
    def vertices(self):
        return self.graph.vertices

    @property
    def symbols(self):
        return self.graph.symbols.size()

    def add(self, along, against):
        """The edges of the next label, each way as (vertices or None, offsets, targets), which are not copied."""
        self.graph.safe_add_label(self._opened(along), self._opened(against))

    cdef Adjacency _opened(self, rows) except *:
        cdef Adjacency found
        cdef const uint32_t[::1] vertices, offsets, targets
        names, offsets, targets = rows
        found.vertices = NULL
        found.rows = <size_t>offsets.shape[0] - 1
        found.offsets = &offsets[0]
        found.targets = &targets[0] if targets.shape[0] else NULL
        if names is not None:
            vertices = names
            if <size_t>vertices.shape[0] != found.rows:
                raise ValueError(f"{vertices.shape[0]} vertices came with {offsets.shape[0]} offsets")
            found.vertices = &vertices[0] if found.rows else found.offsets
        elif found.rows != self.graph.vertices:
            raise ValueError(f"{self.graph.vertices} vertices came with {offsets.shape[0]} offsets")
        if offsets[offsets.shape[0] - 1] != <size_t>targets.shape[0]:
            raise ValueError(f"{targets.shape[0]} targets came with offsets up to {offsets[offsets.shape[0] - 1]}")
        self.arrays.append((names, rows[1], rows[2]))
        return found


cdef class ExpressionAutomaton:
    """A frozen automaton: for each state its symbols, its transitions (state, guard) and where it accepts (guards).

    Guards are sets of conditions, by their bits.  ValueError: a state, a symbol or a condition is not there.
    """

    def __init__(self, states, size_t symbols, size_t conditions):
        cdef uint32_t number, to
        cdef symbol_t symbol
        cdef uint64_t guard
        if conditions > MOST_CONDITIONS:
            raise ValueError(f"{conditions} conditions are too many")
        self.symbols = symbols
        self.automaton.conditions = conditions
        for number in range(len(states)):
            self.automaton.safe_add_state()
            steps, transitions, accepting = states[number]
            for symbol in steps:
                if symbol >= symbols:
                    raise ValueError(f"there is no symbol {symbol}")
                self.automaton.safe_add_symbol(number, symbol)
            for to, guard in transitions:
                if not 0 < to < len(states):
                    raise ValueError(f"there is no state {to}")
                self._check(guard)
                self.automaton.safe_add_transition(number, to, guard)
            for guard in accepting:
                self._check(guard)
                self.automaton.safe_add_accepting(number, guard)
        if not states:
            raise ValueError("an automaton has a state where it begins")
        self.automaton.safe_end()

    cdef int _check(self, uint64_t guard) except -1:
        if self.automaton.conditions < MOST_CONDITIONS and guard >> self.automaton.conditions:
            raise ValueError("a guard has a condition that is not there")
        return 0


cdef class PathSearcher:
    """A search: paths from ``starts`` in a graph, led by an automaton.

    ``conditions`` say of each vertex whether the condition holds, ``ends`` whether a path may end there (None: anywhere).
    ``restrictor`` and ``selector`` are keys of RESTRICTORS and SELECTORS; ``count`` is that of SHORTEST.  A shortest walk may be
    searched for from both ends at once, if ``targets`` are all the ends.
    """

    cdef PathSearch state
    cdef readonly EdgeIndex edges
    cdef readonly ExpressionAutomaton automaton
    cdef list arrays

    def __init__(
        self, EdgeIndex edges not None, ExpressionAutomaton automaton not None, const uint32_t[::1] starts not None,
        conditions=(), ends=None, str restrictor="WALK", str selector="ALL", uint32_t count=1, bint not_back=False,
        const uint32_t[::1] targets=None,
    ):
        check_automaton(automaton, edges, conditions)
        take_starts(&self.state.starts, starts, edges)
        if targets is not None:
            take_starts(&self.state.targets, targets, edges)
        self.edges, self.automaton, self.arrays = edges, automaton, []
        self.state.graph, self.state.automaton = &edges.graph, &automaton.automaton
        for one in conditions:
            self.state.subsets.conditions.safe_push_back(flags_of(edges, one, self.arrays))
        self.state.rules.ends = NULL
        if ends is not None:
            self.state.rules.ends = flags_of(edges, ends, self.arrays)
        self.state.rules.restrictor, self.state.rules.not_back = RESTRICTORS[restrictor], not_back
        self.state.selector, self.state.count = SELECTORS[selector], count
        self.state.safe_open()

    @property
    def done(self):
        """Whether all was found."""
        return self.state.is_done()

    @property
    def looked_at(self):
        """Edges that were looked at, and those of the paths that were found."""
        return self.state.edges

    def advance(self, uint64_t most_edges, size_t most_paths):
        """Search on until all is found, so many edges were looked at, or as many paths wait; how many wait."""
        with nogil:
            guarded(&self.state.broken, run_search, &self.state, most_edges, most_paths)
        return self.state.found.ends.size()

    def take(self):
        """ends, vertices, symbols: the paths found since the last call (see `FoundPaths`)."""
        check_sound(&self.state.broken)
        cdef FoundPaths* found = &self.state.found
        return handed_ends(&found.ends), handed_numbers(&found.vertices), handed_numbers(&found.symbols)


cdef void run_search(PathSearch* search, uint64_t most_edges, size_t most_paths) noexcept nogil:
    search.advance_search(most_edges, most_paths)


cdef object copied(const char* data, size_t size, dtype):
    return np.frombuffer(PyByteArray_FromStringAndSize(data, size), dtype) if size else np.empty(0, dtype)


cdef const uint8_t* flags_of(EdgeIndex edges, column, list arrays) except? NULL:
    cdef const uint8_t[::1] flags = column
    if <size_t>flags.shape[0] != edges.graph.vertices:
        raise ValueError(f"{flags.shape[0]} flags came for {edges.graph.vertices} vertices")
    arrays.append(column)
    return &flags[0] if flags.shape[0] else NULL


cdef int take_starts(vector[vertex_t]* into, const uint32_t[::1] starts, EdgeIndex edges) except -1:
    cdef Py_ssize_t i
    for i in range(starts.shape[0]):
        if starts[i] >= edges.graph.vertices:
            raise ValueError(f"there is no vertex {starts[i]}")
        into.safe_push_back(starts[i])
    return 0


cdef int check_automaton(ExpressionAutomaton automaton, EdgeIndex edges, conditions) except -1:
    if automaton.symbols > edges.graph.symbols.size():
        raise ValueError("the automaton has symbols that the graph does not have")
    if <size_t>len(conditions) != automaton.automaton.conditions:
        raise ValueError(f"{len(conditions)} conditions were given, not {automaton.automaton.conditions}")
    return 0
cdef class ColumnMemory:
    """The memory of an array, which was that of a column."""

    def __cinit__(self):
        self.start, self.size = NULL, 0

    def __dealloc__(self):
        free(self.start)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.start, <Py_ssize_t>self.size, 0, flags)


cdef object handed_numbers(Column[uint32_t]* column):
    cdef ColumnMemory memory = ColumnMemory()
    cdef size_t count = column.size()
    memory.size = count * sizeof(uint32_t)
    memory.start = column.release()
    return np.frombuffer(memory, np.uint32) if count else np.empty(0, np.uint32)


cdef object handed_ends(Column[uint64_t]* column):
    cdef ColumnMemory memory = ColumnMemory()
    cdef size_t count = column.size()
    memory.size = count * sizeof(uint64_t)
    memory.start = column.release()
    return np.frombuffer(memory, np.uint64) if count else np.empty(0, np.uint64)
