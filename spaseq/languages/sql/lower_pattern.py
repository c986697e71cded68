"""Syntax of patterns to their meaning, and what can be said of the variables in them."""

from __future__ import annotations

from spaseq.languages.node import walk
from spaseq.languages.sql import tree
from spaseq.languages.sql.names import variable_of
from spaseq.pattern.rows.query import (
    Excluded,
    NoRow,
    OneRow,
    PartitionEdge,
    Permuted,
    Preferred,
    Repetition,
    RowPattern,
    RowSequence,
)


def lower_pattern(node: tree.Pattern) -> RowPattern:
    """What a pattern means."""
    match node:
        case tree.Variable(name):
            return OneRow(variable_of(name))
        case tree.Anchor(sign):
            return PartitionEdge(sign == "^")
        case tree.Sequence():
            return RowSequence(tuple(map(lower_pattern, _chain(node, tree.Sequence))))
        case tree.Alternation():
            return Preferred(tuple(map(lower_pattern, _chain(node, tree.Alternation))))
        case tree.Permutation(parts):
            return Permuted(tuple(map(lower_pattern, parts)))
        case tree.Exclusion(body):
            return Excluded(lower_pattern(body))
        case tree.Quantified(body, low, high, reluctant):
            return Repetition(lower_pattern(body), low, high, not reluctant)
        case _:
            return NoRow()


def _chain(node: tree.Pattern, kind: type[tree.Sequence] | type[tree.Alternation]) -> list[tree.Pattern]:
    """The parts that a left-associative operator joins."""
    parts: list[tree.Pattern] = []
    while isinstance(node, kind):
        parts.append(node.right)
        node = node.left
    return [node, *reversed(parts)]


def variables_in(node: tree.Pattern) -> dict[str, tree.Variable]:
    """The variables of a pattern, each where it stands first."""
    found: dict[str, tree.Variable] = {}
    for each in walk(node):
        if isinstance(each, tree.Variable):
            found.setdefault(variable_of(each.name), each)
    return found


def exclusion_in(node: tree.Pattern) -> tree.Exclusion | None:
    """The first rows of a pattern that are not shown."""
    return next((each for each in walk(node) if isinstance(each, tree.Exclusion)), None)
