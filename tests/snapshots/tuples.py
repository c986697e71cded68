"""Engines of tuples with queries in each of the ways there are: snapshots, sound and changed ones."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import pyarrow

from spaseq import Bound
from spaseq.errors import SnapshotError, SpaseqError
from spaseq.runtime.snapshot.container import TUPLES
from spaseq.tuples import Engine
from spaseq.tuples.columns.serialisation import rows_read, rows_stored
from tests.snapshots.forger import ARCHIVE, change_header, forged_archive, mutated, other_numbers

__all__ = ("enter", "forged", "mutated", "snapshots")

QUERIES = {
    "chain": "SELECT * FROM S WHERE A ; B ; C WITHIN 12 EVENTS",
    "shown": "SELECT a, b.price, c.name FROM S WHERE (A AS a ; B AS b) ; C AS c WITHIN 9 SECONDS",
    "kleene": "SELECT * FROM S WHERE A ; B+ ; C WITHIN 7 EVENTS",
    "next": "SELECT NEXT * FROM S WHERE A ; (B OR C)+ ; A WITHIN 8 SECONDS",
    "last": "SELECT LAST b FROM S WHERE A ; (B AS b)+ ; A WITHIN 9 EVENTS",
    "most": "SELECT MAX * FROM S WHERE A ; B+ ; C WITHIN 6 EVENTS",
    "strict": "SELECT STRICT * FROM S WHERE A ; B PARTITION BY [name] WITHIN 5 EVENTS",
    "apart": "SELECT * FROM S WHERE A : (B OR C) PARTITION BY [name] WITHIN 8 SECONDS CONSUME BY PARTITION",
    "consumed": "SELECT * FROM S WHERE A ; C PARTITION BY [name], [price] WITHIN 9 SECONDS CONSUME BY ANY",
    "equal": "SELECT * FROM S WHERE (A AS x ; B AS y) FILTER y[name = x.name] WITHIN 9 SECONDS",
    "higher": "SELECT * FROM S WHERE (A AS x ; B AS y ; C AS z) FILTER y[price > x.price] AND z[price < y.price] "
    "WITHIN 9 SECONDS",
    "mixed": "SELECT * FROM S WHERE (A AS x ; B AS y ; C AS z) FILTER z[price * 2 > x.price + y.price] "
    "WITHIN 9 SECONDS",
    "lists": "SELECT * FROM S WHERE (A AS x ; (B AS y)+ ; C AS z) FILTER z[price + 9 > x.price + y.price] "
    "WITHIN 8 EVENTS",
    "texts": "SELECT * FROM S WHERE (A AS x : B AS y) FILTER y[name > x.name] WITHIN 9 SECONDS",
    "measured": "SELECT * FROM S WHERE A ; B WITHIN 4 [price]",
    "counted": "SELECT COUNT(*), SUM(A.price), MAX(B.price) FROM S WHERE A ; B+ WITHIN 9 SECONDS",
    "grouped": "SELECT COUNT(*), AVG(b.price), a.name, a.price FROM S WHERE A AS a ; B AS b GROUP BY a.name, a.price "
    "WITHIN 9 SECONDS",
    "walked": "SELECT COUNT(*), MIN(b.name), a.name FROM S WHERE (A AS a ; B AS b) FILTER b[price > a.price] "
    "GROUP BY a.name WITHIN 9 SECONDS",
    "rising": "SELECT COUNT(*), SUM(A.price) FROM S WHERE A ; B PARTITION BY [name] WITHIN 9 [number]",
}  # fmt: skip
_ROWS = "SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY name ORDER BY time {} PATTERN ({}) {})"
IN_SQL = {
    "v": _ROWS.format(
        "MEASURES A.price AS top, LAST(C.number) AS until", "A B+ C+",
        "DEFINE B AS B.price < PREV(B.price), C AS C.price > PREV(C.price)",
    ),
    "within": _ROWS.format(
        "MEASURES LAST(B.price) AS last ALL ROWS PER MATCH WITH UNMATCHED ROWS AFTER MATCH SKIP TO NEXT ROW", "A+ B",
        "WITHIN INTERVAL '3' SECOND DEFINE A AS price < 7, B AS B.price > 6",
    ),
    "searched": _ROWS.format(
        "MEASURES MATCH_NUMBER() AS number, COUNT(A.*) AS rows", "A+ B",
        "DEFINE A AS A.name >= FIRST(A.name), B AS B.price > AVG(A.price)",
    ),
    "waiting": _ROWS.replace("time", "time, price").format(
        "MEASURES NEXT(LAST(A.price)) AS after ONE ROW PER MATCH", "^? A{2,} | A", "DEFINE A AS NEXT(price, 2) > price"
    ),
    "whole": "SELECT * FROM s MATCH_RECOGNIZE (MEASURES CLASSIFIER() AS a, FIRST(name) AS b ALL ROWS PER MATCH "
    "PATTERN (A* B $) DEFINE B AS MAX(A.number) > 3)",
}  # fmt: skip
MORE = 24
MOST = 3000  # results that are looked at: forged sets may stand for any number of matches


def row(number: int) -> dict[str, Any]:
    """Some of one time, some late, some without a name."""
    return {
        "type": "ABCABBCAC"[number % 9],
        "price": number * 7 % 11,
        "name": None if number % 13 == 7 else "xyz"[number % 3],
        "number": number // 2,
        "time": (number // 2 * 2 + (3 if number % 7 == 0 else 0)) * 250_000,
    }


BOUND = Bound(0.5)  # less than any event takes
BOUNDED = {name: QUERIES[name] for name in ("chain", "shown", "kleene", "equal", "higher", "mixed", "lists", "texts")}


def started(lateness: int, evaluation: str = "auto", bound: Bound | None = None) -> Engine:
    engine = Engine(time="time", lateness=lateness, evaluation=evaluation, bound=bound)
    for name, text in (QUERIES if bound is None else BOUNDED).items():
        engine.register(text, name)
    return engine


def snapshots() -> list[bytes]:
    """Sound ones: of nothing, in the midst, late, without lateness, with steps that wait, and with a bound on work."""
    return list(_snapshots())


@cache
def _snapshots() -> tuple[bytes, ...]:
    sound = [_after(count, lateness) for count, lateness in ((0, 0), (40, 1_000_000), (121, 1_000_000), (60, 0))]
    of_sql = [_after_in_sql(count) for count in (0, 5, 60)]
    return (*sound, _after(60, 0, "lazy"), _after(60, 0, bound=BOUND), *of_sql)


def _after_in_sql(count: int) -> bytes:
    engine = Engine(time="time", lateness=1_000_000)
    for name, text in IN_SQL.items():
        engine.register(text, name)
    for begin in range(0, count, 7):
        engine.push([row_in_sql(number) for number in range(begin, min(begin + 7, count))])
    return engine.snapshot()


def row_in_sql(number: int) -> dict[str, Any]:
    """The same with times as SQL has them."""
    its = row(number)
    return its | {"time": datetime(2026, 1, 1) + timedelta(microseconds=its["time"])}


def _after(count: int, lateness: int, evaluation: str = "auto", bound: Bound | None = None) -> bytes:
    engine = started(lateness, evaluation, bound)
    for begin in range(0, count, 7):
        engine.push([row(number) for number in range(begin, min(begin + 7, count))])
    return engine.snapshot()


def enter(data: bytes) -> str:
    """Whether it is refused; else it is used.  An exception that is none of ours is a finding."""
    try:
        engine = _restored(data)
    except SnapshotError:
        return "refused"
    engine.statistics()
    for begin in range(130, 130 + MORE, 6):
        if not _pushed(engine, begin):
            return "used"
    with suppress(SnapshotError):  # what it has come to may show what it is
        _restored(engine.snapshot())
    return "used"


def _restored(data: bytes) -> Engine:
    """An engine with as many queries, with the bound if these are those that have one."""
    if len(TUPLES.unpack(data)[0]["queries"]) == len(IN_SQL):
        return Engine.restore(data, IN_SQL)
    is_bounded = len(TUPLES.unpack(data)[0]["queries"]) <= len(BOUNDED)
    return Engine.restore(data, BOUNDED if is_bounded else QUERIES, bound=BOUND if is_bounded else None)


def _pushed(engine: Engine, begin: int) -> bool:
    """Some rows; whether it may go on."""
    found = 0
    try:
        made = row_in_sql if set(engine.queries) <= IN_SQL.keys() else row
        for _, table in engine.push_tables([made(number) for number in range(begin, begin + 6)]):
            table.to_pylist()
            found += table.num_rows
            if found > MOST:
                return False
    except SpaseqError:
        return False
    return True


# ── forged ───────────────────────────────────────────────────────────────────────────────────────────────
def forged(data: bytes, choose: random.Random) -> bytes:
    """Numbers of the header, of stores, or of rows changed to what a reader may stumble over."""
    header, sections = TUPLES.unpack(data)
    for _ in range(choose.choice((1, 1, 1, 2, 3, 5))):
        name = choose.choice([*sorted(sections), "header", "header"])
        if name == "header":
            change_header(header, choose)
        elif sections[name][:4] == ARCHIVE:
            sections[name] = forged_archive(sections[name], choose)
        else:
            sections[name] = _forged_rows(sections[name], choose)
    return TUPLES.pack(header, sections)


def _forged_rows(data: bytes, choose: random.Random) -> bytes:
    """A column of rows changed, or bytes of them."""
    if not data:
        return data
    if choose.randrange(4) == 0:
        return mutated(data + bytes(32), choose)[:-32]
    try:
        rows = rows_read(data)
    except SnapshotError:  # a schema, or what was forged before
        return mutated(data + bytes(32), choose)[:-32]
    if choose.randrange(4) == 0:
        return rows_stored(rows.slice(choose.randrange(rows.num_rows + 1)))
    place = choose.randrange(rows.num_columns) if rows.num_columns else 0
    if not rows.num_columns or rows.column(place).type != pyarrow.int64():
        order = choose.sample(range(rows.num_rows), rows.num_rows)
        return rows_stored(rows.take(pyarrow.array(order, pyarrow.int64())))
    numbers = other_numbers(np.array(rows.column(place).fill_null(0)), choose)
    return rows_stored(rows.set_column(place, rows.schema.field(place), pyarrow.array(numbers, pyarrow.int64())))
