"""Load shedding on real data: which part of all matches is found with a half and a tenth of the work.

Sums in a Kleene over trades of a day and readings of traffic sensors, conditions over three reports of crimes, and over
earthquakes.  *ours*, *random state* and *random input* are those of ``benchmarks.bound``; of the last two the part is
sought that takes so much work.  Bytes go in, matches are counted.  The data lie in ``SPASEQ_SHARED``, else beside the
project (``../shared/data``).

Run: ``python -m benchmarks.bound_data`` (``make bench-bound``).
"""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random

from benchmarks.bound import PARTS, TRIALS
from nfa_native.joins.matcher import Matcher
from spaseq import Bound, Engine

SHARED = Path(os.environ.get("SPASEQ_SHARED", "../shared/data"))
STREAM, UNBOUNDED = "urn:s", 1e12
QUERY = "PREFIX : <urn:> SELECT * WITHIN {within} SLIDING FROM STREAM s <urn:s> WHERE {{ SEQ({sequence}) {gpms} }}"
GPM = "DEFINE GPM {name} ON s {{ ?{low} :kind {kind} ; :value ?{low}v ; :key ?key FILTER({filter}) }} "
Item = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Work:
    """A query over events that have a kind, a key and a value."""

    name: str
    within: str
    sequence: str
    kinds: dict[str, str]  # by GPM, as terms; what is said of all is ?any
    filters: dict[str, str]
    items: Callable[[], list[Item]]

    def text(self) -> str:
        """The query."""
        gpms = (
            GPM.format(name=name, low=name.lower(), kind=kind, filter=self.filters.get(name, "true"))
            for name, kind in self.kinds.items()
        )
        return QUERY.format(within=self.within, sequence=self.sequence, gpms="".join(gpms))


def item(time: int, kind: str, key: str, value: str) -> Item:
    """An event; microseconds."""
    return time, f'<urn:e> <urn:kind> "{kind}" ; <urn:key> "{key}" ; <urn:value> {value} .'.encode()


def rows(path: str) -> Iterator[dict[str, str]]:
    with (SHARED / path).open(newline="", encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def moment(text: str) -> int:
    return round(datetime.fromisoformat(text + "+00:00").timestamp() * 1e6)


def trades() -> list[Item]:
    """Purchases and sales by name, with their volume."""
    some = [row for _, row in zip(range(20_000), rows("stock/stock_50k.csv"), strict=False)]
    return [item(int(one["stock_time"]) * 1000, one["event_type"], one["name"], one["volume"]) for one in some]


def crimes() -> list[Item]:
    """Reports by ward, with where they happened from south to north, in feet."""
    some = [one for one in rows("crimes/chicago_crimes_10k.csv") if one["y_coordinate"]]
    return sorted(item(moment(one["date"]), one["primary_type"], one["ward"], one["y_coordinate"]) for one in some)


def earthquakes() -> list[Item]:
    """All in one place, with their magnitude in tenths."""
    found = json.loads((SHARED / "earthquakes/earthquakes.json").read_text(encoding="utf-8"))["features"]
    some = [one["properties"] for one in found if one["properties"]["mag"] is not None]
    return sorted(item(one["time"] * 1000, one["type"], "all", str(round(10 * one["mag"]))) for one in some)


def readings() -> list[Item]:
    """Readings of the sensors in Aarhus, with how many vehicles have passed."""
    sensors = ("182955", "195578", "195446", "158505")
    each = (row for sensor in sensors for row in rows(f"citybench/AarhusTrafficData{sensor}.stream"))
    return sorted(item(moment(one["TIMESTAMP"]), "reading", one["REPORT_ID"], one["vehicleCount"]) for one in each)


WORK = (
    Work("trades", "10 SECONDS", "A : B:+ : C", {"A": '"SELL"', "B": '"BUY"', "C": '"SELL"'},
         {"B": "?bv < ?av", "C": "SUM(?bv) < ?cv"}, trades),
    Work("crimes", "20 DAYS", "A : B : C", {"A": '"ASSAULT"', "B": '"BATTERY"', "C": '"ROBBERY"'},
         {"C": "(?av - ?bv) * (?av - ?bv) + (?bv - ?cv) * (?bv - ?cv) < 1000000"}, crimes),
    Work("earthquakes", "90 MINUTES", "A : B:+ : C", {"A": '"earthquake"', "B": '"earthquake"', "C": '"earthquake"'},
         {"C": "?av + SUM(?bv) < ?cv"}, earthquakes),
    Work("readings", "90 MINUTES", "A : B:+ : C", {"A": '"reading"', "B": '"reading"', "C": '"reading"'},
         {"A": "?av > 20", "B": "?bv > 5", "C": "?av + SUM(?bv) < 2 * ?cv"}, readings),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """Matches, units of work and seconds."""

    matches: int
    work: float
    seconds: float


def run(work: Work, items: list[Item], bound: float = UNBOUNDED, reckless: float = 0.0) -> Found:
    """What is found under a bound."""
    engine = Engine(bound=Bound(bound))
    engine.register(work.text(), "it")
    engine.kind.count_only()
    (query,) = engine.core.at_work[0].members
    assert isinstance(query.matcher, Matcher)
    query.matcher.reckless, started = reckless, time.process_time()
    for start in range(0, len(items), 1000):
        engine.push_batch(STREAM, items[start : start + 1000])
    engine.close()
    return Found(query.found, query.shed.work, time.process_time() - started)


def with_work(run_with: Callable[[float], Found], work: float) -> Found:
    """The run with the greatest part, from 0 to 1, that takes no more than so much work."""
    low, high, best = 0.0, 1.0, Found(0, 0, 0)
    for _ in range(TRIALS):
        middle = (low + high) / 2
        found = run_with(middle)
        low, high, best = (middle, high, found) if found.work <= work else (low, middle, best)
    return best


def some_of(items: list[Item], part: float) -> list[Item]:
    """About so many, by chance."""
    chance = Random(1)
    return [one for one in items if chance.random() < part]


def told(work: Work) -> Iterator[str]:
    """All and, for each part of its work, what is found."""
    items = work.items()
    exact = run(work, items)
    each = 1e6 * exact.seconds / len(items)
    units = exact.work / len(items)
    yield f"{work.name}: {len(items):,} events, {exact.matches:,} matches, {units:,.0f} units, {each:.0f} µs an event"
    for part in PARTS:
        ours = run(work, items, part * exact.work / len(items))
        state = with_work(lambda kept: run(work, items, reckless=1 - kept), part * exact.work)
        fed = with_work(lambda kept: run(work, some_of(items, kept)), part * exact.work)
        shown = {"ours": ours, "random state": state, "random input": fed}
        for name, one in shown.items():
            recall, taken = one.matches / exact.matches, one.work / exact.work
            yield f"    {part:>4.0%} of the work: {name:<13} recall {recall:.3f}   work {taken:.2f}"


def main() -> None:
    """Print all of it."""
    for work in WORK:
        for line in told(work):
            print(line, flush=True)


if __name__ == "__main__":
    main()
