"""Which places of an automaton come behind which, as sets of bits: bit n stands for place n."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spaseq.plan.formulas.places import PlaceStep

Reset = tuple[int, PlaceStep]


def bits_of(places: Iterable[int]) -> int:
    """Places as bits."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


def places_in(bits: int) -> Iterator[int]:
    """The places of bits, the least first."""
    while bits:
        least = bits & -bits
        yield least.bit_length() - 1
        bits ^= least


def behind_all(relation: Sequence[int]) -> list[int]:
    """The places that come behind each place, however far; ``relation`` has those that come right behind it."""
    found = list(relation)
    changed = True
    while changed:
        changed = False
        for place in reversed(range(len(found))):  # most steps lead forward: their ends are known already
            more = found[place]
            for after in places_in(relation[place]):
                more |= found[after]
            changed = changed or more != found[place]
            found[place] = more
    return found


class Reaching:
    """Which places come behind which, as long as a scope lasts: without the steps that begin it anew."""

    def __init__(self, steps: Sequence[Sequence[PlaceStep]]) -> None:
        self._steps = steps
        self._resets: dict[int, set[Reset]] = {}
        for target, into in enumerate(steps):
            for step in into:
                for scope in step.resets:
                    self._resets.setdefault(scope, set()).add((target, step))
        self._behind: dict[frozenset[Reset], list[int]] = {}

    def resets(self, scope: int) -> frozenset[Reset]:
        """The steps that begin a scope anew: scopes for which they are the same last equally long."""
        return frozenset(self._resets.get(scope, ()))

    def behind(self, scope: int) -> list[int]:
        """The places behind each place, as bits."""
        without = self.resets(scope)
        if without not in self._behind:
            relation = [0] * len(self._steps)
            for target, into in enumerate(self._steps):
                for step in into:
                    if (target, step) not in without:
                        relation[step.before] |= 1 << target
            self._behind[without] = behind_all(relation)
        return self._behind[without]

    def behind_any(self, places: Iterable[int], scope: int) -> int:
        """The places behind some of ``places``, as bits."""
        found, behind = 0, self.behind(scope)
        for place in places:
            found |= behind[place]
        return found
