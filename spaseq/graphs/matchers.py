"""What the engine asks of a plan and its matcher (``spaseq.plan`` and ``nfa_native``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import Evaluating
from nfa_native.core import archive
from nfa_native.core.arrays import Arrays, column, read_store
from nfa_native.core.counters import numbers_of, tree_of
from nfa_native.joins.sampled_matcher import SampleSums
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows
from spaseq.results.match_rows import MatchRows, ResultPlan

Words = NDArray[np.uint64]
WordMap = Callable[[Words], Words]


class Fed(Protocol):
    """A matcher that is fed, and gives what is decided."""

    count_only: bool
    tallies: bool

    def feed(self, times: NDArray[np.int64], events: Words, rows: Sequence[AtomRows | None]) -> None:
        """Events in order of time with their numbers, and the rows of each atom of the plan."""

    def feed_event(self, time: int, event: int, rows: list[EventRows | None]) -> None:
        """``feed`` of a single event."""

    def advance(self, time: int) -> None:
        """No event before ``time`` will come."""

    def finish(self) -> None:
        """The input has ended."""

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing is decided without a further row; ``GREATEST``: never."""

    def pending(self) -> int:
        """0 if ``take`` would give nothing."""

    def take(self) -> MatchRows:
        """What was decided since the last call."""

    @property
    def count(self) -> int:
        """How many matches there were so far, if they are counted only."""

    def oldest_event(self) -> int:
        """Numbers below this one will not come back."""

    def sweep_soon(self) -> None:
        """Free soon what has left the window, however little it is: it holds words of much text."""


class Pausing(Protocol):
    """A matcher that pauses where it would hold too many results."""

    def bound(self, most: int, most_held: int) -> None:
        """Pause when so many results, or picks and words of results, wait for ``take``."""

    @property
    def unfinished(self) -> bool:
        """Whether what it was told last has paused."""

    def go_on(self) -> None:
        """Go on with it, to the end or to the next pause."""

    def complete(self) -> None:
        """Go on with it to the end."""


@runtime_checkable
class Lazy(Protocol):
    """A matcher that may let steps wait until the next one asks for them."""

    evaluation: Evaluating


@runtime_checkable
class Bounded(Protocol):
    """A matcher whose work may have a bound: an average of so many units for an event; 0: it has none."""

    work_bound: float
    most_at_once: float

    @property
    def work(self) -> float:
        """Units since it has one."""

    @property
    def curtailed(self) -> int:
        """Of how many events not all results were put out."""

    def shed(self) -> tuple[NDArray[np.int64], int]:
        """What was dropped, by state (n, 3), and how many events took more than the bound: see ``Shed``."""


@runtime_checkable
class Sampled(Protocol):
    """A matcher of bounded work that tells of a sample of ticks which part of all matches it finds."""

    @property
    def sample_sums(self) -> SampleSums:
        """What is known of the sample."""

    @property
    def sampled_since(self) -> int:
        """The time of the first tick that could be drawn."""

    def measure(self) -> None:
        """So many events have passed that the bound is shared anew."""


class Inspected(Protocol):
    """A matcher that tells what it holds."""

    @property
    def automaton(self) -> Automaton:
        """What it runs."""

    @property
    def position(self) -> int:
        """The position of the next event in its input."""

    @property
    def open_tick(self) -> int | None:
        """The time of the tick that may go on."""

    def waiting(self) -> NDArray[np.int64]:
        """For each state what windows measure of the youngest beginning that waits there, or NOBODY."""

    def may_join(self, state: int, index: int, keys: Words) -> NDArray[np.bool_]:
        """Whether something waits in the state for the keys (columns of the index, n)."""

    def groups(self) -> int:
        """Groups of partial matches that are kept; quickly told."""

    def statistics(self) -> dict[str, Any]:
        """Counters by atom, transition and state."""

    def trace(self) -> Words:
        """All words that the matcher holds."""

    def snapshot(self) -> bytes:
        """The state as bytes."""

    @property
    def next_event(self) -> int:
        """The numbers of all events that it knows are less."""

    @property
    def next_time(self) -> int:
        """It takes no event before this time."""


class AnyMatcher(Fed, Pausing, Inspected, Protocol):
    """The matcher of a query at work."""


class AnyPlan(ResultPlan, Protocol):
    """A compiled query."""

    @property
    def by_partition(self) -> bool:
        """Whether every event counts, also those that no partial match waits for."""

    def fingerprint(self) -> str:
        """A digest of the query's meaning."""

    def needed_since(self, time: int) -> int | None:
        """No event before this matters for results that are decided at ``time`` or later; None: every event may."""

    def start(self, terms: Terms, *, automaton: Automaton | None = None) -> AnyMatcher:
        """A matcher at the beginning of its input, of an automaton that is there already or a new one."""

    def counter(self, terms: Terms, automaton: Automaton) -> AnyMatcher | None:
        """A matcher at the beginning of its input that counts, and gives no results; None: there is no better one."""

    def report(self, counters: dict[str, Any], came: Mapping[str, int], evaluated: Mapping[int, int]) -> dict[str, Any]:
        """Counters of a matcher in the words of the query; ``came``: events by stream IRI.

        ``evaluated``: on how many of them each lazy atom was evaluated.
        """

    def restore(
        self, terms: Terms, data: bytes, word_map: WordMap, *, automaton: Automaton | None = None
    ) -> AnyMatcher:
        """A matcher in the state of ``data``; ``word_map`` turns its words into those of ``terms``."""


# ── what is left of the matcher of a query that is over: the counters that it had ────────────────────────
FINAL_VERSION = 1  # of their store in snapshots


def at_rest(counters: Mapping[str, Any]) -> dict[str, Any]:
    """The counters, and that nothing is kept."""
    states = [state | {"groups": 0} for state in counters["states"]]
    return {**counters, "states": states, "nodes": 0, "stored_events": 0}


def pack_counters(counters: Mapping[str, Any]) -> bytes:
    """The counters as a store."""
    is_enumerated = counters.get("aggregates") == "enumerated"
    columns: Arrays = {"counters": numbers_of(counters), "enumerated": np.array([is_enumerated], np.uint8)}
    return archive.pack({"spent": (FINAL_VERSION, columns)})


def unpack_counters(matcher: AnyMatcher, data: bytes) -> dict[str, Any]:
    """The counters in ``data``, those of a matcher like this one; ValueError: damaged."""
    like = matcher.statistics()
    columns = read_store(data, "spent", FINAL_VERSION)
    counters: dict[str, Any] = tree_of(column(columns, "counters", np.int64), like)
    if bool(column(columns, "enumerated", np.uint8, 1)[0]) and "aggregates" in like:
        counters["aggregates"] = "enumerated"
    return counters
