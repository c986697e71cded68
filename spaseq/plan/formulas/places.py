"""The places of a formula: its picks, the steps between them, and where its filters look for events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spaseq.pattern.formulas.query import ForAll, Pick


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
