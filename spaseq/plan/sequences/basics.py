"""BOps: a step's alternatives, each a choice of one event for several atoms; and the filters that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpm.algebra import Aggregate, Bind, Exists, Expression, Group, Operation, Previous, Variable
from spaseq.errors import QueryError
from spaseq.pattern.sequences import Atom, AtomDefinition, Conjunction, Disjunction, SequenceExpression
from spaseq.plan.sequences.environment import aggregate_value, first_iteration, previous

MOST_ALTERNATIVES = 256


def alternatives(body: SequenceExpression) -> tuple[tuple[str, ...], ...]:
    """The GPM names of each way to match a BOp: the disjunction of conjunctions that it is."""
    match body:
        case Atom(name):
            return ((name,),)
        case Disjunction(left, right):
            return tuple(dict.fromkeys(alternatives(left) + alternatives(right)))
        case Conjunction(left, right):
            pairs = [a + b for a in alternatives(left) for b in alternatives(right)]
            if len(pairs) > MOST_ALTERNATIVES:
                raise QueryError(f"a conjunction has more than {MOST_ALTERNATIVES} alternatives")
            return tuple(dict.fromkeys(pairs))
        case _:
            raise TypeError(f"{type(body).__name__} is no BOp")


@dataclass(frozen=True, slots=True)
class ReferenceScope:
    """How a filter at some place reads PREV, FIRST and aggregates.

    ``innermost`` is the innermost Kleene that owns a group variable; ``enclosing`` the Kleenes around the place;
    ``first`` those of them that are in their first iteration.
    """

    innermost: Mapping[str, int]
    enclosing: tuple[int, ...]
    first: frozenset[int]

    def resolve(self, expression: Expression) -> Expression:
        """The filter over plain and hidden columns only."""
        match expression:
            case Previous(Variable(name)):
                return Variable(previous(name))
            case Aggregate(function="FIRST", argument=Variable(name)) if self.innermost.get(name) in self.enclosing:
                inside = self.innermost[name] in self.first
                return Variable(name if inside else first_iteration(name))
            case Aggregate():
                return aggregate_value(expression)
            case Operation(name, arguments):
                return Operation(name, tuple(self.resolve(one) for one in arguments))
            case _:
                return expression


def hoist_exists(definition: AtomDefinition) -> AtomDefinition:
    """Move EXISTS out of stateful filters: it sees the event alone, so its value is a column of the event's rows."""
    found: list[Exists] = []

    def replace(expression: Expression) -> Expression:
        match expression:
            case Exists():
                found.append(expression)
                return Variable(f"exists{len(found)}_{definition.name}")
            case Operation(name, arguments):
                return Operation(name, tuple(replace(one) for one in arguments))
            case _:
                return expression

    stateful = tuple(replace(one) for one in definition.stateful)
    names = tuple(f"exists{number}_{definition.name}" for number in range(1, len(found) + 1))
    binds = tuple(Bind(one, Variable(name)) for one, name in zip(found, names, strict=True))
    pattern = Group((*definition.pattern.elements, *binds))
    return AtomDefinition(definition.name, definition.stream, pattern, definition.variables + names, stateful)
