"""Walking and rewriting the trees of ``gpm.algebra`` without a visitor per class."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar, cast

from gpm.algebra import BlankNode, Projection, Variable

Node = TypeVar("Node")


def walk(node: object) -> Iterator[Any]:
    """The nodes of a tree in source order, a parent before its children; tuples are looked through."""
    return walk_outside(node, ())


def walk_outside(node: object, closed: type | tuple[type, ...]) -> Iterator[Any]:
    """The same without what is in nodes of some classes: these are given, but not entered."""
    waiting: list[Any] = [node]
    while waiting:
        part = waiting.pop()
        kind: Any = type(part)
        if isinstance(part, tuple):
            waiting.extend(reversed(part))
        elif (names := fields_of(kind)) is not None:
            yield part
            if not isinstance(part, closed):
                fields = [getattr(part, name) for name in reversed(names)]
                waiting.extend([one for one in fields if type(one) is not str])


@cache
def fields_of(kind: type) -> tuple[str, ...] | None:
    """The names of a dataclass's fields; None of any other class."""
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def rewrite(node: Node, change: Callable[[object], object | None]) -> Node:
    """A copy of a tree in which ``change`` replaced the nodes for which it is not None (those are not entered)."""
    if isinstance(node, tuple):
        return cast(Node, tuple(rewrite(part, change) for part in node))
    kind: Any = type(node)
    names = fields_of(kind)
    if names is None:
        return node
    changed = change(node)
    if changed is not None:
        return cast(Node, changed)
    return cast(Node, kind(*(rewrite(getattr(node, name), change) for name in names)))


def rename(node: Node, variable: Callable[[str], str], label: Callable[[str], str] = lambda label: label) -> Node:
    """A copy of a tree with other names of variables and other labels of blank nodes."""

    def change(part: object) -> object | None:
        if isinstance(part, Variable):
            return Variable(variable(part.name))
        if isinstance(part, BlankNode):
            return BlankNode(label(part.label))
        if isinstance(part, Projection):
            return Projection(variable(part.name), rewrite(part.expression, change))
        return None

    return rewrite(node, change)


class CanonicalNames:
    """Gives names numbers in the order of their first use: ``prefix0``, ``prefix1`` …"""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.names: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        """What a name is called."""
        return self.names.setdefault(name, f"{self.prefix}{len(self.names)}")


def canonical(node: Node) -> tuple[Node, dict[str, str]]:
    """The tree with numbered names, equal for trees that differ in names only, and the new name of each variable."""
    variables = CanonicalNames("v")
    return rename(node, variables, CanonicalNames("b")), variables.names
