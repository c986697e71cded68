"""Random row patterns on a few rows that are pushed, each with what leaves then, for the judge of ``futures``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pyarrow

from spaseq.errors import StreamError
from spaseq.plan.rows.plan import row_pattern_plan
from spaseq.tuples import Engine, prepare
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern
from tests.oracle.sql.model import variables_of
from tests.oracle.sql.random_patterns import random_pattern
from tests.oracle.sql.text import pattern_text
from tests.sql.futures import judged
from tests.sql.leaving_files import TIME, LeavingCase, StreamStep

LENGTH = 4  # seconds, of WITHIN
MOST = 3  # rows of a match that is not longer than what may come behind its first row
DEFINED = {"A": "A AS kind LIKE '%a%'", "B": "B AS kind LIKE '%b%'"}
SHOWN = ("ONE ROW PER MATCH", "ALL ROWS PER MATCH", "ALL ROWS PER MATCH WITH UNMATCHED ROWS")
MEASURES = "FINAL ARRAY_AGG(number) AS numbers, FINAL ARRAY_AGG(CLASSIFIER()) AS labels"
ROWS = pyarrow.schema([(TIME, pyarrow.timestamp("us")), ("number", pyarrow.int64()), ("kind", pyarrow.string())])
FUTURES = pyarrow.schema([(TIME, pyarrow.duration("us")), *list(ROWS)[1:]])


@dataclass(frozen=True, slots=True)
class RandomLeaving:
    """A query, and what happens: rows, promises (no kind), as seconds behind the step before."""

    query: str
    is_within: bool
    steps: list[tuple[int, str | None]]


def random_leaving(seed: int) -> RandomLeaving:
    """A query whose matches have few rows where no repetition makes them longer."""
    draw = Random(seed)
    is_within = draw.random() < 0.3
    query = _query(draw, is_within)
    while _positions(query) > MOST:
        query = _query(draw, is_within)
    return RandomLeaving(query, is_within, list(_steps(draw, is_within)))


def _query(draw: Random, is_within: bool) -> str:
    pattern = random_pattern(draw, ("A", "B"))
    text, names = pattern_text(pattern), variables_of(pattern)
    shown = draw.choice(SHOWN[: 2 if "{-" in text else 3])
    measures = MEASURES if shown.startswith("ALL") else MEASURES.replace("FINAL ", "")
    skip, define = draw.choice(("PAST LAST ROW", "TO NEXT ROW")), ", ".join(DEFINED[name] for name in names)
    within = f" WITHIN INTERVAL '{LENGTH}' SECOND" if is_within else ""
    return (
        f"SELECT * FROM ticks MATCH_RECOGNIZE (ORDER BY {TIME} MEASURES {measures} {shown}"
        f" AFTER MATCH SKIP {skip} PATTERN ({text}){within} DEFINE {define})"
    )


def _positions(query: str) -> int:
    prepared = prepare(query)
    assert isinstance(prepared, PreparedRowPattern)
    return len(row_pattern_plan(prepared.query).automaton.positions)


def _steps(draw: Random, is_within: bool) -> Iterator[tuple[int, str | None]]:
    for number in range(5):
        if is_within and number and draw.random() < 0.3:
            yield draw.choice((1, LENGTH - 1, LENGTH)), None
        else:
            yield draw.choice((0, 1, 1, 2)), draw.choice(("x", "a", "b", "ab"))


def verdict(drawn: RandomLeaving) -> str | None:
    """What leaves early or late; None: nothing, or with some future the query cannot go on.

    Where `$` is one of several ways, which one it is may not matter: then a match may be late.
    """
    case = _run(drawn)
    try:
        found = judged(case, MOST if drawn.is_within else MOST + 1)
    except StreamError:
        return None
    wrong = found.early if "$" in drawn.query else [*found.early, *found.late]
    return f"{drawn}\n{wrong[0]}" if wrong else None


def _run(drawn: RandomLeaving) -> LeavingCase:
    engine = Engine(time=TIME)
    engine.register(drawn.query)
    time, done = datetime(2026, 11, 28), list[StreamStep]()
    for number, (seconds, kind) in enumerate(drawn.steps):
        time += timedelta(seconds=seconds)
        row = {TIME: time, "number": number, "kind": kind}
        given = pyarrow.Table.from_pylist([row], schema=ROWS)
        left = engine.advance(time) if kind is None else engine.push(given)
        table = left[0][1] if left else pyarrow.table({})
        done.append(StreamStep("push" if kind else "promise", given, table, ""))
    return LeavingCase("", drawn.query, tuple(done), _futures(drawn.is_within))


def _futures(is_within: bool) -> pyarrow.Table:
    """Rows that may come: of all kinds, and with steps that a window tells apart."""
    kinds, steps = ("x", "a", "ab") if is_within else ("x", "a", "b", "ab"), (0, 1, LENGTH) if is_within else (1,)
    rows: list[dict[str, Any]] = [
        {TIME: timedelta(seconds=step), "number": -1, "kind": kind} for kind in kinds for step in steps
    ]
    return pyarrow.Table.from_pylist(rows, schema=FUTURES)
