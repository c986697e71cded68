"""Path queries: syntax tree to ``spaseq.pattern.paths``, and what conditions of nodes may not have."""

from __future__ import annotations

from typing import NoReturn

from gpm import algebra
from spaseq.languages.node import walk
from spaseq.languages.paths import tree
from spaseq.languages.paths.parser import exists_refused
from spaseq.languages.paths.printer import path as printed
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq.lower_expression import AGGREGATES, NOT_REPEATABLE, ExpressionLowering, ExpressionPlace
from spaseq.languages.spaseq.terms import Prefixes
from spaseq.languages.spaseq.tree import Call, Group, Iri, Name, Variable
from spaseq.pattern.paths import (
    RELATION,
    EdgeStep,
    LabelledNodes,
    NegatedStep,
    NodeCondition,
    NodeName,
    PathAlternatives,
    PathExpression,
    PathQuery,
    PathRepetition,
    PathSelector,
    PathSequence,
    Restrictor,
    SelectorKind,
    default_selector,
    is_unbounded,
)

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


def no_group(group: Group) -> NoReturn:
    """What lowers the pattern of an EXISTS, where there is none."""
    raise exists_refused(group.span)


def _other_variable(node: Variable, name: str) -> Problem:
    message = f"this condition is about ?{name}; ?{node.name} is nothing here"
    return Problem(message, node.span, f"a condition knows one node alone: write ?{name}")


# ── path expressions ─────────────────────────────────────────────────────────────────────────────────────
class PathLowering:
    """Lowers path expressions; ``^`` goes down to the steps, and turns sequences round on its way."""

    def __init__(self, names: Prefixes) -> None:
        self.names = names
        self.expressions = ExpressionLowering(names, no_group)

    def lower(self, node: tree.Path, inverse: bool = False) -> PathExpression:
        """The algebra of ``node``, or of ``^node``; Problem if it has no meaning."""
        match node:
            case Iri():
                return EdgeStep(self.names.iri(node), inverse)
            case tree.Inverse(path):
                return self.lower(path, not inverse)
            case tree.Sequence(parts):
                lowered = [self.lower(part, inverse) for part in parts]
                return PathSequence(tuple(reversed(lowered) if inverse else lowered))
            case tree.Alternatives(parts):
                return PathAlternatives(tuple(self.lower(part, inverse) for part in parts))
            case tree.Repeated(path, least, most):
                return PathRepetition(self.lower(path, inverse), least, most)
            case tree.Negated():
                return self.negated(node, inverse)
            case tree.Condition():
                return self.condition(node)

    def negated(self, node: tree.Negated, inverse: bool) -> NegatedStep:
        """``!(…)``: without an inverse part it takes no edge against its direction, and the other way round."""
        forward = tuple(self.names.iri(part) for part in node.parts if isinstance(part, Iri))
        against = tuple(self.names.iri(part.iri) for part in node.parts if isinstance(part, tree.InverseIri))
        sides = (forward if forward or not against else None, against or None)
        return NegatedStep(*reversed(sides)) if inverse else NegatedStep(*sides)

    def condition(self, node: tree.Condition) -> NodeCondition:
        """``[?x: …]``."""
        check_condition(node)
        return NodeCondition(node.variable.name, self.expressions.lower(node.expression, ExpressionPlace.PATTERN))


# ── whole queries ────────────────────────────────────────────────────────────────────────────────────────
def lower_queries(node: tree.Queries) -> tuple[PathQuery, ...]:
    """The meaning of a file; Problem for the first thing that has none.

    A declaration holds for the queries behind it.
    """
    names = Prefixes((), {"": RELATION}, first="QUERY")
    found: dict[str, PathQuery] = {}
    for item in node.items:
        if not isinstance(item, tree.Query):
            names.declare(item)
            continue
        if item.name.text in found:
            raise Problem(f"query {item.name.text} is there twice", item.name.span, "give one of them another name")
        found[item.name.text] = lower_query(item, names)
    return tuple(found.values())


def lower_query(node: tree.Query, names: Prefixes) -> PathQuery:
    """The meaning of one query."""
    starts, ends = _nodes(node.starts, names), _nodes(node.ends, names)
    expression = PathLowering(names).lower(node.path)
    selector, restrictor = _selector(node, expression), _restrictor(node)
    if selector.kind is SelectorKind.ALL and restrictor is Restrictor.WALK and is_unbounded(expression):
        raise _infinite(node)
    return PathQuery(node.name.text, expression, starts, ends, selector, restrictor, node.not_back)


def _nodes(nodes: tuple[tree.PathEnd, ...], names: Prefixes) -> tuple[NodeName, ...]:
    """The names without repetitions."""
    found = (
        LabelledNodes(each.text) if isinstance(each, tree.Label) else algebra.Iri(names.iri(each)) for each in nodes
    )
    return tuple(dict.fromkeys(found))


def _selector(node: tree.Query, expression: PathExpression) -> PathSelector:
    if node.selector is not None:
        return PathSelector(node.selector.kind, node.selector.count)
    return PathSelector() if node.restriction is not None else default_selector(expression)


def _restrictor(node: tree.Query) -> Restrictor:
    return Restrictor.WALK if node.restriction is None else node.restriction.kind


def _infinite(node: tree.Query) -> Problem:
    """ALL WALK of an expression without a bound."""
    said, repeated = node.selector or node.restriction, _unbounded(node.path)
    assert said and repeated  # without a selector and a restrictor it is ANY SHORTEST
    message = f"there may be infinitely many walks: nothing bounds {printed(repeated)}"
    hint = "write ANY SHORTEST or another selector, or TRAIL or another restrictor, or a bound such as {1,5}"
    return Problem(message, said.span, hint)


def _unbounded(node: tree.Path) -> tree.Repeated | None:
    """The first repetition of steps without a bound."""
    match node:
        case tree.Sequence(parts) | tree.Alternatives(parts):
            return next(filter(None, map(_unbounded, parts)), None)
        case tree.Inverse(path):
            return _unbounded(path)
        case tree.Repeated(path, _, most) if most != 0:
            return node if most is None and _has_step(path) else _unbounded(path)
        case _:
            return None


def _has_step(node: tree.Path) -> bool:
    match node:
        case tree.Sequence(parts) | tree.Alternatives(parts):
            return any(map(_has_step, parts))
        case tree.Inverse(path):
            return _has_step(path)
        case tree.Repeated(path, _, most):
            return most != 0 and _has_step(path)
        case _:
            return not isinstance(node, tree.Condition)
