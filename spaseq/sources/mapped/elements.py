"""Where the variables of a mapping have their values: columns, fields of structs, and elements of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.compute as pc
from pyarrow import types

from gpm.rows import Numbers
from spaseq.pattern.mappings import MappedColumn
from spaseq.sources.tables.columns import path_of
from spaseq.text import did_you_mean


class NoValuesError(Exception):
    """There are no values at a path; ``hint``: where there may be."""

    def __init__(self, path: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint


@dataclass(frozen=True, slots=True)
class ColumnPlaces:
    """The ``paths`` of variables, and the lists of which each element is a solution (``each``).

    A path has the name of a column, and behind it those of fields, with dots between; what stands behind that of a list
    is a field of its elements.
    """

    paths: Mapping[str, str]
    each: Sequence[MappedColumn]

    def columns(self, names: Sequence[str]) -> list[str]:
        """Those that are read of a table with columns of these names.  NoValuesError: one is not there."""
        every = [*(one.path for one in self.each), *self.paths.values()]
        found = {_column(path, names): path for path in every}
        for name, path in found.items():
            if names.count(name) > 1:
                raise NoValuesError(path, f"the table has the column {name} twice")
        return list(found)

    def values(self, rows: Mapping[str, pyarrow.Array], row: Numbers) -> tuple[dict[str, pyarrow.Array], Numbers]:
        """The values of each variable in each solution, and the row of each; ``row`` has the numbers of the rows.

        NoValuesError: what should be a list is none, or there is no such field.
        """
        known = dict(rows)
        for one in self.each:
            known, row = _by_element(known, row, one.path)
        return {name: _value(known, path) for name, path in self.paths.items()}, row


def _column(path: str, names: Sequence[str]) -> str:
    if path in names:
        return path
    found = path_of(path, names)
    if found is None:
        raise NoValuesError(path, f"the table has no column {path}", did_you_mean(path, names))
    return found[0]


def _value(known: Mapping[str, pyarrow.Array], path: str) -> pyarrow.Array:
    """The values at a path; of names that begin it the longest counts."""
    begin = max((name for name in known if path == name or path.startswith(f"{name}.")), key=len)
    found, fields = known[begin], path[len(begin) + 1 :]
    for field in fields.split(".") if fields else ():
        found = _field(found, field, path)
    return found


def _field(column: pyarrow.Array, field: str, path: str) -> pyarrow.Array:
    """A field of structs; NULL where the struct is."""
    if types.is_null(column.type):
        return column
    names = [one.name for one in column.type] if types.is_struct(column.type) else []
    if names.count(field) != 1:
        told = "" if names else f"{field} would be a field of values of type {column.type}"
        raise NoValuesError(path, f"the table has no column {path}", told or did_you_mean(field, names))
    return pc.struct_field(column, field)


def _by_element(
    known: Mapping[str, pyarrow.Array], row: Numbers, path: str
) -> tuple[dict[str, pyarrow.Array], Numbers]:
    """Values as often as the list has elements, which stand in its place."""
    lists = _value(known, path)
    if types.is_null(lists.type):
        lists = lists.cast(pyarrow.list_(pyarrow.null()))
    if not (types.is_list(lists.type) or types.is_large_list(lists.type) or types.is_fixed_size_list(lists.type)):
        raise NoValuesError(path, f"EACH takes lists: {path} is of type {lists.type}")
    parents = pc.list_parent_indices(lists)
    found = {name: column.take(parents) for name, column in known.items()}
    return found | {path: pc.list_flatten(lists)}, row[parents.to_numpy()]


def rows_without(row: Numbers, count: int) -> int:
    """How many of so many rows have no solution; ``row`` (ascending) is the row of each."""
    return count - int(np.count_nonzero(np.diff(row))) - bool(len(row))
