"""Text to syntax tree, for every language with its grammar in files: lark's loop with bounds, errors in human words.

Bounds are how long a token is, how many there are, how deep they are nested: without them a text that is refused in the
end, or is legal and means nothing, takes all the time and memory there is.  An error says what stands there, what may
stand there, and which slip of the pen it probably is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lark import Lark, Token, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser
from lark.parsers.lalr_parser_state import ParserState

from spaseq.languages.node import Node, Span, children
from spaseq.languages.query_text import MOST_CHARACTERS, Problem

MOST_DEPTH = 200
MOST_TOKENS = 40_000
MOST_OF_TOKEN = 65_536  # characters
_MOST_OPEN = 20 * MOST_DEPTH  # what no text that is nested no deeper has open at one time: no level has so many parts


def parsed(text: str, grammar: Lark, vocabulary: Vocabulary) -> Any:
    """What the tree builder makes of ``text``; lark's UnexpectedInput, or Problem if it is beyond a bound."""
    parser = grammar.parse_interactive(text)
    state, lexer = parser.parser_state, parser.lexer_thread
    token = Token("$END", "", 0, 1, 1)
    for number, token in enumerate(lexer.lex(state)):  # type: ignore[no-untyped-call]
        if len(token) > MOST_OF_TOKEN or number >= MOST_TOKENS:
            raise _too_much(token, vocabulary)
        state.feed_token(token)
        if len(state.state_stack) > _MOST_OPEN:
            raise too_deep(_place(token))
    return state.feed_token(Token.new_borrow_pos("$END", "", token), True)


def _place(token: Token) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)


def _too_much(token: Token, vocabulary: Vocabulary) -> Problem:
    if len(token) > MOST_OF_TOKEN:
        kind = _KINDS.get(token.type, "word")
        message = f"this {kind} has {len(token):,} characters; at most {MOST_OF_TOKEN:,} are read"
        return Problem(message, _place(token), syntax=True)
    message = f"the {vocabulary.what} has more than {MOST_TOKENS:,} words, strings, numbers and signs"
    return Problem(message, _place(token), vocabulary.instead, syntax=True)


_KINDS = {"STRING": "string", "IRIREF": "IRI", "NUMBER": "number", "SIGNED_NUMBER": "number", "INTEGER": "number"}


def too_deep(span: Span) -> Problem:
    """What to say about something at ``span`` that is nested too deeply."""
    message = f"nested more than {MOST_DEPTH} levels deep"
    return Problem(message, span, "every operator of a chain counts; lists in IN and VALUES do not")


# ── errors in words: what stands there, what may stand there, and which slip it probably is ──────────────
Hint = Callable[[str, Span, Sequence[str], Iterable[str]], str]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How a language's messages call the terminals of its grammar.

    ``groups``: terminals that together are one thing to a reader; the first whose terminals are all expected wins them.
    ``words``: plain words for single terminals.  ``hint`` gets the text, the place, the open terminals and the expected
    ones, and says which slip it probably is, or nothing.  ``word`` finds what is shown as unexpected.  ``after``: what
    to call expected right behind a terminal, where the grammar alone would say less.  ``instead``: what to do
    instead of a text with too many words.  ``what`` a text of the language is.
    """

    groups: tuple[tuple[frozenset[str], str], ...]
    words: Mapping[str, str]
    hint: Hint
    word: re.Pattern[str]
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    instead: str = "data belong into streams and background knowledge"
    what: str = "query"


def terminals(names: str) -> frozenset[str]:
    """The terminals of a group, written in one line."""
    return frozenset(names.split())


def explain(error: UnexpectedInput, text: str, vocabulary: Vocabulary) -> Problem:
    """The Problem behind a parse error."""
    span = _span(error, text, vocabulary.word)
    expected = _expected(error)
    message = f"unexpected {_found(text, span)}"
    if span.start >= len(text.rstrip()):
        message = f"the {vocabulary.what} ends too early"
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


# ── where a parser stopped, as rules that guess at the slip of the pen see it ────────────────────────────
_NEAR = 500  # characters; the rules look for words that end at the place, which takes the square of what they see
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Slip:
    """Where the parser stopped: ``word`` stands there, ``before`` and ``after`` around it, ``terminals`` are open.

    A long word is cut, and ``before`` is only what is near; ``all_before`` is what regular expressions may look through
    once, from its beginning.
    """

    word: str
    before: str
    after: str
    terminals: tuple[str, ...]
    expected: frozenset[str]
    all_before: str

    @property
    def upper(self) -> str:
        """The word in capitals."""
        return self.word.upper()

    @property
    def previous(self) -> str:
        """The last word before the place, in capitals."""
        found = re.search(r"(\w+)\s*$", self.before)
        return found[1].upper() if found else ""

    @property
    def last(self) -> str:
        """The last character before the place that is no space."""
        return self.before.rstrip()[-1:]


Kind = TypeVar("Kind", bound=Slip)
Stop = tuple[str, Span, Sequence[str], Iterable[str]]


def first_hint(kind: type[Kind], rules: Iterable[Callable[[Kind], str]], place: Stop) -> str:
    """The hint of the first rule that fits, or nothing; ``place`` is what ``expectation.Hint`` gets."""
    text, span, terminals, expected = place
    before, word, after = text[: span.start], text[span.start : span.end], text[span.end :]
    word = word if len(word) <= _LONGEST else word[:_LONGEST] + "…"
    slip = kind(word, before[-_NEAR:], after, tuple(terminals), frozenset(expected), before)
    return next((hint for rule in rules if (hint := rule(slip))), "")


# ── text to tree ─────────────────────────────────────────────────────────────────────────────────────────
Tree = TypeVar("Tree", bound=Node)
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_tree(text: str, grammar: Lark, vocabulary: Vocabulary, kind: type[Tree]) -> Tree:
    """The syntax tree of ``text``; Problem if it is not of the language, too long or nested too deeply."""
    if len(text) > MOST_CHARACTERS:
        message = f"the {vocabulary.what} has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read"
        raise Problem(message, Span(0, 1))
    if not text.isascii() and (found := _SURROGATE.search(text)):
        message = f"U+{ord(found[0]):04X} is a surrogate: half of a character, which no text has by itself"
        raise Problem(message, Span(*found.span()), syntax=True)
    try:
        tree = parsed(text, grammar, vocabulary)
    except UnexpectedInput as error:
        raise explain(error, text, vocabulary) from None
    assert isinstance(tree, kind)
    check_depth(tree)
    return tree


def check_depth(root: Node, most: int = MOST_DEPTH) -> None:
    """Problem where nodes are nested more than ``most`` deep, so that recursion over the tree is safe."""
    level: list[Node] = [root]
    for _ in range(most):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise too_deep(level[0].span)
