"""What overflows pyoxigraph's stack in JSON-LD: brackets in each other, and terms that a context defines by each other.

A term of a context is defined by recursion: ``"a": "b:x", "b": "c:x" …`` goes as deep as it is long.  Each term on the
way but the first and the last is mentioned by another one and mentions one: no chain is longer than their number
and two.  That is what is bounded, in all contexts of a document together.  What a term stands for is no longer than the
longest text of its context, once for each term of a chain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

DEEPEST = 100  # brackets within each other
LONGEST_CHAIN = 1000  # terms that mention a term and are mentioned by one
LARGEST_CONTEXT = 1 << 28  # characters that its terms may stand for
TOO_DEEP = f"brackets are nested deeper than {DEEPEST} here"
TOO_LARGE = "the terms of a context stand for too much text"
TOO_LONG = f"more than {LONGEST_CHAIN:,} terms of a context are defined by each other"

# The grammar of JSON: outside of strings there is no other quote, in strings each backslash takes one character along.
_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{]|[]}]|"', re.DOTALL)
_STEPS = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}


def check_json(text: bytes) -> None:
    """SyntaxError: a document is too deep for pyoxigraph, or it would have to be read to know and is no JSON."""
    if is_deep(text):
        raise SyntaxError(TOO_DEEP)
    if len(text) <= LONGEST_CHAIN:
        return  # it has no more members than bytes
    members = text.count(b":")
    if members > LONGEST_CHAIN or members * len(text) > LARGEST_CONTEXT:
        _check_contexts(_members(text))


def is_deep(text: bytes) -> bool:
    """Whether more than ``DEEPEST`` brackets are open somewhere; in a string that does not end all count as open."""
    if _opening(text, 0) <= DEEPEST:
        return False
    depth = 0
    for found in _BRACKET.finditer(text):
        if found[0] == b'"':
            return depth + _opening(text, found.end()) > DEEPEST
        depth += _STEPS.get(found[0], 0)
        if depth > DEEPEST:
            return True
    return False


def _opening(text: bytes, start: int) -> int:
    return text.count(b"{", start) + text.count(b"[", start)


class _Object(list[tuple[str, object]]):
    """The members of an object, also those whose names are equal."""


def _check_contexts(document: object) -> None:
    """SyntaxError: the contexts of a document define too many terms by each other, or too long ones."""
    chain = 0
    for context in _contexts(document):
        linked = _linked(context)
        longest = max((len(text) for name, definition in context for text in (name, *_strings(definition))), default=0)
        chain += linked
        if chain > LONGEST_CHAIN:
            raise SyntaxError(TOO_LONG)
        if len(context) * longest * (linked + 1) > LARGEST_CONTEXT:
            raise SyntaxError(TOO_LARGE)


def _members(text: bytes) -> object:
    """A document with the members of its objects as they stand there.  SyntaxError: it is no JSON."""
    try:
        return json.loads(
            text.decode("utf-8-sig"), object_pairs_hook=_Object, parse_int=str, parse_float=str, strict=False
        )
    except UnicodeDecodeError as error:
        raise SyntaxError(f"the document is not in UTF-8: {error.reason} at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise SyntaxError(f"the document is no JSON: {error.msg} at character {error.pos + 1:,}") from None


def _contexts(document: object) -> Iterator[_Object]:
    """The objects of a document that are, or are in, the value of a member ``@context``."""
    waiting = [(document, False)]
    while waiting:
        value, in_context = waiting.pop()
        if isinstance(value, _Object):
            if in_context:
                yield value
            waiting += [(member, name == "@context") for name, member in value]
        elif isinstance(value, list):
            waiting += [(member, in_context) for member in value]


def _linked(context: _Object) -> int:
    names = {name for name, _ in context}
    mentioning: set[str] = set()
    mentioned: set[str] = set()
    for name, definition in context:
        found = {one for text in (name, *_strings(definition)) for one in (text, text.partition(":")[0])}
        others = (found & names) - {name}
        mentioned |= others
        mentioning |= {name} if others else set()
    return len(mentioning & mentioned)


def _strings(definition: object) -> list[str]:
    """The strings of a term's definition: itself, or its members."""
    values = [value for _, value in definition] if isinstance(definition, _Object) else [definition]
    return [value for value in values if isinstance(value, str)]
