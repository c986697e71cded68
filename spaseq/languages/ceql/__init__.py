"""The CEQL language: text to ``spaseq.pattern.formulas.query.FormulaQuery``, and back to text."""

from __future__ import annotations

import os
from dataclasses import dataclass

from spaseq.errors import QueryWarning
from spaseq.languages.ceql import tree
from spaseq.languages.ceql.advice import warnings
from spaseq.languages.ceql.lower_query import lower_query
from spaseq.languages.ceql.normal_form import SizeError, normal_form
from spaseq.languages.ceql.parser import parse_tree
from spaseq.languages.ceql.printer import format_query
from spaseq.languages.query_text import Problem, source_of
from spaseq.pattern.formulas.query import Formula, FormulaQuery

__all__ = ["ParsedQuery", "format_query", "parse"]


@dataclass(frozen=True, slots=True)
class ParsedFormulaQuery:
    """A query that was read without error: its meaning, its formula in normal form, its syntax tree, its warnings."""

    query: FormulaQuery
    normal_form: Formula
    tree: tree.Query
    warnings: tuple[QueryWarning, ...] = ()


def parse(text: str | os.PathLike[str], path: str = "") -> ParsedFormulaQuery:
    """Read a CEQL query, a text or a ``pathlib.Path`` of a file; ``path`` is where it comes from, for messages.

    Raises QuerySyntaxError if the text is not of the language, QueryError if it has no meaning, OptionError if it is
    neither or cannot be read.
    """
    source = source_of(text, path)
    try:
        syntax = parse_tree(source.text)
        query = lower_query(syntax)
        return ParsedFormulaQuery(query, _normal_form(query, syntax), syntax, warnings(syntax, source))
    except Problem as problem:
        raise source.error(problem) from None


def _normal_form(query: FormulaQuery, syntax: tree.Query) -> Formula:
    try:
        return normal_form(query.formula)
    except SizeError as error:
        message = f"the filters make too many alternatives: {error}"
        raise Problem(message, syntax.formula.span, "write OR within the brackets: x[a = 1 OR b = 2]") from None
