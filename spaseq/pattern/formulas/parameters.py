"""GIVEN: the parameters of a query over tuples, and the rows of constants that take their place (semantics.md 3.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

ConstantValue: TypeAlias = "int | float | str | bool"
ConstantRow: TypeAlias = tuple[ConstantValue, ...]  # a constant for each parameter
RowKey: TypeAlias = tuple[str, ...]

NUMBER, TEXT, TRUTH = "number", "text", "truth value"


class Placeholder(str):
    """Stands for the constant of a row, where a query has a parameter of that name; it equals nothing else."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placeholder) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(("$", str(self)))

    def __repr__(self) -> str:
        return f"${self}"


class ShownParameter(NamedTuple):
    """A parameter among what results show: at its ``place``, under a ``name``."""

    place: int
    parameter: str
    name: str


class Length(NamedTuple):
    """A parameter that counts a ``unit`` in the length of the window: microseconds, or 1."""

    parameter: str
    unit: int


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a query, and its distinct rows; without ``rows`` they come when the query is registered.

    ``lengths`` are added to the length of the window.  ``demands`` says which parameters stand where only a NUMBER, a
    TEXT or a TRUTH value can.
    """

    names: tuple[str, ...]
    rows: tuple[ConstantRow, ...] | None = None
    lengths: tuple[Length, ...] = ()
    shown: tuple[ShownParameter, ...] = ()
    demands: tuple[tuple[str, str], ...] = ()

    @property
    def fingerprint(self) -> str:
        """What a query means beside its formula, with any rows."""
        return repr((self.names, self.lengths, self.shown))


def row_key(row: Sequence[ConstantValue]) -> RowKey:
    """Rows are equal if they have the same constants: 1 is neither 1.0 nor TRUE."""
    return tuple(map(repr, row))
