"""Recognizers whose steps may wait, on tables of rows: what they find in each way of evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow

from nfa_native.automata.kinds import Evaluating
from spaseq.tuples import Engine, Matches, feeding, match

WAYS = (Evaluating.LAZY, Evaluating.ALTERNATING, Evaluating.AUTO)
TYPES = {"v": "int64", "w": "double", "k": "int64"}
FORMS = (
    "A AS a ; B AS b ; C AS c",
    "(A AS a ; B AS b) ; (C AS c OR A AS c)",
    "X ; A AS a ; B AS b ; C AS c",
    "A AS a ; (B OR C) AS b ; C AS c",
    "A AS a ; B AS b ; C AS c ; X",
    "A AS a ; X+ ; B AS b ; C AS c",
    "(A OR C) AS a ; (B OR C) AS b ; (B OR C) AS c",
    "A AS a ; B+ AS b ; C AS c",
)
FILTERS = (
    "a.v + b.v + 100 < c.v",
    "(a.v - b.v) * (a.v - b.v) + (b.v - c.v) * (b.v - c.v) < 300",
    "a.v < b.v AND a.v + b.v + 10 < c.v AND a.v <= c.v",
    "a.v + b.v = c.v",
    "a.v * b.v > c.v * c.v OR a.v = b.v",
    "a.w + b.v < c.w",
    "a.w * 2.5 - b.w < c.w + a.v AND b.w > a.w",
    "a.v / b.v < c.w",
    "a.w + b.w = c.w AND a.k != b.k",
    "a.k = b.k AND a.v + b.v < c.v",
    "b.k = c.k AND a.v + b.v < c.v",
    "a.k = b.k AND b.k = c.k AND a.v + b.v < c.v",
    "a.v + b.v IS NULL AND c.v > a.v",
    "a.v + b.v + c.v IN (10, 20, 30)",
    "a.v < c.v AND b.v < c.v",
    "a.v % 3 + b.v < c.v",
)
WINDOWS = ("WITHIN 20 EVENTS", "WITHIN 40 SECONDS", "")
SMALL = (2**53, 2**53 + 1, 2**62, -(2**62), 7, 2**31)
ODD = (1e300, -1e300, float("inf"), float("nan"))

Positions = list[list[int]]


# ── what is asked, of what ───────────────────────────────────────────────────────────────────────────────
def query(chance: Random) -> str:
    parts = chance.choice(("", "", "PARTITION BY [k]"))
    return f"SELECT * WHERE {chance.choice(FORMS)} FILTER {chance.choice(FILTERS)} {parts} {chance.choice(WINDOWS)}"


def table(count: int, chance: Random) -> pyarrow.Table:
    """A second apart; numbers that are small, or at the edges of what doubles and 64 bits hold; some are NULL."""
    is_large, is_odd = chance.random() < 0.3, chance.random() < 0.2
    rows = [
        {
            "type": chance.choice("AABBCX"),
            "v": _or_null(chance.choice(SMALL) + chance.randrange(3) if is_large else chance.randrange(-5, 60), chance),
            "w": _or_null(chance.choice(ODD) if is_odd and chance.random() < 0.3 else _real(chance), chance),
            "k": chance.randrange(3),
            "t": number * 1_000_000,
        }
        for number in range(count)
    ]
    columns = {name: pyarrow.array([row[name] for row in rows], type_) for name, type_ in TYPES.items()}
    return pyarrow.table({"type": [row["type"] for row in rows], **columns, "t": [row["t"] for row in rows]})


def _real(chance: Random) -> float:
    return chance.choice((chance.random() * 60, float(chance.randrange(60))))


def _or_null(value: Any, chance: Random) -> Any:
    return None if chance.random() < 0.05 else value


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────────────
def begun(text: str, rows: pyarrow.Table, way: Evaluating) -> Matches:
    """The matches, still to be found in the way."""
    with patch.object(feeding, "evaluation_of", lambda _: way):
        return match(text, rows, time="t")


def found(text: str, rows: pyarrow.Table, way: Evaluating) -> Positions:
    """The positions of all matches, sorted; they come in the order of their ends."""
    parts = begun(text, rows, way).complex_events()
    one_by_one = [
        part.positions[part.offsets[i] : part.offsets[i + 1]].tolist()
        for part in parts
        for i in range(len(part.starts))
    ]
    ends = [positions[-1] for positions in one_by_one]
    assert ends == sorted(ends)
    return sorted(one_by_one)


def counted(text: str, rows: pyarrow.Table, way: Evaluating) -> int:
    """How many there are, which are only counted."""
    return begun(text, rows, way).count()


def pushed(text: str, rows: pyarrow.Table, way: Evaluating, chance: Random, most: int = 9) -> Positions:
    """The same of an engine that gets rows a few at a time, with snapshots in between."""
    engine, results = Engine(time="t", types=TYPES), list[Any]()
    engine.register(text, "q")
    use(engine, way)
    for start, stop in _parts(rows.num_rows, chance, most):
        part = rows.slice(start, stop - start)
        results += engine.push(part.to_pylist() if chance.random() < 0.5 else part)
        use(engine, way)
        if chance.random() < 0.2:
            engine = Engine.restore(engine.snapshot(), {"q": text})
            use(engine, way)
    results += engine.close()
    return sorted(positions for _, batch in results for positions in batch["positions"].to_pylist())


def _parts(count: int, chance: Random, most: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < count:
        stop = min(count, start + chance.randrange(1, most))
        yield start, stop
        start = stop


def use(engine: Engine, way: Evaluating) -> None:
    """Let an engine, and what runs in it, evaluate in a way."""
    engine.kind.evaluation = way
    for recognizer in recognizers(engine):
        recognizer.evaluation = way


def recognizers(engine: Engine) -> Sequence[Any]:
    """Those of its queries that have begun."""
    running = (member for query in engine.kind.core.at_work for member in query.members)
    selections = (member.evaluation for member in running if member.evaluation is not None)
    return [selection._recognizer for selection in selections if hasattr(selection, "_recognizer")]


def differing(seed: int) -> tuple[int, str]:
    """How many ways were compared of a random query and table, and what differs from what is found eagerly."""
    chance = Random(seed)
    text, rows = query(chance), table(chance.choice((30, 80)), chance)
    wanted = found(text, rows, Evaluating.EAGER)
    for way in WAYS:
        told = f"{way.name} {seed} {text}"
        if found(text, rows, way) != wanted or counted(text, rows, way) != len(wanted):
            return 0, told
        if pushed(text, rows, way, Random(told)) != wanted or pushed(text, rows, way, Random(told), 2) != wanted:
            return 0, f"pushed {told}"
    return 4 * len(WAYS), ""
