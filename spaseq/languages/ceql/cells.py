"""The cells of a table as constants: what the same text would be in the query (semantics.md 3.7)."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_expression import constant
from spaseq.languages.ceql.parser import grammar
from spaseq.languages.ceql.printer import plain_text
from spaseq.languages.query_text import Problem
from spaseq.pattern.formulas.parameters import ConstantValue


def constant_of(cell: Any, is_text: bool) -> ConstantValue:
    """The constant of a cell; ValueError: it is none.

    Where all cells are texts (``is_text``), numbers, strings in quotes and truth values are told as in a query; what is
    none of these is a string.  Else constants are those of Python.  Times are texts, as conditions compare them.
    """
    if hasattr(cell, "item") and type(cell).__module__.partition(".")[0] == "numpy":
        cell = cell.item()
    match cell:
        case str():
            return _of_text(cell) if is_text else str(cell)
        case bool() | int() | float():
            return cell
        case Decimal() if cell.is_finite():
            return int(cell) if cell.as_tuple().exponent == 0 else float(cell)
        case datetime() | date():
            return cell.isoformat()
    raise ValueError(f"{cell!r:.80} is no number, text or truth value")


def _of_text(text: str) -> ConstantValue:
    found = _constant().fullmatch(text.strip())
    if found is None:
        return text
    try:
        return constant(_node(found)).value
    except Problem as problem:
        raise ValueError(problem.message) from None


@cache
def _constant() -> re.Pattern[str]:
    """A constant of the query, of each kind by its name."""
    kinds = {terminal.name: terminal.pattern.to_regexp() for terminal in grammar().terminals}
    return re.compile(f"(?P<number>[+-]?{kinds['NUMBER']})|(?P<text>{kinds['STRING']})|(?P<truth>{kinds['BOOLEAN']})")


def _node(found: re.Match[str]) -> tree.Number | tree.Text | tree.Boolean:
    if found["number"] is not None:
        return tree.Number(found["number"])
    if found["text"] is not None:
        return tree.Text(plain_text(found["text"]))
    return tree.Boolean(found["truth"].lower() == "true")
