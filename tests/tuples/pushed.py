"""Random pairs pushed into an engine: cut anywhere, late and shuffled within the lateness, in several forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import pyarrow

from spaseq.tuples import Engine
from tests.oracle.ceql.aggregates import Row
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import ATTRIBUTES, Pair
from tests.oracle.ceql.model import Event
from tests.oracle.ceql.text import to_rows, to_text
from tests.tuples.aggregated import text_of

TYPES: dict[str, Any] = dict.fromkeys((*ATTRIBUTES, "value"), "double")
TYPES |= {"name": "string", "type": "string", "time": "int64"}
SCHEMA = pyarrow.schema([(name, pyarrow.type_for_alias(type_)) for name, type_ in TYPES.items()])


@dataclass(frozen=True)
class Arrival:
    """Events as they arrive, and in the order in which they count; none is more than ``lateness`` behind."""

    arriving: tuple[Event, ...]
    ordered: tuple[Event, ...]
    lateness: int


def arrival(events: Sequence[Event], chance: Random, lateness: int) -> Arrival:
    """Each event is delayed by up to the lateness."""
    delayed = sorted(events, key=lambda event: event.time + chance.randint(0, lateness))
    return Arrival(tuple(delayed), tuple(sorted(delayed, key=lambda event: event.time)), lateness)


def rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    return to_rows(events, (*ATTRIBUTES, "value"))


def batch(given: Sequence[dict[str, Any]], chance: Random) -> Any:
    """Rows in one of the forms that a batch may have."""
    match chance.randrange(5):
        case 0:
            return list(given)
        case 1:
            table = pyarrow.Table.from_pylist(list(given), SCHEMA)
            return pyarrow.Table.from_batches(table.to_batches(max_chunksize=chance.randrange(1, 4)), SCHEMA)
        case 2:
            coded = pyarrow.Table.from_pylist(list(given), SCHEMA)
            for name in ("type", "name"):
                place = SCHEMA.get_field_index(name)
                coded = coded.set_column(place, name, coded[name].dictionary_encode())
            return coded
        case 3:
            present = [name for name in SCHEMA.names if any(row[name] is not None for row in given)]
            return pyarrow.RecordBatch.from_pylist(list(given), SCHEMA).select(present or SCHEMA.names)
    return pyarrow.Table.from_pylist(list(given), SCHEMA).to_pandas()


def pieces(given: Sequence[dict[str, Any]], chance: Random) -> Iterator[list[dict[str, Any]]]:
    """The rows, cut at random places; sometimes a piece has none."""
    left = list(given)
    while left:
        size = chance.choice((0, 1, 1, 2, 3, len(left)))
        yield left[:size]
        left = left[size:]


def answers(pair: Pair, order: Arrival, chance: Random, moves: float = 0) -> list[ComplexEvent | Row]:
    """What an engine gives for the pair's query, if its events are pushed as they arrive.

    With a chance of ``moves`` another engine goes on after a batch.
    """
    engine = Engine(time="time", types=TYPES, lateness=order.lateness)
    text = text_of(pair.query) if pair.query.aggregates else to_text(pair.query)
    name = engine.register(text, "q")
    found: list[tuple[str, pyarrow.Table]] = []
    for piece in pieces(rows(order.arriving), chance):
        found += engine.push(batch(piece, chance))
        if chance.random() < moves:
            engine = moved(engine, {"q": text})
        if piece and chance.random() < 0.2:
            latest = max(row["time"] for row in piece)
            found += engine.advance(latest - order.lateness)
    found += engine.close()
    assert all(one == name and table.num_rows for one, table in found)
    return [answer for _, table in found for answer in read(table, pair)]


def moved(engine: Engine, queries: Mapping[str, str]) -> Engine:
    """Another engine, which goes on where this one is."""
    data = engine.snapshot()
    other = Engine.restore(data, queries)
    assert other.snapshot() == data
    return other


def read(table: pyarrow.Table, pair: Pair) -> Iterator[ComplexEvent | Row]:
    """A table as the oracle's answers."""
    if not pair.query.aggregates:
        for row in table.to_pylist():
            yield ComplexEvent(row["start"], row["end"], frozenset(row["positions"]))
        return
    keys = len(pair.query.group_by)
    for end, *values in zip(*(column.to_pylist() for column in table.columns), strict=True):
        yield Row(end, tuple(values[:keys]), tuple(values[keys:]))
