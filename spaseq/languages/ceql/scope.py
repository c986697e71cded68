"""Which variables a formula binds, and what to say about others."""

from __future__ import annotations

from spaseq.languages.ceql.algebra import (
    Disjunction,
    Filtered,
    Formula,
    Iteration,
    Named,
    Pick,
    Relation,
    Sequence,
)
from spaseq.languages.node import Span
from spaseq.languages.problem import Problem, did_you_mean


def bound(formula: Formula) -> frozenset[str]:
    """The variables that may hold events of ``formula``."""
    match formula:
        case Relation() | Pick():
            return formula.variables
        case Named(body, variable):
            return bound(body) | {variable}
        case Disjunction(left, right) | Sequence(left, right):
            return bound(left) | bound(right)
        case Filtered(body) | Iteration(body):
            return bound(body)


def given(formula: Formula) -> frozenset[str]:
    """The variables among them that AS names."""
    match formula:
        case Relation() | Pick():
            return frozenset()
        case Named(body, variable):
            return given(body) | {variable}
        case Disjunction(left, right) | Sequence(left, right):
            return given(left) | given(right)
        case Filtered(body) | Iteration(body):
            return given(body)


class Variables:
    """The variables of a formula, for those who name one."""

    def __init__(self, formula: Formula) -> None:
        self.names = bound(formula)
        self.example = min(given(formula) or self.names)

    def check(self, name: str, span: Span) -> None:
        """Problem if there is no such variable."""
        if name not in self.names:
            raise Problem(f"unknown variable {name}", span, did_you_mean(name, sorted(self.names)))
