"""Strings that pyoxigraph computes have at most 16 MiB, as those of the native functions: longer ones are errors.

What can grow is replaced by functions of ours before pyoxigraph gets it, or looked at afterwards.  REPLACE can multiply
its operands, so these are bounded beforehand.  GROUP_CONCAT is looked at when it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pyoxigraph
from pyoxigraph import Literal, NamedNode

from gpm.algebra import XSD_STRING, Aggregate, Operation
from gpm.rewrite import rewrite
from gpm.terms import OxTerm

LONGEST = 1 << 24  # bytes in UTF-8, as in nfa_native/terms/functions.pyx
LONGEST_REPLACED, LONGEST_REPLACEMENT = 1 << 20, 1 << 10  # bytes of what REPLACE works on, and of what it puts there

CONCAT, BOUNDED = "<urn:spaseq:concat>", "<urn:spaseq:bounded>"
REPLACED, REPLACEMENT = "<urn:spaseq:replaced>", "<urn:spaseq:replacement>"
_CHANGED = frozenset(("CONCAT", "REPLACE", "ENCODE_FOR_URI", "UCASE", "LCASE"))

Node = TypeVar("Node")
Function = Callable[..., "OxTerm | None"]


def bounded(node: Node) -> Node:
    """The same tree with functions whose strings are bounded."""
    return rewrite(node, _change)


def _change(node: object) -> object | None:
    if isinstance(node, Aggregate) and node.function == "GROUP_CONCAT":
        return Operation(BOUNDED, (_inside(node),))
    if not isinstance(node, Operation) or node.name not in _CHANGED:
        return None
    operands = bounded(node.arguments)
    if node.name == "CONCAT":
        return Operation(CONCAT, operands)
    if node.name == "REPLACE":
        text, pattern, replacement, *flags = operands
        limited = (Operation(REPLACED, (text,)), pattern, Operation(REPLACEMENT, (replacement,)), *flags)
        return Operation(BOUNDED, (Operation("REPLACE", limited),))
    return Operation(BOUNDED, (Operation(node.name, operands),))


def _inside(node: Aggregate) -> Aggregate:
    """The same aggregate of a bounded argument."""
    return Aggregate(**{name: bounded(getattr(node, name)) for name in node.__dataclass_fields__})


def _concatenated(*terms: object) -> Literal | None:
    """CONCAT, with the language if all have the same one."""
    parts: list[str] = []
    languages = set()
    for term in terms:
        if not isinstance(term, Literal) or (term.language is None and term.datatype.value != XSD_STRING):
            return None
        parts.append(term.value)
        languages.add((term.language, term.direction))
    if sum(map(_size, parts)) > LONGEST:
        return None
    language, direction = languages.pop() if len(languages) == 1 else (None, None)
    return Literal("".join(parts), language=language, direction=direction)


def _at_most(most: int, term: OxTerm) -> OxTerm | None:
    return None if isinstance(term, Literal) and _size(term.value) > most else term


def _size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


_NAMED: dict[str, Function] = {
    CONCAT: _concatenated,
    BOUNDED: partial(_at_most, LONGEST),
    REPLACED: partial(_at_most, LONGEST_REPLACED),
    REPLACEMENT: partial(_at_most, LONGEST_REPLACEMENT),
}
FUNCTIONS: dict[NamedNode, Function] = {pyoxigraph.NamedNode(name[1:-1]): function for name, function in _NAMED.items()}
