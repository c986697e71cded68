"""CEQL on rows that are pushed, beside ``match`` on all of them; and a hundred queries at once, beside each alone.

Rows that come as dictionaries are pushed one by one and by a hundred, beside making batches of Arrow of them in Python.

CPU time of one process, medians.  The events are those of ``spaseq generate trades --seed 1``, in memory as a table.

Run: ``python -m benchmarks.pushed [events]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow

from benchmarks.ceql import atoms_of, queries, stock
from benchmarks.timing import Job, Preparation, interleaved
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import recognition
from spaseq.tuples import Engine, Roles, encode, match

SIZES = (1, 100, 10_000)
ROUNDS = 3
FEW = 5_000  # rows that are pushed one by one
COMPANIES = ("INTC", "RIMM", "QQQ", "IPIX", "AMAT", "CSCO", "YHOO", "DELL", "ORCL", "MSFT")
FIRST = 100  # rows by which types are known
KINDS = {  # of queries, beside P3; few of them find something
    "a condition": "SELECT * FROM Stock WHERE SELL AS a ; BUY AS b FILTER a[price > 1e6] WITHIN 1 SECONDS",
    "PARTITION BY": "SELECT * FROM Stock WHERE SELL AS a ; BUY AS b FILTER a[price > 1e6] PARTITION BY [name] "
    "WITHIN 1 SECONDS",
    "values of two events": "SELECT * FROM Stock WHERE SELL AS a ; BUY AS b FILTER a[price > 1e6] AND "
    "b[price > a.price AND name = a.name] WITHIN 1 SECONDS",
    "values that are shown": "SELECT a.price, b.name FROM Stock WHERE SELL AS a ; BUY AS b FILTER a[price > 1e6] "
    "WITHIN 1 SECONDS",
    "WITHIN n EVENTS": "SELECT * FROM Stock WHERE SELL AS a ; BUY AS b FILTER a[price > 1e6] WITHIN 100 EVENTS",
}
Rows = list[dict[str, Any]]
OPTIONS: dict[str, Any] = {"type": "event_type", "time": "stock_time", "unit": "ms"}


def batches(table: pyarrow.Table, size: int) -> list[pyarrow.RecordBatch]:
    """The rows in batches of so many."""
    return [batch for start in range(0, table.num_rows, size) for batch in table.slice(start, size).to_batches()]


def pushing(texts: list[str], parts: list[pyarrow.RecordBatch]) -> Preparation:
    """All batches into an engine with these queries, whose results are counted."""

    def prepare() -> Job:
        engine = Engine(**OPTIONS)
        for text in texts:
            engine.register(text)
        return lambda: sum(found.num_rows for part in parts for _, found in engine.push(part))

    return prepare


def as_arrow(rows: Rows, size: int) -> Preparation:
    """Batches of so many rows, made of dictionaries as one would in Python."""

    def job() -> None:
        for start in range(0, len(rows), size):
            pyarrow.RecordBatch.from_pylist(rows[start : start + size])

    return lambda: job


def as_dictionaries(text: str, rows: Rows, size: int) -> Preparation:
    """All rows, of which an engine has seen a hundred, so many at once into it; ``text`` is its query."""
    begin, rest = rows[:FIRST], rows[FIRST:]

    def prepare() -> Job:
        engine = Engine(**OPTIONS)
        engine.register(text)
        engine.push(begin)
        parts = [rest[start : start + size] for start in range(0, len(rest), size)]
        return lambda: sum(len(engine.push(part)) for part in parts)

    return prepare


def dictionaries(table: pyarrow.Table, text: str) -> None:
    """Print what a row costs that is a dictionary, in queries of several kinds."""
    rows: Rows = table.slice(0, FEW + FIRST).to_pylist()
    kinds = {"P3": text} | KINDS
    for size in (1, 100):
        jobs = {"Arrow": as_arrow(rows[FIRST:], size)}
        jobs |= {name: as_dictionaries(query, rows, size) for name, query in kinds.items()}
        found = interleaved(jobs, ROUNDS)
        print(f"dictionaries, pushed {size} at once, beside making batches of Arrow of them: µs a row, and ratio")
        for name, seconds in found.items():
            print(f"  {name:<40}{seconds / FEW * 1e6:9.2f}{seconds / found['Arrow']:9.2f}")


def matching(texts: list[str], table: pyarrow.Table) -> Preparation:
    """Each query by itself on the whole table."""
    return lambda: lambda: sum(batch.num_rows for text in texts for batch in match(text, table, **OPTIONS))


def encoding(texts: list[str], table: pyarrow.Table) -> Preparation:
    """What ``match`` does before a query sees its events, for each of them."""
    roles = Roles("event_type", time="stock_time", unit="ms")
    atoms = [atoms_of(recognition(parse(text).normal_form, None)) for text in texts]
    return lambda: lambda: sum(len(batch) for some in atoms for batch in encode(table, some, roles))


def hundred() -> Iterator[str]:
    """A hundred queries: of each company a purchase behind a sale of another one, at ten prices."""
    for number, name in enumerate(COMPANIES):
        other = COMPANIES[number - 1]
        for price in range(10, 30, 2):
            yield (
                f"SELECT * FROM Stock WHERE SELL AS a ; BUY AS b FILTER a[name = '{name}' AND price > {price}.5] "
                f"AND b[name = '{other}'] WITHIN 1 SECONDS"
            )


def main(events: int = 200_000) -> None:
    """Print all figures."""
    table, text = stock(events), queries(10)["P3"]
    jobs = {"match": matching([text], table)}
    rows = {"match": events}
    for size in SIZES:
        some = table.slice(0, FEW) if size == 1 else table
        jobs[f"{size:,}"], rows[f"{size:,}"] = pushing([text], batches(some, size)), some.num_rows
    found = interleaved(jobs, ROUNDS)
    print("P3 in 10 s, pushed in batches of so many rows, beside match: µs a row")
    print("".join(f"  {name:<10}{seconds / rows[name] * 1e6:9.2f}\n" for name, seconds in found.items()), end="")
    dictionaries(table, text)
    texts = list(hundred())
    many = {
        "one engine": pushing(texts, batches(table, 10_000)),
        "one call of match": lambda: lambda: sum(match(texts, table, **OPTIONS).counts().values()),
        "100 calls of match": matching(texts, table),
        "their encoding": encoding(texts, table),
    }
    print("100 queries on the same rows: µs a row")
    found = interleaved(many, ROUNDS)
    print("".join(f"  {name:<20}{seconds / events * 1e6:9.2f}\n" for name, seconds in found.items()), end="")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
