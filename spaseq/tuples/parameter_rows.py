"""The rows of a query with parameters on tuples: constants, from its text or from a table, and the query of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spaseq.errors import OptionError
from spaseq.languages.ceql.cells import constant_of
from spaseq.languages.ceql.parameters import GivenPlaces
from spaseq.pattern.formulas.binding import bound, with_constants
from spaseq.pattern.formulas.parameters import ConstantRow, ConstantValue, RowKey, row_key
from spaseq.pattern.formulas.predicates import Constant
from spaseq.pattern.formulas.printing import print_value
from spaseq.pattern.formulas.query import FormulaQuery
from spaseq.runtime.snapshot.validation import Shape, validated
from spaseq.sources.parameter_rows import RowSources, called, read_table, rows_of_query, tables_by_name
from spaseq.sources.parameter_tables import RowSource
from spaseq.tuples.columns.serialisation import require
from spaseq.tuples.queries import AnyPrepared, Prepared, planned_query


class ConstantRows:
    """See ``RowLanguage``: the rows of a query in CEQL."""

    kind = "a constant"

    def __init__(self, query: FormulaQuery) -> None:
        assert query.given is not None
        self.parameters: Sequence[str] = [f"${name}" for name in query.given.names]
        self._places = GivenPlaces(query)

    def value(self, cell: Any, is_text: bool) -> ConstantValue:
        """See ``RowLanguage``."""
        return constant_of(cell, is_text)

    def misfits(self, row: ConstantRow) -> Iterator[tuple[int, str]]:
        """See ``RowLanguage``."""
        return self._places.misfits(row)


def with_rows(prepared: Prepared, table: RowSource | None, name: str = "") -> Prepared:
    """The query with the rows of its text or of a table, if it has parameters.

    OptionError: both have rows, or neither, or it takes none.  StreamError: the table cannot be read, or a row does not
    fit.
    """
    rows = rows_or_none(prepared, table, name)
    if rows is None and prepared.query.given is not None:
        parameters = ", ".join(ConstantRows(prepared.query).parameters)
        raise OptionError(f"{called(name)} needs rows for GIVEN {parameters}")
    return prepared.with_rows(rows)


def with_tables(queries: Mapping[str, AnyPrepared], given: RowSources) -> dict[str, AnyPrepared]:
    """Queries by name with their rows; a single one without a name has a table itself.  Errors as of ``with_rows``."""
    tables = {"": given} if list(queries) == [""] else tables_by_name(given, list(queries))
    return {name: with_table(prepared, tables.get(name), name) for name, prepared in queries.items()}


def with_table(prepared: AnyPrepared, table: RowSource | None, name: str) -> AnyPrepared:
    """``with_rows`` of a query in either language: one in SQL takes none."""
    if isinstance(prepared, Prepared):
        return with_rows(prepared, table, name)
    rows_of_query(name, None, table, lambda _: iter(()))
    return prepared


def rows_or_none(prepared: Prepared, table: RowSource | None, name: str = "") -> tuple[ConstantRow, ...] | None:
    """The distinct rows of a query's text or of a table, or those that it was prepared with; None: it has none.

    Errors as of ``with_rows``.
    """
    if table is None and prepared.rows is not None:
        return prepared.rows
    found = rows_of_query(name, prepared.query.given, table, lambda table: read_rows(prepared, table))
    return None if found is None else distinct(found)


def with_kept_rows(
    prepared: Prepared, table: RowSource | None, name: str, kept: Iterable[Iterable[tuple[str, str]]]
) -> Prepared:
    """The query with the rows of its text or of a table, else with those that a snapshot has.

    Errors as of ``with_rows``; SnapshotError: these are none.
    """
    rows = rows_or_none(prepared, table, name)
    if rows is None and prepared.query.given is not None:
        with validated():
            rows = distinct(map(row_read, kept))
            places, width = GivenPlaces(prepared.query), len(prepared.query.given.names)
            require(all(len(row) == width for row in rows), "a row is of other parameters")
            require(not any(any(places.misfits(row)) for row in rows), "a row does not fit its query")
    return prepared.with_rows(rows)


def read_rows(prepared: Prepared, table: RowSource) -> Iterator[ConstantRow]:
    """The rows of a table for a query with parameters; StreamError: one does not fit it."""
    return read_table(table, ConstantRows(prepared.query))


def distinct(rows: Iterable[ConstantRow]) -> tuple[ConstantRow, ...]:
    """Each row once."""
    found: dict[RowKey, ConstantRow] = {}
    for row in rows:
        found.setdefault(row_key(row), row)
    return tuple(found.values())


def of_row(prepared: Prepared, row: ConstantRow) -> Prepared:
    """The query of a row; as long as somebody has it, it is the same one."""
    key = row_key(row)
    found = prepared.members.get(key)
    if found is None:
        parsed, given = prepared.parsed, prepared.query.given
        assert given is not None
        normal_form = with_constants(parsed.normal_form, given, row)
        found = planned_query(replace(parsed, query=bound(parsed.query, row), normal_form=normal_form))
        prepared.members[key] = found
    return found


def each_query(prepared: Prepared) -> list[FormulaQuery]:
    """What each row means; without parameters the query itself."""
    return [prepared.query] if prepared.rows is None else [bound(prepared.query, row) for row in prepared.rows]


STORED_ROW: Shape = [(str, str)]  # the type of each constant, and what it is


def row_stored(row: ConstantRow) -> list[list[str]]:
    """A row, as STORED_ROW."""
    return [[type(value).__name__, str(value)] for value in row]


def row_read(stored: Iterable[tuple[str, str]]) -> ConstantRow:
    """What was stored; SnapshotError, ValueError: it is no row."""
    found = []
    for type_, text in stored:
        require(type_ in _READ, "a constant is of no type")
        found.append(_READ[type_](text))
    return tuple(found)


_READ: Mapping[str, Callable[[str], ConstantValue]] = {
    "int": int, "float": float, "str": str, "bool": lambda text: text == "True",
}  # fmt: skip


def written_row(row: ConstantRow) -> str:
    """A row as a query writes it."""
    return f"({', '.join(print_value(Constant(value)) for value in row)})"
