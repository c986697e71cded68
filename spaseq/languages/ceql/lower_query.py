"""Syntax tree to algebra: names, numbers and clauses are checked on the way.

SELECT and GROUP BY become positions of variables and their attributes, or aggregates over the matches of one end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_expression import Variables, lower_filter, lower_value, number
from spaseq.languages.ceql.parameters import check_parameters, with_given
from spaseq.languages.ceql.printer import aggregate as written_aggregate, attribute as written
from spaseq.languages.query_text import Problem
from spaseq.pattern.formulas import query as algebra
from spaseq.pattern.formulas.parameters import ShownParameter
from spaseq.pattern.formulas.predicates import Attribute, Value, attributes
from spaseq.pattern.formulas.query import GroupKey, MatchAggregate, Projected
from spaseq.streams.timestamps import LONGEST, MICROSECONDS
from spaseq.text import did_you_mean


class SelectClauses(NamedTuple):
    """The parts of a query that come from SELECT and GROUP BY; ``parameters`` are those that it shows."""

    variables: tuple[str, ...] | None
    aggregates: tuple[MatchAggregate, ...] = ()
    group_by: tuple[GroupKey, ...] = ()
    columns: tuple[str | Projected, ...] = ()
    parameters: tuple[ShownParameter, ...] = ()


def lower_select(node: tree.Query, variables: Variables) -> SelectClauses:
    """What SELECT and GROUP BY mean; Problem for unknown variables and for mixtures that have no meaning."""
    shown = [item for item in node.select.items or () if isinstance(item, tree.Shown)]
    if any(isinstance(item.value, tree.Aggregate) for item in shown):
        return _aggregated(node, shown, variables)
    if node.group_by:
        raise Problem("GROUP BY without an aggregate", node.group_by[0].span, "add COUNT(*), or leave it out")
    if node.select.items is None:
        return SelectClauses(None, parameters=_all_given(node, variables))
    _check_columns(node.select.items)
    found = [_column(item, variables) for item in node.select.items if not _is_parameter(item)]
    if not found:
        raise Problem("SELECT shows parameters alone", node.select.span, "name a variable, or write SELECT *")
    names = [column.attribute.variable if isinstance(column, Projected) else column for column in found]
    return SelectClauses(
        tuple(dict.fromkeys(name for name in names if name)),
        columns=tuple(found) if any(isinstance(column, Projected) for column in found) else (),
        parameters=tuple(_shown_parameters(node.select.items)),
    )


def _is_parameter(item: tree.Reference | tree.Shown) -> bool:
    return isinstance(item, tree.Shown) and isinstance(item.value, tree.Parameter)


def _all_given(node: tree.Query, variables: Variables) -> tuple[ShownParameter, ...]:
    """What ``*`` shows before the variables."""
    parameters = node.given.parameters if node.given else ()
    for one in parameters:
        if one.name in variables.names:
            hint = "name the parameter otherwise, or say what SELECT shows"
            raise Problem(f"{one.name} is a variable, too, and SELECT * shows both", one.span, hint)
    return tuple(ShownParameter(place, one.name, one.name) for place, one in enumerate(parameters))


def _shown_parameters(items: Sequence[tree.Reference | tree.Shown]) -> Iterator[ShownParameter]:
    """The parameters among some items, each at its place."""
    for place, item in enumerate(items):
        if isinstance(item, tree.Shown) and isinstance(item.value, tree.Parameter):
            yield ShownParameter(place, item.value.name, _name(item))


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
    parameters = tuple(_shown_parameters([item for item in shown if _is_parameter(item)]))  # before all else
    return SelectClauses((), aggregates, _keys(node, shown, variables), parameters=parameters)


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
    match item.value:
        case tree.Parameter(name):
            return name
        case tree.Attribute():
            return written(item.value)
        case tree.Aggregate():
            return written_aggregate(item.value)


# ── whole queries ────────────────────────────────────────────────────────────────────────────────────────
def lower_query(node: tree.Query) -> algebra.FormulaQuery:
    """The meaning of a query; Problem for the first thing in it that has none."""
    check_parameters(node)
    streams = _distinct(node.streams, "stream")
    formula = lower_formula(node.formula, streams)
    selection = lower_select(node, Variables(formula))
    query = algebra.FormulaQuery(
        formula,
        streams,
        algebra.SelectionStrategy(node.select.strategy or "ALL"),
        selection.variables,
        selection.aggregates,
        selection.group_by,
        _distinct(node.partition, "attribute"),
        lower_window(node.window) if node.window else None,
        _whole(node.limit, "LIMIT") if node.limit else None,
        algebra.Consumption(node.consume.policy if node.consume else "NONE"),
        selection.columns,
    )
    return query if node.given is None else with_given(query, node, node.given, selection.parameters)


def lower_formula(node: tree.Formula, streams: tuple[str, ...]) -> algebra.Formula:
    """The formula; Problem for an unknown stream, an unknown variable, or a misplaced condition."""
    match node:
        case tree.Reference(name, stream):
            if stream is not None and streams and stream not in streams:
                raise Problem(f"unknown stream {stream}", node.span, did_you_mean(stream, streams))
            return algebra.Relation(name, stream)
        case tree.Named(body, name):
            return algebra.Named(lower_formula(body, streams), name.text)
        case tree.Filtered(body, condition):
            lowered = lower_formula(body, streams)
            return algebra.Filtered(lowered, lower_filter(condition, Variables(lowered)))
        case tree.Alternatives(left, right):
            return algebra.Alternation(lower_formula(left, streams), lower_formula(right, streams))
        case tree.Steps(left, contiguous, right):
            return algebra.Sequencing(lower_formula(left, streams), lower_formula(right, streams), contiguous)
        case tree.Unordered(left, right):
            return algebra.Unordered(lower_formula(left, streams), lower_formula(right, streams))
        case tree.Repeated(body, contiguous):
            _require_repeatable(node)
            return algebra.Iteration(lower_formula(body, streams), contiguous)


def _require_repeatable(node: tree.Repeated) -> None:
    """Problem if it repeats an ALL, perhaps named or filtered."""
    body = node.body
    while isinstance(body, tree.Named | tree.Filtered):
        body = body.body
    if isinstance(body, tree.Unordered):
        hint = "a side may be, and a sequence that has more: A+ ALL B, ((A ALL B) ; C)+"
        raise Problem("an ALL cannot be repeated", node.span, hint)


def lower_window(node: tree.Window) -> algebra.Window:
    """The window; Problem if its length is not positive, or longer than time itself."""
    match node:
        case tree.EventWindow(length):
            return algebra.EventWindow(_length(length))
        case tree.AttributeWindow(length, attribute):
            return algebra.AttributeWindow(_growth(length), attribute.text)
        case tree.TimeWindow(durations):
            whole = sum(_length(each.length) * MICROSECONDS[each.unit] for each in durations)
            if whole > LONGEST:
                raise Problem("WITHIN is longer than time itself", node.span, "leave WITHIN out")
            return algebra.TimeWindow(whole)


def _growth(node: tree.Number | tree.Parameter) -> int | float:
    """How much an attribute may grow; what is given comes with its row."""
    if isinstance(node, tree.Parameter):
        return 0
    found = number(node)
    if found <= 0:
        raise Problem("WITHIN 0 is no window", node.span, "the length is positive")
    return found


def _length(node: tree.Number | tree.Parameter) -> int:
    """A length in WITHIN; what is given comes with its row."""
    return 0 if isinstance(node, tree.Parameter) else _whole(node, "WITHIN")


def _whole(node: tree.Number, clause: str) -> int:
    if not re.fullmatch(r"0*[1-9][0-9]*", node.text):
        hint = "take a smaller unit, as in WITHIN 1500 MILLISECONDS" if "." in node.text and clause == "WITHIN" else ""
        raise Problem(f"{clause} {node.text[:30]}: a positive whole number is needed", node.span, hint)
    if len(node.text.lstrip("0")) > 18:
        raise Problem(f"{clause} {node.text[:30]}… is too large", node.span, f"leave {clause} out")
    return int(node.text)


def _distinct(names: tuple[tree.Name, ...], kind: str) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            raise Problem(f"{kind} {name.text} is named twice", name.span)
        seen.add(name.text)
    return tuple(name.text for name in names)
