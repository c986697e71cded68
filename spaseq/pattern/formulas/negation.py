"""Negation of conditions on tuples, by SQL's logic: NULL satisfies neither a comparison nor its opposite."""

from __future__ import annotations

from spaseq.pattern.formulas.predicates import And, Comparison, Not, Or, Predicate

OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def normal(predicate: Predicate, negated: bool = False) -> Predicate:
    """The predicate, or what is true where it is false, with NOT before single LIKE, IN and IS NULL only."""
    match predicate:
        case Not(inner):
            return normal(inner, not negated)
        case And(parts) | Or(parts):
            kind = Or if isinstance(predicate, And) == negated else And
            return kind(tuple(normal(part, negated) for part in parts))
        case Comparison(operator, left, right) if negated:
            return Comparison(OPPOSITES[operator], left, right)
    return Not(predicate) if negated else predicate
