# distutils: language = c++
# cython: language_level=3
"""The best paths of queries, best first: what Python sees of the search."""

import numpy as np

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport guarded
from nfa_native.paths.best cimport BestFirst, StepWeights
from nfa_native.paths.search cimport FoundPaths, PathAutomaton, PathRules
from nfa_native.paths.searcher cimport (
    EdgeIndex, ExpressionAutomaton, check_automaton, copied, flags_of, handed_ends, handed_numbers,
)

from nfa_native.paths.searcher import RESTRICTORS


cdef class BestFirstSearcher:
    """A search for the ``top`` best paths of some queries together, which are added one after the other.

    At most so many beginnings of paths, and ways on from them, are kept (``most_kept``); if there are more, ``full`` is True and the
    search over.
    """

    cdef BestFirst state
    cdef readonly EdgeIndex edges
    cdef list arrays

    def __init__(self, EdgeIndex edges not None, size_t top, size_t most_kept=1 << 24):
        if not 0 < top or not 0 < most_kept <= 1 << 24:
            raise ValueError(f"the best {top} paths were asked for, by no more than {most_kept} beginnings")
        self.edges, self.arrays = edges, []
        self.state.graph, self.state.best.top, self.state.most_kept = &edges.graph, top, most_kept

    def add(
        self, uint32_t number, ExpressionAutomaton automaton not None, const uint32_t[::1] starts not None,
        const double[::1] labels not None, const double[::1] vertices not None,
        conditions=(), ends=None, str restrictor="WALK", bint not_back=False,
    ):
        """The query of this number, from starts for which steps have these weights; see `PathSearcher`."""
        cdef vector[const uint8_t*] flags
        cdef PathRules rules
        cdef StepWeights weights
        cdef Py_ssize_t i
        self._check(automaton, starts, labels, vertices, conditions)
        for one in conditions:
            flags.safe_push_back(flags_of(self.edges, one, self.arrays))
        rules.ends = NULL
        if ends is not None:
            rules.ends = flags_of(self.edges, ends, self.arrays)
        rules.restrictor, rules.not_back = RESTRICTORS[restrictor], not_back
        weights.labels = &labels[0] if labels.shape[0] else NULL
        weights.vertices = &vertices[0] if vertices.shape[0] else NULL
        self.arrays.append((automaton, labels, vertices))
        with nogil:
            guarded(&self.state.broken, add_query, &self.state, number, &automaton.automaton, &flags, &rules, &weights)
        for i in range(starts.shape[0]):
            self.state.safe_add_start(starts[i])

    cdef int _check(
        self, ExpressionAutomaton automaton, const uint32_t[::1] starts, const double[::1] labels, const double[::1] vertices, conditions,
    ) except -1:
        cdef Py_ssize_t i
        check_automaton(automaton, self.edges, conditions)
        if <size_t>labels.shape[0] * 2 != self.edges.graph.symbols.size() or <size_t>vertices.shape[0] != self.edges.graph.vertices:
            raise ValueError(f"there are weights of {labels.shape[0]} labels and {vertices.shape[0]} vertices")
        for i in range(starts.shape[0]):
            if starts[i] >= self.edges.graph.vertices:
                raise ValueError(f"there is no vertex {starts[i]}")
        return 0

    @property
    def done(self):
        """Whether the best paths are known, or the search is full."""
        return self.state.is_done()

    @property
    def full(self):
        """Whether there was too much to keep, so that the paths are not surely the best."""
        return self.state.is_full

    @property
    def looked_at(self):
        """Edges that were looked at."""
        return self.state.edges

    def advance(self, uint64_t most_edges):
        """Search on until the best paths are known, so many edges were looked at, or a moment has passed."""
        with nogil:
            guarded(&self.state.broken, run_best, &self.state, most_edges)

    def best(self):
        """queries, scores, ends, vertices, symbols: the best paths so far, in order (see `FoundPaths`)."""
        with nogil:
            guarded(&self.state.broken, write_paths, &self.state)
        cdef FoundPaths* found = &self.state.found
        return (
            copied(<const char*>self.state.numbers.data(), self.state.numbers.size() * 4, np.uint32),
            copied(<const char*>self.state.scores.data(), self.state.scores.size() * 8, np.float64),
            handed_ends(&found.ends),
            handed_numbers(&found.vertices),
            handed_numbers(&found.symbols),
        )


cdef void add_query(
    BestFirst* search, uint32_t number, const PathAutomaton* automaton, const vector[const uint8_t*]* conditions, const PathRules* rules,
    const StepWeights* weights,
) noexcept nogil:
    search.add_ranked_query(number, automaton, conditions[0], rules[0], weights[0])


cdef void run_best(BestFirst* search, uint64_t most_edges) noexcept nogil:
    search.advance_best(most_edges)


cdef void write_paths(BestFirst* search) noexcept nogil:
    search.write_best()
