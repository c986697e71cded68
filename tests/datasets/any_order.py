"""The queries with ``&&`` on the workloads ``port`` and ``accounts``, counted by loops over the rows of one entity.

Each side is looked for by itself, and what follows behind the later one.  Written from semantics.md 3.6.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from spaseq.datasets import Workload
from spaseq.datasets.event import MINUTE, Event
from tests.datasets.facts import flat, knowledge
from tests.datasets.reference import Row

Rows = list[Row]
Kinds = defaultdict[str, Rows]  # the rows of one consignment or account by their class
Facts = set[tuple[str, str, str]]
Counter = Callable[[Iterable[Event], Workload], int]


def of_each(entity: str, matches: Callable[[Kinds, Facts], int]) -> Counter:
    """The sum of ``matches`` over all consignments, or accounts."""

    def run(events: Iterable[Event], workload: Workload) -> int:
        found: defaultdict[str, Kinds] = defaultdict(lambda: defaultdict(list))
        for event in events:
            row = flat(event)
            found[row[entity]][row["type"]].append(row)
        facts = set(knowledge(workload))
        return sum(matches(kinds, facts) for kinds in found.values())

    return run


def later(rows: Rows, *before: Row) -> Rows:
    """``:``: all behind the latest of ``before``."""
    return [row for row in rows if row["time"] > end(*before)]


def following(rows: Rows, *before: Row) -> Rows:
    """``;``: of those the ones at the first time."""
    behind = later(rows, *before)
    first = min((row["time"] for row in behind), default=None)
    return [row for row in behind if row["time"] == first]


def runs(rows: Rows, *before: Row) -> Iterator[Rows]:
    """``;+`` behind ``;``: all numbers of rounds."""
    for row in following(rows, *before):
        yield [row]
        yield from ([row, *rest] for rest in runs(rows, row))


def end(*rows: Row) -> int:
    """The latest time."""
    return max(int(row["time"]) for row in rows)


def within(minutes: int, *rows: Row) -> bool:
    """Whether a sliding window has them all."""
    return end(*rows) - min(int(row["time"]) for row in rows) <= minutes * MINUTE


# ── port ─────────────────────────────────────────────────────────────────────────────────────────────────
def sides(kinds: Kinds) -> Iterator[tuple[Row, Row, Row]]:
    """``Announced ; (Papers && Goods)``."""
    for announced in kinds["Announcement"]:
        papers, goods = (following(kinds[kind], announced) for kind in ("Clearance", "Unloading"))
        yield from product([announced], papers, goods)


def ready(kinds: Kinds, facts: Facts) -> int:
    return sum(
        within(120, announced, released)
        for announced, *both in sides(kinds)
        for released in following(kinds["Release"], *both)
    )


def overweight(kinds: Kinds, facts: Facts) -> int:
    return sum(
        int(goods["weight"]) > int(papers["declaredWeight"]) and within(120, announced, papers, goods)
        for announced in kinds["Announcement"]
        for papers in later(kinds["Clearance"], announced)
        for goods in later(kinds["Unloading"], announced)
    )


def complete(kinds: Kinds, facts: Facts) -> int:
    return sum(
        within(120, announced, released)
        for announced, *both in sides(kinds)
        for paid in following(kinds["Payment"], announced)
        for released in following(kinds["Release"], *both, paid)
    )


def inspected(kinds: Kinds, facts: Facts) -> int:
    return sum(
        within(120, announced, released)
        for announced, papers, goods in sides(kinds)
        if (announced["content"], "type", "ControlledGoods") in facts
        for inspection in following(kinds["Inspection"], goods)
        for released in following(kinds["Release"], papers, inspection)
    )


def pieces(kinds: Kinds, facts: Facts) -> int:
    return sum(
        sum(int(piece["weight"]) for piece in goods) > int(papers["declaredWeight"])
        for announced in kinds["Announcement"]
        for papers in following(kinds["Clearance"], announced)
        for goods in runs(kinds["Unloading"], announced)
        for released in following(kinds["Release"], papers, *goods)
        if within(120, announced, released)
    )


def held(kinds: Kinds, facts: Facts) -> int:
    return sum(
        not any(within(120, announced, released) for released in later(kinds["Release"], *both))
        for announced, *both in sides(kinds)
    )


# ── accounts ─────────────────────────────────────────────────────────────────────────────────────────────
def above(rows: Rows, amount: float) -> Rows:
    return [row for row in rows if float(row["amount"]) > amount]


def confirmed(kinds: Kinds, both: tuple[Row, Row], transfer: Row) -> bool:
    return any(end(*both) < row["time"] < transfer["time"] for row in kinds["Confirmation"])


def takeover(kinds: Kinds, facts: Facts) -> int:
    known = {(account, predicate): value for account, predicate, value in facts}
    return sum(
        within(30, *both, transfer) and not confirmed(kinds, both, transfer)
        for both in product(kinds["Login"], kinds["AddressChange"])
        if both[0]["country"] != known[both[0]["account"], "home"]
        for transfer in following(above(kinds["Transfer"], float(known[both[0]["account"], "limit"])), *both)
    )


def drained(kinds: Kinds, facts: Facts) -> int:
    return sum(
        within(30, *both, transfer) and not confirmed(kinds, both, transfer)
        for both in product(kinds["Login"], kinds["AddressChange"])
        for transfer in later(above(kinds["Transfer"], 300), *both)
    )


def two_places(kinds: Kinds, facts: Facts) -> int:
    return sum(
        login["country"] != change["country"] and within(30, login, change, transfer)
        for login, change in product(kinds["Login"], kinds["AddressChange"])
        for transfer in following(above(kinds["Transfer"], 300), login, change)
    )


def guessed(kinds: Kinds, facts: Facts) -> int:
    failures = [[first, *rest] for first in kinds["FailedLogin"] for rest in [[], *runs(kinds["FailedLogin"], first)]]
    guesses = [[*failed, login] for failed in failures for login in following(kinds["Login"], *failed)]
    return sum(
        within(30, *events, change, transfer)
        for events, change in product(guesses, kinds["AddressChange"])
        if within(30, *events, change)
        for transfer in following(above(kinds["Transfer"], 300), events[-1], change)
    )


COUNTS: dict[str, tuple[str, Counter]] = {
    **{
        f"port/{count.__name__}.spaseq": ("port", of_each("consignment", count))
        for count in (ready, overweight, complete, inspected, pieces, held)
    },
    **{
        f"accounts/{count.__name__}.spaseq": ("accounts", of_each("account", count))
        for count in (takeover, drained, two_places, guessed)
    },
}
