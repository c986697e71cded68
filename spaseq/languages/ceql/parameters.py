"""GIVEN: which parameters there are, and which constants may take their place (semantics.md 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_expression import LONGEST_NUMBER, constant
from spaseq.languages.node import Node, walk
from spaseq.languages.query_text import Problem
from spaseq.pattern.formulas.parameters import (
    NUMBER,
    TEXT,
    TRUTH,
    ConstantRow,
    ConstantValue,
    Length,
    Parameters,
    ShownParameter,
    row_key,
)
from spaseq.pattern.formulas.query import AttributeWindow, EventWindow, FormulaQuery, TimeWindow, Window
from spaseq.streams.timestamps import LONGEST, MICROSECONDS
from spaseq.text import did_you_mean

MOST_DIGITS = 18  # of a length


def check_parameters(query: tree.Query) -> None:
    """Problem for a parameter that is given twice, and for one that nothing gives."""
    names: list[str] = []
    for one in query.given.parameters if query.given else ():
        if one.name in names:
            raise Problem(f"${one.name} is given twice", one.span, "name each parameter once")
        names.append(one.name)
    for node in walk(query):
        if isinstance(node, tree.Parameter) and node.name not in names:
            near = did_you_mean(node.name, names)
            hint = near.replace("mean ", "mean $") if near.startswith("did") else f"add GIVEN ${node.name} before WHERE"
            raise Problem(f"nothing gives ${node.name}", node.span, hint)


def with_given(
    query: FormulaQuery, node: tree.Query, given: tree.Given, shown: tuple[ShownParameter, ...]
) -> FormulaQuery:
    """The query with its parameters, and the rows of its text; Problem: one does not fit."""
    names = tuple(one.name for one in given.parameters)
    lengths = tuple(_lengths(node.window)) if node.window else ()
    demands = tuple(dict.fromkeys(each for part in walk(node) for each in _demands(part)))
    found = replace(query, given=Parameters(names, None, lengths, shown, demands))
    if given.rows is None or found.given is None:
        return found
    places = GivenPlaces(found)
    rows = [_row(row, given, places) for row in given.rows]
    distinct = {row_key(row): row for row in reversed(rows)}
    return replace(found, given=replace(found.given, rows=tuple(reversed(distinct.values()))))


def _lengths(window: tree.Window) -> Iterator[Length]:
    """What is given of the length of a window."""
    if not isinstance(window, tree.TimeWindow):
        if isinstance(window.length, tree.Parameter):
            yield Length(window.length.name, 1)
        return
    for each in window.durations:
        if isinstance(each.length, tree.Parameter):
            yield Length(each.length.name, MICROSECONDS[each.unit])


def _demands(node: Node) -> Iterator[tuple[str, str]]:
    """The parameters directly below a node that stand where only constants of a kind can."""
    match node:
        case tree.Operation("+" | "-" | "*" | "/" | "%", operands):
            yield from ((one.name, NUMBER) for one in operands if isinstance(one, tree.Parameter))
        case tree.Operation("AND" | "OR" | "NOT", operands):
            yield from ((one.name, TRUTH) for one in operands if isinstance(one, tree.Parameter))
        case tree.Like(_, tree.Parameter(name)):
            yield name, TEXT
        case tree.Test(_, tree.Parameter(name)):
            yield name, TRUTH


def _row(node: tree.Row, given: tree.Given, places: GivenPlaces) -> ConstantRow:
    if len(node.values) != len(given.parameters):
        message = f"a row of {len(node.values)} values for {len(given.parameters)} parameters"
        raise Problem(message, node.span, "each row has a constant for every parameter")
    for value, parameter in zip(node.values, given.parameters, strict=True):
        if isinstance(value, tree.Null):
            hint = "a query without one of its constants has no meaning: leave the row out"
            raise Problem(f"${parameter.name} is NULL in this row", value.span, hint)
    row = tuple(constant(value).value for value in node.values)
    for number, message in places.misfits(row):
        raise Problem(message, node.values[number].span)
    return row


_KINDS = {NUMBER: "is part of a calculation", TEXT: "is the pattern of LIKE", TRUTH: "is a condition"}


class GivenPlaces:
    """Where the parameters of a query stand, which says what constants they can be."""

    def __init__(self, query: FormulaQuery) -> None:
        assert query.given is not None
        self._given = query.given
        self._window = query.window

    def misfits(self, row: ConstantRow) -> Iterator[tuple[int, str]]:
        """The places in ``row`` of constants that cannot stand where they would, and why."""
        for number, value in enumerate(row):
            if _is_out_of_range(value):
                yield number, "the number is out of range"
                return
        values = dict(zip(self._given.names, row, strict=True))
        for name, kind in self._given.demands:
            if kind_of(values[name]) != kind:
                yield self._number(name), f"${name} {_KINDS[kind]}, and this is no {kind}"
                return
        for name, _ in self._given.lengths:
            if message := _misfit_of_length(values[name], self._window):
                yield self._number(name), f"${name} is the length of the window, and {message}"
                return
        if isinstance(self._window, TimeWindow) and self._whole(values) > LONGEST:
            yield self._number(self._given.lengths[0].parameter), "WITHIN is longer than time itself"

    def _number(self, name: str) -> int:
        return self._given.names.index(name)

    def _whole(self, values: dict[str, ConstantValue]) -> int:
        """The length of a window in time, in microseconds."""
        assert isinstance(self._window, TimeWindow)
        return self._window.microseconds + sum(int(values[name]) * unit for name, unit in self._given.lengths)


def kind_of(value: ConstantValue) -> str:
    """NUMBER, TEXT or TRUTH."""
    if isinstance(value, bool):
        return TRUTH
    return TEXT if isinstance(value, str) else NUMBER


def _is_out_of_range(value: ConstantValue) -> bool:
    """As a number that is written; integers are as long as they may be there."""
    if isinstance(value, float):
        return not math.isfinite(value)
    return type(value) is int and abs(value) >= 10**LONGEST_NUMBER


def _misfit_of_length(value: ConstantValue, window: Window | None) -> str:
    """Why ``value`` is no length of a window, or nothing."""
    if isinstance(window, AttributeWindow):
        is_positive = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        return "" if is_positive else "this is no positive number"
    if type(value) is not int or value <= 0:
        return "this is no positive whole number"
    is_long = isinstance(window, EventWindow) and value >= 10**MOST_DIGITS
    return "this is too large" if is_long else ""
