"""Queries in SQL: read, printed and read again, planned, explained, and run on a few rows."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import pyarrow

from spaseq.errors import StreamError
from spaseq.languages.sql import ParsedRowPatternQuery, format_query, parse
from spaseq.languages.sql.names import variable_of
from spaseq.languages.sql.printer import expression, pattern
from spaseq.pattern.rows.expressions import Field, everything
from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.plan.rows.explain import ExplainedRows, explain
from spaseq.plan.rows.plan import row_pattern_plan
from spaseq.tuples import Engine, match
from tests.fuzz.door import ROOT, Door, same
from tests.oracle.sql import query_text
from tests.oracle.sql.generate import random_pair

SHORT, STEPS = 3_000, 20_000  # characters of a query that is run, and the steps of a search
WORDS = tuple(b"""
SELECT * FROM ticks MATCH_RECOGNIZE PARTITION BY ORDER ASC DESC NULLS FIRST LAST MEASURES ONE ALL ROW ROWS PER MATCH
SHOW OMIT EMPTY MATCHES WITH UNMATCHED AFTER SKIP PAST TO NEXT PATTERN PERMUTE SUBSET DEFINE AS WITHIN INTERVAL '5'
MINUTE () ( ) {- -} {2} {1,} {,3} {1,99999999999} {20} ? ?? * *? + +? | ^ $ A B C U A.price B.day PREV(A.price)
NEXT(B.price,2) FIRST(A.price,1) LAST(price) RUNNING FINAL CLASSIFIER() CLASSIFIER(U) MATCH_NUMBER() COUNT(*)
COUNT(A.*) SUM(A.volume)
AVG(price) MIN(name) MAX(day) ARRAY_AGG(A.price) + - * / % || = <> != < <= > >= AND OR NOT IS NULL DISTINCT FROM IN
BETWEEN LIKE ESCAPE CASE WHEN THEN ELSE END COALESCE(price,1) NULLIF(volume,0) CAST(price AS) TRY_CAST BIGINT DOUBLE
DECIMAL(9,2) VARCHAR EXTRACT(HOUR ABS ROUND FLOOR MOD POWER SQRT LEAST GREATEST LOWER UPPER LENGTH SUBSTRING TRUE FALSE
'a' 'it''s' "q" 1 1.5 1e300 9223372036854775807 DATE '2026-11-28' TIMESTAMP -- /* */ , . price volume name day flag
""".split())  # fmt: skip


def enter(data: bytes) -> str:
    """All that is done with a statement."""
    parsed = parse(data.decode("utf-8", "surrogateescape"))
    printed = format_query(parsed.tree)
    same(format_query(parse(printed).tree), printed, "printed and read again")
    plan = row_pattern_plan(parsed.query)
    written = {variable_of(one.variable): expression(one.condition) for one in parsed.tree.definitions}
    asked = ExplainedRows(parsed.query, plan, pattern(parsed.tree.pattern), written)
    explained = sum(len(explain(asked, form)) for form in ("text", "json", "mermaid", "dot"))
    if len(printed) > SHORT or len(plan.automaton.positions) > SHORT:
        return f"not run {explained.bit_length()}"
    rows = _rows(parsed.query)
    found = _shown([match(parsed, rows, max_steps=STEPS).to_arrow()])
    if (time := _time_of(parsed.query, rows)) is not False:
        pushed = _pushed(parsed, rows, time)
        same(pushed if pushed is not None else found, found, "pushed")
    return f"{len(found).bit_length()} {explained.bit_length()}"


def _time_of(query: RowPatternQuery, rows: pyarrow.Table) -> str | bool | None:
    """The column with the times of rows that are pushed; None: they need none; False: they are in another order."""
    if not query.order:
        return None
    first = query.order[0]
    names = [name for name in rows.column_names if name.lower() == first.column.lower()]
    is_time = len(names) == 1 and pyarrow.types.is_timestamp(rows.schema.field(names[0]).type)
    return names[0] if is_time and not first.descending and first.column == names[0] else False


def _pushed(parsed: ParsedRowPatternQuery, rows: pyarrow.Table, time: str | None) -> list[str] | None:
    """What it finds in rows that are pushed, some at a time; None: a search takes too many steps there."""
    engine, tables = Engine(time=time, max_steps=STEPS), list[pyarrow.Table]()
    engine.register(parsed)
    try:
        for begin in range(0, rows.num_rows, 5):
            tables += (table for _, table in engine.push(rows.slice(begin, 5)))
        tables += (table for _, table in engine.close())
    except StreamError as error:
        if "max_steps" in error.message:
            return None
        raise AssertionError(f"only rows that are pushed have an error: {error}") from None
    return _shown(tables)


def _shown(tables: list[pyarrow.Table]) -> list[str]:
    """Results in an order of their own; their columns may have one name."""
    rows = [zip(*(column.to_pylist() for column in table.columns), strict=True) for table in tables]
    return sorted(repr(row).replace("-0.0", "0.0") for some in rows for row in some)


def _rows(query: RowPatternQuery) -> pyarrow.Table:
    """A few rows with the columns that a statement reads, and some others."""
    names = [*query.partition, *(key.column for key in query.order), *(column.source for column in query.columns or ())]
    values = [*query.definitions.values(), *query.measures.values()]
    names += [each.column for value in values for each in everything(value) if isinstance(each, Field)]
    known = {name: column for name, column in _known().items() if name not in {one.lower() for one in names}}
    return pyarrow.table({name: _known().get(name.lower(), _known()["v"]) for name in names} | known)


@cache
def _known() -> dict[str, pyarrow.Array]:
    """Columns of all types, by the names that the tests' statements have."""
    count = 24
    days = pyarrow.array([date(2026, 1, 1) + timedelta(n * 5 % 9) for n in range(count)], pyarrow.date32())
    texts = pyarrow.array([("x", "y", None, "a%b_", "é")[n % 5] for n in range(count)])
    reals = pyarrow.array([(1.5, None, float("nan"), -3.0, 1e300, 49.0)[n % 6] for n in range(count)])
    return {
        "name": texts, "symbol": texts, "s": texts, "x": reals, "price": reals, "day": days, "d": days,
        "volume": pyarrow.array([(0, 1, -1, 2**62, None)[n % 5] for n in range(count)]),
        "rate": pyarrow.array([Decimal(n * 7 % 13) / 4 for n in range(count)], pyarrow.decimal128(9, 2)),
        "ts": pyarrow.array(range(0, count * 1_000_000, 1_000_000), pyarrow.timestamp("us")),
        "flag": pyarrow.array([(True, False, None)[n % 3] for n in range(count)]),
        "k": pyarrow.array([n % 2 for n in range(count)]), "v": pyarrow.array([n * 7 % 11 for n in range(count)]),
    }  # fmt: skip


def seeds() -> list[bytes]:
    """The examples, the queries of the tests with and without mistakes, and random ones."""
    folder = ROOT / "tests" / "language" / "sql"
    files = [*sorted((ROOT / "examples").glob("*/*.sql")), *sorted(folder.glob("*/*.txt"))]
    of_files = [path.read_bytes().partition(b"\n=====")[0] for path in files]
    cases = [path.read_bytes().partition(b"=== query\n")[2].partition(b"\n===")[0] for path in _cases()]
    return [*of_files, *cases, *(query_text(random_pair(seed).query).encode() for seed in range(80))]


def _cases() -> list[Path]:
    return sorted((ROOT / "tests" / "sql" / "cases").glob("*/*.case"))


DOOR = Door("sql", enter, seeds, WORDS)
