"""Random queries of the oracle on rows that are pushed in the order of a time, in pieces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pyarrow

from spaseq import tuples
from spaseq.errors import QueryError, StreamError
from tests.oracle import sql as oracle
from tests.oracle.sql.generate import SqlPair, random_pair
from tests.oracle.sql.model import OrderKey, SqlKind, SqlQuery, SqlTable
from tests.sql.compared import arrow_table, plain

CLOCK = "clock"
PLANNED = "is the first row of every match"  # where SKIP TO leads: refused before the first row
SECOND = 1_000_000
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Pushed:
    """What came of rows: results in their order, and whether the query could not go on."""

    rows: list[Row]
    failed: bool


def streamed_pair(seed: int) -> SqlPair:
    """A pair whose rows have a time, by which they are in order and which ORDER BY begins with."""
    pair, draw = random_pair(seed), Random(seed)
    table, query = pair.table, pair.query
    step = 15 * SECOND if query.within else 1
    moments, now = [], 0
    for _ in table.rows:
        now += step * draw.choice((0, 1, 1, 2, 4))
        moments.append(datetime(2026, 1, 1) + timedelta(microseconds=now))
    rows = tuple((*row, moment) for row, moment in zip(table.rows, moments, strict=True))
    timed = SqlTable((*table.names, CLOCK), (*table.types, oracle.SqlType(SqlKind.TIMESTAMP)), rows)
    further = query.order[:1] if draw.random() < 0.5 else ()
    return SqlPair(replace(query, order=(OrderKey(CLOCK), *further)), timed, pair.labels)


def pushed(query: SqlQuery, table: SqlTable, draw: Random) -> Pushed:
    """What an engine makes of rows in random pieces, with promises between them."""
    text, arrow, found = oracle.query_text(query), arrow_table(table), list[Row]()
    engine = tuples.Engine(time=CLOCK)
    engine.register(text, "q")
    at = 0
    try:
        while at < arrow.num_rows:
            some = arrow.slice(at, draw.choice((1, 1, 2, 5, 20)))
            at += some.num_rows
            as_it_is = at == some.num_rows or draw.random() < 0.7 or _has_nan(some)
            found += _rows(engine.push(some if as_it_is else some.to_pylist()))
            if draw.random() < 0.15:
                engine = tuples.Engine.restore(engine.snapshot(), {"q": text})
            if draw.random() < 0.2:
                time = table.rows[at][-1] if at < arrow.num_rows else table.rows[-1][-1]
                found += _rows(engine.advance(time))
        found += _rows(engine.close())
    except StreamError:
        return Pushed(found + _rows(engine.close()), failed=True)
    return Pushed(found, failed=False)


def _has_nan(rows: pyarrow.Table) -> bool:
    """Whether a number is NaN, which is NULL in dictionaries."""
    return any(value != value for row in rows.to_pylist() for value in row.values())


def _rows(results: Any) -> list[Row]:
    return [tuple(map(plain, row.values())) for _, table in results for row in table.to_pylist()]


def difference(pair: SqlPair, seed: int) -> str | None:
    """What the engine finds in rows that are pushed and the oracle does not, or the other way round; None: nothing."""
    said = f"{oracle.query_text(pair.query)}\n{pair.table}\n"
    try:
        one, other = (pushed(pair.query, pair.table, Random(seed + cut)) for cut in range(2))
    except QueryError as error:
        return None if PLANNED in error.message else f"{said}refused: {error}"
    if not (len(one.rows) == len(other.rows) and all(map(oracle.same_row, one.rows, other.rows))):
        return f"{said}in other pieces\n{one}\n{other}"
    try:
        wanted = list(oracle.evaluate(pair.query, pair.table).rows)
    except (oracle.ValueFault, oracle.MatchFault) as fault:
        return None if one.failed else f"{said}only the oracle has an error: {fault}"
    if one.failed:
        return f"{said}only the engine has an error"
    if len(one.rows) == len(wanted) and (pair.query.partition or all(map(oracle.same_row, one.rows, wanted))):
        left = list(wanted)
        for row in one.rows:
            found = next((other for other in left if oracle.same_row(row, other)), None)
            if found is not None:
                left.remove(found)
        if not left:
            return None
    return f"{said}wanted {wanted}\ngiven  {one.rows}"
