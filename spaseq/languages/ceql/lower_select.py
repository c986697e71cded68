"""SELECT and GROUP BY: positions of variables and their attributes, or aggregates over the matches of one end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_expression import lower_value
from spaseq.languages.ceql.print_expression import attribute as written
from spaseq.languages.ceql.printer import aggregate as written_aggregate
from spaseq.languages.ceql.scope import Variables
from spaseq.languages.problem import Problem
from spaseq.pattern.formulas.predicates import Attribute, Value, attributes
from spaseq.pattern.formulas.query import GroupKey, MatchAggregate, Projected


class SelectClauses(NamedTuple):
    """The parts of a query that come from SELECT and GROUP BY."""

    variables: tuple[str, ...] | None
    aggregates: tuple[MatchAggregate, ...] = ()
    group_by: tuple[GroupKey, ...] = ()
    columns: tuple[str | Projected, ...] = ()


def lower_select(node: tree.Query, variables: Variables) -> SelectClauses:
    """What SELECT and GROUP BY mean; Problem for unknown variables and for mixtures that have no meaning."""
    shown = [item for item in node.select.items or () if isinstance(item, tree.Shown)]
    if any(isinstance(item.value, tree.Aggregate) for item in shown):
        return _aggregated(node, shown, variables)
    if node.group_by:
        raise Problem("GROUP BY without an aggregate", node.group_by[0].span, "add COUNT(*), or leave it out")
    if node.select.items is None:
        return SelectClauses(None)
    _check_columns(node.select.items)
    columns = tuple(_column(item, variables) for item in node.select.items)
    names = [column.attribute.variable if isinstance(column, Projected) else column for column in columns]
    return SelectClauses(tuple(dict.fromkeys(name for name in names if name)), columns=columns if shown else ())


def _column(item: tree.Reference | tree.Shown, variables: Variables) -> str | Projected:
    if isinstance(item, tree.Reference):
        variables.check(item.variable, item.span)
        return item.variable
    assert isinstance(item.value, tree.Attribute)
    return Projected(_known(item.value, variables), _name(item))


def _aggregated(node: tree.Query, shown: list[tree.Shown], variables: Variables) -> SelectClauses:
    for item in node.select.items or ():
        if isinstance(item, tree.Reference):
            message = f"{item.variable} beside an aggregate: one row stands for many matches"
            raise Problem(message, item.span, f"select an attribute of it and add GROUP BY {item.variable}.…")
    _check_columns(shown)
    aggregates = tuple(
        MatchAggregate(item.value.function, _argument(item.value, variables), _name(item))
        for item in shown
        if isinstance(item.value, tree.Aggregate)
    )
    return SelectClauses((), aggregates, _keys(node, shown, variables))


def _keys(node: tree.Query, shown: list[tree.Shown], variables: Variables) -> tuple[GroupKey, ...]:
    keys = [_known(each, variables) for each in node.group_by]
    named = {}
    for item in shown:
        if isinstance(item.value, tree.Attribute):
            attribute = _known(item.value, variables)
            if attribute not in keys:
                message = f"{written(item.value)} is neither grouped nor in an aggregate"
                raise Problem(message, item.span, f"add GROUP BY {written(item.value)} at the end")
            named[attribute] = _name(item)
    return tuple(GroupKey(key, named.get(key)) for key in dict.fromkeys(keys))


def _argument(node: tree.Aggregate, variables: Variables) -> Value | None:
    """What an aggregate is of: a value of each event that one variable holds; None for ``*``."""
    if node.argument is None:
        return None
    value = lower_value(node.argument, variables)
    names = sorted({attribute.variable or "" for attribute in attributes(value)})
    if not names:
        hint = f"name an attribute, as in {node.function}(x.price)"
        raise Problem(f"{written_aggregate(node)} is of no event", node.argument.span, hint)
    if len(names) > 1:
        message = f"{written_aggregate(node)} is of events of several variables ({', '.join(names)})"
        raise Problem(message, node.argument.span, "an aggregate ranges over the events of one variable")
    return value


def _known(node: tree.Attribute, variables: Variables) -> Attribute:
    assert node.variable is not None
    variables.check(node.variable, node.span)
    return Attribute(node.name, node.variable)


def _check_columns(items: Sequence[tree.Reference | tree.Shown]) -> None:
    """Every column of the result has a name of its own, and every aggregate but COUNT an attribute."""
    seen: set[str] = set()
    for item in items:
        if isinstance(item, tree.Shown) and isinstance(item.value, tree.Aggregate):
            _check_aggregate(item, item.value)
        if _name(item) in seen and isinstance(item, tree.Reference):
            raise Problem(f"{item.variable} is selected twice", item.span)
        if _name(item) in seen:
            raise Problem(f"two columns are called {_name(item)}", item.span, "name one of them with AS")
        seen.add(_name(item))


def _check_aggregate(item: tree.Shown, aggregate: tree.Aggregate) -> None:
    if aggregate.argument is None and aggregate.function != "COUNT":
        hint = f"name an attribute, as in {aggregate.function}(x.price)"
        raise Problem(f"{_text(item)} has no meaning", aggregate.span, hint)


def _name(item: tree.Reference | tree.Shown) -> str:
    if isinstance(item, tree.Reference):
        return item.variable
    return item.name.text if item.name else _text(item)


def _text(item: tree.Shown) -> str:
    return written(item.value) if isinstance(item.value, tree.Attribute) else written_aggregate(item.value)
