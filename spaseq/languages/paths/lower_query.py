"""Path queries: syntax tree to ``spaseq.pattern.paths``."""

from __future__ import annotations

from gpm.algebra import Iri
from spaseq.languages.paths import tree
from spaseq.languages.paths.lower_path import PathLowering
from spaseq.languages.paths.printer import path as printed
from spaseq.languages.problem import Problem
from spaseq.languages.spaseq.names import Prefixes
from spaseq.pattern.paths import (
    RELATION,
    LabelledNodes,
    NodeName,
    PathExpression,
    PathQuery,
    PathSelector,
    Restrictor,
    SelectorKind,
    default_selector,
    is_unbounded,
)


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
    found = (LabelledNodes(each.text) if isinstance(each, tree.Label) else Iri(names.iri(each)) for each in nodes)
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
