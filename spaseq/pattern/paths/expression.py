"""Expressions over relations (SEMANTICS 6): a path matches one if its steps, in order, are a word of the expression.

``^`` of anything but a step is written out: see ``inverted``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gpm.algebra import Expression


@dataclass(frozen=True, slots=True)
class EdgeStep:
    """One edge with the IRI ``predicate``, from its object to its subject if ``inverse``."""

    predicate: str
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class NegatedStep:
    """One edge with none of these predicates: ``forward`` ones of an edge in its direction, ``inverse`` against it.

    None: no edge is taken in that direction.  Both None is no step at all, and never made.
    """

    forward: tuple[str, ...] | None
    inverse: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NodeCondition:
    """No edge: the path is at a node for which ``expression`` is true, the node being its ``variable``.

    An expression that has no value (an error) is not true.
    """

    variable: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class PathSequence:
    """One part after the other; without parts it is the path of length 0."""

    parts: tuple[PathExpression, ...]


@dataclass(frozen=True, slots=True)
class PathAlternatives:
    """Any one of the parts, of which there are two at least."""

    parts: tuple[PathExpression, ...]


@dataclass(frozen=True, slots=True)
class PathRepetition:
    """``body`` from ``least`` to ``most`` times; None: as often as you like."""

    body: PathExpression
    least: int = 0
    most: int | None = None


PathExpression: TypeAlias = EdgeStep | NegatedStep | NodeCondition | PathSequence | PathAlternatives | PathRepetition
EMPTY_PATH = PathSequence(())


def inverted(expression: PathExpression) -> PathExpression:
    """``^expression``: its paths from their end to their start."""
    match expression:
        case EdgeStep(predicate, inverse):
            return EdgeStep(predicate, not inverse)
        case NegatedStep(forward, inverse):
            return NegatedStep(inverse, forward)
        case NodeCondition():
            return expression
        case PathSequence(parts):
            return PathSequence(tuple(map(inverted, reversed(parts))))
        case PathAlternatives(parts):
            return PathAlternatives(tuple(map(inverted, parts)))
        case PathRepetition(body, least, most):
            return PathRepetition(inverted(body), least, most)


def is_unbounded(expression: PathExpression) -> bool:
    """Whether paths of any length may match: something with a step in it is repeated without a bound."""
    match expression:
        case PathSequence(parts) | PathAlternatives(parts):
            return any(map(is_unbounded, parts))
        case PathRepetition(body, _, most):
            return most != 0 and (is_unbounded(body) or (most is None and has_step(body)))
        case _:
            return False


def has_step(expression: PathExpression) -> bool:
    """Whether some path of the expression has an edge."""
    match expression:
        case EdgeStep() | NegatedStep():
            return True
        case PathSequence(parts) | PathAlternatives(parts):
            return any(map(has_step, parts))
        case PathRepetition(body, _, most):
            return most != 0 and has_step(body)
        case _:
            return False
