"""Sub-SELECTs: syntax tree to algebra, with the rules of SPARQL 1.1 on grouping and scope."""

from __future__ import annotations

from typing import Protocol

from gpm import algebra
from spaseq.languages.problem import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import ExpressionLowering, ExpressionPlace
from spaseq.languages.spaseq.scope import free_variables, in_scope


class GroupLowering(Protocol):
    """What lowers the groups around and inside a sub-SELECT."""

    expressions: ExpressionLowering

    def group(self, node: tree.Group) -> algebra.Group:
        """``{ … }``."""

    def values(self, node: tree.Values) -> algebra.Values:
        """VALUES."""


def sub_select(node: tree.SubSelect, lowering: GroupLowering) -> algebra.SubSelect:
    """The algebra of a nested SELECT; Problem for what SPARQL forbids."""
    lower = lowering.expressions.lower
    group = lowering.group(node.group)
    group_by = tuple(_condition(each, lowering) for each in node.group_by)
    having = tuple(lower(each, ExpressionPlace.SUB_SELECT) for each in node.having)
    projections = (
        None if node.items is None else projected(node.items, in_scope(group), lowering, ExpressionPlace.SUB_SELECT)
    )
    _check_grouping(node, projections, group_by, having)
    return algebra.SubSelect(
        projections,
        group,
        distinct=node.distinct,
        reduced=node.reduced,
        group_by=group_by,
        having=having,
        order_by=tuple((lower(key.expression, ExpressionPlace.SUB_SELECT), key.descending) for key in node.order_by),
        limit=node.limit,
        offset=node.offset,
        values=lowering.values(node.values) if node.values else None,
    )


def projected(
    items: tuple[tree.Variable | tree.Named, ...],
    scope: tuple[str, ...],
    lowering: GroupLowering,
    place: ExpressionPlace,
) -> tuple[algebra.Projection, ...]:
    """The items of a SELECT clause; a new name must be new, a plain variable may be repeated (and counts once)."""
    found: dict[str, algebra.Projection] = {}
    for item in items:
        if isinstance(item, tree.Variable):
            found.setdefault(item.name, algebra.Projection(item.name, algebra.Variable(item.name)))
            continue
        name = item.variable.name
        if name in scope or name in found:
            raise Problem(f"?{name} already has a meaning", item.variable.span, "choose a new name after AS")
        found[name] = algebra.Projection(name, lowering.expressions.lower(item.expression, place))
    return tuple(found.values())


def _condition(node: tree.Named | tree.Expression, lowering: GroupLowering) -> algebra.Projection | algebra.Expression:
    if isinstance(node, tree.Named):
        expression = lowering.expressions.lower(node.expression, ExpressionPlace.PATTERN)
        return algebra.Projection(node.variable.name, expression)
    return lowering.expressions.lower(node, ExpressionPlace.PATTERN)


def _check_grouping(
    node: tree.SubSelect,
    projections: tuple[algebra.Projection, ...] | None,
    group_by: tuple[algebra.Projection | algebra.Expression, ...],
    having: tuple[algebra.Expression, ...],
) -> None:
    """In a grouped SELECT, only grouped variables and earlier names may stand outside of aggregates."""
    expressions = [*having, *(item.expression for item in projections or ())]
    if not group_by and not any(is_aggregate(expression) for expression in expressions):
        return
    if projections is None or node.items is None:
        raise Problem("SELECT * cannot be grouped", node.span, "name the variables of GROUP BY")
    allowed = {each.name for each in group_by if isinstance(each, algebra.Projection | algebra.Variable)}
    spans = {item.name if isinstance(item, tree.Variable) else item.variable.name: item.span for item in node.items}
    for projection in projections:
        loose = [name for name in free_variables(projection.expression) if name not in allowed]
        if loose and projection.expression not in group_by:
            message = f"?{loose[0]} is neither grouped nor inside an aggregate"
            raise Problem(message, spans[projection.name], f"add GROUP BY ?{loose[0]}")
        allowed.add(projection.name)


def is_aggregate(expression: algebra.Expression) -> bool:
    """Whether an aggregate is somewhere in ``expression``."""
    return any(isinstance(part, algebra.Aggregate) for part in algebra.subexpressions(expression))
