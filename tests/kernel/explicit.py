"""Random sequences with joins and comparisons, and an evaluator that keeps every partial match for itself.

It follows the definitions: a partial match is a list of events and the set of rows of their join; a step tries every
event.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pyoxigraph

from gpm.terms import term_bytes
from spaseq.plan.sequences import Plan
from tests.kernel.driver import Found, Happening, plan_of

XSD = "http://www.w3.org/2001/XMLSchema#"
Worth = int | Fraction | float | str
Row = Mapping[str, int | bytes]
Binding = tuple[tuple[str, int | bytes], ...]  # sorted


def literal(text: str, datatype: str) -> bytes:
    return term_bytes(pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode(XSD + datatype)))


# What stands in a row, and what it is worth.  Numbers and strings do not compare; equal numbers may differ as terms.
HUGE = 2**60  # too great for a word, small enough to be doubled
WORTH: dict[int | bytes, Worth] = {
    **{number: number for number in range(-3, 9)},
    literal("2.5", "decimal"): Fraction(5, 2),
    literal("3.25", "decimal"): Fraction(13, 4),
    literal("3", "double"): 3.0,
    literal("1.5", "double"): 1.5,
    literal("-1.5", "double"): -1.5,
    literal(str(HUGE), "integer"): HUGE,
    literal(str(-HUGE), "integer"): -HUGE,
    literal("b", "string"): "b",
    literal("c", "string"): "c",
}
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Comparison:
    """``?v<held> [+ ?v<other>] sign factor * ?v<event> + offset``, or the other way about."""

    held: str
    other: str
    sign: str
    factor: int
    offset: int
    turned: bool

    def text(self, event: str) -> str:
        kept = f"?v{self.held}" + (f" + ?v{self.other}" if self.other else "")
        mine = f"?v{event}" if (self.factor, self.offset) == (1, 0) else f"{self.factor} * ?v{event} + {self.offset}"
        return f"{mine} {self.sign} {kept}" if self.turned else f"{kept} {self.sign} {mine}"

    def holds(self, row: Mapping[str, int | bytes], event: str) -> bool:
        """False also where SPARQL has an error."""
        kept: Any = WORTH[row[f"v{self.held}"]]
        mine: Any = WORTH[row[f"v{event}"]]
        try:
            if self.other:
                kept = Fraction(0) + kept + WORTH[row[f"v{self.other}"]]
            if (self.factor, self.offset) != (1, 0):
                mine = Fraction(self.factor) * mine + self.offset
            if isinstance(kept, float) or isinstance(mine, float):  # SPARQL promotes the other one, too
                kept, mine = Fraction(0.0 + kept), Fraction(0.0 + mine)
            return SIGNS[self.sign](mine, kept) if self.turned else SIGNS[self.sign](kept, mine)
        except TypeError:  # a string among numbers
            return False


@dataclass(frozen=True)
class Step:
    """An atom, the operator in front of it (none: it comes first), and what it compares."""

    atom: str
    operator: str
    comparisons: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class Chain:
    """``A op B op …`` in a sliding window of time; ``keys`` maybe unbound."""

    steps: tuple[Step, ...]
    keyed: frozenset[str]
    window: int
    optional: bool
    plan: Plan = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "plan", plan_of(self.text, gpm=self.patterns(), within=f"{self.window} SECONDS SLIDING")
        )

    @property
    def text(self) -> str:
        return "".join(f" {step.operator} {step.atom}" for step in self.steps).strip()

    def patterns(self) -> dict[str, str]:
        return {step.atom: self._pattern(step) for step in self.steps}

    def _pattern(self, step: Step) -> str:
        low = step.atom.lower()
        key = f" OPTIONAL {{ ?{low} :key ?k }}" if self.optional else f" . ?{low} :key ?k"
        tests = [one.text(low) for one in step.comparisons]
        return (
            f"?{low} :{step.atom} ?v{low}"
            + (key if step.atom in self.keyed else "")
            + (f" FILTER({' && '.join(tests)})" if tests else "")
        )


@dataclass(frozen=True)
class Partial:
    picks: tuple[int, ...]
    first: int
    last: int
    rows: frozenset[Binding]


def matches(sequence: Chain, events: Sequence[Happening]) -> set[tuple[tuple[int, ...], int]]:
    """The events that matches pick, in the order of atoms, and how many rows each match has."""
    partial = [Partial((), 0, 0, frozenset({()}))]
    for step in sequence.steps:
        partial = [longer for one in partial for longer in _longer(sequence, step, one, events)]
    return {(one.picks, len(one.rows)) for one in partial}


def _longer(sequence: Chain, step: Step, partial: Partial, events: Sequence[Happening]) -> Iterator[Partial]:
    """The partial match with one more event."""
    able = [
        Partial((*partial.picks, number), partial.first if partial.picks else time, time, rows)
        for number, (time, atoms) in enumerate(events)
        if not partial.picks or partial.last < time <= partial.first + sequence.window * 1_000_000
        if (rows := _joined(step, partial.rows, atoms.get(step.atom, ())))
    ]
    first = min((one.last for one in able), default=0)
    for one in able:
        if not partial.picks or step.operator == ":" or one.last == first:
            yield one


def _joined(step: Step, left: frozenset[Binding], right: Sequence[Row]) -> frozenset[Binding]:
    out = set()
    for one in left:
        for other in right:
            held = dict(one)
            if all(held.get(name, value) == value for name, value in other.items()):
                both = {**held, **other}
                if all(comparison.holds(both, step.atom.lower()) for comparison in step.comparisons):
                    out.add(tuple(sorted(both.items())))
    return frozenset(out)


def picked(found: Found) -> set[tuple[tuple[int, ...], int]]:
    """Results of a driver in the same form."""
    rows: dict[tuple[int, ...], int] = {}
    for _, _, _, picks, _ in found:
        numbers = tuple(event for _, event in picks)
        rows[numbers] = rows.get(numbers, 0) + 1
    return set(rows.items())


# ── random ones ──────────────────────────────────────────────────────────────────────────────────────────
def random_sequence(seed: int) -> Chain:
    """Two to four steps; most of them compare their event with earlier ones."""
    chance = random.Random(seed)
    names = "ABCD"[: chance.choice((2, 3, 3, 4))]
    steps = [Step("A", "")]
    for number, name in enumerate(names[1:], 1):
        count = chance.choice((0, 1, 1, 1, 2, 3))
        comparisons = tuple(_comparison(chance, names[:number].lower()) for _ in range(count))
        steps.append(Step(name, chance.choice(";::"), comparisons))
    keyed = frozenset(names) if chance.random() < 0.5 else frozenset(name for name in names if chance.random() < 0.6)
    return Chain(tuple(steps), keyed, chance.randint(3, 20), chance.random() < 0.3)


def _comparison(chance: random.Random, earlier: str) -> Comparison:
    held = chance.choice((earlier[-1], chance.choice(earlier)))
    others = [name for name in earlier if name != held]
    other = chance.choice(others) if others and chance.random() < 0.2 else ""
    factor, offset = chance.choice(((1, 0), (1, 0), (1, 0), (2, 0), (1, -1), (-1, 3)))
    return Comparison(held, other, chance.choice(list(SIGNS)), factor, offset, chance.random() < 0.5)


def random_stream(seed: int, sequence: Chain, count: int, most_rows: int = 1, mixed: bool = False) -> list[Happening]:
    """Events of the sequence's atoms, some at the same time; ``mixed``: not all values compare."""
    chance = random.Random(seed)
    values = list(WORTH) if mixed else [*range(-3, 9), literal("2.5", "decimal"), literal("3.25", "decimal")]
    time, events = 0, []
    for _ in range(count):
        time += chance.choice((0, 1, 1, 1, 2)) * 1_000_000
        atoms = chance.sample([step.atom for step in sequence.steps], chance.choice((1, 1, 2)))
        events.append((time, {name: _rows(chance, sequence, name, values, most_rows) for name in atoms}))
    return events


def _rows(chance: random.Random, sequence: Chain, name: str, values: list[int | bytes], most: int) -> list[Row]:
    rows: set[Binding] = set()
    for _ in range(chance.randint(1, most)):
        row: dict[str, int | bytes] = {f"v{name.lower()}": chance.choice(values), name.lower(): 1}
        if name in sequence.keyed and not (sequence.optional and chance.random() < 0.2):
            row["k"] = chance.randint(0, 1)
        rows.add(tuple(sorted(row.items(), key=str)))
    return [dict(row) for row in sorted(rows, key=str)]
