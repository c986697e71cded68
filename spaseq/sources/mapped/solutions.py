"""What rows bind: the variables of a mapping, as words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow

from gpm.algebra import Bind, Expression, Filter, Literal, Operation, Variable
from gpm.expressions import evaluate_columns, truth_columns
from gpm.native.column_terms import iri_words
from gpm.rows import Numbers, Words
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.mappings import variables_of
from spaseq.sources.mapped.casts import cast_words, is_cast
from spaseq.sources.mapped.columns import column_words

_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(//[^/?#]*[/?#]|(?!//))")  # has no place for a value within it


@dataclass(frozen=True, slots=True)
class RowSolutions:
    """n solutions: ``row`` (n, ascending) is the row of each, ``words`` has a word (n) of each variable, 0: unbound."""

    row: Numbers
    words: Mapping[str, Words]

    def __len__(self) -> int:
        return len(self.row)

    def only(self, chosen: Numbers) -> RowSolutions:
        """Those at these places."""
        return RowSolutions(self.row[chosen], {name: words[chosen] for name, words in self.words.items()})


def solutions_of(columns: Mapping[str, pyarrow.Array], row: Numbers, terms: Terms) -> RowSolutions:
    """What the values of columns bind, by the names of their variables.  NoTermsError: values are no terms."""
    return RowSolutions(row, {name: column_words(column, terms) for name, column in columns.items()})


def placed(found: RowSolutions, row: Numbers) -> tuple[Numbers, RowSolutions]:
    """Where solutions are whose rows are counted from 0, and the same with the rows that those have."""
    return found.row, RowSolutions(row[found.row], found.words)


def solved(found: RowSolutions, steps: Iterable[Bind | Filter], terms: Terms) -> RowSolutions:
    """The solutions behind the steps of a mapping: what no filter drops, with what they bind."""
    filters: list[Expression] = []
    words = dict(found.words)
    for step in steps:
        if isinstance(step, Filter):
            filters.append(step.expression)
        elif step.variable.name.startswith("<"):  # of a template: only for what stays
            break
        else:
            words[step.variable.name] = value_of(step.expression, words, len(found), terms)
    found = _filtered(RowSolutions(found.row, words), filters, terms)
    words = dict(found.words)
    for step in steps:
        if isinstance(step, Bind) and step.variable.name not in words:
            words[step.variable.name] = value_of(step.expression, words, len(found), terms)
    return RowSolutions(found.row, words)


def _filtered(found: RowSolutions, filters: Sequence[Expression], terms: Terms) -> RowSolutions:
    for condition in filters:
        names, columns = _registers(condition, found.words, len(found))
        held = truth_columns(condition, names, columns, np.zeros(len(found), np.int64), terms) == 1
        if not held.all():
            found = found.only(np.flatnonzero(held))
    return found


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
def value_of(expression: Expression, words: Mapping[str, Words], count: int, terms: Terms) -> Words:
    """The value (n) of an expression in each of so many solutions, 0 where it is an error."""
    match expression:
        case Variable(name) if name in words:
            return words[name]
        case Operation(function, (Variable(name),)) if is_cast(function) and name in words:
            return cast_words(function, words[name], terms, lambda some: _evaluated(expression, {name: some}, terms))
    pieces = iri_pieces(expression)
    if pieces is None:
        return _evaluated(expression, words, terms, count)
    constants, variables = pieces
    unbound = np.zeros(count, np.uint64)
    return iri_words(terms, constants, np.array([words.get(name, unbound) for name in variables], np.uint64))


def _evaluated(expression: Expression, words: Mapping[str, Words], terms: Terms, count: int | None = None) -> Words:
    count = len(next(iter(words.values()))) if count is None else count
    names, columns = _registers(expression, words, count)
    return evaluate_columns(expression, names, columns, np.zeros(count, np.int64), terms)


def _registers(expression: Expression, words: Mapping[str, Words], count: int) -> tuple[list[str], Words]:
    """The variables that an expression reads and that may be bound, with their columns (k, n)."""
    names = [name for name in dict.fromkeys(variables_of(expression)) if name in words]
    return names, np.array([words[name] for name in names], np.uint64).reshape(len(names), count)


def iri_pieces(expression: Expression) -> tuple[tuple[bytes, ...], tuple[str, ...]] | None:
    """What is constant in an IRI, before, between and behind the variables whose values it has percent-encoded.

    None: the expression is none of ``IRI(CONCAT(…))``, or values stand where an IRI may not have any text.
    """
    if not isinstance(expression, Operation) or expression.name != "IRI":
        return None
    (made,) = expression.arguments
    if not isinstance(made, Operation) or made.name != "CONCAT":
        return None
    constants, variables = [""], list[str]()
    for part in made.arguments:
        match part:
            case Literal(text):
                constants[-1] += text
            case Operation("ENCODE_FOR_URI", (Operation("STR", (Variable(name),)),)):
                variables.append(name)
                constants.append("")
            case _:
                return None
    if not variables or not _AUTHORITY.match(constants[0]):
        return None
    return tuple(constant.encode() for constant in constants), tuple(variables)
