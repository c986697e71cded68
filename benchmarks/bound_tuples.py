"""Load shedding in CEQL: how many matches are found where work is bounded, and what that takes.

Conditions over three and four events, which keep a group for each combination: over uniform numbers and over trades of
a day.  First all is found, then work is bounded to parts of what that took.

* *ours*: groups are left out that bring least for their work;
* *random state*: groups are left out by chance, so often that work suffices;
* *random input*: events are left out by chance, so many that work suffices.

Then it is seen whether the interval of recall, by a sample of 2 % of the events, holds the truth.

Tables go in, matches are counted.  The real data lie in ``SPASEQ_SHARED``, else beside the project
(``../shared/data``).  Run: ``python -m benchmarks.bound_tuples`` (``make bench-bound``).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv

from benchmarks.bound import PARTS, TRIALS
from spaseq import Bound
from spaseq.tuples import Matches, match

SHARED = Path(os.environ.get("SPASEQ_SHARED", "../shared/data"))
EVENTS, UNBOUNDED = 20_000, 1e12
RUNS, SAMPLE = 100, 0.02  # to see whether intervals hold


@dataclass(frozen=True, slots=True)
class Work:
    """A query over a table."""

    name: str
    query: str
    events: Callable[[], pyarrow.Table]
    time: str | None = None


def uniform(seed: int = 1) -> pyarrow.Table:
    """Four types, numbers from 1 to 300, ten keys."""
    chance = np.random.default_rng(seed)
    kinds = np.array(list("ABCD"))[chance.integers(0, 4, EVENTS)]
    return pyarrow.table({"type": kinds, "v": chance.integers(1, 301, EVENTS), "k": chance.integers(1, 11, EVENTS)})


def trades() -> pyarrow.Table:
    """Purchases and sales of a day."""
    columns = ["event_type", "name", "volume", "price", "stock_time"]
    options = pyarrow.csv.ConvertOptions(include_columns=columns)
    found = pyarrow.csv.read_csv(SHARED / "stock/stock_50k.csv", convert_options=options)
    return found.rename_columns(["type", *columns[1:]]).slice(0, EVENTS)


WORKS = (
    Work("sums of two", "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c FILTER a[a.v + b.v < c.v * 0.4] "
         "WITHIN 300 EVENTS", uniform),
    Work("a chain", "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c ; D AS d FILTER a[v < b.v] AND "
         "b[b.v + c.v < d.v] WITHIN 300 EVENTS", uniform),
    Work("near each other", "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c ; D AS d FILTER "
         "a[(a.v - b.v) * (a.v - b.v) < c.v] AND a[a.v + b.v + c.v < d.v] WITHIN 300 EVENTS", uniform),
    Work("trades", "SELECT * FROM S WHERE SELL AS a ; BUY AS b ; SELL AS c FILTER a[a.volume + b.volume < c.volume] "
         "PARTITION BY [name] WITHIN 60000 MILLISECONDS", trades, "stock_time"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """How many matches there were, how many units they took, and µs an event."""

    matches: int
    units: float
    micros: float


def run(work: Work, events: pyarrow.Table, units: float, reckless: float = 0) -> Found:
    """All events within a bound; by chance groups are left out, too."""
    started = time.process_time()
    matches = match(work.query, events, time=work.time, unit="ms", bound=Bound(units))
    assert isinstance(matches, Matches)
    if reckless:
        matches._selection._recognizer.reckless = reckless
    count = matches.count()
    micros = (time.process_time() - started) * 1e6 / len(events)
    return Found(count, matches.statistics()["bound"]["work"] / len(events), micros)


def thinned(work: Work, events: pyarrow.Table, part: float) -> Found:
    """That part of the events, by chance."""
    kept = np.random.default_rng(7).random(len(events)) < part
    found = run(work, events.filter(pyarrow.array(kept)), UNBOUNDED)
    share = kept.sum() / len(events)
    return Found(found.matches, found.units * share, found.micros * share)


def with_work(run_with: Callable[[float], Found], units: float) -> Found:
    """What is found with a chance to be kept that makes about so much work."""
    low, high = 0.0, 1.0
    for _ in range(TRIALS):
        middle = (low + high) / 2
        found = run_with(middle)
        low, high = (middle, high) if found.units < units else (low, middle)
    return found


def lines(work: Work) -> Iterator[str]:
    """What each finds with parts of the work."""
    events = work.events()
    whole = run(work, events, UNBOUNDED)
    yield f"{work.name}: {whole.matches:,} matches, {whole.units:.0f} units and {whole.micros:.1f} µs an event"
    for part in PARTS:
        units = part * whole.units
        ways = {
            "ours": run(work, events, units),
            "random state": with_work(lambda kept: run(work, events, UNBOUNDED, 1 - kept), units),
            "random input": with_work(partial(thinned, work, events), units),
        }
        told = (
            f"{name} {found.matches / whole.matches:.3f} ({found.units / whole.units:.3f}, {found.micros:.1f} µs)"
            for name, found in ways.items()
        )
        yield f"  {part:4.0%} of the work: recall (work, time) " + "; ".join(told)


def intervals(work: Work, part: float) -> str:
    """In how many of some runs the interval of recall has what was found, with that part of the work."""
    known = held = 0
    for seed in range(RUNS):
        events = uniform(seed)
        whole = run(work, events, UNBOUNDED)
        matches = match(work.query, events, bound=Bound(part * whole.units, sample=SAMPLE))
        assert isinstance(matches, Matches)
        found = matches.count() / whole.matches
        recall = matches.statistics()["bound"]["recall"]
        known += recall is not None
        held += recall is not None and recall["low"] <= found <= recall["high"]
    told = f"{work.name}: at {part:.0%} of the work the interval held in {held} of {known} runs"
    return f"{told}; in {RUNS - known} nothing was told"


def main() -> None:
    """Print them all."""
    for work in WORKS:
        if work.time is not None and not SHARED.is_dir():
            print(f"{work.name}: there is no {SHARED}")
            continue
        for line in lines(work):
            print(line, flush=True)
    for part in (0.5, 0.1):
        print(intervals(WORKS[0], part), flush=True)


if __name__ == "__main__":
    main()
