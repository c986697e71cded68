"""What a filter on several variables asks, clause by clause: comparisons of two values, and all the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spaseq.pattern.formulas.predicates import (
    And,
    Comparison,
    Predicate,
    Value,
    attributes,
    local,
    local_value,
    normal,
)
from spaseq.pattern.formulas.query import ForAll

_TURNED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Compared:
    """``left operator right`` with one of ``= != < <=``, of all events of one variable and all of another.

    The values are those of an event by itself; ``written`` is the comparison as it stands.
    """

    operator: str
    variables: tuple[str, str]
    left: Value
    right: Value
    written: Predicate

    def value(self, variable: str) -> Value:
        """The side of one of the variables."""
        return self.left if variable == self.variables[0] else self.right


@dataclass(frozen=True, slots=True)
class Asked:
    """A predicate on one event of each of the variables, whatever it is made of, for all choices of them."""

    variables: tuple[str, ...]
    predicate: Predicate


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """What ``asked`` implies of all but its last variable: a ``value`` of theirs, compared with ``bound`` of the last.

    ``operator`` is one of ``< <= =``, with the value to the left (``is_left``) or the right of it.  ``bound`` is of an
    event by itself.
    """

    asked: Asked
    operator: str
    variables: tuple[str, ...]
    value: Value
    last: str
    bound: Value
    is_left: bool

    @property
    def written(self) -> Predicate:
        """The comparison as it stands."""
        return self.asked.predicate


Clause = Compared | Asked


def clauses(condition: ForAll, texts: frozenset[str]) -> Iterator[Clause]:
    """The filter's clauses, all of which must hold; ``texts`` are the attributes that have texts."""
    for part in _parts(normal(condition.predicate)):
        yield _compared(part, condition, texts) or Asked(condition.variables, part)


def _compared(part: Predicate, condition: ForAll, texts: frozenset[str]) -> Compared | None:
    """The clause as a comparison of two values, each of one variable; None if it is none."""
    if not isinstance(part, Comparison) or len(condition.variables) != 2:
        return None
    left, right, operator = part.left, part.right, part.operator
    if operator in _TURNED:
        left, right, operator = right, left, _TURNED[operator]
    names = [{attribute.variable or "" for attribute in attributes(side)} for side in (left, right)]
    if [len(some) for some in names] != [1, 1] or set.union(*names) != set(condition.variables):
        return None
    if operator in ("<", "<=") and any(attribute.name in texts for attribute in attributes(part)):
        return None
    (first,), (second,) = names
    own = local(Comparison(operator, left, right))
    assert isinstance(own, Comparison)
    return Compared(operator, (first, second), own.left, own.right, part)


def joined(asked: Asked) -> Joined | None:
    """The clause as a comparison of a number of several variables with one of another; None if it is none."""
    part = asked.predicate
    if not isinstance(part, Comparison) or part.operator == "!=":
        return None
    left, right, operator = part.left, part.right, part.operator
    if operator in _TURNED:
        left, right, operator = right, left, _TURNED[operator]
    names = [tuple(dict.fromkeys(attribute.variable or "" for attribute in attributes(side))) for side in (left, right)]
    if sorted(map(len, names)) != [1, len(asked.variables) - 1] or set(names[0]) & set(names[1]):
        return None
    is_left = len(names[0]) > 1
    value, bound = (left, right) if is_left else (right, left)
    several, (last,) = names if is_left else reversed(names)
    return Joined(asked, operator, several, value, last, local_value(bound), is_left) if len(several) > 1 else None


def _parts(predicate: Predicate) -> Iterator[Predicate]:
    """What must hold, conjunctions within conjunctions taken apart."""
    if isinstance(predicate, And):
        for part in predicate.parts:
            yield from _parts(part)
    else:
        yield predicate
