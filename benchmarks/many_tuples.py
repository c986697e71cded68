"""One sequence in CEQL, and up to a thousand like it: cost per event together, and each by itself.

*Limits* are rules with three thresholds and a window each, *companies* one with a company each; *texts* are queries of
their own, *rows* those of parameters.  Matches over trades in memory are counted, or listed as columns; then trades are
pushed one by one, and texts and rows are registered.  CPU time of one process; what is prepared is not counted.  The
last column is what ``sharing`` saves.

Run: ``python -m benchmarks.many_tuples [events]`` (``make bench-many``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pyarrow

from benchmarks.ceql import stock
from benchmarks.many import told
from spaseq.tuples import Engine, match, prepare
from spaseq.tuples.queries import AnyPrepared

FORMULA = "SELECT * {} WHERE SELL AS a ; BUY AS b ; SELL AS c FILTER {} WITHIN {} SECONDS"
ABOVE = "a[price > {}] AND b[price > {}] AND c[price > {}]"
OF_COMPANY = "a[name = {0}] AND b[name = {0}] AND c[name = {0}]"
READING: dict[str, Any] = {"type": "event_type", "time": "stock_time", "unit": "ms"}
HIGHEST = 0.985  # of the prices, thresholds are among those above this quantile
PUSHED, PUSHED_APART = 2_000, 400
Queries = dict[str, AnyPrepared]


def limits(table: pyarrow.Table, count: int) -> list[list[float]]:
    """Thresholds among the highest prices, and windows from 2 to 20 seconds."""
    chance, prices = Random(1), sorted(table["price"].to_pylist())
    first = int(HIGHEST * len(prices))
    return [
        [*(prices[chance.randrange(first, len(prices))] for _ in range(3)), chance.randrange(2, 21)]
        for _ in range(count)
    ]


def companies(table: pyarrow.Table, count: int) -> list[list[str]]:
    """Those of the stream, then others."""
    names = sorted(set(table["name"].to_pylist()))
    return [[names[number] if number < len(names) else f"N{number}"] for number in range(count)]


def limit_texts(table: pyarrow.Table, count: int) -> list[str]:
    """A query for each of the limits."""
    return [FORMULA.format("", ABOVE.format(*row[:3]), row[3]) for row in limits(table, count)]


def company_texts(table: pyarrow.Table, count: int) -> list[str]:
    """A query for each of the companies."""
    return [FORMULA.format("", OF_COMPANY.format(f"'{name}'"), 10) for (name,) in companies(table, count)]


TEXTS = {"limits": limit_texts, "companies": company_texts}
ROWS: dict[str, tuple[str, Callable[[pyarrow.Table, int], Sequence[Sequence[Any]]]]] = {
    "limits": (FORMULA.format("GIVEN $p, $q, $r, $w", ABOVE.format("$p", "$q", "$r"), "$w"), limits),
    "companies": (FORMULA.format("GIVEN $n", OF_COMPANY.format("$n"), 10), companies),
}


def prepared(texts: list[str]) -> Queries:
    """Queries by name."""
    return {f"q{number}": prepare(text) for number, text in enumerate(texts)}


def of_table(queries: Queries, table: pyarrow.Table, sharing: bool, count_only: bool) -> tuple[float, int]:
    """CPU seconds from events in memory to matches that are counted, or listed as columns; and how many they are."""
    found = match(queries, table, sharing=sharing, **READING)
    started = time.process_time()
    number = sum(found.counts().values()) if count_only else sum(batch.num_rows for _, batch in found)
    return time.process_time() - started, number


def pushed(queries: Queries, events: list[dict[str, Any]], sharing: bool) -> tuple[float, int]:
    """CPU seconds of events that are pushed one by one, behind a first one, and the matches."""
    engine = Engine(sharing=sharing, **READING)
    for name, query in queries.items():
        engine.register(query, name)
    engine.push(events[:1])
    started = time.process_time()
    found = sum(len(table) for event in events for _, table in engine.push([event]))
    return time.process_time() - started, found


def counted_and_listed(table: pyarrow.Table) -> Iterator[str]:
    """Texts over a table."""
    for what, texts in TEXTS.items():
        for count_only, how in ((True, "counted"), (False, "listed")):
            alone = prepared(texts(table, 1))
            one = min(of_table(alone, table, True, count_only)[0] for _ in range(3)) / len(table) * 1e6
            for count in (100, 1_000):
                queries = prepared(texts(table, count))
                together, apart = (of_table(queries, table, sharing, count_only) for sharing in (True, False))
                title = f"{count:,} texts: {what}, {how}"
                yield told(title, len(table), one, together, apart, len(table))


def pushes(table: pyarrow.Table) -> Iterator[str]:
    """The same of single events."""
    events = table.slice(0, PUSHED).to_pylist()
    for what, texts in TEXTS.items():
        one = pushed(prepared(texts(table, 1)), events, True)[0] / PUSHED * 1e6
        for count in (100, 1_000):
            queries = prepared(texts(table, count))
            together, apart = pushed(queries, events, True), pushed(queries, events[:PUSHED_APART], False)
            yield told(f"{count:,} texts: {what}, pushed", PUSHED, one, together, apart, PUSHED_APART)


def registrations(table: pyarrow.Table) -> Iterator[str]:
    """Texts, and rows of a table."""
    for what, texts in TEXTS.items():
        engine, some = Engine(**READING), texts(table, 1_000)
        started = time.process_time()
        for number, text in enumerate(some):
            engine.register(f"{text}\n", f"q{number}")
        engine.push(table.slice(0, 1))
        yield f"  1,000 texts ({what}) are registered in {time.process_time() - started:.2f} s"
    for what, (text, rows) in ROWS.items():
        names = prepare(text).query.given
        assert names is not None
        values = [dict(zip(names.names, row, strict=True)) for row in rows(table, 10_000)]
        engine, started = Engine(**READING), time.process_time()
        engine.register(text, "q", given=values)
        engine.push(table.slice(0, 1))
        yield f"  10,000 rows ({what}) are registered in {time.process_time() - started:.2f} s"


def main(events: int = 50_000) -> None:
    """Print all of it."""
    table = stock(events)
    print(f"CEQL: sequences over {events:,} events, one process, CPU time, µs an event")
    print(f"  {'':<38} {'one':>8} {'together':>9} {'to one':>9} {'no sharing':>11} {'to that':>9}")
    for lines in (counted_and_listed, pushes, registrations):
        for line in lines(table):
            print(line, flush=True)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
