"""What can be bound when a filter is tested, and what must be bound for it to be true."""

from __future__ import annotations

from collections.abc import Mapping

from gpm import algebra
from spaseq.pattern.sequences import (
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Negation,
    Optional,
    Sequence,
    SequenceExpression,
)

Names = frozenset[str]
NONE: Names = frozenset()


def needed(expression: algebra.Expression, outcome: bool = True) -> Names:
    """The variables without which ``expression`` cannot come out as ``outcome``; PREV(?v) is listed as ``PREV v``.

    Errs on the side of too few: what SPARQL's error handling can rescue is left out.
    """
    match expression:
        case algebra.Operation("&&" | "||" as name, (left, right)):
            both = needed(left, outcome), needed(right, outcome)
            # `a && b` is true only if both are; it is false as soon as one is.  `||` is the mirror image.
            return both[0] | both[1] if (name == "&&") == outcome else both[0] & both[1]
        case algebra.Operation("!", (operand,)):
            return needed(operand, not outcome)
        case algebra.Operation("BOUND", (operand,)):
            return _value(operand) if outcome else NONE
    return _value(expression)


def _value(expression: algebra.Expression) -> Names:
    """The variables without which ``expression`` has no value."""
    match expression:
        case algebra.Variable(name):
            return frozenset((name,))
        case algebra.Previous(variable):
            return frozenset((f"PREV {variable.name}",))
        case algebra.Operation("&&" | "||" | "!"):
            return needed(expression, True) & needed(expression, False)
        case algebra.Operation("BOUND"):
            return NONE
        case algebra.Operation("COALESCE", arguments):
            return frozenset.intersection(*map(_value, arguments)) if arguments else NONE
        case algebra.Operation("IF", (condition, yes, no)):
            return needed(condition, True) & needed(condition, False) | _value(yes) & _value(no)
        case algebra.Operation("IN", arguments):
            return _value(arguments[0])
        case algebra.Operation(_, arguments):
            return NONE.union(*map(_value, arguments))
    return NONE


def available(
    expression: SequenceExpression, variables: Mapping[str, tuple[str, ...]], groups: tuple[Names, ...]
) -> dict[str, Names]:
    """For each atom the variables that can be bound when its filters are tested, in any of its places.

    ``variables`` are those in scope in each atom, ``groups`` the group variables of each Kleene: they are unset before
    every iteration, while other variables of the body may have been bound by an earlier one.
    """
    finder = _Finder(variables, groups)
    finder.whole = finder.binds(expression)
    finder.visit(expression, NONE)
    return finder.found


def bound_at_ends(
    expression: SequenceExpression,
    variables: Mapping[str, tuple[str, ...]],
    groups: tuple[Names, ...],
    keys: tuple[str, ...] = (),
) -> tuple[Names, ...]:
    """For each Kleene the variables that can be bound when one of its iterations ends; ``keys`` always are."""
    finder = _Finder(variables, groups)
    finder.visit(expression, frozenset(keys))
    return tuple(finder.ends)


class _Finder:
    def __init__(self, variables: Mapping[str, tuple[str, ...]], groups: tuple[Names, ...]) -> None:
        self.variables = variables
        self.groups = enumerate(groups)  # Kleenes are visited in the order of their numbers
        self.whole = NONE
        self.found: dict[str, Names] = {}
        self.ends = [NONE] * len(groups)

    def visit(self, node: SequenceExpression, before: Names) -> None:
        """Record what is bound at the atoms of ``node``, when ``before`` is bound to their left."""
        match node:
            case Atom(name):
                self.found[name] = self.found.get(name, NONE) | before | frozenset(self.variables[name])
            case Sequence(left, _, right):
                self.visit(left, before)
                self.visit(right, before | self.binds(left))
            case Conjunction():
                self.visit_parts(node, before | self.binds(node))
            case Disjunction(left, right):
                self.visit(left, before)
                self.visit(right, before)
            case Kleene(body):
                number, group = next(self.groups)
                self.ends[number] = before | self.binds(body)
                self.visit(body, before | self.binds(body) - group)
            case Optional(body):
                self.visit(body, before)
            case Negation(body):
                # A negation is tested against the finished match.
                self.visit_parts(body, self.whole)

    def visit_parts(self, node: SequenceExpression, before: Names) -> None:
        """The atoms of a BOp, all tested together."""
        match node:
            case Conjunction(left, right) | Disjunction(left, right):
                self.visit_parts(left, before)
                self.visit_parts(right, before)
            case _:
                self.visit(node, before)

    def binds(self, node: SequenceExpression) -> Names:
        """All that the atoms of ``node`` can bind for others."""
        match node:
            case Atom(name):
                return frozenset(self.variables[name])
            case Sequence(left, _, right) | Conjunction(left, right) | Disjunction(left, right):
                return self.binds(left) | self.binds(right)
            case Kleene(body) | Optional(body):
                return self.binds(body)
        return NONE
