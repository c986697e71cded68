"""The engine: events in, matches of many queries out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from threading import get_ident
from typing import Any

from gpm.native.assembly import Encoder
from nfa_native.terms.words import Terms
from spaseq.errors import OptionError
from spaseq.exclusive import ANOTHER_ENGINE, Uncopied, exclusive, in_steps, reading
from spaseq.graphs import promises
from spaseq.graphs.background import Background, BackgroundSources, Entail, read_background
from spaseq.graphs.core import EngineCore
from spaseq.graphs.prepared import AnyQuery
from spaseq.pattern.sequences import Query
from spaseq.results.match import Match
from spaseq.results.table import MatchTable
from spaseq.runtime.delivery import OnMatch
from spaseq.soundness import Soundness, whole_or_broken
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.graphs import Graph
from spaseq.sources.rdf.items import Item, read_items
from spaseq.streams.timestamps import Time, to_microseconds

FEW_EVENTS = 24  # of a batch: one by one they cost no more than as columns, for one query or fifty


class Engine(Uncopied):
    """Runs queries on events that are pushed.  One engine belongs to one thread at a time: BusyError for a second one.

    ``background`` maps IRIs of knowledge graphs to files, graphs or bytes.  ``lateness`` is how much older than the
    newest event of its stream an event may come; what is later still is dropped, counted and given to ``on_late``.
    ``gpm`` says how graph patterns are evaluated: ``auto``, ``native``, ``pyoxigraph`` or ``verify`` (see
    ``gpm.evaluator.Mode``).  ``entail`` names the background graphs that are ontologies: events, and these graphs, have
    what they entail by RDFS; "rdfs" means all of them.

    OutOfMemoryError, from any method: there is no memory, or was none earlier.  The engine cannot go on then.
    It is neither copied nor pickled (OptionError): ``snapshot`` and ``restore`` make another one.
    """

    instead = ANOTHER_ENGINE

    def __init__(
        self,
        background: BackgroundSources | Background | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        gpm: str = "auto",
        entail: Entail = (),
    ) -> None:
        self._hold(EngineCore(read_background(background, entail), lateness, on_late, gpm))

    def _hold(self, core: EngineCore) -> None:
        self.core = core  # who takes it locks it: ``core.use``
        self._use = core.use

    @property
    def soundness(self) -> Soundness:
        """Whether there was always memory."""
        return self.core.soundness

    @property
    def terms(self) -> Terms:
        """The table of terms."""
        return self.core.terms

    @property
    def lateness(self) -> int:
        """How much older than the newest event of its stream an event may be, in microseconds."""
        return self.core.lateness

    @property
    def on_late(self) -> Callable[[Event], object] | None:
        """What events that came too late are given to."""
        return self.core.on_late

    @on_late.setter
    def on_late(self, on_late: Callable[[Event], object] | None) -> None:
        self.core.on_late = on_late

    @property
    def encoder(self) -> Encoder:
        """What readers need to encode events for this engine."""
        return self.core.encoder

    @property
    def background(self) -> Background:
        """The background knowledge that events pushed from now on see."""
        return self.core.background

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def queries(self) -> dict[str, Query]:
        """The registered queries by name."""
        return self.core.queries

    @exclusive
    @whole_or_broken
    def register(
        self,
        query: AnyQuery,
        name: str | None = None,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
    ) -> str:
        """Run ``query`` on the events pushed from now on, and return its name.

        ``on_match`` is called with each of its matches, besides ``push`` returning them.  After ``max_results`` results
        the query is over: it keeps nothing, and costs nothing.  Raises QuerySyntaxError, QueryError (also if derived
        streams would form a circle), OptionError (name taken, stream pushed to already).
        """
        check_most(max_results)
        _check_on_match(on_match)
        return self.core.register(query, name, on_match, max_results)

    @exclusive
    def unregister(self, name: str) -> None:
        """Forget a query with its partial matches; OptionError if others read the stream that it derives."""
        self.core.unregister(name)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def push(self, stream: str, graph: Graph, timestamp: Time, event: str | None = None) -> list[Match]:
        """An event came; returns what is decided by now, of any query.

        ``stream`` is a name or IRI, ``graph`` an rdflib.Graph, pyoxigraph quads or triples, or bytes, ``timestamp``
        microseconds or a datetime (naive means UTC), also of NumPy or pandas, ``event`` the event's IRI.  OptionError:
        an argument is wrong.
        """
        use = self._use
        while use.call:  # as ``exclusive`` and ``whole_or_broken`` do it, in a fifth of the time
            use.wait("push")
        use.call = "push"
        try:
            use.owner = get_ident()
            core = self.core
            core.terms.check()
            return core.deliver(core.tables(core.take_single(core.open_stream(stream), timestamp, graph, event)))
        except MemoryError as error:
            raise self.soundness.broken(error) from error
        finally:
            use.end()

    @in_steps
    @whole_or_broken
    def push_tables(self, stream: str, graph: Graph, timestamp: Time, event: str | None = None) -> Iterator[MatchTable]:
        """``push``, the results as tables of bounded size, each of one query: see ``push_events``."""
        return self.core.settle(self.core.take_single(self.core.open_stream(stream), timestamp, graph, event))

    @exclusive
    @whole_or_broken
    def push_batch(self, stream: str, items: Iterable[Item]) -> list[Match]:
        """Events of one stream came, ``(timestamp, graph)`` or ``(timestamp, graph, event IRI)`` each: as ``push``.

        OptionError, StreamError: one is no event, and none is taken; the error says which, from 0.
        """
        core = self.core
        iri = core.open_stream(stream)
        if not isinstance(items, Iterable):
            raise OptionError(f"events are given as a list of (timestamp, graph), not {items!r:.80}")
        items = list(items)
        if len(items) <= 1 or (len(items) <= FEW_EVENTS and core.has_short_way(iri)):
            return core.deliver(core.tables(core.take_few(iri, items)))
        return core.deliver(core.push_columns([read_items(iri, core.encoders[iri], items)]))

    @in_steps
    @whole_or_broken
    def push_events(self, events: Iterable[Event], promise: int | None = None) -> Iterator[MatchTable]:
        """Events of several streams (given by IRI) came; their results as tables of bounded size, each of one query.

        ``promise``: as ``advance`` after them.  The events are taken at once, the results found as the iterator goes
        on: what is not taken comes with a later call.
        """
        return self.core.push_columns(self.core.columns(events), promise)

    @in_steps
    @whole_or_broken
    def push_columns(self, columns: Iterable[Events], promise: int | None = None) -> Iterator[MatchTable]:
        """``push_events``, the events as columns."""
        return self.core.push_columns(columns, promise)

    @in_steps
    @whole_or_broken
    def push_arrow(self, batch: Any, promise: Time | None = None, skip: bool = False) -> Iterator[MatchTable]:
        """``push_events``, the events as rows of Arrow: a RecordBatch, Table or reader, or what has Arrow's C stream.

        Its columns are ``stream`` (names or IRIs), ``time``, ``event`` (IRIs; it, or a value, may be missing) and
        ``graph`` (N-Triples or N-Quads).  RowError: a row is no event, and nothing is taken of the batch; ``skip``:
        such rows are left out, and counted by ``statistics``.  OptionError: other columns, or of other types.
        """
        from spaseq.graphs.arrow_rows import read_rows

        promised = None if promise is None else to_microseconds(promise)
        return self.core.push_columns(read_rows(self.core, batch, skip), promised)

    @exclusive
    @whole_or_broken
    def update_background(self, sources: BackgroundSources) -> None:
        """Replace background graphs, or add some, between two events.

        Events pushed before the call see what was there when they were pushed, also those that still wait; later ones
        see the new.  Nothing is changed if a source cannot be read: StreamError, OptionError.
        """
        if not isinstance(sources, Mapping):
            raise OptionError(f"background graphs are given as a mapping of IRIs to sources, not {sources!r:.80}")
        self.core.update_background(sources)

    @exclusive
    @whole_or_broken
    def advance(self, time: Time, stream: str | None = None) -> list[Match]:
        """Promise that no event before ``time`` will come on ``stream`` (None: on any); returns what this decides."""
        return self.core.deliver(self.core.advance(time, stream))

    @in_steps
    @whole_or_broken
    def advance_tables(self, time: Time, stream: str | None = None) -> Iterator[MatchTable]:
        """``advance``, the results as tables."""
        return self.core.advance(time, stream)

    @exclusive
    @whole_or_broken
    def close(self, stream: str | None = None) -> list[Match]:
        """The end of ``stream`` (None: of all); returns what this decides."""
        return self.core.deliver(self.core.close(stream))

    @in_steps
    @whole_or_broken
    def close_tables(self, stream: str | None = None) -> Iterator[MatchTable]:
        """``close``, the results as tables."""
        return self.core.close(stream)

    # ── what a promise is good for ───────────────────────────────────────────────────────────────────────
    @exclusive
    @whole_or_broken
    def due(self) -> int | None:
        """The least promise (microseconds) with which ``advance`` would decide a result, or let an event go that waits.

        A lesser one gives nothing.  None: no promise gives anything, as long as nothing else comes.  Now and then the
        promise only ends the events of one time, and the next one decides: ``while (t := engine.due()) is not None:
        engine.advance(t)`` gives all that promises alone decide.
        """
        return promises.due(self.core)

    @exclusive
    @whole_or_broken
    def needed_since(self) -> int | None:
        """No event before this time (microseconds) matters for any result that is still to come.

        A new engine of the same queries goes on as this one would, whatever comes, if the events since this time are
        pushed to it in the order in which they came: those that were in time, and others beside them as one likes.
        Then it is promised what was promised, stream by stream.  What it gives up to there was given before: drop it.

        None: every event may matter, since a query has no window, or one of EVENTS, or only ``max_results`` of its
        results are asked.  2**63 - 1: none does.  -2**63: a stream has promised nothing, so all do.  It depends on
        windows and promises alone (``windows_back``), not on what came.  OptionError: an iterator of results was begun
        and not taken to its end.
        """
        return promises.needed_since(self.core)

    # ── the rest of the interface ────────────────────────────────────────────────────────────────────────
    @reading
    def statistics(self) -> dict[str, Any]:
        """Counters of streams and queries, fit for JSON (``spaseq.graphs.statistics``)."""
        from spaseq.graphs.statistics import statistics_of

        return statistics_of(self.core)

    @reading
    @whole_or_broken
    def catch_up(self) -> None:
        """Let all queries hear of all events, also of those that do not concern them, as if that mattered now."""
        self.core.catch_up()

    @exclusive
    @whole_or_broken
    def snapshot(self) -> bytes:
        """The whole state between two calls; background knowledge and queries by fingerprint alone.

        OptionError: an iterator of results was begun and not taken to its end.
        """
        from spaseq.graphs.snapshot import take_snapshot

        return take_snapshot(self.core)

    @staticmethod
    def restore(
        data: bytes,
        queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
        background: BackgroundSources | Background | None = None,
        on_late: Callable[[Event], object] | None = None,
        on_match: OnMatch | None = None,
        gpm: str = "auto",
        entail: Entail = (),
    ) -> Engine:
        """An engine that goes on where ``snapshot`` was taken, maybe in another process.

        ``queries`` and ``background`` are given again, queries in the order of registration or by name.  SnapshotError:
        the snapshot is damaged, of another version, or of other queries or background.
        """
        from spaseq.graphs.snapshot import restored

        engine = Engine.__new__(Engine)
        _check_on_match(on_match)
        engine._hold(restored(data, queries, read_background(background, entail), on_late, on_match, gpm))
        return engine


def check_most(max_results: int | None) -> None:
    """OptionError: it is no number of results."""
    if max_results is not None and not (type(max_results) is int and max_results > 0):
        raise OptionError(f"max_results is a number of results from 1 on, not {max_results!r:.80}")


def _check_on_match(on_match: OnMatch | None) -> None:
    if on_match is not None and not callable(on_match):
        raise OptionError(f"on_match is a function of a match, not {on_match!r:.80}")
