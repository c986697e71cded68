"""What every syntax tree is made of, nodes that know their place in the text, and how reductions become nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lark import Token


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """Anything that stands somewhere in the text.  Spans do not count in comparisons."""

    span: Span = field(default=Span(0, 0), compare=False, repr=False, kw_only=True)


def children(node: Node) -> list[Node]:
    """The nodes directly below ``node``."""
    found: list[Node] = []
    names: tuple[str, ...] = type(node).__match_args__  # all fields but the spans
    for name in names:
        value: object = getattr(node, name)
        if isinstance(value, Node):
            found.append(value)
        elif type(value) is tuple:
            found.extend(value)
    return found


def walk(node: Node) -> Iterator[Node]:
    """``node`` and all nodes below it, in the order of the text."""
    waiting = [node]
    while waiting:
        yield (each := waiting.pop())
        waiting.extend(reversed(children(each)))


# ── reductions: the children of a rule, nodes and tokens mixed ───────────────────────────────────────────
Children = list[Any]


def span_of(children: Children) -> Span:
    """From the start of the first child to the end of the last."""
    return Span(place_of(children[0]).start, place_of(children[-1]).end)


def place_of(child: Any) -> Span:
    """Where a token, a node or anything else with a ``span`` stands."""
    place: Span = Span(child.start_pos or 0, child.end_pos or 0) if isinstance(child, Token) else child.span
    return place


def nodes(children: Children) -> list[Any]:
    """The children that are nodes."""
    return [child for child in children if isinstance(child, Node)]


def has(children: Children, terminal: str) -> bool:
    """Whether a token of that kind is among the children."""
    return any(isinstance(child, Token) and child.type == terminal for child in children)
