"""lark's loop from tokens to a tree, with bounds: how long a token is, how many there are, how deep they are nested.

Without them a text that is refused in the end, or is legal and means nothing, takes all the time and memory there is.
"""

from __future__ import annotations

from typing import Any

from lark import Lark, Token

from spaseq.languages.node import Span
from spaseq.languages.problem import Problem

MOST_DEPTH = 200
MOST_TOKENS = 40_000
MOST_OF_TOKEN = 65_536  # characters
_MOST_OPEN = 20 * MOST_DEPTH  # what no text that is nested no deeper has open at one time: no level has so many parts


def parsed(text: str, grammar: Lark, instead: str) -> Any:
    """What the tree builder makes of ``text``; lark's UnexpectedInput, or Problem if it is beyond a bound.

    ``instead``: what to do instead of a text with so many words, for the hint.
    """
    parser = grammar.parse_interactive(text)
    state, lexer = parser.parser_state, parser.lexer_thread
    token = Token("$END", "", 0, 1, 1)
    for number, token in enumerate(lexer.lex(state)):  # type: ignore[no-untyped-call]
        if len(token) > MOST_OF_TOKEN or number >= MOST_TOKENS:
            raise _too_much(token, instead)
        state.feed_token(token)
        if len(state.state_stack) > _MOST_OPEN:
            raise too_deep(_place(token))
    return state.feed_token(Token.new_borrow_pos("$END", "", token), True)


def _place(token: Token) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)


def _too_much(token: Token, instead: str) -> Problem:
    if len(token) > MOST_OF_TOKEN:
        kind = _KINDS.get(token.type, "word")
        message = f"this {kind} has {len(token):,} characters; at most {MOST_OF_TOKEN:,} are read"
        return Problem(message, _place(token), syntax=True)
    message = f"the query has more than {MOST_TOKENS:,} words, strings, numbers and signs"
    return Problem(message, _place(token), instead, syntax=True)


_KINDS = {"STRING": "string", "IRIREF": "IRI", "NUMBER": "number", "SIGNED_NUMBER": "number", "INTEGER": "number"}


def too_deep(span: Span) -> Problem:
    """What to say about something at ``span`` that is nested too deeply."""
    message = f"nested more than {MOST_DEPTH} levels deep"
    return Problem(message, span, "every operator of a chain counts; lists in IN and VALUES do not")
