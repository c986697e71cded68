# distutils: language = c++
# cython: language_level=3
"""Queries whose walks have a fixed number of steps: all of them are searched for together, by loops over neighbours."""

import numpy as np

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted_bint, check_sound, guarded
from nfa_native.paths.fixed cimport FewWalks, FixedFound, FixedLength, FixedPlan, FixedRoute
from nfa_native.paths.search cimport symbol_t, vertex_t
from nfa_native.paths.searcher cimport EdgeIndex, handed_ends, handed_numbers


cdef enum:
    FEW_STARTS = 1 << 16


cdef class FixedLengthPlan:
    """Frozen queries on a graph: of each the symbols of every step, its starts, where it may end, whether NOT BACK.

    ValueError: a symbol or a vertex is not there, or a query has no step.
    """

    cdef FixedPlan plan
    cdef readonly EdgeIndex edges
    cdef readonly uint32_t queries
    cdef list arrays

    def __init__(self, EdgeIndex edges not None, queries):
        cdef const uint32_t[::1] some
        self.edges, self.arrays = edges, []
        self.plan.graph = &edges.graph
        for steps, starts, ends, not_back in queries:
            if not steps:
                raise ValueError("a query has no step")
            self._add_query(steps, ends, not_back)
            some = starts
            self._add_routes(&self.plan.routes, self.queries, some)
            self.queries += 1

    def few_walks(self, starts=None):
        """queries, ends, vertices, symbols, edges: all walks, if they are few and short; None: a searcher finds them."""
        cdef FewWalks walks
        cdef vector[FixedRoute] own
        cdef uint64_t counted, stepped
        walks.plan, walks.routes = &self.plan, &self.plan.routes
        if starts is not None:
            if sum(map(len, starts)) > FEW_STARTS:
                return None
            self._own_routes(&own, starts)
            walks.routes = &own
        if not attempted_bint(count_walks, &walks):
            return None
        counted, stepped = walks.walks, walks.steps
        queries, ends = PyByteArray_FromStringAndSize(NULL, 4 * counted), PyByteArray_FromStringAndSize(NULL, 8 * counted)
        vertices = PyByteArray_FromStringAndSize(NULL, 4 * (counted + stepped))
        taken = PyByteArray_FromStringAndSize(NULL, 4 * stepped)
        walks.to.queries = <uint32_t*>PyByteArray_AS_STRING(queries)
        walks.to.ends = <uint64_t*>PyByteArray_AS_STRING(ends)
        walks.to.vertices = <vertex_t*>PyByteArray_AS_STRING(vertices)
        walks.to.symbols = <symbol_t*>PyByteArray_AS_STRING(taken)
        with nogil:
            walks.write_all()
        return (
            first_numbers(queries, np.uint32, walks.walks), first_numbers(ends, np.uint64, walks.walks),
            first_numbers(vertices, np.uint32, walks.walks + walks.steps), first_numbers(taken, np.uint32, walks.steps),
            walks.edges,
        )

    cdef int _own_routes(self, vector[FixedRoute]* routes, starts) except -1:
        cdef uint32_t query
        if len(starts) != self.queries:
            raise ValueError(f"starts of {len(starts)} queries were given, not of {self.queries}")
        for query in range(self.queries):
            self._add_routes(routes, query, starts[query])
        return 0

    cdef int _add_query(self, steps, ends, bint not_back) except -1:
        cdef const uint8_t[::1] flags = ends
        if ends is not None and <size_t>flags.shape[0] != self.edges.graph.vertices:
            raise ValueError(f"{flags.shape[0]} flags came for {self.edges.graph.vertices} vertices")
        self.arrays.append(ends)
        self.plan.safe_add_query(not_back, &flags[0] if ends is not None and flags.shape[0] else NULL)
        for symbols in steps:
            self.plan.safe_add_step()
            for symbol in symbols:
                if not 0 <= symbol < self.edges.graph.symbols.size():
                    raise ValueError(f"there is no symbol {symbol}")
                self.plan.safe_add_symbol(symbol)
        return 0

    cdef int _add_routes(self, vector[FixedRoute]* routes, uint32_t query, const uint32_t[::1] starts) except -1:
        cdef Py_ssize_t i
        cdef FixedRoute route
        route.query = query
        for i in range(starts.shape[0]):
            if starts[i] >= self.edges.graph.vertices:
                raise ValueError(f"there is no vertex {starts[i]}")
            route.start = starts[i]
            routes.safe_push_back(route)
        return 0


cdef class FixedLengthSearcher:
    """A search for the walks of a plan; ``starts`` are some for each query (None: those of the plan)."""

    cdef FixedLength state
    cdef readonly FixedLengthPlan plan
    cdef vector[FixedRoute] own

    def __init__(self, FixedLengthPlan plan not None, starts=None):
        self.plan = plan
        if starts is None:
            self.state.safe_open(&plan.plan, &plan.plan.routes)
            return
        plan._own_routes(&self.own, starts)
        self.state.safe_open(&plan.plan, &self.own)

    @property
    def done(self):
        """Whether all was found."""
        return self.state.is_done()

    @property
    def looked_at(self):
        """Edges that were looked at, and those of the walks that were found."""
        return self.state.edges

    def advance(self, uint64_t most_edges, size_t most_paths):
        """Search on until all is found, so many edges were looked at, or as many walks wait; how many wait."""
        with nogil:
            guarded(&self.state.broken, run_walks, &self.state, most_edges, most_paths)
        return self.state.found.size()

    def take(self):
        """queries, ends, vertices, symbols: the walks found since the last call (see `FoundPaths`), and whose they are."""
        check_sound(&self.state.broken)
        cdef FixedFound* found = &self.state.found
        return (
            handed_numbers(&found.queries), handed_ends(&found.ends), handed_numbers(&found.vertices), handed_numbers(&found.symbols)
        )


cdef void run_walks(FixedLength* search, uint64_t most_edges, size_t most_paths) noexcept nogil:
    search.advance_walks(most_edges, most_paths)


cdef bint count_walks(FewWalks* walks) noexcept nogil:
    return walks.count_few()


cdef object first_numbers(memory, dtype, size_t count):
    """As many numbers as were written; there may be room for more."""
    return np.frombuffer(memory, dtype, count) if count else np.empty(0, dtype)
