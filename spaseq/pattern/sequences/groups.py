"""Who is in which Kleene, and which variables are group variables (SEMANTICS 3.1).

All of it works on occurrences: a GPM may stand in a sequence several times, in different places.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass

from spaseq.pattern.sequences.expression import (
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Optional,
    Sequence,
    SequenceExpression,
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place of an atom in a sequence: ``kleenes`` around it, outermost first; ``negated`` if it is part of ``X!``.

    Kleenes are numbered from 0 in the order in which they begin, an outer one before those in its body.
    """

    name: str
    kleenes: tuple[int, ...]
    negated: bool


def occurrences(expression: SequenceExpression) -> tuple[Occurrence, ...]:
    """The occurrences of atoms in ``expression``, from left to right."""
    return tuple(_occurrences(expression, (), False, _Counter()))


def picked(expression: SequenceExpression) -> tuple[str, ...]:
    """The GPMs whose events a match may pick, in order of first mention."""
    return tuple(dict.fromkeys(each.name for each in occurrences(expression) if not each.negated))


def group_variables(
    expression: SequenceExpression, variables: Mapping[str, Collection[str]], keys: Container[str] = ()
) -> tuple[frozenset[str], ...]:
    """The group variables of every Kleene, by its number; ``variables`` are those in scope in each atom by name.

    ``keys`` are those of PARTITION BY: they are equal in all iterations, so no group variables (SEMANTICS 3.5).
    """
    variables = {atom: [name for name in names if name not in keys] for atom, names in variables.items()}
    places = occurrences(expression)
    number = 1 + max((kleene for place in places for kleene in place.kleenes), default=-1)
    return tuple(_group_variables(kleene, places, variables) for kleene in range(number))


def owner(variable: str, place: Occurrence, groups: tuple[frozenset[str], ...]) -> int | None:
    """The innermost Kleene around ``place`` that has ``variable`` as a group variable, if there is one."""
    owners = [kleene for kleene in place.kleenes if variable in groups[kleene]]
    return owners[-1] if owners else None


def _group_variables(
    kleene: int, places: tuple[Occurrence, ...], variables: Mapping[str, Collection[str]]
) -> frozenset[str]:
    inside = {name for place in places if kleene in place.kleenes for name in variables[place.name]}
    outside = {
        name for place in places if kleene not in place.kleenes and not place.negated for name in variables[place.name]
    }
    return frozenset(inside - outside)


class _Counter:
    """Hands out the numbers of Kleenes."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> int:
        self.count += 1
        return self.count - 1


def _occurrences(
    expression: SequenceExpression, kleenes: tuple[int, ...], negated: bool, counter: _Counter
) -> Iterator[Occurrence]:
    match expression:
        case Atom(name):
            yield Occurrence(name, kleenes, negated)
        case Sequence(left, _, right) | Conjunction(left, right) | Disjunction(left, right):
            yield from _occurrences(left, kleenes, negated, counter)
            yield from _occurrences(right, kleenes, negated, counter)
        case Kleene(body):
            yield from _occurrences(body, (*kleenes, counter.next()), negated, counter)
        case Optional(body):
            yield from _occurrences(body, kleenes, negated, counter)
        case Negation(body):
            yield from _occurrences(body, kleenes, True, counter)
