"""Laws on CEQL queries with a bound on work: what is found is part of all, and the same however the rows are cut."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pyarrow

from spaseq import Bound
from spaseq.runtime.recall import Sums
from spaseq.tuples import Engine
from spaseq.tuples.selection.selection import SelectionQuery
from tests.oracle.ceql.evaluate import ComplexEvent, candidates
from tests.oracle.ceql.generate import Pair, Size, joined, mixed, random_pair
from tests.oracle.ceql.model import Query, Window
from tests.oracle.ceql.text import to_text
from tests.tuples.pushed import TYPES, batch, pieces, read, rows

NEVER_MET, RECKLESS = 1e9, 7e8  # with the second one groups are left out by chance
BOUNDS = (RECKLESS, 0.001, 0.5, NEVER_MET)
LONG = Size(events=9)


@dataclass(frozen=True)
class Told:
    """What a query gave under a bound, in order, what was left out, and what is known of a sample."""

    answers: list[ComplexEvent]
    complete: bool
    bound: dict[str, object]
    sample: Sums | None


@contextmanager
def reckless() -> Iterator[None]:
    """Within, queries with that bound leave out groups by chance."""
    plain = SelectionQuery.bound_work

    def bound_work(self: SelectionQuery, rate: float, at_once: float = 0) -> None:
        plain(self, rate, at_once)
        if rate == RECKLESS:
            self._recognizer.reckless = 0.4

    SelectionQuery.bound_work = bound_work  # type: ignore[method-assign]
    try:
        yield
    finally:
        SelectionQuery.bound_work = plain  # type: ignore[method-assign]


def bounded_pair(seed: int) -> Pair:
    """A query that may be bounded, which mostly compares events, and a stream."""
    pair, chance = random_pair(seed, replace(LONG, any_order=seed % 4 == 0)), Random(f"bounded {seed}")
    query = replace(
        pair.query, aggregates=(), group_by=(), consume="NONE", strategy=chance.choice(("ALL", "ALL", "ANY"))
    )
    query = chance.choice((_unchanged, joined, mixed, mixed))(query, chance)
    unit = chance.choice(("SECONDS", "SECONDS", "EVENTS"))
    window = Window(chance.randint(2, 12), unit)
    keys = () if unit == "EVENTS" else query.partition_by
    return Pair(replace(query, within=window, partition_by=keys, limit=None), pair.events, pair.labels)


def _unchanged(query: Query, _: Random) -> Query:
    return query


def told(pair: Pair, bound: float | None, chance: Random | None = None) -> Told:
    """What an engine gives row by row; by ``chance`` in batches, and from snapshots between them."""
    text, sample = to_text(pair.query), 0.5 * (len(pair.events) % 2)
    limit = None if bound is None else Bound(bound, sample=sample)
    engine, found = Engine(time="time", types=TYPES, bound=limit), list[ComplexEvent]()
    engine.register(text, "q")
    given = rows(pair.events)
    for piece in pieces(given, chance) if chance is not None else ([row] for row in given):
        pushed = engine.push(piece if chance is None else batch(piece, chance))
        found += [one for _, table in pushed for one in read(table, pair) if isinstance(one, ComplexEvent)]
        if chance is not None and chance.random() < 0.3:
            data = engine.snapshot()
            engine = Engine.restore(data, {"q": text}, bound=limit)
            assert engine.snapshot() == data
    assert not engine.close()
    told = engine.statistics()["queries"]["q"].get("bound", {})
    return Told(found, engine.complete, told, engine.kind.core.at_work[0].shed.sample)


def in_parts(
    query: str, table: pyarrow.Table, bound: Bound, chance: Random, unit: str = "us"
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What an engine gives that is fed in batches, and goes on from snapshots; and what it left out."""
    engine, found, at = Engine(time="time", unit=unit, bound=bound), list[dict[str, Any]](), 0
    engine.register(query, "q")
    while at < len(table):
        size = chance.choice([1, 3, 40, 500])
        found += [row for _, results in engine.push(table.slice(at, size)) for row in results.to_pylist()]
        at += size
        if chance.random() < 0.25:
            data = engine.snapshot()
            engine = Engine.restore(data, {"q": query}, bound=bound)
            assert engine.snapshot() == data
    found += [row for _, results in engine.close() for row in results.to_pylist()]
    return found, engine.statistics()["queries"]["q"]["bound"]


def check_part(pair: Pair, bound: float, seed: int = 0) -> Told:
    """What is found under a bound is part of what there is, all if nothing was left out, and the same however cut."""
    about = f"{to_text(pair.query)}\n{pair.events}\nbound {bound}"
    allowed = {end: found.answers() for end, found in candidates(pair.query, pair.events).items()}
    with reckless():
        found, cut = told(pair, bound), told(pair, bound, Random(seed))
    assert len(set(found.answers)) == len(found.answers), about
    extra = [one for one in found.answers if one not in allowed.get(one.end, ())]
    assert not extra, f"{about}\nextra {extra}"
    if found.complete:
        assert found.answers == told(pair, None).answers, about
    assert cut.answers == found.answers, f"{about}\ncut otherwise"
    assert (cut.bound, cut.sample) == (found.bound, found.sample), f"{about}\ncut otherwise"
    return found
