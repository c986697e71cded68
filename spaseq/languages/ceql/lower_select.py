"""SELECT and GROUP BY: positions of variables, or aggregates over the matches of one end."""

from __future__ import annotations

from typing import NamedTuple

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.print_expression import attribute as written
from spaseq.languages.ceql.printer import aggregate as written_aggregate
from spaseq.languages.ceql.scope import Variables
from spaseq.languages.problem import Problem
from spaseq.pattern.columns import Attribute
from spaseq.pattern.recognition import Aggregate, GroupKey


class Selection(NamedTuple):
    """The parts of a query that come from SELECT and GROUP BY."""

    variables: tuple[str, ...] | None
    aggregates: tuple[Aggregate, ...] = ()
    group_by: tuple[GroupKey, ...] = ()


def lower_select(node: tree.Query, variables: Variables) -> Selection:
    """What SELECT and GROUP BY mean; Problem for unknown variables and for mixtures that have no meaning."""
    shown = [item for item in node.select.items or () if isinstance(item, tree.Shown)]
    if any(isinstance(item.value, tree.Aggregate) for item in shown):
        return _aggregated(node, shown, variables)
    if node.group_by:
        raise Problem("GROUP BY without an aggregate", node.group_by[0].span, "add COUNT(*), or leave it out")
    if shown:
        hint = "SELECT names variables; their attributes are read at the positions of the result"
        raise Problem(f"{_text(shown[0])} needs GROUP BY and an aggregate beside it", shown[0].span, hint)
    return Selection(None if node.select.items is None else _variables(node.select.items, variables))


def _variables(items: tuple[tree.Reference | tree.Shown, ...], variables: Variables) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for item in items:
        assert isinstance(item, tree.Reference)
        variables.check(item.variable, item.span)
        if item.variable in names:
            raise Problem(f"{item.variable} is selected twice", item.span)
        names[item.variable] = None
    return tuple(names)


def _aggregated(node: tree.Query, shown: list[tree.Shown], variables: Variables) -> Selection:
    for item in node.select.items or ():
        if isinstance(item, tree.Reference):
            message = f"{item.variable} beside an aggregate: one row stands for many matches"
            raise Problem(message, item.span, f"select an attribute of it and add GROUP BY {item.variable}.…")
    _check_columns(shown)
    aggregates = tuple(
        Aggregate(item.value.function, _attribute(item.value.attribute, variables), _name(item))
        for item in shown
        if isinstance(item.value, tree.Aggregate)
    )
    return Selection((), aggregates, _keys(node, shown, variables))


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


def _attribute(node: tree.Attribute | None, variables: Variables) -> Attribute | None:
    return None if node is None else _known(node, variables)


def _known(node: tree.Attribute, variables: Variables) -> Attribute:
    assert node.variable is not None
    variables.check(node.variable, node.span)
    return Attribute(node.name, node.variable)


def _check_columns(shown: list[tree.Shown]) -> None:
    """Every column of the result has a name of its own, and every aggregate but COUNT an attribute."""
    seen: set[str] = set()
    for item in shown:
        if isinstance(item.value, tree.Aggregate) and item.value.attribute is None and item.value.function != "COUNT":
            hint = f"name an attribute, as in {item.value.function}(x.price)"
            raise Problem(f"{_text(item)} has no meaning", item.value.span, hint)
        if _name(item) in seen:
            raise Problem(f"two columns are called {_name(item)}", item.span, "name one of them with AS")
        seen.add(_name(item))


def _name(item: tree.Shown) -> str:
    return item.name.text if item.name else _text(item)


def _text(item: tree.Shown) -> str:
    return written(item.value) if isinstance(item.value, tree.Attribute) else written_aggregate(item.value)
