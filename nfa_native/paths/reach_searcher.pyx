# distutils: language = c++
# cython: language_level=3
"""End points of walks, for several queries with the same starts together (`reach_search.hpp`)."""

import numpy as np

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.guard cimport attempted, check_sound, guarded
from nfa_native.paths.reach cimport NO_PLACE, EndSearch, FoundEnds, ReachMove, ReachPlan
from nfa_native.paths.searcher cimport EdgeIndex, copied, flags_of, take_starts


cdef class EndPlan:
    """Frozen queries on a graph: of steps their symbols, of parts of an automaton how many states they have, its moves, the
    last state of each query.

    A move is (state, state, number of its step or None: it stays, guard), a query (state, where it may end or None: anywhere).
    ValueError: something is not there, or does not come in its order.
    """

    cdef ReachPlan plan
    cdef readonly EdgeIndex edges
    cdef readonly uint32_t states
    cdef list arrays

    def __init__(self, EdgeIndex edges not None, steps, parts, moves, queries, conditions=(), bint not_back=False):
        cdef const uint8_t* flags
        self.edges, self.arrays = edges, []
        self.plan.graph, self.plan.not_back = &edges.graph, not_back
        for one in conditions:
            self.plan.conditions.safe_push_back(flags_of(edges, one, self.arrays))
        for symbols in steps:
            self._add_step(symbols)
        self._add_parts(parts)
        self._add_moves(moves, len(steps), parts)
        for number, (state, ends) in enumerate(queries):
            self._check_state(state)
            flags = NULL
            if ends is not None:
                flags = flags_of(edges, ends, self.arrays)
            self.plan.safe_add_query(state, number, flags)
        self.plan.safe_end()

    cdef int _add_step(self, symbols) except -1:
        self.plan.safe_add_step()
        for symbol in symbols:
            if not 0 <= symbol < self.edges.graph.symbols.size():
                raise ValueError(f"there is no symbol {symbol}")
            self.plan.safe_add_symbol(symbol)
        return 0

    cdef int _add_parts(self, parts) except -1:
        if not parts or parts[0] != 1:
            raise ValueError("walks begin in a part with one state")
        for size in parts:
            if size < 1:
                raise ValueError("a part has no state")
            self.plan.safe_add_part(size)
            self.states += size
        return 0

    cdef int _add_moves(self, moves, size_t steps, parts) except -1:
        cdef ReachMove move
        part_of = np.repeat(np.arange(len(parts)), parts).tolist()
        for origin, to, step, guard in moves:
            self._check_state(origin)
            self._check_state(to)
            if to == 0 or part_of[origin] > part_of[to] or (step is None and part_of[origin] == part_of[to]):
                raise ValueError(f"a move leads from state {origin} to state {to}")
            if step is not None and not 0 <= step < steps:
                raise ValueError(f"there is no step {step}")
            if guard >> self.plan.conditions.size():
                raise ValueError("a guard has a condition that is not there")
            move.origin, move.to, move.guard = origin, to, guard
            move.step = NO_PLACE if step is None else step
            self.plan.safe_add_move(move)
        return 0

    cdef int _check_state(self, state) except -1:
        if not 0 <= state < self.states:
            raise ValueError(f"there is no state {state}")
        return 0

    def merge_rows(self):
        """Lay the edges of a repetition's symbols side by side, before the first search."""
        with nogil:
            attempted(run_merge, &self.plan)


cdef class EndSearcher:
    """A search for the end points of a plan's queries from ``starts``, each of which comes once."""

    cdef EndSearch state
    cdef readonly EndPlan plan

    def __init__(self, EndPlan plan not None, const uint32_t[::1] starts not None):
        self.plan = plan
        take_starts(&self.state.starts, starts, plan.edges)
        self.state.safe_open(&plan.plan)

    @property
    def done(self):
        """Whether all was found."""
        return self.state.is_done()

    @property
    def looked_at(self):
        """Edges and vertices that were looked at, and pairs that were found."""
        return self.state.edges

    def advance(self, uint64_t most_edges, size_t most_pairs):
        """Search on until all is found, so many edges were looked at, or as many pairs wait; how many wait."""
        with nogil:
            guarded(&self.state.broken, run_ends, &self.state, most_edges, most_pairs)
        return self.state.found.ends.size()

    def take(self):
        """queries, starts, run_ends, ends: the pairs found since the last call (see `FoundEnds`)."""
        check_sound(&self.state.broken)
        cdef FoundEnds* found = &self.state.found
        columns = (
            copied(<const char*>found.queries.data(), found.queries.size() * 4, np.uint32),
            copied(<const char*>found.starts.data(), found.starts.size() * 4, np.uint32),
            copied(<const char*>found.run_ends.data(), found.run_ends.size() * 8, np.uint64),
            copied(<const char*>found.ends.data(), found.ends.size() * 4, np.uint32),
        )
        found.clear()
        return columns


cdef void run_merge(ReachPlan* plan) noexcept nogil:
    plan.merge_reach_rows()


cdef void run_ends(EndSearch* search, uint64_t most_edges, size_t most_pairs) noexcept nogil:
    search.advance_ends(most_edges, most_pairs)
