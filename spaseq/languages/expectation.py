"""Syntax errors in human words: what stands there, what may stand there, and which slip it probably is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lark import Token, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser
from lark.parsers.lalr_parser_state import ParserState

from spaseq.languages.node import Span
from spaseq.languages.problem import Problem

Hint = Callable[[str, Span, Sequence[str], Iterable[str]], str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How a language's messages call the terminals of its grammar.

    ``groups``: terminals that together are one thing to a reader; the first whose terminals are all expected wins them.
    ``words``: plain words for single terminals.  ``hint`` gets the text, the place, the open terminals and the expected
    ones, and says which slip it probably is, or nothing.  ``word`` finds what is shown as unexpected.  ``after``: what
    to call expected right behind a terminal, where the grammar alone would say less.  ``instead``: what to do
    instead of a text with too many words.
    """

    groups: tuple[tuple[frozenset[str], str], ...]
    words: Mapping[str, str]
    hint: Hint
    word: re.Pattern[str]
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    instead: str = "data belong into streams and background knowledge"


def terminals(names: str) -> frozenset[str]:
    """The terminals of a group, written in one line."""
    return frozenset(names.split())


def explain(error: UnexpectedInput, text: str, vocabulary: Vocabulary) -> Problem:
    """The Problem behind a parse error."""
    span = _span(error, text, vocabulary.word)
    expected = _expected(error)
    message = f"unexpected {_found(text, span)}"
    if span.start >= len(text.rstrip()):
        message = "the query ends too early"
        span = Span(len(text.rstrip()), len(text.rstrip()) + 1)
    begun = _open_terminals(error)
    words = vocabulary.after.get(begun[-1] if begun else "") or _in_words(expected, vocabulary)
    return Problem(message, span, vocabulary.hint(text, span, begun, expected), words, syntax=True)


def _span(error: UnexpectedInput, text: str, word: re.Pattern[str]) -> Span:
    start = error.pos_in_stream if error.pos_in_stream is not None else len(text)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        start = len(text)
    # The lexer may have cut the word at a keyword, or not have known it at all: show it whole.
    found = word.match(text, start)
    return Span(start, found.end() if found else start + 1)


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


def _in_words(expected: frozenset[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    left, words = set(expected), []
    for group, phrase in vocabulary.groups:
        if group <= left:
            words.append(phrase)
            left -= group
    return tuple(dict.fromkeys(words + sorted(_word(name, vocabulary.words) for name in left)))


def _word(terminal: str, words: Mapping[str, str]) -> str:
    if terminal in _PUNCTUATION:
        return f"'{_PUNCTUATION[terminal]}'"
    return words.get(terminal, terminal)


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
    "MINUS": "-",
    "PERCENT": "%",
    "MORETHAN": ">",
    "QMARK": "?",
    "BANG": "!",
    "SLASH": "/",
    "STAR": "*",
    "CIRCUMFLEX": "^",
    "EQUAL": "=",
}
