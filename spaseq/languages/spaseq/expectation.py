"""Syntax errors in human words: what stands there, what may stand there, and which slip it probably is."""

from __future__ import annotations

import re

from lark import Token, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser
from lark.parsers.lalr_parser_state import ParserState

from spaseq.languages.spaseq.problem import Problem
from spaseq.languages.spaseq.slips import hint_for
from spaseq.languages.spaseq.tree import Span


def _set(terminals: str) -> frozenset[str]:
    return frozenset(terminals.split())


# Terminals that together are one thing to a reader; the first line whose terminals are all expected wins them.
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_set("LPAR NAME VAR IRIREF PNAME STRING NUMBER BOOLEAN UNARY NOT EXISTS"), "an expression"),
    (_set("LPAR NAME IRIREF PNAME NOT EXISTS"), "an expression in parentheses"),
    (_set("VAR IRIREF PNAME STRING NUMBER SIGNED_NUMBER BOOLEAN BLANK_NODE LPAR LSQB"), "a term"),
    (_set("VAR IRIREF PNAME STRING NUMBER BOOLEAN BLANK_NODE LPAR LSQB"), "a triple"),
    (_set("VAR IRIREF PNAME A BANG CIRCUMFLEX LPAR"), "a property"),
    (_set("IRIREF PNAME A BANG CIRCUMFLEX LPAR"), "a property path"),
    (_set("IRIREF PNAME STRING NUMBER SIGNED_NUMBER BOOLEAN UNDEF"), "a value"),
    (_set("OPTIONAL MINUS GRAPH SERVICE FILTER BIND VALUES LBRACE"), "OPTIONAL, FILTER, BIND or the like"),
    (
        _set("PLUS STAR QMARK BANG LBRACE ITERATED_PLUS ITERATED_STAR ITERATED_BRACE"),
        "a quantifier (+ * ? ! {n,m})",
    ),
    (_set("PLUS STAR QMARK VBAR SLASH"), "a path operator"),
    (_set("IRIREF PNAME"), "an IRI"),
    (_set("IN OPERATOR NOT"), "an operator"),
    (_set("NUMBER SIGNED_NUMBER"), "a number"),
    (_set("UNIT EVENTS"), "a unit (MILLISECONDS, SECONDS, MINUTES, HOURS, DAYS or EVENTS)"),
    (_set("LANGTAG __CARET"), "a language or datatype"),
)
_WORDS = {
    "NAME": "a name",
    "VAR": "a variable",
    "IRIREF": "<IRI>",
    "PNAME": "a prefixed name",
    "PNAME_NS": "a prefix such as ex:",
    "STRING": "a string",
    "NUMBER": "a number",
    "INTEGER": "a whole number",
    "SIGNED_NUMBER": "a number",
    "BOOLEAN": "true or false",
    "BLANK_NODE": "a blank node",
    "LANGTAG": "a language tag",
    "OPERATOR": "an operator",
    "UNARY": "a sign",
    "STRATEGY": "an operator , ; or :",
    "FROM_STREAM": "FROM STREAM",
    "A": "a",
    "$END": "the end of the query",
}


def explain(error: UnexpectedInput, text: str) -> Problem:
    """The Problem behind a parse error."""
    span = _span(error, text)
    expected = _expected(error)
    message = f"unexpected {_found(text, span)}"
    if span.start >= len(text.rstrip()):
        message = "the query ends too early"
        span = Span(len(text.rstrip()), len(text.rstrip()) + 1)
    terminals = _open_terminals(error)
    words = ("STREAM", "a date and time") if terminals[-1:] == ["FROM"] else _in_words(expected)
    return Problem(message, span, hint_for(text, span, terminals, expected), words, syntax=True)


def _span(error: UnexpectedInput, text: str) -> Span:
    start = error.pos_in_stream if error.pos_in_stream is not None else len(text)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        start = len(text)
    # The lexer may have cut the word at a keyword, or not have known it at all: show it whole.
    word = re.compile(r"[?$]?\w[\w-]*(:[\w-]*)?|[+-]\d+|&&|\|\||->|=>|==|<>|[^\w\s]").match(text, start)
    return Span(start, word.end() if word else start + 1)


def _found(text: str, span: Span) -> str:
    shown = text[span.start : span.end]
    if shown in "\"'":
        return "quote"
    if shown and not shown.isprintable():
        return f"character U+{ord(shown[0]):04X}"
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _open_terminals(error: UnexpectedInput) -> list[str]:
    """The terminals on the parser's stack: what has begun and is not finished."""
    state = getattr(error, "state", None)
    return [token.type for token in getattr(state, "value_stack", ()) if isinstance(token, Token)]


def _expected(error: UnexpectedInput) -> frozenset[str]:
    """The terminals that can really follow: a trial run of the parser, since its tables alone allow too much."""
    state = getattr(error, "state", None)
    if not isinstance(state, ParserState):
        return frozenset()
    return frozenset(InteractiveParser(None, state, state.lexer).accepts())  # type: ignore[no-untyped-call]


def _in_words(expected: frozenset[str]) -> tuple[str, ...]:
    left, words = set(expected), []
    for terminals, phrase in _GROUPS:
        if terminals <= left:
            words.append(phrase)
            left -= terminals
    return tuple(dict.fromkeys(words + sorted(_word(name) for name in left)))


def _word(terminal: str) -> str:
    if terminal in _PUNCTUATION:
        return f"'{_PUNCTUATION[terminal]}'"
    return _WORDS.get(terminal, terminal)


_PUNCTUATION = {
    "LPAR": "(",
    "RPAR": ")",
    "LBRACE": "{",
    "RBRACE": "}",
    "LSQB": "[",
    "RSQB": "]",
    "DOT": ".",
    "COMMA": ",",
    "SEMICOLON": ";",
    "VBAR": "|",
    "AMPERSAND": "&",
    "PLUS": "+",
    "QMARK": "?",
    "BANG": "!",
    "SLASH": "/",
    "STAR": "*",
    "CIRCUMFLEX": "^",
    "EQUAL": "=",
}
