"""Expressions over rows of words: natively where the native program knows them, by pyoxigraph elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from gpm.algebra import Expression
from gpm.external import ExternalEvaluator, Status, Times
from gpm.rows import Words
from nfa_native.words import Terms


def truth_columns(expression: Expression, names: Sequence[str], columns: Words, now: Times, terms: Terms) -> Status:
    """The effective boolean value (n) of an expression on each row: 1 true, 0 false, −1 error."""
    return ExternalEvaluator(terms).test(expression, names, columns, now)


def evaluate_columns(expression: Expression, names: Sequence[str], columns: Words, now: Times, terms: Terms) -> Words:
    """The value (n) of an expression on each row, 0 where it is an error."""
    return ExternalEvaluator(terms).compute(expression, names, columns, now)
