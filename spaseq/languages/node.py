"""What every syntax tree is made of: nodes that know their place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


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
