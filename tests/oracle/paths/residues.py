"""What remains of an expression after some steps: Antimirov's partial derivatives, with conditions asked at each node.

These only tell how far to look and where not to; what matches is decided by ``matches``, and the tests compare the two.
A residue is a set of sequences of factors, of which the rest of the path must match one.
"""

from __future__ import annotations

from functools import cache

from .conditions import holds
from .model import Alternative, Condition, Expression, Forward, Inverse, Negated, Repeat, Sequence, Step, Term

Factors = tuple[Expression, ...]
Residue = frozenset[Factors]


def whole(expression: Expression) -> Residue:
    """Before the first step."""
    return frozenset([(straight(expression),)])


@cache
def after(residue: Residue, node: Term, step: Step) -> Residue:
    """What remains after a step from this node."""
    return frozenset(rest for factors in residue for rest in _after_all(factors, node, step))


@cache
def done(residue: Residue, node: Term) -> bool:
    """Whether the path may end at this node."""
    return any(all(_passes(factor, node) for factor in factors) for factors in residue)


def straight(expression: Expression, turned: bool = False) -> Expression:
    """The same with `^` at single predicates only; ``turned``: of the reversed path."""
    match expression:
        case Forward():
            return Inverse(expression) if turned else expression
        case Negated(members):
            return Negated(tuple((predicate, inverse != turned) for predicate, inverse in members))
        case Condition():
            return expression
        case Inverse(body):
            return straight(body, not turned)
        case Sequence(left, right):
            first, second = (right, left) if turned else (left, right)
            return Sequence(straight(first, turned), straight(second, turned))
        case Alternative(left, right):
            return Alternative(straight(left, turned), straight(right, turned))
        case Repeat(body, least, most):
            return Repeat(straight(body, turned), least, most)


def _passes(expression: Expression, node: Term) -> bool:
    """Whether the path of length 0 at this node matches."""
    match expression:
        case Condition():
            return holds(expression, node)
        case Sequence(left, right):
            return _passes(left, node) and _passes(right, node)
        case Alternative(left, right):
            return _passes(left, node) or _passes(right, node)
        case Repeat(body, least, _):
            return least == 0 or _passes(body, node)
        case _:
            return False


def _after_all(factors: Factors, node: Term, step: Step) -> set[Factors]:
    if not factors:
        return set()
    first, rest = factors[0], factors[1:]
    found = {begun + rest for begun in _after(first, node, step)}
    return found | _after_all(rest, node, step) if _passes(first, node) else found


def _after(expression: Expression, node: Term, step: Step) -> set[Factors]:
    match expression:
        case Forward(predicate):
            return {()} if step == (predicate, False) else set()
        case Inverse(Forward(predicate)):
            return {()} if step == (predicate, True) else set()
        case Negated():
            return {()} if expression.takes(step) else set()
        case Sequence(left, right):
            return _after_all((left, right), node, step)
        case Alternative(left, right):
            return _after(left, node, step) | _after(right, node, step)
        case Repeat(body):
            begun = _after(body, node, step)
            return {first + rest for first in begun for rest in _repeats_left(expression, node)}
        case _:
            return set()


def _repeats_left(repeat: Repeat, node: Term) -> list[Factors]:
    """What is left of a repetition when one repeat takes a step.

    If the body passes here, some repeats may stay here before: they could be unable to pass later.
    """
    body, least, most = repeat.body, repeat.least, repeat.most
    if most == 0:
        return []
    staying = range(max(least, 1)) if _passes(body, node) else range(1)
    left = [Repeat(body, max(least - 1 - stay, 0), None if most is None else most - 1 - stay) for stay in staying]
    return [() if one.most == 0 else (one,) for one in left]
