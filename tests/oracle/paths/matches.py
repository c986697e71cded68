"""Whether a path matches an expression, straight from the definition."""

from __future__ import annotations

from functools import cached_property

from .conditions import holds
from .model import Alternative, Condition, Expression, Forward, Inverse, Negated, Path, Repeat, Sequence


def matches(path: Path, expression: Expression) -> bool:
    return Matching(path).part(expression, 0, len(path))


class Matching:
    """Which parts of a path match what.  A part is given by the places of its first and last node."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[tuple[Expression, int, int], bool] = {}
        self._split: dict[tuple[Expression, int, int, int], bool] = {}

    @cached_property
    def other_way(self) -> Matching:
        """The same of the reversed path."""
        other = Matching(self.path.reversed())
        other.__dict__["other_way"] = self
        return other

    def part(self, expression: Expression, first: int, last: int) -> bool:
        """Whether this part of the path matches."""
        key = (expression, first, last)
        if key not in self._known:
            self._known[key] = self._matches(expression, first, last)
        return self._known[key]

    def _matches(self, expression: Expression, first: int, last: int) -> bool:
        match expression:
            case Forward(predicate):
                return last - first == 1 and self.path.steps[first] == (predicate, False)
            case Negated():
                return last - first == 1 and expression.takes(self.path.steps[first])
            case Condition():
                return first == last and holds(expression, self.path.nodes[first])
            case Inverse(body):
                return self.other_way.part(body, len(self.path) - last, len(self.path) - first)
            case Sequence(left, right):
                middles = range(first, last + 1)
                return any(self.part(left, first, middle) and self.part(right, middle, last) for middle in middles)
            case Alternative(left, right):
                return self.part(left, first, last) or self.part(right, first, last)
            case Repeat(body, least, most):
                return any(self._times(body, first, last, times) for times in _counts(least, most, last - first))

    def _times(self, body: Expression, first: int, last: int, times: int) -> bool:
        """Whether this part splits into so many parts that each match the body."""
        if times == 0:
            return first == last
        key = (body, first, last, times)
        if key not in self._split:
            middles = range(first, last + 1)
            self._split[key] = any(
                self.part(body, first, middle) and self._times(body, middle, last, times - 1) for middle in middles
            )
        return self._split[key]


def _counts(least: int, most: int | None, length: int) -> range:
    """The numbers of parts to try.

    Of more parts than steps some are of length 0 and may be left out, as long as ``least`` remain.
    """
    enough = max(least, length)
    return range(least, (enough if most is None else min(most, enough)) + 1)
