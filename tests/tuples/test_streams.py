"""Several streams: what they are merged to is what the definition is about; and what can be wrong with them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow
import pytest

from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.tuples import match
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import ATTRIBUTES, random_pair
from tests.oracle.ceql.model import (
    As,
    Contiguous,
    ContiguousKleene,
    Event,
    Filter,
    Formula,
    Kleene,
    Or,
    Relation,
    Sequence as Sequencing,
)
from tests.oracle.ceql.text import to_rows, to_text

STREAMS = ("S", "T", "U")
TYPES: dict[str, Any] = dict.fromkeys(ATTRIBUTES, "double") | {"name": "string", "type": "string", "time": "int64"}


# ── against the oracle ───────────────────────────────────────────────────────────────────────────────────
def changed(formula: Formula, relation: Callable[[str], Formula]) -> Formula:
    """The formula with other relations."""
    match formula:
        case Relation(name):
            return relation(name)
        case As(body, variable):
            return As(changed(body, relation), variable)
        case Filter(body, condition):
            return Filter(changed(body, relation), condition)
        case Kleene(body) | ContiguousKleene(body):
            return type(formula)(changed(body, relation))
        case Or(left, right) | Sequencing(left, right) | Contiguous(left, right):
            return type(formula)(changed(left, relation), changed(right, relation))


def of_any_stream(name: str) -> Formula:
    """For the oracle the streams are parts of types: A is A of S, of T or of U, all held by A."""
    if ">" in name:
        return As(Relation(name), name.partition(">")[2])
    s, t, u = (As(Relation(f"{stream}>{name}"), name) for stream in STREAMS)
    return Or(Or(s, t), u)


def results(given: Any, text: str, **options: Any) -> list[ComplexEvent]:
    rows = match(text, given, time="time", types=TYPES, **options).to_arrow().to_pylist()
    return [ComplexEvent(row["start"], row["end"], frozenset(row["positions"])) for row in rows]


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_streams_are_merged_by_time(start: int) -> None:
    for seed in range(start, start + 100):
        pair, chance = random_pair(seed), random.Random(seed)
        if pair.query.aggregates:
            continue
        some = changed(pair.query.formula, partial(qualified, chance))
        query = replace(pair.query, formula=some, streams=STREAMS)
        of = [chance.choice(STREAMS) for _ in pair.events]
        order = sorted(range(len(of)), key=lambda place: (pair.events[place].time, STREAMS.index(of[place]), place))
        rows = to_rows(pair.events, ATTRIBUTES)
        sources = {
            name: batches([row for row, stream in zip(rows, of, strict=True) if stream == name], chance)
            for name in STREAMS
        }
        merged = [typed(pair.events[place], of[place]) for place in order]
        meant = replace(query, formula=changed(some, of_any_stream))
        assert disagreement(meant, merged, results(sources, to_text(query))) is None, seed
        table = [rows[place] | {"stream": of[place]} for place in order]
        assert disagreement(meant, merged, results(table, to_text(query), stream="stream")) is None, seed


def qualified(chance: random.Random, name: str) -> Relation:
    """The relation, sometimes with a stream."""
    return Relation(f"{chance.choice('ST')}>{name}" if chance.random() < 0.4 else name)


def typed(event: Event, stream: str) -> Event:
    return replace(event, type=f"{stream}>{event.type}")


def batches(rows: Sequence[dict[str, Any]], chance: random.Random) -> pyarrow.Table | list[dict[str, Any]]:
    """The rows, or a table of them in several parts; sometimes without a column that has no value."""
    absent = [name for name in ATTRIBUTES if all(row[name] is None for row in rows) and chance.random() < 0.7]
    left = [{name: value for name, value in row.items() if name not in absent} for row in rows]
    if chance.random() < 0.3:
        return list(left)
    kinds = {name: pyarrow.type_for_alias(type_) for name, type_ in TYPES.items() if name not in absent}
    table = pyarrow.Table.from_pylist(left, pyarrow.schema(list(kinds.items())))
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=chance.randrange(1, 4)), table.schema)


# ── examples ─────────────────────────────────────────────────────────────────────────────────────────────
QUERY = "SELECT * FROM S, T WHERE S>A AS a ; T>A AS b WITHIN 10 SECONDS"
ROWS = {
    "S": [{"type": "A", "at": 1}, {"type": "A", "at": 3}],
    "T": [{"type": "A", "at": 1, "price": 2.5}, {"type": "B", "at": 2}, {"type": "A", "at": 3}],
}


def found(query: str, given: Any, **options: Any) -> list[list[int]]:
    positions = match(query, given, time="at", unit="s", **options).to_arrow().column("positions")
    return sorted(positions.to_pylist())


def test_positions_are_those_of_the_merged_stream() -> None:
    """S at 1, T at 1, T at 2, S at 3, T at 3."""
    assert found(QUERY, ROWS) == [[0, 1], [0, 4], [3, 4]]
    assert found(QUERY.replace("FROM S, T", "FROM T, S"), ROWS) == [[1, 3]]
    assert found(QUERY.replace(" FROM S, T", ""), ROWS) == [[0, 1], [0, 4], [3, 4]]


def test_columns_may_be_missing_in_a_stream() -> None:
    assert found(QUERY.replace("WITHIN", "FILTER b[price > 2] WITHIN"), ROWS) == [[0, 1]]
    assert found(QUERY.replace("WITHIN", "FILTER a[price IS NULL] WITHIN"), ROWS) == [[0, 1], [0, 4], [3, 4]]


def test_one_of_several_streams() -> None:
    assert found("SELECT * FROM T WHERE A ; T>A WITHIN 10 SECONDS", {"T": ROWS["T"]}) == [[0, 2]]


def test_streams_in_a_column() -> None:
    """Events of other streams are no events."""
    rows = [{"type": "A", "of": of, "at": at} for at, of in enumerate("STUST")] + [{"type": "A", "of": None, "at": 9}]
    assert found(QUERY.replace(";", ":"), rows, stream="of") == [[0, 1], [2, 3]]
    assert found("SELECT * WHERE T>A : U>A", rows, stream="of") == [[1, 2]]
    assert found("SELECT * WHERE A AS a : A AS b : A AS c FILTER a[of = 'S'] AND c[of = 'U']", rows, stream="of") == [
        [0, 1, 2]
    ]


def test_numbers_of_two_types_compare() -> None:
    sources = {"S": [{"type": "A", "at": 1, "p": 2}], "T": [{"type": "A", "at": 2, "p": 2.5}]}
    assert found(QUERY.replace("WITHIN", "FILTER a[p = 2] AND b[p > 2] WITHIN"), sources) == [[0, 1]]


def test_wrong_times_are_those_of_one_stream() -> None:
    wrong = ROWS | {"T": [{"type": "A", "at": 4}, {"type": "A", "at": 2}]}
    with pytest.raises(StreamError, match="row 1: error: the time at falls: 2 after 4"):
        found(QUERY, wrong)
    matches = match(QUERY, wrong, time="at", unit="s", on_error="skip")
    assert (matches.count(), matches.skipped) == (2, 1)


def test_empty_streams() -> None:
    schema = pyarrow.schema({"type": "string", "at": pyarrow.int64()})
    assert found(QUERY, ROWS | {"S": schema.empty_table()}) == []
    assert found(QUERY.replace("S>A AS a ; ", ""), ROWS | {"S": schema.empty_table()}) == [[0], [2]]


def priced(first: Any, second: Any) -> dict[str, Any]:
    """An event of each stream, with these prices."""
    return {name: [{"type": "A", "at": 1, "p": price}] for name, price in (("S", first), ("T", second))}


PRICE = "SELECT * WHERE A FILTER A[p = 1]"
WRONG: dict[str, tuple[type[Exception], str, Callable[[], object]]] = {
    "no source": (OptionError, "nothing supplies the stream T", lambda: found(QUERY, {"S": ROWS["S"]})),
    "no sources": (OptionError, "there is no source", lambda: found("SELECT * WHERE A", {})),
    "another stream": (OptionError, "no stream TT; did you mean T?", lambda: found(QUERY, ROWS | {"TT": []})),
    "no time": (OptionError, "several streams are merged by time", lambda: match("SELECT * WHERE A", ROWS)),
    "one source": (QueryError, "FROM names several streams .S, T., but", lambda: found(QUERY, ROWS["S"])),
    "no types": (OptionError, "the stream T has no column type for", lambda: found(QUERY, ROWS | {"T": [{"at": 1}]})),
    "no times": (OptionError, "the stream T has no column at for", lambda: found(QUERY, ROWS | {"T": [{"type": "A"}]})),
    "no such stream": (QueryError, "U>A asks for a stream that is none", lambda: found("SELECT * WHERE U>A", ROWS)),
    "types": (QueryError, "p is of type int64 in S, and of type string in T", lambda: found(PRICE, priced(1, "x"))),
    "large numbers": (
        StreamError, "<stream S>: error: the attribute p does not become double",
        lambda: found(PRICE, priced(2**53 + 1, 0.5)),
    ),
    "names and a column": (OptionError, "with names are streams", lambda: found(QUERY, ROWS, stream="of")),
    "no such column": (OptionError, "no column of for the streams", lambda: found(QUERY, ROWS["S"], stream="of")),
    "no text": (QueryError, "streams of the events are texts", lambda: found(QUERY, ROWS["S"], stream="at")),
    "declared": (
        OptionError, "there is no column prize to declare",
        lambda: found(QUERY, dict.fromkeys("ST", pyarrow.Table.from_pylist(ROWS["S"])), types={"prize": "double"}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_can_be_wrong(case: str) -> None:
    kind, says, wrong = WRONG[case]
    with pytest.raises(kind, match=says):
        wrong()
