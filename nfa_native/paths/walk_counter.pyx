# distutils: language = c++
# cython: language_level=3
"""How many walks a query has (`walk_count.hpp`)."""

from libc.stdint cimport uint32_t, uint64_t

from nfa_native.automata.kinds cimport PathRestrictor
from nfa_native.core.guard cimport guarded
from nfa_native.paths.counting cimport WalkCount
from nfa_native.paths.searcher cimport EdgeIndex, ExpressionAutomaton, check_automaton, flags_of, take_starts


cdef class WalkCounter:
    """Counts the walks from ``starts`` that a bounded automaton matches; arguments as of `PathSearcher`."""

    cdef WalkCount state
    cdef readonly EdgeIndex edges
    cdef readonly ExpressionAutomaton automaton
    cdef list arrays

    def __init__(
        self, EdgeIndex edges not None, ExpressionAutomaton automaton not None, const uint32_t[::1] starts not None,
        conditions=(), ends=None, bint not_back=False,
    ):
        check_automaton(automaton, edges, conditions)
        self.edges, self.automaton, self.arrays = edges, automaton, []
        take_starts(&self.state.starts, starts, edges)
        self.state.graph, self.state.automaton = &edges.graph, &automaton.automaton
        for one in conditions:
            self.state.subsets.conditions.safe_push_back(flags_of(edges, one, self.arrays))
        self.state.rules.ends = NULL
        if ends is not None:
            self.state.rules.ends = flags_of(edges, ends, self.arrays)
        self.state.rules.restrictor, self.state.rules.not_back = PathRestrictor.WALK, not_back
        self.state.safe_open()

    @property
    def done(self):
        """Whether all was counted."""
        return self.state.is_done()

    @property
    def looked_at(self):
        """Edges and vertices that were looked at."""
        return self.state.edges

    @property
    def total(self):
        """How many walks were counted so far."""
        high, low = self.state.high(), self.state.low()
        return high << 64 | low

    def advance(self, uint64_t most_edges):
        """Count on, until all is counted or so many edges were looked at."""
        with nogil:
            guarded(&self.state.broken, run_count, &self.state, most_edges)


cdef void run_count(WalkCount* count, uint64_t most_edges) noexcept nogil:
    count.advance_count(most_edges)
