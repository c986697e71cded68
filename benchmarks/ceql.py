"""CEQL on stock events: sequences of 3 to 24 steps and the queries Q1 to Q7 of the CORE paper's benchmark.

Update only: events are in memory as columns of symbols and times; matches are found and not enumerated.  Then the
matches of each end are counted, and put out: into arrays, from Arrow columns, and from CSV.  One process, CPU time,
medians.  The events are those of ``spaseq generate trades --seed 1``.

Run: ``python -m benchmarks.ceql [events]``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow
import pyarrow.csv

from benchmarks.timing import Job, Preparation, interleaved
from nfa_native.events.aggregates import Aggregator
from nfa_native.events.recognizer import Recognizer
from spaseq.datasets import tables
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import RecognitionPlan, recognition
from spaseq.tuples import Atom, Roles, encode, match
from spaseq.tuples.encoding.batches import edges

FIRST = (
    "SELL INTC, BUY RIMM, BUY QQQ, SELL IPIX, BUY AMAT, BUY CSCO, "
    "SELL YHOO, BUY DELL, BUY ORCL, SELL MSFT, BUY INTC, BUY RIMM"
)
STEPS = [*FIRST.split(", "), *FIRST.split(", ")]
LENGTHS = (3, 6, 9, 12, 24)
PRICES = {"m": "> 26.0", "o": "> 11.14", "a": ">= 18.92"}
Q1 = "SELL AS m ; BUY AS o ; BUY AS c ; SELL AS a"
Q4 = "SELL AS m ; (BUY OR SELL) AS o ; (BUY OR SELL) AS c ; SELL AS a"
Q7 = "SELL AS m ; (BUY OR SELL)+ AS q ; SELL AS a"
NAMES = {"m": "MSFT", "o": "ORCL", "c": "CSCO", "a": "AMAT"}
ROUNDS = 3


def steps(count: int, last: str = "") -> str:
    """P_n: the first steps in a sequence, and maybe one that never comes."""
    chosen = [step.split() for step in STEPS[:count]] + ([["SELL", last]] if last else [])
    formula = " ; ".join(f"{kind} AS x{number}" for number, (kind, _) in enumerate(chosen))
    filters = " AND ".join(f"x{number}[name = '{name}']" for number, (_, name) in enumerate(chosen))
    return f"SELECT * FROM Stock WHERE {formula} FILTER {filters}"


def named(formula: str, names: Mapping[str, str], prices: Mapping[str, str] | None = None) -> str:
    """A formula whose variables are of these companies, at these prices."""
    filters = [f"{variable}[name = '{name}']" for variable, name in names.items()]
    filters += [f"{variable}[price {price}]" for variable, price in (prices or {}).items()]
    return f"SELECT * FROM Stock WHERE {formula} FILTER {' AND '.join(filters)}"


def queries(seconds: int) -> dict[str, str]:
    """All queries in a window of so many seconds."""
    found = {f"P{n}": steps(n) for n in LENGTHS} | {f"P'{n}": steps(n, "NONE") for n in LENGTHS}
    found |= {"Q1": named(Q1, NAMES), "Q2": named(Q1, NAMES, PRICES), "Q3": named(Q1, NAMES)}
    found |= {"Q4": named(Q4, NAMES), "Q5": named(Q4, NAMES, PRICES), "Q6": named(Q4, NAMES)}
    found["Q7"] = named(Q7, {"m": "MSFT", "q": "QQQ", "a": "AMAT"}) + " AND q[volume = 4000]"
    partition = {"Q3", "Q6"}
    return {
        name: text + (" PARTITION BY volume" if name in partition else "") + f" WITHIN {seconds} SECONDS"
        for name, text in found.items()
    }


def stock(events: int) -> pyarrow.Table:
    """So many trades."""
    return pyarrow.Table.from_batches(tables()["trades"].batches(events, seed=1)).combine_chunks()


def atoms_of(plan: RecognitionPlan) -> list[Atom]:
    """What the automaton asks of events."""
    return [Atom(kind.type, kind.stream, kind.predicate) for kind in plan.atoms]


def updating(text: str, table: pyarrow.Table) -> Preparation:
    """Everything but enumeration, on encoded columns."""
    parsed = parse(text)
    plan = recognition(parsed.normal_form, None)
    roles = Roles("event_type", time="stock_time", unit="ms", partition=parsed.query.partition)
    encoding = encode(table, atoms_of(plan), roles)
    batches = [(one.symbols, *edges(parsed.query.window, one), one.partitions) for one in encoding]

    def prepare() -> Job:
        recognizer = Recognizer(plan.automaton, partitioned=bool(parsed.query.partition), update_only=True)
        recognizer.know_symbols(encoding.symbols.masks[1:])
        return lambda: [recognizer.feed(*batch) for batch in batches]

    return prepare


def counting(text: str, table: pyarrow.Table) -> Preparation:
    """The number of matches of each end, on encoded columns."""
    parsed = parse(text)
    plan = recognition(parsed.normal_form, None)
    encoding = encode(table, atoms_of(plan), Roles("event_type", time="stock_time", unit="ms"))
    batches = [(one.symbols, *edges(parsed.query.window, one)) for one in encoding]

    def prepare() -> Job:
        aggregator = Aggregator(plan.automaton)
        aggregator.know_symbols(encoding.symbols.masks[1:])
        return lambda: [(aggregator.feed(*batch), aggregator.take()) for batch in batches]

    return prepare


def dense(count: int) -> str:
    """A sequence of which every event fits every other step."""
    formula = " ; ".join(f"{'BUY' if number % 2 else 'SELL'} AS x{number}" for number in range(count))
    return f"SELECT * FROM Stock WHERE {formula}"


KLEENE = "SELECT * FROM Stock WHERE SELL ; (BUY OR SELL)+ ; SELL"


def hard(table: pyarrow.Table) -> None:
    """Print what queries cost of which each event enters many states, or ends up to 2^300 matches."""
    texts = {
        "dense, n = 3": dense(3) + " WITHIN 10 SECONDS",
        "dense, n = 24": dense(24) + " WITHIN 10 SECONDS",
        "Kleene, 300 events in the window": KLEENE + " WITHIN 301 EVENTS",
    }
    found = interleaved({name: updating(text, table) for name, text in texts.items()}, ROUNDS)
    for name, seconds in found.items():
        print(f"  {name:<34}{table.num_rows / seconds / 1e6:6.1f}")


def counts(table: pyarrow.Table) -> None:
    """Print what COUNT(*) costs: of P6, of six steps that every other event fits, and of a Kleene closure."""
    texts = {"P6": steps(6), "dense": dense(6), "Kleene": KLEENE}
    jobs = {
        f"{name} {seconds} s": counting(f"{text} WITHIN {seconds} SECONDS", table)
        for name, text in texts.items()
        for seconds in (10, 100)
    }
    found = interleaved(jobs, ROUNDS)
    print(f"COUNT(*) of the matches of each end, M events/s\n  {'query':<8}{'10 s':>8}{'100 s':>8}")
    for name in texts:
        speeds = [table.num_rows / found[f"{name} {seconds} s"] / 1e6 for seconds in (10, 100)]
        print(f"  {name:<8}{speeds[0]:8.1f}{speeds[1]:8.1f}")


def with_output(text: str, source: object, most: int | None = None) -> Preparation:
    """From a source to matches in Arrow arrays, which are counted; not more than ``most``."""

    def job() -> int:
        count = 0
        for batch in match(text, source, type="event_type", time="stock_time", unit="ms"):
            count += batch.num_rows
            if most is not None and count >= most:
                break
        return count

    return lambda: job


def main(events: int = 1_000_000) -> None:
    """Print all figures."""
    table = stock(events)
    texts = {seconds: queries(seconds) for seconds in (10, 100)}
    jobs = {f"{name} {seconds} s": updating(texts[seconds][name], table) for name in texts[10] for seconds in texts}
    found = interleaved(jobs, ROUNDS)
    print(f"CEQL, {events:,} stock events in memory as columns, update only, one process, CPU time, M events/s")
    print(f"  {'query':<8}{'10 s':>8}{'100 s':>8}{'100 s / 10 s':>14}")
    for name in texts[10]:
        short, long = found[f"{name} 10 s"], found[f"{name} 100 s"]
        print(f"  {name:<8}{events / short / 1e6:8.1f}{events / long / 1e6:8.1f}{short / long:14.2f}")
    hard(table)
    counts(table)
    output = {"P6 40 s": with_output(queries(40)["P6"], table, 20_000_000)}
    matches = int(str(output["P6 40 s"]()()))
    one = interleaved(output, ROUNDS)["P6 40 s"]
    print(f"P6 in 40 s from Arrow to Arrow: {matches / one / 1e6:.1f} M matches/s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stock.csv"
        pyarrow.csv.write_csv(table, path)
        text = queries(10)["P3"]
        counting = lambda: match(text, path, type="event_type", time="stock_time", unit="ms").count()  # noqa: E731
        one = interleaved({"P3": lambda: counting}, ROUNDS)["P3"]
    print(f"P3 from CSV to the number of its matches: {events / one / 1e6:.1f} M rows/s")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
