# distutils: language = c++
# cython: language_level=3
"""Path queries on the edges of a time window: what Python sees of it."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.core.coding import coded
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport check_sound, guarded, pass_on
from nfa_native.core.mixing cimport mix
from nfa_native.paths.searcher cimport ExpressionAutomaton, copied
from nfa_native.paths.searcher import RESTRICTORS, SELECTORS
from nfa_native.paths.window.windows cimport (
    AppearedPaths, EdgeWindow, GivenNames, Scrambler, WindowGraph, WindowNames, WindowQuery,
)

cdef uint32_t NONE = 0xFFFFFFFF


cdef class WindowWatcher:
    """Edges that came at most ``width`` (microseconds) ago, and path queries that are told of each."""

    cdef EdgeWindow state
    cdef list automata
    cdef readonly size_t labels
    cdef readonly size_t conditions

    def __init__(self, int64_t width, labels):
        cdef Scrambler scrambler
        cdef uint32_t number
        cdef uint64_t word
        if width < 0:
            raise ValueError("the width of a window is not negative")
        self.automata = []
        self.labels = len(labels) + 1
        scrambler.secret, scrambler.factor = mix(1), mix(2) | 1
        self.state.width = width
        self.state.graph.pacer.heed = heed_signals
        self.state.graph.open_graph(scrambler, <uint32_t>len(labels))
        for number in range(len(labels)):
            word = labels[number]
            self.state.graph.labels.safe_put(word, number)

    def add_query(
        self, ExpressionAutomaton automaton not None, const uint64_t[::1] starts not None, ends=None,
        str restrictor="WALK", str selector="ALL", uint32_t count=1, bint any_length=False, bint not_back=False,
    ):
        """A query from now on, before edges come."""
        cdef WindowQuery* query
        cdef uint64_t word
        cdef Py_ssize_t i
        if automaton.symbols != 2 * self.labels:
            raise ValueError(f"the automaton has {automaton.symbols} symbols, not {2 * self.labels}")
        if self.state.graph.edges.size():
            raise ValueError("edges have come already")
        self.automata.append(automaton)
        query = self.state.safe_add_query()
        query.automaton = &automaton.automaton
        query.rules.restrictor, query.rules.not_back = RESTRICTORS[restrictor], not_back
        query.selector, query.count, query.any_length = SELECTORS[selector], count, any_length
        query.first_condition = self.conditions
        query.conditions.safe_resize(automaton.automaton.conditions)
        self.conditions += automaton.automaton.conditions
        for i in range(starts.shape[0]):
            query.safe_add_start(starts[i])
        query.has_ends = ends is not None
        for word in ends or ():
            query.safe_add_end(word)
        query.safe_open(&self.state.graph)

    def take_events(
        self, const uint64_t[:, ::1] words not None, const uint8_t[:, ::1] flags not None, const int64_t[::1] times not None,
        const int64_t[::1] ends not None, size_t first, size_t most_paths,
    ):
        """Events from number ``first`` on, until so many paths wait or ``AT_ONCE`` edges came; how many have come."""
        cdef size_t stride = words.shape[1], taken
        cdef Py_ssize_t i
        if words.shape[0] != 3 or <size_t>flags.shape[0] != 2 * self.conditions or flags.shape[1] != words.shape[1]:
            raise ValueError("columns do not fit each other")
        if times.shape[0] != ends.shape[0] or (ends.shape[0] and ends[ends.shape[0] - 1] != words.shape[1]):
            raise ValueError("events do not fit their edges")
        for i in range(ends.shape[0]):
            if ends[i] < (ends[i - 1] if i else 0):
                raise ValueError("events do not fit their edges")
        cdef Events events
        cdef uint8_t nothing = 0
        events.words, events.stride = (&words[0, 0] if stride else NULL), stride
        events.flags = &flags[0, 0] if stride and self.conditions else &nothing
        events.times, events.ends = (&times[0] if times.shape[0] else NULL), (&ends[0] if times.shape[0] else NULL)
        events.count, events.next, events.flagged = times.shape[0], first, self.conditions > 0
        with nogil:
            guarded(&self.state.broken, run_events, &self.state, &events, most_paths)
        return events.next

    def pass_time(self, int64_t time):
        """Nothing comes, but time goes on."""
        with nogil:
            guarded(&self.state.broken, run_time, &self.state, time)

    def give_all(self, size_t query):
        """Let the walk of each pair wait that has one now, of a query that is WALK with SHORTEST and count 1."""
        if query >= <size_t>len(self.automata):
            raise ValueError(f"there is no query {query}")
        with nogil:
            guarded(&self.state.broken, run_all, &self.state, query)

    def take(self):
        """ends, queries, events, vertices, symbols, nodes, predicates: the paths that waited (`AppearedPaths`)."""
        check_sound(&self.state.broken)
        cdef AppearedPaths* found = &self.state.found
        vertices = copied(<const char*>found.vertices.data(), found.vertices.size() * 4, np.uint32)
        symbols = copied(<const char*>found.symbols.data(), found.symbols.size() * 4, np.uint32)
        nodes, predicates = given_words(&found.nodes), given_words(&found.predicates)
        if self.state.graph.vertices.has_lost or self.state.graph.predicates.has_lost:
            nodes, places = coded(nodes)
            vertices = places.view(np.uint32)[vertices]
            predicates, places = coded(predicates)
            symbols = 2 * places.view(np.uint32)[symbols >> 1] + (symbols & 1)
        columns = (
            copied(<const char*>found.ends.data(), found.ends.size() * 8, np.uint64),
            copied(<const char*>found.queries.data(), found.queries.size() * 4, np.uint32),
            copied(<const char*>found.events.data(), found.events.size() * 4, np.uint32),
            vertices, symbols, nodes, predicates,
        )
        found.clear()
        self.state.graph.vertices.has_lost = self.state.graph.predicates.has_lost = False
        return columns

    def __len__(self):
        """How many edges there are."""
        return self.state.graph.living

    def edges(self):
        """uint64[3, n], int64[n]: the edges from the oldest to the newest, and when each came last."""
        check_sound(&self.state.broken)
        cdef WindowGraph* graph = &self.state.graph
        words, times = np.empty((3, graph.living), np.uint64), np.empty(graph.living, np.int64)
        cdef uint64_t[:, ::1] out = words
        cdef int64_t[::1] when = times
        cdef uint32_t edge = graph.oldest
        cdef Py_ssize_t row = 0
        while edge != NONE:
            out[0, row] = graph.vertices.names[graph.edges[edge].subject].word
            out[1, row] = graph.predicates.names[graph.edges[edge].predicate].word
            out[2, row] = graph.vertices.names[graph.edges[edge].object].word
            when[row] = graph.edges[edge].time
            edge = graph.edges[edge].newer
            row += 1
        return words, times

    def words(self):
        """uint64[n]: the words of all nodes and predicates that edges have."""
        check_sound(&self.state.broken)
        return np.concatenate([living_words(&self.state.graph.vertices), living_words(&self.state.graph.predicates)])


cdef void heed_signals() noexcept nogil:
    """Let signals be heard; what a handler raises ends the search."""
    cdef void* error = NULL
    ask_signals(&error)
    if error != NULL:
        pass_on(error)


cdef void ask_signals(void** error) noexcept with gil:
    try:
        PyErr_CheckSignals()
    except BaseException as raised:
        Py_INCREF(raised)
        error[0] = <void*>raised


cdef struct Events:
    const uint64_t* words
    const uint8_t* flags
    const int64_t* times
    const int64_t* ends
    size_t stride
    size_t count
    size_t next
    bint flagged


cdef enum:
    AT_ONCE = 1 << 12                # edges that come before Ctrl-C is heard


cdef void run_events(EdgeWindow* window, Events* events, size_t most_paths) noexcept nogil:
    cdef size_t first = events.ends[events.next - 1] if events.next else 0
    cdef size_t begin = first, end
    while events.next < events.count and window.found.ends.size() < most_paths and begin - first < AT_ONCE:
        end = events.ends[events.next]
        window.look_ahead(events.words + begin, events.stride, events.stride - begin)
        window.take_edges(
            events.words + begin, events.flags + (begin if events.flagged else 0), events.stride, end - begin,
            events.times[events.next], <uint32_t>events.next,
        )
        begin = end
        events.next += 1


cdef void run_time(EdgeWindow* window, int64_t time) noexcept nogil:
    window.pass_time(time)


cdef void run_all(EdgeWindow* window, size_t query) noexcept nogil:
    window.give_all(query)


cdef object given_words(GivenNames* names):
    return copied(<const char*>names.words.data(), names.words.size() * 8, np.uint64)


cdef object living_words(WindowNames* names):
    cdef size_t i, row = 0
    found = np.empty(names.living, np.uint64)
    cdef uint64_t[::1] out = found
    for i in range(names.names.size()):
        if names.names[i].uses:
            out[row] = names.names[i].word
            row += 1
    return found
