"""Constants outside of a parse tree: cells of a table, which are what the same text would be, and those of texts."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from spaseq.languages import skeletons
from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_expression import constant
from spaseq.languages.ceql.parser import grammar
from spaseq.languages.ceql.printer import plain_text
from spaseq.languages.query_text import Problem
from spaseq.languages.skeletons import Skeleton
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


# ── the constants of a query ─────────────────────────────────────────────────────────────────────────────
# What is looked at from left to right; all else stays as it is, also a text that has no end.
_COMMENT = r"--[^\n]*|/\*.*?\*/"
_TEXT = r"'(?:[^'\\\n]|''|\\.)*+'"
_NAME = r"\$?[^\W\d]\w*|`(?:``|[^`\n])+`"  # of an attribute, a variable, a type, a parameter, or a word of the language
_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(
    rf"(?P<comment>{_COMMENT})"
    rf"|(?P<text>{_TEXT})"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<number>{_NUMBER})",
    re.DOTALL,
)
_CUT = {"text": "'", "number": "1"}  # what is cut out, and what marks its place


def cut(text: str) -> tuple[Skeleton, tuple[str, ...]]:
    """The skeleton of a text, and its constants: texts and numbers, as they are written.

    A sign before a number is no part of it, nor are TRUE and FALSE constants here.  Texts with one skeleton are read
    alike by the parser, but for what constants mean: where one of them may not stand, or means something that depends
    on others, whoever compares skeletons has to find out (``spaseq.tuples.known_texts``).
    """
    return skeletons.cut(text, _TOKEN, _CUT)
