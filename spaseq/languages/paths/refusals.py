"""What expressions of SPARQL may not have as conditions of nodes, and why."""

from __future__ import annotations

from typing import NoReturn

from spaseq.languages.node import Span, walk
from spaseq.languages.paths import tree
from spaseq.languages.problem import Problem
from spaseq.languages.spaseq.functions import AGGREGATES, NOT_REPEATABLE
from spaseq.languages.spaseq.tree import Call, Group, Name, Variable

_REASONS = {
    **dict.fromkeys(
        NOT_REPEATABLE, ("it would not give the same twice", "equal queries and graphs have equal results")
    ),
    "PREV": ("there is no node before it", "a condition knows one node alone"),
    "NOW": ("a graph has no time", 'compare with a constant, as in "2026-01-01T00:00:00Z"^^xsd:dateTime'),
    **dict.fromkeys(AGGREGATES, ("it is about one node", "a condition knows one node alone")),
}


def check_condition(condition: tree.Condition) -> None:
    """Problem for the first thing in a condition that its node alone does not decide."""
    for node in walk(condition.expression):
        if isinstance(node, Variable) and node.name != condition.variable.name:
            raise _other_variable(node, condition.variable.name)
        if isinstance(node, Call) and isinstance(node.function, Name) and node.function.text in _REASONS:
            why, hint = _REASONS[node.function.text]
            message = f"{node.function.text} cannot stand in the condition of a node: {why}"
            raise Problem(message, node.function.span, hint)


def exists_refused(span: Span) -> Problem:
    """What to say about an EXISTS."""
    message = "EXISTS cannot stand in the condition of a node: it is about one node, and not about its edges"
    return Problem(message, span, "follow edges by steps, as in :p/^:p")


def no_group(group: Group) -> NoReturn:
    """What lowers the pattern of an EXISTS, where there is none."""
    raise exists_refused(group.span)


def _other_variable(node: Variable, name: str) -> Problem:
    message = f"this condition is about ?{name}; ?{node.name} is nothing here"
    return Problem(message, node.span, f"a condition knows one node alone: write ?{name}")
