"""Glushkov's construction: the picks of a formula as places, and the steps between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spaseq.pattern.formulas.query import Alternation, Filtered, ForAll, Formula, Iteration, Pick, Sequencing


@dataclass(frozen=True, slots=True)
class PlaceStep:
    """From the place ``before``; if ``contiguous``, by the very next event alone.

    ``resets`` are the scopes that begin anew with it: those within an iteration that it enters again.
    """

    before: int
    contiguous: bool = False
    resets: frozenset[int] = frozenset()


@dataclass(slots=True)
class Place:
    """Picks that are asked for at one place, one of which an event must match, and how one comes there."""

    picks: list[Pick]
    initial: bool = False
    final: bool = False
    steps: set[PlaceStep] = field(default_factory=set)

    @property
    def variables(self) -> frozenset[str]:
        """The variables that hold what is picked here."""
        return self.picks[0].variables

    @property
    def before(self) -> frozenset[int]:
        """The places that can come right before this one."""
        return frozenset(step.before for step in self.steps)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a filter on several variables looks for their events: at some places, since the scope began."""

    filter: ForAll
    places: frozenset[int]

    def held_by(self, variable: str, places: Sequence[Place]) -> frozenset[int]:
        """Its places whose picks the variable holds."""
        return frozenset(number for number in self.places if variable in places[number].variables)


def placed(formula: Formula) -> tuple[list[Place], list[Scope]]:
    """The places of a formula in normal form, and the scopes of its filters, both by number."""
    construction = _Construction()
    first, last = construction.add(formula)
    for number in first:
        construction.places[number].initial = True
    for number in last:
        construction.places[number].final = True
    return construction.places, construction.scopes


class _Construction:
    def __init__(self) -> None:
        self.places: list[Place] = []
        self.scopes: list[Scope] = []

    def add(self, formula: Formula) -> tuple[frozenset[int], frozenset[int]]:
        """Add the places of a formula; gives those that can come first in it, and last."""
        match formula:
            case Pick():
                self.places.append(Place([formula]))
                alone = frozenset((len(self.places) - 1,))
                return alone, alone
            case Alternation(left, right):
                (first, last), (others, final) = self.add(left), self.add(right)
                return first | others, last | final
            case Sequencing(left, right, contiguous):
                (first, last), (others, final) = self.add(left), self.add(right)
                self.connect(last, others, contiguous)
                return first, final
            case Iteration(body, contiguous):
                scopes = len(self.scopes)
                first, last = self.add(body)
                self.connect(last, first, contiguous, range(scopes, len(self.scopes)))
                return first, last
            case Filtered(body, ForAll() as condition):
                places = len(self.places)
                ends = self.add(body)
                self.scopes.append(Scope(condition, frozenset(range(places, len(self.places)))))
                return ends
        raise AssertionError("not in normal form")

    def connect(
        self, before: Iterable[int], after: Iterable[int], contiguous: bool, resets: Iterable[int] = ()
    ) -> None:
        scopes = frozenset(resets)
        for number in after:
            self.places[number].steps |= {PlaceStep(one, contiguous, scopes) for one in before}


def without_needless(place: Place) -> list[PlaceStep]:
    """The steps into a place, in order, without the contiguous ones that any event may take as well."""
    free = {(step.before, step.resets) for step in place.steps if not step.contiguous}
    left = [step for step in place.steps if not (step.contiguous and (step.before, step.resets) in free)]
    return sorted(left, key=lambda step: (step.contiguous, step.before, sorted(step.resets)))
