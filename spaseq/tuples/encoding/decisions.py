"""Conditions, of which the truth of some literals is known, and what is left of them to decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spaseq.pattern.formulas.predicates import And, Or, Predicate
from spaseq.tuples.columns.predicates import Literal


class Connective(NamedTuple):
    """All of the parts hold (``every``), or at least one does; these are different and not decided."""

    every: bool
    parts: tuple[Condition, ...]


Condition = bool | str | Connective  # decided, or a literal by its name


def name_of(literal: Literal) -> str:
    """Literals with one name are the same; by Python's equality, ``x + 1 > y`` would be ``x + 1.0 > y``."""
    return repr(literal)


def condition(predicate: Predicate, literals: dict[str, Literal]) -> Condition:
    """A predicate in normal form, whose literals are added to those by name."""
    if isinstance(predicate, And | Or):
        return _joined(isinstance(predicate, And), [condition(part, literals) for part in predicate.parts])
    name = name_of(predicate)
    literals.setdefault(name, predicate)
    return name


def decided(left: Condition, known: Mapping[str, bool]) -> Condition:
    """What is left of a condition when the truth of some literals is known."""
    if isinstance(left, bool):
        return left
    if isinstance(left, str):
        return known.get(left, left)
    return _joined(left.every, [decided(part, known) for part in left.parts])


def _joined(every: bool, parts: list[Condition]) -> Condition:
    found = tuple(dict.fromkeys(part for part in parts if part is not every))
    if (not every) in found:
        return not every
    return every if not found else found[0] if len(found) == 1 else Connective(every, found)
