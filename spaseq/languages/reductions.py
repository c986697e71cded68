"""What the tree builders of all languages do with a reduction: the children of a rule, nodes and tokens mixed."""

from __future__ import annotations

from typing import Any

from lark import Token

from spaseq.languages.node import Node, Span

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
