"""Columns of which only NULL came so far: their first value says of which type they are, whoever reads them already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any

import pyarrow
import pytest

from spaseq import Bound
from spaseq.errors import StreamError
from spaseq.tuples import Engine
from tests.oracle.ceql.generate import ATTRIBUTES, Pair, joined, mixed, random_pair
from tests.oracle.ceql.text import to_text
from tests.tuples.aggregated import pair_of, text_of
from tests.tuples.pushed import TYPES, moved, rows

RISING = "SELECT a.p, b.p WHERE A AS a ; B AS b FILTER b[p > a.p] WITHIN 9 EVENTS"
EQUAL = "SELECT a.p, b.p WHERE A AS a ; B AS b FILTER b[p = a.p] WITHIN 9 EVENTS"
LOCAL = "SELECT b.p WHERE A AS a ; B AS b FILTER a[p IS NULL] AND b[p IS NOT NULL] WITHIN 9 EVENTS"
KEYS = "SELECT b.p WHERE A AS a ; B AS b PARTITION BY [p] WITHIN 9 EVENTS"
SHOWN = "SELECT a.p, b.p WHERE A AS a ; B AS b WITHIN 9 EVENTS"
VALUES: dict[str, Any] = {"int64": 7, "double": 1.5, "string": "x", "bool": True, "timestamp": datetime(2026, 1, 31)}


def row(kind: str, p: Any, **others: Any) -> dict[str, Any]:
    return {"type": kind, "p": p, **others}


def found(engine: Engine, pushes: Sequence[list[dict[str, Any]]], moves: Mapping[str, str] = {}) -> list[Any]:
    """All results; with ``moves``, queries by name, another engine goes on after each push."""
    answers = []
    for push in pushes:
        answers += [(name, each) for name, table in engine.push(push) for each in table.to_pylist()]
        engine = moved(engine, moves) if moves else engine
    return answers + [(name, each) for name, table in engine.close() for each in table.to_pylist()]


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("query", [EQUAL, LOCAL, KEYS, SHOWN])
@pytest.mark.parametrize("type_", VALUES)
def test_the_first_value_says_the_type(query: str, type_: str, moves: bool) -> None:
    """Results are those of a column that was declared, in snapshots between as well."""
    value = VALUES[type_]
    pushes = [[row("A", None)], [row("B", None)], [row("A", value)], [row("B", value)], [row("B", None)]]
    answers = []
    for types in (None, {"p": type_}):
        engine = Engine(types=types)
        engine.register(query, "q")
        answers.append(found(engine, pushes, {"q": query} if moves else {}))
    assert answers[0] == answers[1] != []


def test_work_stays_within_its_bound() -> None:
    """An engine that goes over to other types keeps the bound that it was given."""
    engine = Engine(bound=Bound(2))
    engine.register(SHOWN, "q")
    found(engine, [[row("A", None)], [row("A", 7)]])
    assert engine.kind.bound == Bound(2)


@pytest.mark.parametrize("value", [7, 1.5, True, datetime(2026, 1, 31)])
def test_values_that_are_compared(value: Any) -> None:
    engine = Engine()
    engine.register(RISING, "q")
    assert found(engine, [[row("A", None)], [row("A", value)], [row("B", value)], [row("B", None)]]) == []
    engine = Engine()
    engine.register(RISING.replace(">", ">="), "q")
    assert len(found(engine, [[row("A", None)], [row("A", value)], [row("B", value)]])) == 1


def test_types_of_results() -> None:
    engine = Engine()
    engine.register(SHOWN, "q")
    ((_, before),) = [*engine.push([row("A", None)]), *engine.push([row("B", None)])]
    ((_, after),) = engine.push([row("B", 5)])
    assert (before.schema.field("a.p").type, after.schema.field("a.p").type) == (pyarrow.null(), pyarrow.int64())
    assert after["b.p"].to_pylist() == [5]


def told(engine: Engine, push: list[dict[str, Any]]) -> tuple[str, str]:
    with pytest.raises(StreamError) as raised:
        engine.push(push)
    return str(raised.value).partition("\n")[0], raised.value.hint


def test_a_later_value_that_does_not_fit() -> None:
    """The error names the column, the row, and the types; the batch is left out, and the column is as it was."""
    engine = Engine()
    engine.register(EQUAL)
    engine.push([row("A", None)])
    huge = "<push 2>, row 1: error: the column p was null so far, but has 1180591620717411303424"
    assert told(engine, [row("A", None), row("A", 2**70)])[0] == f"{huge}, which does not fit into 64 bits"
    engine.push([row("A", 3)])
    message, hint = told(engine, [row("B", 3), row("B", None), row("B", "x")])
    assert message == "<push 3>, row 2: error: the column p was int64 so far, but has 'x'"
    message, hint = told(engine, [row("B", None), row("B", "x")])
    assert message == "<push 3>, row 1: error: the column p was int64 so far, but is string now"
    assert hint == 'declare its type: {"p": "string"}'
    message, hint = told(engine, [row("B", 3.0), row("B", 2.5)])
    assert message.startswith("<push 3>, row 1: error: the column p was int64 so far")
    assert hint == 'declare its type: {"p": "double"}'
    assert [table["b.p"].to_pylist() for _, table in engine.push([row("B", 3)])] == [[3]]


def test_a_batch_that_is_refused_gives_no_type() -> None:
    engine = Engine(time="at", unit="s")
    engine.register(SHOWN.replace("EVENTS", "SECONDS"))
    engine.push([row("A", None, at=1)])
    assert "at" in told(engine, [row("B", 5, at=None)])[0]
    assert len(engine.push([row("B", "x", at=2)])) == 1


@pytest.mark.parametrize(
    ("query", "value"),
    [
        (RISING, "x"),  # texts are compared by order in another way
        ("SELECT SUM(b.p) AS n WHERE A AS a ; B AS b WITHIN 9 EVENTS", 5),
        ("SELECT b.p, COUNT(*) AS n WHERE A AS a ; B AS b WITHIN 9 EVENTS GROUP BY b.p", 5),
        ("SELECT * WHERE A AS a ; B AS b WITHIN 9 [p]", 5),
        ("SELECT * WHERE A AS a ; B AS b ; C AS c FILTER c[q + a.p > b.p * 2] WITHIN 9 EVENTS", 1.5),
        ("SELECT * WHERE A AS a ; B AS b FILTER b[p > 5] WITHIN 9 EVENTS", "x"),
    ],
)
def test_where_the_type_has_to_be_declared(query: str, value: Any) -> None:
    """What these keep depends on it: they say so, and go on."""
    engine = Engine()
    engine.register(query)
    engine.push([row("A", None, q=1)])
    message, hint = told(engine, [row("B", value, q=1)])
    assert message.startswith("<push 2>, row 0: error: the column p was null so far, but is ")
    assert hint.startswith('declare its type: {"p": "')
    engine.push([row("B", None, q=1)])


def test_several_queries_and_rows_that_wait() -> None:
    queries = {"equal": EQUAL, "local": LOCAL, "keys": KEYS, "shown": SHOWN}
    texts = {name: query.replace("EVENTS", "SECONDS") for name, query in queries.items()}
    pushes = [[row("AB"[n % 2], None if n < 12 else n // 4, at=n + n % 3)] for n in range(40)]
    answers = []
    for types, moves in ((None, {}), (None, texts), ({"p": "int64"}, {})):
        engine = Engine(time="at", unit="s", lateness=4_000_000, types=types)
        for name, text in texts.items():
            engine.register(text, name)
        answers.append(found(engine, pushes, moves))
    assert answers[0] == answers[1] == answers[2]
    assert {name for name, _ in answers[0]} == set(texts)


# ── random queries ───────────────────────────────────────────────────────────────────────────────────────
def drawn(seed: int) -> tuple[str, Pair]:
    chance = Random(seed)
    pair = random_pair(seed)
    if seed % 4 == 0:
        pair = pair_of(seed)
        return text_of(pair.query), pair
    if seed % 4 < 3:
        compare = (joined, mixed)[seed % 2]
        pair = replace(pair, query=compare(replace(pair.query, aggregates=(), group_by=()), chance))
    return to_text(pair.query), pair


def late_values(pair: Pair, chance: Random) -> list[dict[str, Any]]:
    """Its rows with doubles; some attributes have none in the first of them."""
    given, empty = rows(sorted(pair.events, key=lambda event: event.time)), chance.sample(list(ATTRIBUTES), 1)
    until = chance.randrange(1, max(2, len(given)))
    return [
        {
            name: None if name in empty and place < until else float(value) if is_number(name, value) else value
            for name, value in each.items()
        }
        for place, each in enumerate(given)
    ]


def is_number(name: str, value: Any) -> bool:
    return TYPES[name] == "double" and value is not None


def test_random_queries() -> None:
    """What is taken comes to what declared columns come to."""
    compared = 0
    for seed in range(400):
        chance, (text, pair) = Random(f"late {seed}"), drawn(seed)
        pushes = [[each] for each in late_values(pair, chance)]
        declared, free = Engine(time="time", types=TYPES), Engine(time="time")
        for engine in (declared, free):
            engine.register(text, "q")
        try:
            without = found(free, pushes, {"q": text} if seed % 3 == 0 else {})
        except StreamError as error:
            assert "was null so far" in str(error), (seed, str(error))
            continue
        except Exception as error:
            assert "no attribute" in str(error), (seed, str(error))
            continue
        assert sorted(map(str, without)) == sorted(map(str, found(declared, pushes))), (seed, text)
        compared += 1
    assert compared > 100
