"""Queries with parameters (semantics.md 3.7): constants become parameters, and each row is a query of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from ..chooser import Chooser
from .generate import Pair
from .model import Event, Query, Window
from .predicates import Constant, In, Like
from .text import constant_text

Value = int | float | str
LENGTH = 987_654_000  # and a number: stands for a window's length that is given
HOLE = "§given"  # and a number: stands for a constant that is given


@dataclass(frozen=True)
class GivenPair:
    """A query as text, its parameters (the last one, ``label``, is the number of the row), its rows, and events.

    ``queries`` are what the rows mean, one for each.
    """

    text: str
    names: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    queries: tuple[Query, ...]
    events: tuple[Event, ...]

    @property
    def with_rows(self) -> str:
        """The text with its rows in it."""
        rows = " ".join(f"({', '.join(map(constant_text, row))})" for row in self.rows)
        return self.text.replace(self.head, f"GIVEN ({', '.join('$' + name for name in self.names)}) {{ {rows} }}")

    @property
    def head(self) -> str:
        """The clause as it stands in the text."""
        return "GIVEN " + ", ".join(f"${name}" for name in self.names)

    def dictionaries(self, numbers: Sequence[int]) -> list[dict[str, Value]]:
        """Some rows."""
        return [dict(zip(self.names, self.rows[number], strict=True)) for number in numbers]


def given_pair(pair: Pair, chooser: Chooser, to_text: Callable[[Query], str], most: int = 4) -> GivenPair:
    """The pair with parameters in the place of some constants, and up to so many rows."""
    first: list[Value] = []
    template = _with_holes(pair.query, chooser, first)
    rows = [first, *([_other(chooser, value) for value in first] for _ in range(chooser.integer(0, most - 1)))]
    names = (*(f"given{number}" for number in range(len(first))), "label")
    labelled = tuple((*row, number) for number, row in enumerate(rows))
    queries = tuple(_bound(template, row) for row in rows)
    return GivenPair(_text(to_text(template), names), names, labelled, queries, pair.events)


def _with_holes(node: Any, chooser: Chooser, row: list[Value]) -> Any:
    """A part of the query with holes, now and then, where it has constants, which are put into a row."""

    def hole(value: Value) -> Value:
        if not chooser.chance(60):
            return value
        row.append(value)
        return f"{HOLE}{len(row) - 1}"

    def length(window: Window) -> Window:
        if not chooser.chance(50):
            return window
        row.append(window.length)
        return replace(window, length=LENGTH + len(row) - 1)

    return _changed(node, hole, length)


def _bound(template: Query, row: Sequence[Value]) -> Query:
    """The query of a row."""

    def constant(value: Value) -> Value:
        is_hole = isinstance(value, str) and value.startswith(HOLE)
        return row[int(str(value).removeprefix(HOLE))] if is_hole else value

    def length(window: Window) -> Window:
        if window.length < LENGTH:
            return window
        found = row[window.length - LENGTH]
        assert isinstance(found, int)
        return replace(window, length=found)

    found: Query = _changed(template, constant, length)
    return found


def _changed(node: Any, constant: Callable[[Value], Value], length: Callable[[Window], Window]) -> Any:
    match node:
        case Constant(value):
            return Constant(constant(value))
        case Like(operand, pattern, negated):
            return Like(_changed(operand, constant, length), str(constant(pattern)), negated)
        case In(operand, values, negated):
            return In(_changed(operand, constant, length), tuple(map(constant, values)), negated)
        case Window():
            return length(node)
        case tuple():
            return tuple(_changed(part, constant, length) for part in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    return replace(node, **{one.name: _changed(getattr(node, one.name), constant, length) for one in fields(node)})


def _other(chooser: Chooser, value: Value) -> Value:
    """Another constant of the same kind, or the same."""
    if isinstance(value, str):
        return chooser.pick((value, value, "x", "y%", "_"))
    if isinstance(value, float):
        return value + chooser.pick((0.0, 0.5, -1.0))
    return max(1, value + chooser.integer(-2, 2)) if value > 0 else value + chooser.integer(-2, 2)


def _text(template: str, names: Sequence[str]) -> str:
    """A template as text, with the parameters; what does not show all shows the label."""
    text = re.sub(f"'{HOLE}(\\d+)'", r"$given\1", template)
    text = re.sub(rf"WITHIN {LENGTH // 1000}(\d\d\d) ", lambda found: f"WITHIN $given{int(found[1])} ", text)
    select, _, rest = text.partition("\n")
    shown = select if select.endswith("*") else f"{select}, $label"
    head = "GIVEN " + ", ".join(f"${name}" for name in names)
    return f"{shown}\n{rest}".replace("\nWHERE ", f"\n{head}\nWHERE ", 1)
