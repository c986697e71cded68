# distutils: language = c++
# cython: language_level=3
"""Results and counters of the kernel, for Python."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memcpy

from nfa_native.core.guard cimport attempted
from nfa_native.joins.state cimport Results, clear_results, killed_in


class RawMatches(NamedTuple):
    """Results as columns, in order of decision; m results, one for each row of each match.

    ``pick_offsets[i]:pick_offsets[i + 1]`` are result i's picks, sorted by atom, then by event.
    """

    first: np.ndarray         # int64[m], microseconds
    last: np.ndarray          # int64[m]
    decided: np.ndarray       # int64[m]
    pick_offsets: np.ndarray  # int64[m + 1]
    pick_atoms: np.ndarray    # uint16[p]
    pick_events: np.ndarray   # uint64[p]
    words: np.ndarray         # uint64[m, result columns]


class CountedMatches(NamedTuple):
    """As ``RawMatches``; if ``counts[i]`` is not 0, result i stands for so many matches, without picks and words."""

    first: np.ndarray
    last: np.ndarray
    decided: np.ndarray
    pick_offsets: np.ndarray
    pick_atoms: np.ndarray
    pick_events: np.ndarray
    words: np.ndarray
    counts: np.ndarray        # int64[m]


cdef object take_results(Kernel* k):
    cdef Results* r = &k.results
    cdef size_t count = r.first.size()
    if count == 0:
        return counted(k, no_results(k.program.result_width), no_counts())
    found = RawMatches(
        taken(r.first.data(), count, np.int64), taken(r.last.data(), count, np.int64),
        taken(r.decided.data(), count, np.int64), taken(r.offsets.data(), count + 1, np.int64),
        taken(r.atoms.data(), r.atoms.size(), np.uint16), taken(r.events.data(), r.events.size(), np.uint64),
        taken(r.words.data(), (count, k.program.result_width), np.uint64),
    )
    counts = taken(r.counts.data(), r.counts.size(), np.int64)
    attempted(clear_results, r)
    return counted(k, found, counts)


cdef object counted(const Kernel* k, results, counts):
    """The results with their counts, if one may stand for many."""
    return CountedMatches(*results, counts) if k.tallies else results


@lru_cache(maxsize=None)
def no_counts():
    """None; read-only."""
    none = np.zeros(0, np.int64)
    none.setflags(write=False)
    return none


@lru_cache(maxsize=None)
def no_results(width):
    """Nothing, with `width` columns; the same arrays each time, and read-only."""
    columns = [np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(1, np.int64)]
    columns += [np.zeros(0, np.uint16), np.zeros(0, np.uint64), np.zeros((0, width), np.uint64)]
    for column in columns:
        column.setflags(write=False)
    return RawMatches(*columns)


cdef object taken(const void* source, shape, type_):
    cdef Py_buffer view
    array = np.empty(shape, type_)
    if array.size:
        PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
        memcpy(view.buf, source, view.len)
        PyBuffer_Release(&view)
    return array


cdef object state_counts(Kernel* k, size_t i):
    """Of state number i; how often it has changed between lists and merged cells only where it may."""
    counts = {
        "groups": k.now.states[i].live,
        "entered": k.now.states[i].entered,
        "expired": k.now.states[i].expired,
        "dropped_by_contiguity": k.now.states[i].skipped,
        "dropped_by_negation": killed_in(k.program, &k.now, i),
    }
    if k.now.states[i].merging.due:
        counts["switches"] = k.now.states[i].merging.switches
    return counts


cdef dict segment_counts(Kernel* k):
    """What waits in segments of steps that may, if there are some."""
    cdef size_t i
    found = [
        {"waiting": k.now.segments[i].waiting, "lazy": int(k.now.segments[i].lazy), "switches": k.now.segments[i].switches}
        for i in range(k.now.segments.size())
    ]
    return {"segments": found} if found else {}


cdef object statistics_of(Kernel* k):
    cdef size_t i
    return {
        "events": k.now.seq,
        "results": k.results.count,
        "ticks": k.now.ticks,
        "atoms": [k.now.matched[i] for i in range(k.now.matched.size())],
        "transitions": [
            {
                "offered": k.now.candidacies[i].offered,
                "nobody_waited": k.now.candidacies[i].lonely,
                "join_failed": k.now.candidacies[i].unjoined,
                "filter_failed": k.now.candidacies[i].unfiltered,
                "fired": k.now.candidacies[i].fired,
                "pairs": k.now.candidacies[i].pairs,
                "scanned": k.now.candidacies[i].scanned,
            }
            for i in range(k.now.candidacies.size())
        ],
        "states": [state_counts(k, i) for i in range(k.now.states.size())],
        **segment_counts(k),
        "nodes": k.now.ring.count(),
        "stored_events": k.now.history.events.size(),
    }
