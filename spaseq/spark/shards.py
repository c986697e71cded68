"""How the queries of a job are spread over shards, each with an engine: which events go to it, which results it gives.

Spark spreads rows by labels: those of shards.  Several engines may find one result, and its owner alone gives it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from spaseq.plan.description import Partitioning, whole
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.partitioning import (
    KeyPattern,
    components,
    has_strict_steps,
    key_patterns,
    split_natively,
    split_of,
)
from spaseq.plan.sequences.plan import compile_atom
from spaseq.plan.sequences.rule_plan import Key
from spaseq.results.table import MatchTable
from spaseq.sources.rdf.events import Events
from spaseq.spark.job_queries import JobQuery

SEED = 42  # of Spark's HashPartitioning
MASK = 0xFFFFFFFF
FACTOR = 0x9E3779B1  # of the numbers of keys


def labels(engines: int, partitions: int) -> tuple[int, ...]:
    """A label for each engine, all different; that of engine n falls into partition n mod ``partitions``."""
    waiting = {partition: list(range(partition, engines, partitions)) for partition in range(min(engines, partitions))}
    found = [0] * engines
    candidate = 0
    while waiting:
        partition = partition_of(candidate, partitions)
        if partition in waiting:
            found[waiting[partition].pop(0)] = candidate
            if not waiting[partition]:
                del waiting[partition]
        candidate += 1
    return tuple(found)


def partition_of(label: int, partitions: int) -> int:
    """Where Spark puts rows whose key is this integer (of 32 bits)."""
    return _signed(murmur3(label)) % partitions


def murmur3(value: int, seed: int = SEED) -> int:
    """Murmur3 (x86, 32 bits) of an integer of 32 bits, as Spark has it."""
    mixed = (value * 0xCC9E2D51) & MASK
    mixed = (_rotated(mixed, 15) * 0x1B873593) & MASK
    mixed = (_rotated(seed ^ mixed, 13) * 5 + 0xE6546B64) & MASK ^ 4
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & MASK
    return mixed ^ (mixed >> 16)


def numbers_of(found: Sequence[int]) -> dict[int, int]:
    """The engine of each label."""
    return {label: number for number, label in enumerate(found)}


def _rotated(value: int, places: int) -> int:
    return ((value << places) | (value >> (32 - places))) & MASK


def _signed(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value


@dataclass(frozen=True, slots=True)
class ShardGroup:
    """``queries`` that run together, in ``buckets`` engines, which are numbered from ``first`` on in their job.

    One that is not cut has one bucket.
    """

    queries: tuple[JobQuery, ...]
    split: Partitioning
    first: int
    buckets: int

    @property
    def numbers(self) -> range:
        """The numbers of its engines."""
        return range(self.first, self.first + self.buckets)

    @property
    def plans(self) -> Iterator[Plan]:
        """Those of its queries."""
        return (plan for query in self.queries for plan in query.plans)

    @property
    def lies_by_key(self) -> bool:
        """Whether its rows lie where the events with their terms go."""
        return self.queries[0].parameters_in(self.split.keys)

    def queries_of(self, number: int) -> list[JobQuery]:
        """What the engine of that number runs."""
        if not self.lies_by_key:
            return list(self.queries)
        bucket, keys = number - self.first, self.split.keys
        here = self.queries[0].lying_where(keys, lambda key: bucket_of_key(key, self.buckets) == bucket)
        return [here] if here is not None else []


def splits(queries: Sequence[JobQuery], evaluator: Evaluator, kept: Collection[str] = ()) -> dict[str, Partitioning]:
    """Where each query of a job is cut, by name; ``kept`` are those that stay whole although they could be cut."""
    found: dict[str, Partitioning] = {}
    for numbers in components([one.query for one in queries]):
        for one in (queries[number] for number in numbers):
            found[one.name] = _split(one, evaluator, len(numbers), kept)
    return found


def _split(query: JobQuery, evaluator: Evaluator, together: int, kept: Collection[str]) -> Partitioning:
    """Where a query is cut that has to stay with so many, itself among them."""
    if query.name in kept:
        return whole("so it was asked for")
    each = {
        split_natively(split_of(plan.query, plan.match_aggregates, together), plan.atoms, evaluator)
        for plan in query.plans
    }
    return each.pop() if len(each) == 1 else whole("its rows agree in nothing by which they could be cut")


def parts(queries: Sequence[JobQuery], buckets: int, cut: Mapping[str, Partitioning]) -> tuple[ShardGroup, ...]:
    """The parts of a job: what is ``cut`` is so into ``buckets``; other queries are spread over as many engines."""
    found: list[ShardGroup] = []
    together: list[list[JobQuery]] = []
    for numbers in components([one.query for one in queries]):
        some = [queries[number] for number in numbers]
        if cut[some[0].name].keys:
            found.append(ShardGroup((some[0],), cut[some[0].name], 0, buckets))
        elif len(together) < buckets:
            together.append(some)
        else:
            min(together, key=len).extend(some)
    found += [ShardGroup(tuple(some), whole("its queries are not cut"), 0, 1) for some in together]
    return _numbered(found)


def _numbered(found: Sequence[ShardGroup]) -> tuple[ShardGroup, ...]:
    numbered, first = [], 0
    for part in found:
        numbered.append(replace(part, first=first))
        first += part.buckets
    return tuple(numbered)


Buckets = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class GroupRoute:
    """How the events of one stream find the engines of one part.

    A row of one of ``patterns`` has the keys of its event if the part is cut, else whatever; without a row an event is
    of no use, unless ``counts`` all.  ``wanted`` are the only keys, by number, that are of use; None: any are.
    """

    part: ShardGroup
    patterns: tuple[CompiledPattern, ...]
    counts: bool
    wanted: tuple[Words, ...] | None = None


class Router:
    """Routes the events of a job's streams, those of each batch at once.

    ``evaluator`` is that of an engine with all queries of the job, so the events have the triples that these can use.
    """

    def __init__(self, parts: Iterable[ShardGroup], evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._routes: dict[str, list[GroupRoute]] = {}
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

    def _along(self, route: GroupRoute, events: Events) -> list[tuple[int, Numbers]]:
        part = route.part
        if route.counts:
            return [(part.first, np.arange(len(events)))] if len(events) else []
        rows = self.evaluator.evaluate(events.graphs, route.patterns)
        if not part.split.keys:
            matched = _distinct([one.row_event.astype(np.int64) for one in rows])
            return [(part.first, matched)] if len(matched) else []
        pairs = _distinct([self._pairs(one, route) for one in rows])
        places, buckets = np.divmod(pairs, part.buckets)
        if not (part.split.shown or part.lies_by_key):
            _check_single(places, events, part)
        return [(part.first + bucket, places[own]) for bucket, own in grouped(buckets)] if len(pairs) else []

    def _pairs(self, rows: AtomRows, route: GroupRoute) -> Numbers:
        """Each event with each of its buckets: as one number, event · buckets + bucket."""
        buckets, events, keys = route.part.buckets, rows.row_event, list(rows.columns)
        if route.wanted is not None:
            asked = np.logical_and.reduce([np.isin(one, words) for one, words in zip(keys, route.wanted, strict=True)])
            events, keys = events[asked], [one[asked] for one in keys]
        own = bucket_of(keys, buckets, self.evaluator.terms)
        return events.astype(np.int64) * buckets + own.astype(np.int64)


def bucket_of_key(key: Key, buckets: int) -> int:
    """The bucket of one key, as ``bucket_of`` has it."""
    mixed = 0
    for term in key:
        mixed = (mixed * FACTOR + crc32(term)) & MASK
    return mixed % buckets


def bucket_of(keys: Sequence[Words] | Words, buckets: int, terms: Terms) -> Buckets:
    """The bucket of each key (n) by its canonical terms; ``keys`` are their columns (k, n)."""
    mixed = np.zeros(keys[0].shape, np.uint32)
    for column in keys:
        words, inverse = np.unique(column, return_inverse=True)
        hashes = np.fromiter(map(crc32, terms.bytes_many(words)), np.uint32, len(words))
        mixed = mixed * np.uint32(FACTOR) + hashes[inverse]
    return mixed % np.uint32(buckets)


def _route(part: ShardGroup, stream: str, evaluator: Evaluator) -> GroupRoute:
    if part.split.keys:
        patterns = _different(one.pattern for one in _key_patterns(part, evaluator) if one.stream == stream)
        return GroupRoute(part, patterns, counts=False, wanted=_wanted(part, evaluator.terms))
    reading = [plan for plan in part.plans if stream in {one.iri for one in plan.query.streams}]
    patterns = _different(
        compile_atom(evaluator, atom) for plan in reading for atom in plan.atoms if atom.stream == stream
    )
    counts = any(map(counts_all, reading)) or not all(pattern.is_native for pattern in patterns)
    return GroupRoute(part, patterns, counts)


def _key_patterns(part: ShardGroup, evaluator: Evaluator) -> Iterator[KeyPattern]:
    for plan in part.plans:
        known = key_patterns(plan.atoms, part.split.keys, evaluator)
        assert known is not None, "a query is cut only by keys that are found natively"
        yield from known


def _wanted(part: ShardGroup, terms: Terms) -> tuple[Words, ...] | None:
    """The words of the keys that are of use, by the number of the key; None: any are."""
    if not part.lies_by_key:
        return None
    wanted = part.queries[0].terms(part.split.keys)
    return tuple([terms.intern_many(sorted(set(column))) for column in zip(*wanted, strict=True)])


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


def _check_single(places: Numbers, events: Events, part: ShardGroup) -> None:
    """StreamError: an event goes to several buckets."""
    twice = places[:-1][places[1:] == places[:-1]]
    if not len(twice):
        return
    name, keys = part.queries[0].name, ", ".join(f"?{key}" for key in part.split.keys)
    raise StreamError(
        f"the event <{events.names[int(twice[0])]}> of the stream <{events.stream}> has several {keys}, "
        f'by which the query "{name}" is cut; keep it whole: whole=["{name}"]'
    )


def owned(table: MatchTable, part: ShardGroup, number: int, terms: Terms) -> MatchTable:
    """The rows of an engine's table whose keys are in the bucket of the engine with this ``number``."""
    if not part.split.shown or part.buckets == 1 or not len(table):
        return table
    (query,) = part.queries
    columns = [table.words[:, place] for place in _places(query.query.form, part.split.keys)]
    own = np.flatnonzero(bucket_of(columns, part.buckets, terms) == number - part.first)
    return table if len(own) == len(table) else table.select(own)


def _places(form: object, keys: tuple[str, ...]) -> Iterator[int]:
    """Where SELECT shows the keys."""
    assert isinstance(form, Selection), "a row shows its keys"
    shown = {
        one.expression.name: place for place, one in enumerate(form.projections) if isinstance(one.expression, Variable)
    }
    return (shown[key] for key in keys)
