"""Warnings about ``X && Y``: what ``,`` and ``;`` before it say is often not what is meant (semantics.md 3.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from spaseq.languages.node import Span
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.checks import NONE, Names, listed
from spaseq.languages.spaseq.lower_query import is_one_event_each
from spaseq.languages.spaseq.sides import may_be_absent

Found = tuple[str, Span, str]
Variables = Mapping[str, Collection[str]]


def entered(sequence: tree.Sequence, variables: Variables, keys: Collection[str]) -> Iterator[Found]:
    """What to say of each && behind ``,`` or ``;``; ``variables`` are those in scope in each GPM, ``keys`` in all."""
    walk = _Walk({name: frozenset(scope) for name, scope in variables.items()})
    for entry in walk.entries(sequence, "", frozenset(keys)):
        if entry.operator == ",":
            yield _at_the_next_time(entry.node)
        elif entry.operator == ";" and entry.shared:
            yield _next_alone(entry)


def _at_the_next_time(node: tree.Unordered) -> Found:
    message = "under , all sides of this && begin at the next time of the stream"
    same = all(map(is_one_event_each, node.sides))
    return message, node.span, ("write &, which says the same, or " if same else "write ") + "; or : before it"


def _next_alone(entry: _Entry) -> Found:
    shared = listed(tuple(sorted(entry.shared)))
    message = f"under ; each side of this && takes the next event for itself, and nothing before binds {shared}"
    hint = f"sides that then differ in {shared} give no match: write : before the &&, or bind {shared} before it"
    return message, entry.node.span, hint


@dataclass(frozen=True, slots=True)
class _Entry:
    """An && with the operator by which it is entered (none, if it may begin a match), and what joins sides alone."""

    node: tree.Unordered
    operator: str
    shared: Names


@dataclass(frozen=True, slots=True)
class _Walk:
    variables: Mapping[str, Names]

    def entries(self, node: tree.Sequence, operator: str, bound: Names) -> Iterator[_Entry]:
        """Each && of ``node``, which ``operator`` enters where ``bound`` may be bound."""
        match node:
            case tree.Steps(left, following, right):
                is_begun = operator or not may_be_absent(left)
                yield from self.entries(left, operator, bound)
                yield from self.entries(right, following if is_begun else "", bound | self.binds(left))
            case tree.Alternatives(left, right):
                yield from self.entries(left, operator, bound)
                yield from self.entries(right, operator, bound)
            case tree.Repeated(body) | tree.Possible(body):
                yield from self.entries(body, operator, bound)
            case tree.Unordered():
                yield from self.unordered(node, operator, bound)

    def unordered(self, node: tree.Unordered, operator: str, bound: Names) -> Iterator[_Entry]:
        """The && itself and those in its sides, of which nothing is said twice."""
        mentions = Counter(name for side in node.sides for name in self.binds(side))
        shared = frozenset(name for name, sides in mentions.items() if sides > 1) - bound
        yield _Entry(node, operator, shared)
        for side in node.sides:
            yield from self.entries(side, "" if operator == "," else operator, bound | shared)

    def binds(self, node: tree.Sequence) -> Names:
        """What the GPMs of ``node`` bind, those of negations excepted."""
        match node:
            case tree.Reference(name):
                return self.variables[name]
            case tree.Steps(left, _, right) | tree.Alternatives(left, right) | tree.Conjuncts(left, right):
                return self.binds(left) | self.binds(right)
            case tree.Unordered(sides):
                return NONE.union(*map(self.binds, sides))
            case tree.Repeated(body) | tree.Possible(body):
                return self.binds(body)
        return NONE
