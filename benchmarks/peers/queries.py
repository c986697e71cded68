"""The queries of ``benchmarks.ceql``, as steps from which the text for each engine is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from benchmarks.ceql import LENGTHS, STEPS

BOTH = ("BUY", "SELL")


@dataclass(frozen=True, slots=True)
class Step:
    """An event of one of these types, of a company; ``price`` is a comparison like ``> 26.0``; "" if any will do.

    If it is ``repeated``, the step takes one or more such events, with anything in between.
    """

    types: tuple[str, ...]
    name: str
    price: str = ""
    volume: int | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """Steps that follow each other, with anything in between; within each volume by itself if ``by_volume``.

    Its matches are all ways to choose the events, less than ten seconds from the first to the last.
    """

    name: str
    steps: tuple[Step, ...]
    by_volume: bool = False


@dataclass(frozen=True, slots=True)
class Statements:
    """Many queries that run together."""

    name: str
    queries: tuple[Query, ...]


def statements(count: int) -> tuple[Statements, Statements]:
    """So many sequences of three steps: three prices for each, or one company, most of which never come."""
    chance, kinds = Random(1), (("SELL",), ("BUY",), ("SELL",))
    limits = [[f"> {80 + chance.randrange(3_500) / 100}" for _ in kinds] for _ in range(count)]
    names = [*sorted({step.split()[1] for step in STEPS}), *(f"N{number}" for number in range(count))][:count]
    return (
        Statements(
            f"{count:,} limits",
            tuple(
                Query(f"l{number}", tuple(Step(kind, "", price) for kind, price in zip(kinds, prices, strict=True)))
                for number, prices in enumerate(limits)
            ),
        ),
        Statements(
            f"{count:,} companies",
            tuple(Query(f"c{name}", tuple(Step(kind, name) for kind in kinds)) for name in names),
        ),
    )


def _sequence(count: int) -> Query:
    """P_n: the first steps of the list."""
    steps = (step.split() for step in STEPS[:count])
    return Query(f"P{count}", tuple(Step((kind,), name) for kind, name in steps))


def _priced(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    prices = ("> 26.0", "> 11.14", "", ">= 18.92")
    return tuple(replace(step, price=price) for step, price in zip(steps, prices, strict=True))


_FOUR = (Step(("SELL",), "MSFT"), Step(("BUY",), "ORCL"), Step(("BUY",), "CSCO"), Step(("SELL",), "AMAT"))
_OPEN = (_FOUR[0], replace(_FOUR[1], types=BOTH), replace(_FOUR[2], types=BOTH), _FOUR[3])
_MANY = Step(BOTH, "QQQ", volume=4000, repeated=True)
QUERIES = {
    query.name: query
    for query in (
        *map(_sequence, LENGTHS),
        Query("Q1", _FOUR),
        Query("Q2", _priced(_FOUR)),
        Query("Q3", _FOUR, by_volume=True),
        Query("Q4", _OPEN),
        Query("Q5", _priced(_OPEN)),
        Query("Q6", _OPEN, by_volume=True),
        Query("Q7", (_FOUR[0], _MANY, _FOUR[3])),
    )
}
