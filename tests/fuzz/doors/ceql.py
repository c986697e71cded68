"""Queries in CEQL: read, printed and read again, planned, explained, and run on a few tuples."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

import pyarrow

from spaseq.languages.ceql import format_query, parse
from spaseq.plan.formulas.aggregation import check_groups
from spaseq.plan.formulas.automaton import planned
from spaseq.plan.formulas.explain import explain
from spaseq.tuples import match
from tests.fuzz.door import ROOT, Door, same
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.text import to_text

SHORT = 3_000  # characters of a query that is run
MOST_BATCHES = 4
_LIMIT = re.compile(r"\bLIMIT\b", re.IGNORECASE)
WORDS = tuple(b"""
SELECT * MAX LAST NEXT STRICT ALL FROM WHERE FILTER PARTITION BY WITHIN EVENTS SECONDS HOURS LIMIT CONSUME ANY NONE
AS OR AND NOT IN RANGE LIKE BETWEEN IS NULL GROUP HAVING COUNT(*) SUM(x.price) AVG(x.price) MIN(x.name) MAX(x.price)
A B BUY SELL S>A x y x.price x[price>1] [name] [price,`a`] ; : + :+ , . > < = <> != <= >= ( ) [ ] { } {1..} {..3}
{1..99999999999} - * / % 'a' 'it''s' '%_\\' `q` "q" 1 1.5 1e9 -1 true NULL -- /* */ 100 3 type price name volume
""".split())  # fmt: skip


def enter(data: bytes) -> str:
    """All that is done with a query."""
    text = data.decode("utf-8", "surrogateescape")
    parsed = parse(text)
    for warning in parsed.warnings:
        warning.render()
    printed = format_query(parsed.tree)
    same(parse(printed).query, parsed.query, "printed and read again")
    plan = planned(parsed.query, parsed.normal_form)
    check_groups(parsed.query, plan)
    explained = sum(len(explain(parsed.query, parsed.normal_form, plan, form)) for form in ("text", "json", "mermaid"))
    if len(printed) > SHORT:
        return f"not run {explained.bit_length()}"
    found = match(parsed, _tuples(), time="time", stream="stream")
    rows = sum(batch.num_rows for batch in islice(found, MOST_BATCHES))
    return f"{rows.bit_length()} {explained.bit_length()}"


@cache
def _tuples() -> pyarrow.Table:
    """A few events with the types and attributes of the tests."""
    count = 16
    return pyarrow.table({
        "type": [("A", "B", "BUY", "SELL", "H", "T")[n % 6] for n in range(count)],
        "stream": [("S", "T")[n % 2] for n in range(count)],
        "time": pyarrow.array(range(0, count * 1_000_000, 1_000_000), pyarrow.timestamp("us")),
        "name": [("MSFT", "NORD", None, "a%b_", "é")[n % 5] for n in range(count)],
        "price": [(1.5, None, float("nan"), -3.0, 1e300, 49.0)[n % 6] for n in range(count)],
        "volume": [(0, 1, -1, 2**62, None)[n % 5] for n in range(count)],
        "temp": [float(n) for n in range(count)], "hum": list(range(count)), "id": [n % 2 for n in range(count)],
    })  # fmt: skip


def seeds() -> list[bytes]:
    """The examples, the queries of the tests with and without mistakes, formulas, and random ones."""
    folder = ROOT / "tests" / "language" / "ceql"
    examples, cases = sorted((ROOT / "examples").glob("*/*.ceql")), sorted(folder.glob("*/*.txt"))
    of_files = [path.read_bytes().partition(b"\n=====")[0] for path in (*examples, *cases)]
    lines = (folder / "formulas.txt").read_bytes().splitlines()
    formulas = [b"SELECT * WHERE " + line.partition(b" => ")[0] for line in lines if b" => " in line]
    return [*of_files, *formulas, *(to_text(random_pair(seed).query).encode() for seed in range(80))]


DOOR = Door("ceql", enter, seeds, WORDS)
