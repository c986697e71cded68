"""``φ ALL ψ``: the places of both, in every order (the shuffle product of their automata; semantics.md 3.6).

A place of ALL says where each side is, and which of them, or both, picked the last event.  A side goes on from its own
last pick: what wants the very next event can only go on if that was its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from spaseq.errors import QueryError
from spaseq.pattern.formulas.predicates import conjunction
from spaseq.pattern.formulas.query import Pick
from spaseq.pattern.sequences import MOST_STEPS
from spaseq.plan.formulas.places import Place, PlaceStep, Scope

LEFT, RIGHT, BOTH = 1, 2, 3  # who picked the last event, as bits
Followers = dict[int | None, list[tuple[int, PlaceStep]]]


@dataclass(frozen=True, slots=True)
class PlacedSide:
    """A formula as places of its own: those that can come first, and last, and the scopes of its filters."""

    places: Sequence[Place]
    first: frozenset[int]
    last: frozenset[int]
    scopes: Sequence[Scope]

    def followers(self, scopes: int) -> Followers:
        """The steps out of each place, and those into the side (None); with the places that they lead to.

        There are so many ``scopes`` before its own.
        """
        found: Followers = {None: [(number, PlaceStep(-1)) for number in sorted(self.first)]}
        for number, one in enumerate(self.places):
            for step in sorted(one.steps, key=lambda step: (step.before, step.contiguous, sorted(step.resets))):
                found.setdefault(step.before, []).append((number, _behind(step, 0, scopes)))
        return found


@dataclass(frozen=True, slots=True)
class Joint:
    """Where both sides are; None: not begun."""

    left: int | None
    right: int | None
    last: int  # LEFT, RIGHT or BOTH


class _Shuffle:
    """The places that can be reached, by where the sides are, with the steps into each of them."""

    def __init__(self, left: PlacedSide, right: PlacedSide) -> None:
        self.left, self.right = left, right
        self.after = left.followers(0), right.followers(len(left.scopes))
        self.like = _alike(left, self.after[0]), _alike(right, self.after[1])
        self.steps: dict[Joint, set[tuple[Joint, PlaceStep]]] = {}

    def picks(self, joint: Joint) -> list[Pick]:
        """What the last event there is picked as."""
        left = self.left.places[joint.left].picks if joint.left is not None else []
        right = self.right.places[joint.right].picks if joint.right is not None else []
        if joint.last == BOTH:
            return [both for one in left for other in right if (both := _joined(one, other)) is not None]
        return list(left if joint.last == LEFT else right)

    def ways(self, joint: Joint, who: int) -> list[tuple[int, PlaceStep]]:
        """The steps of one side from there: by the very next event only where its own pick was the last one."""
        after, place = (self.after[0], joint.left) if who == LEFT else (self.after[1], joint.right)
        return [found for found in after.get(place, ()) if joint.last & who or not found[1].contiguous]

    def moves(self, joint: Joint) -> Iterator[tuple[Joint, PlaceStep]]:
        """The steps out of a place, each with where it leads."""
        left, right = self.ways(joint, LEFT), self.ways(joint, RIGHT)
        for place, step in left:
            yield Joint(place, self.like[1].get(joint.right), LEFT), step
        for place, step in right:
            yield Joint(self.like[0].get(joint.left), place, RIGHT), step
        for place, step in left:
            for other, also in right:
                contiguous = step.contiguous or also.contiguous
                yield Joint(place, other, BOTH), PlaceStep(-1, contiguous, step.resets | also.resets)

    def first(self) -> list[Joint]:
        """The places that come first."""
        return [joint for joint, _ in self.moves(Joint(None, None, 0)) if self.picks(joint)]

    def is_last(self, joint: Joint) -> bool:
        """Whether both sides are complete."""
        return joint.left in self.left.last and joint.right in self.right.last

    def explore(self) -> None:
        """Find all places that can be reached."""
        waiting = deque(self.first())
        self.steps = {joint: set() for joint in waiting}
        while waiting:
            joint = waiting.popleft()
            for after, step in self.moves(joint):
                if after not in self.steps:
                    if not self.picks(after):
                        continue
                    self.steps[after] = set()
                    waiting.append(after)
                    if len(self.steps) > MOST_STEPS:
                        raise QueryError(f"ALL stands for more than {MOST_STEPS:,} picks, its orders written out")
                self.steps[after].add((joint, step))

    def useful(self) -> list[Joint]:
        """Those that lead to an end, in the order in which they were found."""
        found = {joint for joint in self.steps if self.is_last(joint)}
        waiting = list(found)
        while waiting:
            for before, _ in self.steps[waiting.pop()]:
                if before not in found:
                    found.add(before)
                    waiting.append(before)
        return [joint for joint in self.steps if joint in found]


def _alike(side: PlacedSide, after: Followers) -> dict[int | None, int]:
    """For each place the first one from which a side goes on alike, once the other side has picked an event."""
    first: dict[object, int] = {}
    found: dict[int | None, int] = {}
    for place in range(len(side.places)):
        steps = frozenset((number, step.resets) for number, step in after.get(place, ()) if not step.contiguous)
        found[place] = first.setdefault((steps, place in side.last), place)
    return found


def _joined(one: Pick, other: Pick) -> Pick | None:
    """The pick of an event that both sides pick; None if there is none."""
    if one.type != other.type or (one.stream and other.stream and one.stream != other.stream):
        return None
    predicate = conjunction(one.predicate, other.predicate)
    return Pick(one.type, one.stream or other.stream, one.variables | other.variables, predicate)


def shuffled(left: PlacedSide, right: PlacedSide) -> PlacedSide:
    """``left ALL right``; the scopes of the right side have their numbers behind those of the left one."""
    shuffle = _Shuffle(left, right)
    shuffle.explore()
    useful = shuffle.useful()
    numbers = {joint: number for number, joint in enumerate(useful)}
    places = [Place(shuffle.picks(joint)) for joint in useful]
    for joint, number in numbers.items():
        places[number].steps = {
            replace(step, before=numbers[before]) for before, step in shuffle.steps[joint] if before in numbers
        }
    scopes = [_scope(one, numbers, LEFT) for one in left.scopes] + [_scope(one, numbers, RIGHT) for one in right.scopes]
    first = frozenset(numbers[joint] for joint in shuffle.first() if joint in numbers)
    return PlacedSide(places, first, frozenset(numbers[joint] for joint in useful if shuffle.is_last(joint)), scopes)


def _scope(scope: Scope, numbers: dict[Joint, int], who: int) -> Scope:
    """A side's scope: it sees what that side picks."""
    at = (number for joint, number in numbers.items() if joint.last & who and _place(joint, who) in scope.places)
    return Scope(scope.filter, frozenset(at))


def _place(joint: Joint, who: int) -> int | None:
    return joint.left if who == LEFT else joint.right


def moved(side: PlacedSide, places: int, scopes: int) -> PlacedSide:
    """The side with the numbers of its places and scopes behind so many others."""
    steps = [{_behind(step, places, scopes) for step in one.steps} for one in side.places]
    return PlacedSide(
        [replace(one, steps=some) for one, some in zip(side.places, steps, strict=True)],
        _all_behind(side.first, places),
        _all_behind(side.last, places),
        [replace(one, places=_all_behind(one.places, places)) for one in side.scopes],
    )


def _behind(step: PlaceStep, places: int, scopes: int) -> PlaceStep:
    return PlaceStep(step.before + places, step.contiguous, _all_behind(step.resets, scopes))


def _all_behind(numbers: Iterable[int], others: int) -> frozenset[int]:
    return frozenset(number + others for number in numbers)
