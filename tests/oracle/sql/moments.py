"""What an expression is evaluated on, and what it is once its names and types are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .faults import PlanFault
from .model import SqlRow, SqlType


@dataclass(frozen=True, slots=True)
class RowLabel:
    """The variable of a row of a match, and whether the row is within an exclusion."""

    variable: str
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """A group, a match from a row of it with its labels so far and as a whole, and its number.

    `at` is the row that a navigation or an aggregate reads, None outside of them; `seen` are the labels that it knows.
    """

    rows: tuple[SqlRow, ...]
    start: int
    so_far: tuple[RowLabel, ...]
    whole: tuple[RowLabel, ...]
    number: int
    at: int | None = None
    seen: tuple[RowLabel, ...] = ()

    def reading(self, row: int, seen: tuple[RowLabel, ...]) -> Moment:
        """The same, with a row to read."""
        return Moment(self.rows, self.start, self.so_far, self.whole, self.number, row, seen)

    def labels(self, final: bool | None) -> tuple[RowLabel, ...]:
        """The labels that RUNNING (the default) or FINAL sees."""
        return self.whole if final else self.so_far

    def labelled(self, labels: tuple[RowLabel, ...], fitting: frozenset[str] | None) -> Iterator[int]:
        """The rows that have one of these variables, None being any."""
        for place, label in enumerate(labels):
            if fitting is None or label.variable in fitting:
                yield self.start + place

    def last_labelled(self, fitting: frozenset[str] | None) -> int | None:
        """The last row so far with one of these variables."""
        return max(self.labelled(self.so_far, fitting), default=None)


@dataclass(frozen=True, slots=True)
class BoundExpression:
    """The type of an expression, and its value at a moment."""

    type: SqlType
    read: Callable[[Moment], Any]


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression may use; within_define is for what DEFINE refuses."""

    columns: dict[str, tuple[int, SqlType]]
    variables: dict[str, frozenset[str]]
    within_define: bool = False

    def column(self, name: str) -> tuple[int, SqlType]:
        """The place and the type of a column."""
        if name not in self.columns:
            raise PlanFault(f"no column {name}")
        return self.columns[name]

    def fitting(self, variable: str | None) -> frozenset[str] | None:
        """The labels that a variable or subset stands for; None, of the universal one, is any."""
        if variable is not None and variable not in self.variables:
            raise PlanFault(f"no variable {variable}")
        return None if variable is None else self.variables[variable]
