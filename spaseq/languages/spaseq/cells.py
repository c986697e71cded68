"""Terms outside of a parse tree: cells of a table, which are what the same text would be, and constants of texts."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import pyoxigraph

from gpm import algebra
from gpm.errors import PatternError
from gpm.terms import to_oxigraph
from spaseq.languages import skeletons
from spaseq.languages.node import Span
from spaseq.languages.query_text import Problem
from spaseq.languages.skeletons import Skeleton
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import ExpressionLowering
from spaseq.languages.spaseq.lower_pattern import PatternLowering
from spaseq.languages.spaseq.parser import grammar
from spaseq.languages.spaseq.terms import Prefixes, unquote
from spaseq.pattern.sequences import Given

Term = algebra.Iri | algebra.Literal
_NOWHERE = Span(0, 0)
_XSD_DATE = algebra.XSD + "date"


class CellReader:
    """Makes terms of cells, with the prefixes of a query."""

    def __init__(self, given: Given) -> None:
        names = Prefixes(())
        names.prefixes, names.base = dict(given.prefixes), given.base
        self._lowering: ExpressionLowering = PatternLowering(names).expressions
        self._known: dict[tuple[str, bool], Term] = {}  # texts repeat

    def term(self, value: Any, is_text: bool) -> Term:
        """The term of a value; ValueError: it is none.

        A text is an IRI, prefixed name or quoted literal if it is one in the query, else a string.  Where all values
        are texts (``is_text``), numbers and booleans are told in the same way; else they are those of Python.
        """
        if type(value) is str:
            key = value, is_text
            if key not in self._known:
                self._known[key] = self._of_text(value, is_text)
            return self._known[key]
        return _of_value(value)

    def _of_text(self, text: str, is_text: bool) -> Term:
        """A text that is in the query what stands there: with a prefix that this does not have, it is a string."""
        found = _term().fullmatch(text.strip())
        if found is None or (found["plain"] is not None and not is_text):
            return algebra.Literal(text)
        return self._constant(found) or algebra.Literal(text)

    def constant(self, text: str) -> Term | None:
        """What a constant of the query means; None: the text is none."""
        found = _term().fullmatch(text)
        return None if found is None else self._constant(found)

    def _constant(self, found: re.Match[str]) -> Term | None:
        try:
            return self._lowering.constant(_node(found))
        except Problem:
            return None


@cache
def _term() -> re.Pattern[str]:
    """A term of the query, its parts by the names of the grammar."""
    kinds = {terminal.name: terminal.pattern.to_regexp() for terminal in grammar().terminals}
    iri = f"(?:{kinds['IRIREF']})|(?:{kinds['PNAME']})"
    literal = f"(?P<quoted>{kinds['STRING']})(?:(?P<language>{kinds['LANGTAG']})|\\^\\^(?P<datatype>{iri}))?"
    number = f"(?P<number>(?:{kinds['SIGNED_NUMBER']})|(?:{kinds['NUMBER']}))"
    plain = f"(?P<plain>{number}|(?P<boolean>{kinds['BOOLEAN']}))"
    return re.compile(f"(?P<iri>{iri})|{literal}|{plain}")


def _node(found: re.Match[str]) -> tree.Iri | tree.Literal | tree.Number | tree.Boolean:
    if found["iri"] is not None:
        return tree.Iri(found["iri"], span=_NOWHERE)
    if found["number"] is not None:
        return tree.Number(found["number"], span=_NOWHERE)
    if found["boolean"] is not None:
        return tree.Boolean(found["boolean"].lower() == "true", span=_NOWHERE)
    datatype = None if found["datatype"] is None else tree.Iri(found["datatype"], span=_NOWHERE)
    language = None if found["language"] is None else found["language"][1:].lower()
    return tree.Literal(unquote(found["quoted"], 0), datatype, language, span=_NOWHERE)


def _of_value(value: Any) -> Term:
    """The term of a value of Python, or of an RDF library."""
    if hasattr(value, "item") and type(value).__module__.partition(".")[0] == "numpy":
        value = value.item()
    match value:
        case algebra.Iri() | algebra.Literal():
            return value
        case bool():
            return algebra.Literal("true" if value else "false", algebra.XSD_BOOLEAN)
        case int():
            return algebra.Literal(str(value), algebra.XSD_INTEGER)
        case float():
            return algebra.Literal(repr(value).replace("inf", "INF"), algebra.XSD_DOUBLE)
        case Decimal() if value.is_finite():
            return algebra.Literal(f"{value:f}", algebra.XSD_DECIMAL)
        case datetime():
            aware = value if value.tzinfo else value.replace(tzinfo=UTC)
            return algebra.Literal(aware.isoformat().replace("+00:00", "Z"), algebra.XSD_DATETIME)
        case date():
            return algebra.Literal(value.isoformat(), _XSD_DATE)
    return _of_rdf(value)


def _of_rdf(value: Any) -> Term:
    try:
        term = to_oxigraph(value)
    except (PatternError, ValueError):
        raise ValueError(f"{value!r:.80} is no term") from None
    match term:
        case pyoxigraph.NamedNode():
            return algebra.Iri(term.value)
        case pyoxigraph.Literal():
            return algebra.Literal(term.value, term.datatype.value, term.language)
    raise ValueError(f"{value!s:.80} is neither an IRI nor a literal")


# ── the constants of a query ─────────────────────────────────────────────────────────────────────────────
# What is looked at from left to right: comments, strings (with a language or datatype), IRIs, variables, prefixed and
# other names, numbers.  All else stays as it is, also what may be an IRI, or ``<`` and ``>``.
_NAME = r"[A-Za-z_][\w-]*"
_PREFIXED = rf"(?:{_NAME})?:[\w:%-]+(?:\.+[\w:%-]+)*"
_IRI = r"<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|^`\\?&()!=]*>"
_LONG = r"""\"\"\"(?:"{0,2}(?:[^"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"""
_SHORT = r"""\"(?:[^"\\\n\r]|\\.)*\"|'(?:[^'\\\n\r]|\\.)*'"""
_TOKEN = re.compile(
    rf"(?P<comment>\#[^\n]*)"
    rf"|(?P<string>(?:{_LONG}|{_SHORT})(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^(?:{_IRI}|{_PREFIXED}))?)"
    rf"|(?P<iri>{_IRI})"
    r"|(?P<other><[^\s<>\"{}|^`]*>|\\.)"
    rf"|(?P<variable>[?$]\w+)"
    rf"|(?P<prefixed>{_PREFIXED})"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)",
    re.DOTALL,
)
_CUT = {"string": '"', "iri": "<", "prefixed": "<", "number": "1"}  # what is cut out, and what marks its place


def cut(text: str) -> tuple[Skeleton, tuple[str, ...]]:
    """The skeleton of a text, and its constants: strings, IRIs, prefixed names and numbers."""
    return skeletons.cut(text, _TOKEN, _CUT)
