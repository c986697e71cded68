"""``FILTER(a && b)`` is ``FILTER(a) FILTER(b)``: what of it the event alone decides is tested on the event alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpm.algebra import Aggregate, Exists, Expression, Filter, Group, Operation, Previous, Variable, subexpressions
from gpm.scope import certain
from spaseq.pattern.sequences import AtomDefinition


def split_conjunctions(definition: AtomDefinition) -> AtomDefinition:
    """A GPM whose stateful filters are no conjunctions; parts that the event alone decides stand in its pattern.

    Those read variables that every solution of the pattern binds: another one may have a value from an earlier event.
    """
    parts = [part for one in definition.stateful for part in _conjuncts(one)]
    own = certain(definition.pattern)
    static = tuple(Filter(part) for part in parts if _reads_only(part, own))
    stateful = tuple(part for part in parts if not _reads_only(part, own))
    return replace(definition, pattern=Group((*definition.pattern.elements, *static)), stateful=stateful)


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Operation) and expression.name == "&&":
        for part in expression.arguments:
            yield from _conjuncts(part)
    else:
        yield expression


def _reads_only(expression: Expression, variables: frozenset[str]) -> bool:
    """Whether an expression reads no other variables, and nothing of earlier events (EXISTS is left where it is)."""
    parts = list(subexpressions(expression))
    if any(isinstance(part, Aggregate | Previous | Exists) for part in parts):
        return False
    return {part.name for part in parts if isinstance(part, Variable)} <= variables
