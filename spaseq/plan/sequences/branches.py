"""What begins in the states from which sides of ``X && Y`` go on, and what of it excludes what (semantics.md 3.6)."""

from __future__ import annotations

from typing import Protocol

from spaseq.errors import QueryError
from spaseq.pattern.sequences import Strategy
from spaseq.plan.sequences.graph import START, Fork
from spaseq.plan.sequences.states import Exit, Way

MOST_BRANCHES = 28  # that may begin in one state
MOST_FORKS = 255  # states
BEGUN = "!begun"  # the column that says which branches have begun from a partial match


class ForkedStates(Protocol):
    """What is asked of the analysis of a query."""

    @property
    def exits(self) -> tuple[Exit, ...]:
        """All states."""

    @property
    def forking(self) -> frozenset[Exit]:
        """Those in which sides of && begin."""

    @property
    def ways_from(self) -> dict[Exit, list[Way]]:
        """The ways out of each state."""

    def passes(self, state: Exit) -> bool:
        """Whether every event of their substream ends the stay of partial matches in the state."""


class Branches:
    """What begins in the states from which sides go on: under one ``;`` the branches of a ``|`` compete, sides do not.

    A branch is told by the sides that begin with its steps; branch 0 is what is in no side.
    """

    def __init__(self, analysis: ForkedStates) -> None:
        self._analysis = analysis
        self._forks = {
            state: number for number, state in enumerate(one for one in analysis.exits if one in analysis.forking)
        }
        self._known: dict[Exit, list[tuple[Fork, ...]]] = {
            state: list(dict.fromkeys(way.forks for way in analysis.ways_from[state])) for state in self._forks
        }
        for state, known in self._known.items():
            if analysis.passes(state):
                known.append(())
            if self._competes(state) and len(known) > MOST_BRANCHES:
                raise QueryError(f"more than {MOST_BRANCHES} parts of && and | begin at one “;”")
        if len(self._forks) > MOST_FORKS:
            raise QueryError(f"&& begins in more than {MOST_FORKS} places of the automaton")

    def _competes(self, state: Exit) -> bool:
        """Whether what has begun takes partial matches away."""
        return state.node != START and (state.strategy is Strategy.NEXT or self._analysis.passes(state))

    def fork(self, state: Exit) -> int | None:
        """The state's number among those from which sides go on."""
        return self._forks.get(state)

    def of_way(self, way: Way) -> int:
        """The branch that begins with a step."""
        known = self._known.get(way.source)
        return known.index(way.forks) if known and self._competes(way.source) else 0

    def away(self, state: Exit) -> int:
        """That of an event which only takes partial matches away."""
        return self._known[state].index(()) if state in self._known else 0

    def beaten(self, state: Exit) -> tuple[int, ...]:
        """For each branch of a state those (bits) that it beats, itself included; none where nothing competes."""
        if state not in self._known or not self._competes(state):
            return ()
        known = self._known[state]
        return tuple(sum(_compete(one, other) << number for number, other in enumerate(known)) for one in known)


def _compete(one: tuple[Fork, ...], other: tuple[Fork, ...]) -> bool:
    """Whether two branches exclude each other: they do not where they are different sides of one &&."""
    for left, right in zip(one, other, strict=False):
        if left.junction != right.junction:
            return True
        if left.side != right.side:
            return False
    return True
