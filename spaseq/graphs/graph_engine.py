"""The engine: events in, matches of many queries out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from threading import get_ident
from typing import TYPE_CHECKING, Any, Self

from gpm.native.assembly import Encoder
from gpm.terms import term_bytes
from nfa_native.terms.dictionary import Terms
from spaseq import runtime
from spaseq.errors import OptionError
from spaseq.graphs.background import Background, BackgroundSources, Entail, read_background
from spaseq.graphs.graph_query import OnMatch
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.mapped import AnyMapping, mapped_rows, single_row
from spaseq.graphs.parametric_graph_query import AnyGraphQuery
from spaseq.graphs.queries import AnyQuery
from spaseq.graphs.registration import Registration
from spaseq.pattern.sequences import Query
from spaseq.results.match import Match
from spaseq.results.table import MatchTable
from spaseq.results.terms import from_bytes
from spaseq.runtime.bounded import Bound
from spaseq.runtime.core import EngineCore
from spaseq.runtime.guards import exclusive, in_steps, reading, whole_or_broken
from spaseq.runtime.query_rows import QueryRows
from spaseq.sources.parameter_rows import RowSources
from spaseq.sources.parameter_tables import RowSource
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.graphs import Graph
from spaseq.sources.rdf.items import Item, read_items
from spaseq.streams.timestamps import Time, to_microseconds

if TYPE_CHECKING:
    from rdflib.term import Identifier

FEW_EVENTS = 24  # of a batch: one by one they cost no more than as columns, for one query or fifty


class Engine(runtime.Engine):
    """Runs queries on events that are pushed.  One engine belongs to one thread at a time: BusyError for a second one.

    ``background`` maps IRIs of knowledge graphs to files, graphs or bytes.  ``lateness`` is how much older than the
    newest event of its stream an event may come; what is later still is dropped, counted and given to ``on_late``.
    ``gpm`` says how graph patterns are evaluated: ``auto``, ``native``, ``pyoxigraph`` or ``verify`` (see
    ``gpm.evaluator.Mode``).  ``entail`` names the background graphs that are ontologies: events, and these graphs, have
    what they entail by RDFS; "rdfs" means all of them.  ``sharing``: rows of a query with parameters run together
    where they can; False, to compare: each by itself.  ``evaluation``: under ``:``, steps that keep values of several
    events are made when they can be ("eager"), when a later event asks for them ("lazy"), or as it takes less ("auto").
    ``bound``: how much work events may take; the results are part of all then, those that bring most for their work.

    OutOfMemoryError, from any method: there is no memory, or was none earlier.  The engine cannot go on then.
    It is neither copied nor pickled (OptionError): ``snapshot`` and ``restore`` make another one.
    """

    def __init__(
        self,
        background: BackgroundSources | Background | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        gpm: str = "auto",
        entail: Entail = (),
        sharing: bool = True,
        evaluation: str = "auto",
        bound: Bound | None = None,
    ) -> None:
        self._keep(GraphKind(read_background(background, entail), lateness, on_late, gpm, sharing, evaluation, bound))

    core: EngineCore[Events, AnyGraphQuery]

    def _keep(self, kind: GraphKind) -> None:
        self.kind = kind
        self.registration = Registration(kind)
        self._hold(kind.core)

    @property
    def terms(self) -> Terms:
        """The table of terms."""
        return self.kind.terms

    @property
    def on_late(self) -> Callable[[Event], object] | None:
        """What events that came too late are given to."""
        return self.kind.on_late

    @on_late.setter
    def on_late(self, on_late: Callable[[Event], object] | None) -> None:
        self.kind.on_late = on_late

    @property
    def encoder(self) -> Encoder:
        """What readers need to encode events for this engine."""
        return self.kind.encoder

    @property
    def background(self) -> Background:
        """The background knowledge that events pushed from now on see."""
        return self.kind.background

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def queries(self) -> dict[str, Query]:
        """The registered queries by name."""
        return self.kind.queries

    @exclusive
    @whole_or_broken
    def register(
        self,
        query: AnyQuery,
        name: str | None = None,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
        given: RowSource | None = None,
    ) -> str:
        """Run ``query`` on the events pushed from now on, and return its name.

        ``on_match`` is called with each of its matches, besides ``push`` returning them.  After ``max_results`` results
        the query is over: it keeps nothing, and costs nothing.  ``given`` has the rows of a query with parameters: a
        path of a table, a frame, what has Arrow's C stream, or dictionaries.  Raises QuerySyntaxError, QueryError (also
        if derived streams would form a circle), OptionError (name taken, stream pushed to already), StreamError (a
        table cannot be read, or a row does not fit).
        """
        check_most(max_results)
        _check_on_match(on_match)
        return self.registration.register(query, name, on_match, max_results, given)

    @exclusive
    def unregister(self, name: str) -> None:
        """Forget a query with its partial matches; OptionError if others read the stream that it derives."""
        self.registration.unregister(name)

    def given(self, name: str) -> QueryRows:
        """The rows of a query with parameters.  OptionError: there is no such query, or it has none."""
        self.registration.parametric(name)
        return QueryRows(self, name)

    @exclusive
    @whole_or_broken
    def add_rows(self, name: str, rows: RowSource) -> int:
        """See ``QueryRows.add``."""
        return self.registration.add_rows(name, rows)

    @exclusive
    @whole_or_broken
    def remove_rows(self, name: str, rows: RowSource) -> int:
        """See ``QueryRows.remove``."""
        return self.registration.remove_rows(name, rows)

    def row_count(self, name: str) -> int:
        """How many rows a query with parameters has."""
        return len(self.registration.parametric(name)[0].rows)

    def rows_of(self, name: str) -> list[dict[str, Identifier]]:
        """The rows of a query with parameters, as dictionaries of terms."""
        query, _ = self.registration.parametric(name)
        names = query.plan.query.given.names if query.plan.query.given else ()
        rows = [[from_bytes(term_bytes(term)).to_rdflib() for term in row] for row in query.terms()]
        return [dict(zip(names, row, strict=True)) for row in rows]

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
            core, kind = self.core, self.kind
            kind.terms.check()
            return kind.deliver(core.tables(kind.take_single(core.open_stream(stream), timestamp, graph, event)))
        except MemoryError as error:
            raise self.soundness.broken(error) from error
        finally:
            use.end()

    @in_steps
    @whole_or_broken
    def push_tables(self, stream: str, graph: Graph, timestamp: Time, event: str | None = None) -> Iterator[MatchTable]:
        """``push``, the results as tables of bounded size, each of one query: see ``push_events``."""
        return self.core.settle(self.kind.take_single(self.core.open_stream(stream), timestamp, graph, event))

    @exclusive
    @whole_or_broken
    def push_batch(self, stream: str, items: Iterable[Item]) -> list[Match]:
        """Events of one stream came, ``(timestamp, graph)`` or ``(timestamp, graph, event IRI)`` each: as ``push``.

        OptionError, StreamError: one is no event, and none is taken; the error says which, from 0.
        """
        core, kind = self.core, self.kind
        iri = core.open_stream(stream)
        if not isinstance(items, Iterable):
            raise OptionError(f"events are given as a list of (timestamp, graph), not {items!r:.80}")
        items = list(items)
        if len(items) <= 1 or (len(items) <= FEW_EVENTS and kind.has_short_way(iri)):
            return kind.deliver(core.tables(kind.take_few(iri, items)))
        return kind.deliver(kind.push([read_items(iri, kind.encoders[iri], items)]))

    @in_steps
    @whole_or_broken
    def push_events(self, events: Iterable[Event], promise: int | None = None) -> Iterator[MatchTable]:
        """Events of several streams (given by IRI) came; their results as tables of bounded size, each of one query.

        ``promise``: as ``advance`` after them.  The events are taken at once, the results found as the iterator goes
        on: what is not taken comes with a later call.
        """
        return self.kind.push(self.kind.columns(events), promise)

    @in_steps
    @whole_or_broken
    def push_columns(self, columns: Iterable[Events], promise: int | None = None) -> Iterator[MatchTable]:
        """``push_events``, the events as columns."""
        return self.kind.push(columns, promise)

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
        return self.kind.push(read_rows(self.kind, batch, skip), promised)

    def push_rows(self, stream: str, rows: Any, mapping: AnyMapping, skip: bool = False) -> list[Match]:
        """Rows of one stream came, and ``mapping`` says what each of them means: as ``push``.

        ``rows`` are a data frame of pandas or polars, a table or batches of Arrow, or dictionaries; ``mapping`` is a
        text, the path of a file, or was parsed.  RowError: a row is no event, and none is taken; ``skip``: such rows
        are left out, and counted by ``statistics``.  QueryError: the mapping means nothing for these columns.
        """
        use = self._use
        while use.call:  # as in ``push``
            use.wait("push_rows")
        use.call = "push_rows"
        try:
            use.owner = get_ident()
            core, kind = self.core, self.kind
            kind.terms.check()
            iri = core.open_stream(stream)
            if (single := single_row(rows, mapping)) is None:
                return kind.deliver(kind.push(mapped_rows(kind, iri, rows, mapping, skip)))
            graph, time, name = single
            if not graph:  # a filter drops the row
                return kind.deliver(kind.push([]))
            return kind.deliver(core.tables(kind.take_single(iri, time, graph, name)))
        except MemoryError as error:
            raise self.soundness.broken(error) from error
        finally:
            use.end()

    @exclusive
    @whole_or_broken
    def update_background(self, sources: BackgroundSources) -> None:
        """Replace background graphs, or add some, between two events.

        Events pushed before the call see what was there when they were pushed, also those that still wait; later ones
        see the new.  Nothing is changed if a source cannot be read: StreamError, OptionError.
        """
        if not isinstance(sources, Mapping):
            raise OptionError(f"background graphs are given as a mapping of IRIs to sources, not {sources!r:.80}")
        self.kind.update_background(sources)

    def _delivered(self, decided: Iterable[MatchTable]) -> list[Match]:
        return self.kind.deliver(decided)

    # ── the rest of the interface ────────────────────────────────────────────────────────────────────────
    @property
    def complete(self) -> bool:
        """Whether no partial match was left out so far, to keep work within its bound."""
        return self.kind.complete

    @reading
    def statistics(self) -> dict[str, Any]:
        """Counters of streams and queries, fit for JSON (``GraphKind.statistics``)."""
        return self.kind.statistics()

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
        from spaseq.graphs.state import take_snapshot

        return take_snapshot(self.kind)

    @classmethod
    def restore(
        cls,
        data: bytes,
        queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
        background: BackgroundSources | Background | None = None,
        on_late: Callable[[Event], object] | None = None,
        on_match: OnMatch | None = None,
        gpm: str = "auto",
        entail: Entail = (),
        given: RowSources = None,
        sharing: bool = True,
        evaluation: str = "auto",
        bound: Bound | None = None,
    ) -> Self:
        """An engine that goes on where ``snapshot`` was taken, maybe in another process.

        ``queries`` and ``background`` are given again, queries in the order of registration or by name.  The rows of
        queries with parameters are in the snapshot; where ``given`` (by name) or the text has others, new rows begin
        now, and those that are gone are forgotten; ``sharing`` is for new ones.  With the same ``bound`` it leaves out
        what the engine of the snapshot would have left out.  SnapshotError: the snapshot is damaged, of another
        version, or of other queries or background.
        """
        from spaseq.graphs.state import restored

        engine = cls.__new__(cls)
        _check_on_match(on_match)
        known = read_background(background, entail)
        engine._keep(restored(data, queries, known, on_late, on_match, gpm, given, sharing, evaluation, bound))
        return engine


def check_most(max_results: int | None) -> None:
    """OptionError: it is no number of results."""
    if max_results is not None and not (type(max_results) is int and max_results > 0):
        raise OptionError(f"max_results is a number of results from 1 on, not {max_results!r:.80}")


def _check_on_match(on_match: OnMatch | None) -> None:
    if on_match is not None and not callable(on_match):
        raise OptionError(f"on_match is a function of a match, not {on_match!r:.80}")
