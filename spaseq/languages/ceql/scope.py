"""Which variables a formula binds, and what to say about others."""

from __future__ import annotations

from spaseq.languages.node import Span
from spaseq.languages.problem import Problem
from spaseq.pattern.formulas.query import Formula, Named, Pick, Relation, parts
from spaseq.suggestion import did_you_mean


def bound(formula: Formula) -> frozenset[str]:
    """The variables that may hold events of ``formula``."""
    names: set[str] = set()
    for part in parts(formula):
        if isinstance(part, Relation | Pick):
            names |= part.variables
        elif isinstance(part, Named):
            names.add(part.variable)
    return frozenset(names)


def named_in(formula: Formula) -> frozenset[str]:
    """The variables that AS names."""
    return frozenset(part.variable for part in parts(formula) if isinstance(part, Named))


class Variables:
    """The variables of a formula, for those who name one."""

    def __init__(self, formula: Formula) -> None:
        self.names = bound(formula)
        self.example = min(named_in(formula) or self.names)

    def check(self, name: str, span: Span, otherwise: str = "") -> None:
        """Problem if there is no such variable; ``otherwise`` is the hint where no other name is like it."""
        if name not in self.names:
            near = did_you_mean(name, sorted(self.names))
            hint = near if near.startswith("did") or not otherwise else f"{near}; {otherwise}"
            raise Problem(f"unknown variable {name}", span, hint)
