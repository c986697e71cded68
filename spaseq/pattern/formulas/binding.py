"""The query of one row of parameters: its constants in the place of what stands for them (semantics.md 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from spaseq.pattern.formulas.parameters import ConstantRow, ConstantValue, Parameters, Placeholder
from spaseq.pattern.formulas.query import AttributeWindow, EventWindow, FormulaQuery, TimeWindow, Window

T = TypeVar("T")


def bound(query: FormulaQuery, row: ConstantRow) -> FormulaQuery:
    """The query of a row that fits (``languages.ceql.parameters``)."""
    assert query.given is not None
    return replace(with_constants(replace(query, given=None), query.given, row), window=window_of(query, row))


def with_constants(node: T, given: Parameters, row: ConstantRow) -> T:
    """A part of the query, as it is in that of a row."""
    found: T = _put(node, dict(zip(given.names, row, strict=True)))
    return found


def _put(node: Any, row: Mapping[str, ConstantValue]) -> Any:
    if isinstance(node, Placeholder):
        return row[str(node)]
    if isinstance(node, tuple):
        parts = [_put(part, row) for part in node]
        return node if all(new is old for new, old in zip(parts, node, strict=True)) else tuple(parts)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed = {one.name: new for one in fields(node) if (new := _put(old := getattr(node, one.name), row)) is not old}
    return replace(node, **changed) if changed else node


def window_of(query: FormulaQuery, row: ConstantRow) -> Window | None:
    """The window of a row's query, which is as long as what is given says beside what the text does."""
    assert query.given is not None
    constants = dict(zip(query.given.names, row, strict=True))
    more = sum(_number(constants[name]) * unit for name, unit in query.given.lengths)
    match query.window:
        case TimeWindow(length):
            return TimeWindow(length + int(more))
        case EventWindow(length):
            return EventWindow(length + int(more))
        case AttributeWindow(length, attribute):
            return AttributeWindow(length + more, attribute)
    return None


def _number(value: ConstantValue) -> int | float:
    """A constant that is known to be a number."""
    assert isinstance(value, int | float)
    return value
