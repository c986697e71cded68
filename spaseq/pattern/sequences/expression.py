"""Sequence expressions (SEMANTICS 3): how events follow each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Strategy(Enum):
    """How the next event is chosen; the value is the operator's spelling."""

    ANY = ":"
    NEXT = ";"
    STRICT = ","


@dataclass(frozen=True, slots=True)
class Atom:
    """One event that matches the GPM called ``name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Conjunction:
    """``left & right`` of BOps: one event for each, at one timestamp."""

    left: SequenceExpression
    right: SequenceExpression


@dataclass(frozen=True, slots=True)
class Disjunction:
    """``left | right``."""

    left: SequenceExpression
    right: SequenceExpression


@dataclass(frozen=True, slots=True)
class Sequence:
    """``left ∘ right`` with ``∘`` the operator of ``strategy``."""

    left: SequenceExpression
    strategy: Strategy
    right: SequenceExpression


@dataclass(frozen=True, slots=True)
class Kleene:
    """``least`` to ``most`` (None: any number of) iterations of ``body``; ``least`` is at least 1.

    ``X*`` and ``X{0,m}`` are an Optional of a Kleene.  ``strategy`` is the iteration operator, defaults resolved.
    """

    body: SequenceExpression
    least: int
    most: int | None
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Optional:
    """``body?``: taken, or absent (SEMANTICS 3.2)."""

    body: SequenceExpression


@dataclass(frozen=True, slots=True)
class Negation:
    """``body!`` of a BOp, an element of a sequence."""

    body: SequenceExpression


SequenceExpression = Atom | Conjunction | Disjunction | Sequence | Kleene | Optional | Negation
