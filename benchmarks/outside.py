"""What measurements from outside found slow, each beside a baseline of the same run.

Ratios of CPU time, medians of interleaved rounds, one process.  Run: ``python -m benchmarks.outside [events]``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow

import spaseq
from benchmarks.cells import Shape, prepared
from benchmarks.ceql import dense, stock
from benchmarks.timing import Job, Preparation, interleaved
from gpm.rows import AtomRows
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.tuples import match

ROUNDS = 3
WINDOW = 30  # events

MIXED = "SELECT * FROM S WHERE Q AS a ; Q AS b ; Q AS c FILTER {filter} WITHIN {window} EVENTS"


def volumes(events: int) -> pyarrow.Table:
    """Events of one type with a random volume."""
    volume = np.random.default_rng(1).integers(0, 1000, events)
    return pyarrow.table({"type": ["Q"] * events, "volume": volume})


def found(query: str, table: pyarrow.Table) -> Preparation:
    """From the table to the number of matches."""
    return lambda: match(query, table).count


def nested(table: pyarrow.Table, holds: Callable[[np.ndarray, int, int], np.ndarray]) -> Preparation:
    """Two loops, for the last event and the one before it, around one operation on the column of the first."""
    volume = table.column("volume").to_numpy()

    def job() -> int:
        count = 0
        for c in range(len(volume)):
            first = max(0, c - WINDOW)
            for b in range(first + 1, c):
                count += int(np.count_nonzero(holds(volume[first:b], volume[b], volume[c])))
        return count

    return lambda: job


def mixed_filters(events: int) -> None:
    """Print what filters cost that mix events on one side."""
    table = volumes(events)
    filters = {
        "c.volume > a.volume + b.volume": lambda a, b, c: c > a + b,
        "a.volume * b.volume < 100 * c.volume": lambda a, b, c: a * b < 100 * c,
    }
    print(f"mixed filters, window of {WINDOW} events: µs an event, and how many times faster than numpy in two loops")
    for filter_, holds in filters.items():
        jobs = {"here": found(MIXED.format(filter=filter_, window=WINDOW), table), "loops": nested(table, holds)}
        assert jobs["here"]()() == jobs["loops"]()()
        seconds = interleaved(jobs, ROUNDS)
        print(f"  {filter_:<40}{seconds['here'] / events * 1e6:8.1f}{seconds['loops'] / seconds['here']:8.1f} times")


def alternatives(events: int) -> None:
    """Print what matches of ``(BUY OR SELL) AS x`` cost, from a table to Arrow, beside those of one type."""
    kinds = np.random.default_rng(1).choice(["BUY", "SELL"], events)
    one = pyarrow.table({"type": ["BUY"] * events})
    two = pyarrow.table({"type": kinds})
    formula = "SELECT * FROM S WHERE {0} AS a ; {0} AS b ; {0} AS c WITHIN 10 EVENTS"
    jobs = {"one": output(formula.format("BUY"), one), "two": output(formula.format("(BUY OR SELL)"), two)}
    matches = jobs["one"]()()
    assert matches == jobs["two"]()()
    seconds = interleaved(jobs, ROUNDS)
    print("output: ns a match, and how many times that of one type")
    print(
        f"  {'(BUY OR SELL) AS x':<40}{seconds['two'] / matches * 1e9:8.1f}{seconds['two'] / seconds['one']:8.1f} times"
    )


def output(query: str, table: pyarrow.Table) -> Callable[[], Callable[[], int]]:
    """From the table to matches in Arrow columns, which are counted."""
    return lambda: lambda: sum(batch.num_rows for batch in match(query, table))


def sets(events: int) -> None:
    """Print what it costs to count the matches of a V shape under ``:``, beside taking the events alone."""
    shape = Shape(1, 300, "random")
    jobs = {name: prepared(":", shape, events, name == "update") for name in ("counted", "update")}
    matches = jobs["counted"]()().count
    seconds = interleaved(jobs, ROUNDS)
    title, ratio = f"V shape, {matches // events:,} matches an event", seconds["counted"] / seconds["update"]
    print("counting by sets: µs an event, and how many times that of an update")
    print(f"  {title:<40}{seconds['counted'] / events * 1e6:8.1f}{ratio:8.1f} times")


KLEENE = """
SELECT ?p3 WITHIN 302 SECONDS SLIDING FROM STREAM s <urn:s>
WHERE {{
  SEQ(A : B:+ : C)
  DEFINE GPM A ON s {{ ?a <urn:p> ?p1 }}
  DEFINE GPM B ON s {{ ?b <urn:p> ?p2 }}
  DEFINE GPM C ON s {{ ?c <urn:p> ?p3 {filter} }}
}}
"""


def kleene(events: int) -> None:
    """Print what it costs to count up to 2^300 matches an event, beside taking the events alone, without a match."""
    terms = Terms()
    words = np.full(events, terms.integer(1), np.uint64)
    rows = AtomRows(np.arange(events, dtype=np.uint32), np.array([words]))
    nothing = AtomRows(np.zeros(0, np.uint32), np.zeros((1, 0), np.uint64))
    plan = compile_plan(parse(KLEENE.format(filter="")).query)
    batch = np.arange(events) * 1_000_000, np.arange(events, dtype=np.uint64)

    def update() -> Job:
        matcher = plan.start(terms)
        return lambda: matcher.feed(*batch, [_of(one, plan) for one in (rows, rows, nothing)])

    def counted() -> Callable[[], int]:
        counter = plan.counter(terms, plan.start(terms).automaton)
        assert counter is not None

        def job() -> int:
            counter.feed(*batch, [_of(rows, plan)] * 3)
            counter.finish()
            counter.take()
            return counter.count

        return job

    matches = counted()()
    jobs = {"counted": counted, "update": update}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.nq"
        path.write_text("".join(_written(number) for number in range(events)))
        jobs |= {"counted from bytes": from_bytes(path, "", True)}
        jobs |= {"update from bytes": from_bytes(path, "FILTER(?p3 > 1)", False)}
        seconds = interleaved(jobs, ROUNDS)
    for suffix in ("", " from bytes"):
        title = f"Kleene, 2^{(matches // events).bit_length()} matches an event{suffix}"
        ratio = seconds[f"counted{suffix}"] / seconds[f"update{suffix}"]
        print(f"  {title:<40}{seconds[f'counted{suffix}'] / events * 1e6:8.1f}{ratio:8.1f} times")


def large_counts(events: int) -> None:
    """Print what COUNT(*) of 24 steps costs in numbers of more than 64 bits, beside those that fit."""
    table = stock(events)
    query = dense(24).replace("*", "COUNT(*)", 1) + " WITHIN {window} EVENTS"
    kinds = {"fits, int64": (100, "int64"), "fits, decimal": (100, "decimal"), "fits, double": (100, "double"),
             "up to 38 digits, decimal": (800, "decimal"), "up to 38 digits, double": (800, "double")}  # fmt: skip
    jobs = {title: counted(query.format(window=window), table, totals) for title, (window, totals) in kinds.items()}
    seconds = interleaved(jobs, ROUNDS)
    print("COUNT(*) of 24 steps: µs an event, and how many times that of counts that fit in 64 bits")
    for title, each in seconds.items():
        print(f"  {title:<40}{each / events * 1e6:8.1f}{each / seconds['fits, int64']:8.1f} times")


def counted(query: str, table: pyarrow.Table, totals: str) -> Preparation:
    """From a table of trades to the rows of COUNT(*)."""
    rows = lambda: sum(  # noqa: E731
        batch.num_rows for batch in match(query, table, type="event_type", time="stock_time", unit="ms", totals=totals)
    )
    return lambda: rows


def from_bytes(path: Path, filter_: str, count_only: bool) -> Preparation:
    """A run over a file of N-Quads, with matches counted, or without any."""

    def prepare() -> Job:
        run = spaseq.Run(KLEENE.format(filter=filter_), {"urn:s": path}, count_only=count_only)
        return lambda: sum(map(len, run.tables()))

    return prepare


def _written(number: int) -> str:
    """An event of the value 1 in N-Quads, a second after the one before."""
    time = np.datetime64(number, "s")
    return (
        f'<urn:e{number}> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:g{number}> .\n'
        f"<urn:g{number}> <http://www.w3.org/ns/prov#generatedAtTime> "
        f'"{time}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
    )


COMPARED = "* FROM S WHERE A AS a ; B+ AS b ; C AS c FILTER b[price > a.price] AND c[price + 500 > b.price]"
SELECTED = (
    ("MAX", "* FROM S WHERE A ; B+ ; C"),
    ("NEXT", COMPARED),
    ("LAST", COMPARED),
    ("LAST", "C FROM S WHERE A ; B+ ; C"),
    ("ALL", "A, C FROM S WHERE A ; B+ ; C"),
)


def strategies(events: int) -> None:
    """Print what it costs to select among up to 2^150 matches of an end, beside any one match of each end."""
    chance = np.random.default_rng(1)
    kinds, prices = chance.choice(list("ABBBBBBBBC"), events), chance.integers(0, 1000, events)
    table = pyarrow.table({"type": kinds, "price": prices})
    print("selection: µs an event, and how many times that of ANY")
    for (strategy, query), window in product(SELECTED, (20, 200)):
        names = {strategy, "ANY"}
        jobs = {name: found(f"SELECT {name} {query} WITHIN {window} EVENTS", table) for name in names}
        seconds = interleaved(jobs, ROUNDS)
        what = "compared" if query is COMPARED else "all" if query[0] == "*" else "projected"
        title, ratio = f"{strategy}, {what}, {window} events", seconds[strategy] / seconds["ANY"]
        print(f"  {title:<40}{seconds[strategy] / events * 1e6:8.1f}{ratio:8.1f} times")


def _of(rows: AtomRows, plan: Plan) -> AtomRows:
    """Rows of an atom with as many columns as the plan's atoms have."""
    width = len(plan.atoms[0].variables)
    return AtomRows(rows.row_event, np.repeat(rows.columns, width, axis=0))


def main(events: int = 10_000) -> None:
    """Print all figures."""
    mixed_filters(events)
    alternatives(20 * events)
    sets(events)
    kleene(10 * events)
    large_counts(10 * events)
    strategies(events)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
