"""Which engines of a job an event goes to, and which results an engine gives: deduplication by owner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Variable
from gpm.evaluator import CompiledPattern, Evaluator
from gpm.rows import AtomRows, Numbers, Words
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError
from spaseq.graphs.arrow_rows import grouped
from spaseq.pattern.sequences import Selection
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.partitioning import has_strict_steps, key_patterns
from spaseq.plan.sequences.plan import compile_atom
from spaseq.results.table import MatchTable
from spaseq.sources.rdf.events import Events
from spaseq.spark.shards import Part

Buckets = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class PartRoute:
    """How the events of one stream find the engines of one part.

    A row of one of ``patterns`` has the keys of its event if the part is cut, else whatever; without a row an event is
    of no use, unless ``counts`` all.
    """

    part: Part
    patterns: tuple[CompiledPattern, ...]
    counts: bool


class Router:
    """Routes the events of a job's streams, those of each batch at once.

    ``evaluator`` is that of an engine with all queries of the job, so the events have the triples that these can use.
    """

    def __init__(self, parts: Iterable[Part], evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._routes: dict[str, list[PartRoute]] = {}
        for part in parts:
            for stream in dict.fromkeys(stream.iri for plan in part.plans for stream in plan.query.streams):
                route = _route(part, stream, evaluator)
                if route.counts or route.patterns:
                    self._routes.setdefault(stream, []).append(route)

    def route(self, events: Events) -> list[tuple[int, Numbers]]:
        """The numbers of the engines that events go to, each with the positions of its events, rising.

        StreamError: an event of a query that is cut has several keys, which lie in different buckets.
        """
        events = events.renewed(self.evaluator.encoder)
        found: list[tuple[int, Numbers]] = []
        for route in self._routes.get(events.stream, ()):
            found += self._along(route, events)
        return found

    def _along(self, route: PartRoute, events: Events) -> list[tuple[int, Numbers]]:
        part = route.part
        if route.counts:
            return [(part.first, np.arange(len(events)))] if len(events) else []
        rows = self.evaluator.evaluate(events.graphs, route.patterns)
        if not part.split.keys:
            matched = _distinct([one.row_event.astype(np.int64) for one in rows])
            return [(part.first, matched)] if len(matched) else []
        pairs = _distinct([self._pairs(one, part.buckets) for one in rows])
        places, buckets = np.divmod(pairs, part.buckets)
        if not part.split.shown:
            _check_single(places, events, part)
        return [(part.first + bucket, places[own]) for bucket, own in grouped(buckets)] if len(pairs) else []

    def _pairs(self, rows: AtomRows, buckets: int) -> Numbers:
        """Each event with each of its buckets: as one number, event · ``buckets`` + bucket."""
        own = bucket_of(rows.columns, buckets, self.evaluator.terms)
        return rows.row_event.astype(np.int64) * buckets + own.astype(np.int64)


def bucket_of(keys: Sequence[Words] | Words, buckets: int, terms: Terms) -> Buckets:
    """The bucket of each key (n) by its canonical terms; ``keys`` are their columns (k, n)."""
    mixed = np.zeros(keys[0].shape, np.uint32)
    for column in keys:
        words, inverse = np.unique(column, return_inverse=True)
        hashes = np.fromiter(map(crc32, terms.bytes_many(words)), np.uint32, len(words))
        mixed = mixed * np.uint32(0x9E3779B1) + hashes[inverse]
    return mixed % np.uint32(buckets)


def _route(part: Part, stream: str, evaluator: Evaluator) -> PartRoute:
    if part.split.keys:
        (plan,) = part.plans
        known = key_patterns(plan.atoms, part.split.keys, evaluator)
        assert known is not None, "a query is cut only by keys that are found natively"
        patterns = _different(one.pattern for one in known if one.stream == stream)
        return PartRoute(part, patterns, counts=False)
    reading = [plan for plan in part.plans if stream in {one.iri for one in plan.query.streams}]
    patterns = _different(
        compile_atom(evaluator, atom) for plan in reading for atom in plan.atoms if atom.stream == stream
    )
    counts = any(map(counts_all, reading)) or not all(pattern.is_native for pattern in patterns)
    return PartRoute(part, patterns, counts)


def _different(patterns: Iterable[CompiledPattern]) -> tuple[CompiledPattern, ...]:
    """The patterns, of those that are equal up to names the first."""
    return tuple({(id(one.shape), one.slots): one for one in reversed([*patterns])}.values())


def _distinct(parts: Sequence[Numbers]) -> Numbers:
    """All numbers of some columns, each once, rising."""
    found = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return found if (found[1:] > found[:-1]).all() else np.unique(found)


def counts_all(plan: Plan) -> bool:
    """Whether events matter that match no GPM."""
    window = plan.query.window
    return has_strict_steps(plan.query.expression) or (window is not None and window.events)


def _check_single(places: Numbers, events: Events, part: Part) -> None:
    """StreamError: an event goes to several buckets."""
    twice = places[:-1][places[1:] == places[:-1]]
    if not len(twice):
        return
    name, keys = part.plans[0].query.name, ", ".join(f"?{key}" for key in part.split.keys)
    raise StreamError(
        f"the event <{events.names[int(twice[0])]}> of the stream <{events.stream}> has several {keys}, "
        f'by which the query "{name}" is cut; keep it whole: whole=["{name}"]'
    )


def owned(table: MatchTable, part: Part, number: int, terms: Terms) -> MatchTable:
    """The rows of an engine's table whose keys are in the bucket of the engine with this ``number``."""
    if not part.split.shown or part.buckets == 1 or not len(table):
        return table
    (plan,) = part.plans
    columns = [table.words[:, table.columns.index(name)] for name in _columns(plan.query.form, part.split.keys)]
    own = np.flatnonzero(bucket_of(columns, part.buckets, terms) == number - part.first)
    return table if len(own) == len(table) else table.select(own)


def _columns(form: object, keys: tuple[str, ...]) -> Iterator[str]:
    """The names under which SELECT shows the keys."""
    assert isinstance(form, Selection), "a row shows its keys"
    shown = {one.expression.name: one.name for one in form.projections if isinstance(one.expression, Variable)}
    return (shown[key] for key in keys)
