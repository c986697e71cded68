"""One V-shape query, and up to a thousand like it: cost per event together, and each by itself.

*Rows* are those of parameters, *texts* queries of their own.  *Limits* are rules with a threshold and a window each;
*companies* one with a company each; *ends* have their threshold in the last step only.  Matches are counted, or listed
as columns, from bytes; then events are pushed one by one, and rows and texts are registered.  CPU time of one process.
The last column is what ``sharing`` saves; what would take minutes by itself is measured on a part of the events.

Run: ``python -m benchmarks.many [events]`` (``make bench-many``).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from spaseq import Engine
from spaseq.datasets import workloads
from spaseq.graphs.graph_run import Run

COMPANY = "https://spaseq.org/data/stock/company/"
QUERY = """
PREFIX stock: <https://spaseq.org/ontology/stock#>
SELECT ?company ?p1 ?p2 ?p3
WITHIN {window} SECONDS SLIDING
FROM STREAM stock <https://spaseq.org/stream/stock>
WHERE {{
  SEQ(A ; B ; C)
  DEFINE GPM A ON stock {{ ?q1 stock:company ?company ; stock:price ?p1 . FILTER(?p1 > {threshold}) }}
  DEFINE GPM B ON stock {{ ?q2 stock:company ?company ; stock:price ?p2 . FILTER(?p2 > ?p1) }}
  DEFINE GPM C ON stock {{ ?q3 stock:company ?company ; stock:price ?p3 . FILTER(?p3 < ?p2 && ?p3 > {end}) }}
}}
"""
ONE = QUERY.format(window=20, threshold=41, end=41)
LIMITS = QUERY.format(window="?length", threshold="?limit", end="?limit").replace(
    "WHERE", "GIVEN ?limit ?length\nWHERE"
)
COMPANIES = QUERY.format(window=40, threshold=41, end=41).replace("WHERE", "GIVEN ?company\nWHERE")
PUSHED = 3_000
APART = 1_000_000  # rows times events that are evaluated each by itself
Rows = list[dict[str, Any]]
Queries = str | dict[str, str]


def limits(count: int) -> Rows:
    """Thresholds from 41 to 160, evenly over all prices, in windows from 20 to 59 seconds."""
    return [
        {"limit": Decimal(41) + (Decimal(119 * n) / count).quantize(Decimal("0.001")), "length": 20 + n % 40}
        for n in range(count)
    ]


def companies(count: int) -> Rows:
    """So many companies; the stream has a hundred."""
    return [{"company": f"<{COMPANY}{number}>"} for number in range(count)]


def equal_texts(count: int) -> dict[str, str]:
    """The same query, so often."""
    return {f"q{number}": ONE for number in range(count)}


def limit_texts(count: int) -> dict[str, str]:
    """A query for each of the limits."""
    texts = (QUERY.format(window=row["length"], threshold=row["limit"], end=row["limit"]) for row in limits(count))
    return {f"q{number}": text for number, text in enumerate(texts)}


def company_texts(count: int) -> dict[str, str]:
    """A query for each of the companies."""
    text = QUERY.format(window=40, threshold=41, end=41).replace("SELECT ?company", "SELECT")
    return {f"q{n}": text.replace("?company", row["company"]) for n, row in enumerate(companies(count))}


def end_texts(count: int) -> dict[str, str]:
    """Queries with one beginning."""
    return {f"q{n}": QUERY.format(window=40, threshold=41, end=row["limit"]) for n, row in enumerate(limits(count))}


TEXTS = {"equal texts": equal_texts, "texts: limits": limit_texts, "texts: companies": company_texts,
         "texts: ends": end_texts}  # fmt: skip


def from_bytes(query: Queries, rows: Rows | None, stream: Path, sharing: bool, count_only: bool) -> tuple[float, int]:
    """CPU seconds from bytes to matches that are counted, or listed as columns; and how many they are."""
    options: dict[str, Any] = {} if rows is None else {"given": rows}
    run = Run(query, {"stock": str(stream)}, count_only=count_only, sharing=sharing, **options)
    started = time.process_time()
    for _ in run.tables():
        pass
    return time.process_time() - started, sum(run.counts().values())


def pushed(queries: Queries, rows: Rows | None, events: list[tuple[int, bytes]], sharing: bool) -> tuple[float, int]:
    """CPU seconds of events that are pushed one by one, and the matches."""
    engine, found = Engine(sharing=sharing), 0
    for name, query in {"q": queries}.items() if isinstance(queries, str) else queries.items():
        engine.register(query, name, given=rows)
    started = time.process_time()
    for at, triples in events:
        found += len(engine.push("stock", triples, at))
    return time.process_time() - started, found


def single_events(count: int) -> list[tuple[int, bytes]]:
    """Quotes of a hundred companies, ten a second."""
    text = "<urn:q{0}> stock:company <{1}{2}> ; stock:price {3} ."
    prefix = "PREFIX stock: <https://spaseq.org/ontology/stock#> "
    values = ((n * 7919 % 100, 41 + Decimal(n * 104_729 % 11_900) / 100) for n in range(count))
    return [
        (n * 100_000, (prefix + text.format(n, COMPANY, company, price)).encode())
        for n, (company, price) in enumerate(values)
    ]


def told(title: str, events: int, one: float, together: tuple[float, int], apart: tuple[float, int], part: int) -> str:
    """A line: µs an event of one query, of all rows together and of each by itself, and the ratios."""
    mine, its = together[0] / events * 1e6, apart[0] / part * 1e6
    times = f"{mine:9.2f} {mine / one:9.2f} {its:11.2f} {its / mine:9.1f}"
    return f"  {title:<38} {one:8.2f} {times}   {together[1]:,} matches"


def of_bytes(stream: Path, parts: dict[int, Path], events: int) -> Iterator[str]:
    """Counted and listed, from bytes; ``parts`` are beginnings of the stream by their number of events."""
    for count_only, how in ((True, "counted"), (False, "listed")):
        one = from_bytes(ONE, None, stream, True, count_only)[0] / events * 1e6
        for query, rows, what in ((LIMITS, limits, "limits"), (COMPANIES, companies, "companies")):
            for count in (1, 100, 1_000):
                yield both(query, rows(count), f"{count:,} {what}, {how}", one, stream, parts, count_only)
        for what, texts in TEXTS.items():
            for count in (100, 1_000):
                yield both(texts(count), None, f"{count:,} {what}, {how}", one, stream, parts, count_only)


def both(
    query: Queries,
    rows: Rows | None,
    title: str,
    one: float,
    stream: Path,
    parts: dict[int, Path],
    count_only: bool,
) -> str:
    """Together, and each by itself on as many events as that may take."""
    count = len(query) if rows is None else len(rows)
    part = max(size for size in parts if size * count <= APART or size == min(parts))
    together = from_bytes(query, rows, stream, True, count_only)
    apart = from_bytes(query, rows, parts[part], False, count_only)
    return told(title, max(parts), one, together, apart, part)


def of_pushes() -> Iterator[str]:
    """The same of single events."""
    events = single_events(PUSHED)
    one = pushed(ONE, None, events, True)[0] / PUSHED * 1e6
    for query, rows, what in ((LIMITS, limits, "limits"), (COMPANIES, companies, "companies")):
        for count in (100, 1_000):
            few = events[: max(100, APART // count // 3)]
            together, apart = (pushed(query, rows(count), few, sharing) for sharing in (True, False))
            yield told(f"{count:,} {what}, pushed", len(few), one, together, apart, len(few))
    for what, texts in TEXTS.items():
        few = events[: max(100, APART // 3_000)]
        together, apart = (pushed(texts(1_000), None, few, sharing) for sharing in (True, False))
        yield told(f"1,000 {what}, pushed", len(few), one, together, apart, len(few))


def of_registrations() -> Iterator[str]:
    """Texts; rows in a table, and one by one."""
    for what, texts in TEXTS.items():
        engine, known_texts = Engine(), texts(1_000)
        started = time.process_time()
        for name, text in known_texts.items():
            engine.register(text, name)
        engine.statistics()
        yield f"  1,000 {what} are registered in {time.process_time() - started:.2f} s"
    for count in (1_000, 10_000):
        started = time.process_time()
        Engine().register(LIMITS, "q", given=limits(count))
        yield f"  {count:,} rows are registered in {time.process_time() - started:.2f} s"
    engine, rows = Engine(), limits(1_000)
    engine.register(LIMITS, "q", given=[])
    known = engine.given("q")
    started = time.process_time()
    for row in rows:
        known.add([row])
    yield f"  1,000 rows come one by one in {time.process_time() - started:.2f} s"


def main(events: int = 50_000) -> None:
    """Print all of it."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = (events, events // 5, events // 50)
        folders = {size: Path(folder) / str(size) for size in sizes}
        for path in folders.values():
            path.mkdir()
        parts = {size: workloads()["stocks"].write(path, size, 1)["stock"] for size, path in folders.items()}
        print(f"V shapes over {events:,} events, one process, CPU time, µs an event")
        print(f"  {'':<38} {'one':>8} {'together':>9} {'to one':>9} {'no sharing':>11} {'to that':>9}")
        for line in of_bytes(parts[events], parts, events):
            print(line, flush=True)
        for line in of_pushes():
            print(line, flush=True)
    for line in of_registrations():
        print(line)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
