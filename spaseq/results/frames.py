"""Matches as Arrow tables, and as data frames of pandas and polars.

Columns: the selected variables, before them ``first`` and ``last`` (UTC, microseconds), after them ``events``, a list
of IRIs for each GPM; of a CONSTRUCT query also ``stream``, ``event`` and ``triples`` of the derived event.  ``first``,
``last`` and ``events`` get an underscore at their end where the query selects a variable of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.terms.words import Terms
from spaseq.errors import Location, StreamError
from spaseq.results.arrow import MisfitError, column
from spaseq.results.frame_types import (
    DECIMAL,
    INSTANT,
    INTEGER,
    NOTHING,
    TEXT,
    TRUTH,
    Types,
    chosen,
    common_type,
    type_name,
)
from spaseq.results.frame_types import types_in as found_types
from spaseq.results.match import MatchColumns
from spaseq.results.terms import native

if TYPE_CHECKING:
    import pandas
    import polars

DecidedTypes = Mapping[str, pyarrow.DataType]
_TEXTS = pyarrow.list_(pyarrow.field("element", TEXT))  # the name that Parquet has


def to_arrow(table: MatchColumns, types: Types | None = None) -> pyarrow.Table:
    """The matches of a table.  Columns have the types given, or those that earlier tables of the query had.

    A column that had no value yet is decided by this table; without a value it is null.  OptionError: an unknown column
    or type.  StreamError: a term that is no value of its column's type.
    """
    agreed = table.shape.types
    given = chosen(types, table.columns)
    frame, decided = arrow_table([table], agreed | given)
    agreed |= {name: type_ for name, type_ in decided.items() if name not in given and type_ != NOTHING}
    return frame


def all_to_arrow(tables: Sequence[MatchColumns], types: Types | None = None) -> pyarrow.Table:
    """The matches of one query's tables (at least one), with types that fit all of them; errors as of ``to_arrow``.

    A column without any value is of strings.
    """
    return fitted(tables, chosen(types, tables[0].columns))[0]


def fitted(
    tables: Sequence[MatchColumns], decided: DecidedTypes, first_row: int = 0
) -> tuple[pyarrow.Table, dict[str, pyarrow.DataType]]:
    """``arrow_table``, where a column without any value is of strings."""
    frame, types = arrow_table(tables, decided, first_row)
    empty = [name for name, type_ in types.items() if type_ == NOTHING]
    return arrow_table(tables, types | dict.fromkeys(empty, TEXT), first_row) if empty else (frame, types)


def arrow_table(
    tables: Sequence[MatchColumns], decided: DecidedTypes, first_row: int = 0
) -> tuple[pyarrow.Table, dict[str, pyarrow.DataType]]:
    """The matches of one query's tables, and the types of the variables: those decided, else those that fit all values.

    ``first_row`` is the number of the first match, for errors.
    """
    names = tables[0].columns
    times = {_free(names, name): [_times(table, name) for table in tables] for name in ("first", "last")}
    variables = {name: _typed(tables, index, decided.get(name), first_row) for index, name in enumerate(names)}
    columns = {**times, **variables, **_events_and_more(tables)}
    frame = pyarrow.table({name: pyarrow.chunked_array(chunks) for name, chunks in columns.items()})
    return frame, {name: chunks[0].type for name, chunks in variables.items()}


def to_pandas(frame: pyarrow.Table) -> pandas.DataFrame:
    """A frame of ``to_arrow`` for pandas: integers and truth values may be missing, events are dictionaries."""
    import pandas

    objects = {
        field.name: objects_of(frame.column(field.name))
        for field in frame.schema
        if (objects_of := _OBJECTS.get(field.type.id))
    }
    mapper = {INTEGER: pandas.Int64Dtype(), TRUTH: pandas.BooleanDtype()}.get
    found = frame.drop_columns(list(objects)).to_pandas(types_mapper=mapper)
    for name, values in objects.items():
        found.insert(frame.column_names.index(name), name, pandas.Series(values, found.index, object))
    return found


def to_polars(frame: pyarrow.Table) -> polars.DataFrame:
    """A frame of ``to_arrow`` for polars."""
    import polars

    found = polars.from_arrow(frame)
    assert isinstance(found, polars.DataFrame)
    return found


def _times(table: MatchColumns, name: str) -> pyarrow.Array:
    return pyarrow.array(getattr(table, name)).view(INSTANT)


def _terms(table: MatchColumns, index: int) -> tuple[Terms, NDArray[np.uint64]]:
    return native(table.terms, table.words[:, index])


def _typed(
    tables: Sequence[MatchColumns], index: int, type_: pyarrow.DataType | None, first_row: int
) -> list[pyarrow.Array]:
    """A variable of all tables, as values of the type, or of the one that fits all of them."""
    if type_ is not None:
        return _strictly(tables, index, type_, first_row)
    fitting = common_type(type_ for table in tables for type_ in found_types(*_terms(table, index)))
    try:
        return [column(*_terms(table, index), fitting) for table in tables]
    except MisfitError:  # a time or number beyond the type's range: texts hold it
        return [column(*_terms(table, index), TEXT) for table in tables]


def _strictly(tables: Sequence[MatchColumns], index: int, type_: pyarrow.DataType, row: int) -> list[pyarrow.Array]:
    chunks = []
    for table in tables:
        try:
            chunks.append(column(*_terms(table, index), type_))
        except MisfitError as misfit:
            _refuse(table, index, type_, misfit, row)
        row += len(table)
    return chunks


def _refuse(table: MatchColumns, index: int, type_: pyarrow.DataType, misfit: MisfitError, first_row: int) -> NoReturn:
    name, terms = table.columns[index], native(table.terms, table.words[misfit.row : misfit.row + 1, index])
    widest = DECIMAL if pyarrow.types.is_decimal(type_) else type_
    better = common_type({widest, *found_types(*terms)})
    try:
        column(*terms, better)
    except MisfitError:
        better = TEXT
    raise StreamError(
        f"the column {name} is of type {type_name(type_)}, but has {misfit.value.to_ntriples():.200}",
        Location(f"<results>, row {first_row + misfit.row}"),
        hint=f'declare its type: {{"{name}": "{type_name(better)}"}}',
    )


def _events_and_more(tables: Sequence[MatchColumns]) -> dict[str, list[pyarrow.Array]]:
    """The columns behind the variables."""
    columns = {}
    if tables[0].shape.gpms:  # aggregates over matches have no events
        columns[_free(tables[0].columns, "events")] = list(map(_events, tables))
    if tables[0].derived is not None:
        derived = [event for table in tables for event in table.derived or ()]
        triples = [[f"{triple} ." for triple in event.triples] for event in derived]
        columns["stream"] = [pyarrow.array([event.stream for event in derived], TEXT)]
        columns["event"] = [pyarrow.array([event.name for event in derived], TEXT)]
        columns["triples"] = [pyarrow.array(triples, _TEXTS)]
    return columns


def _events(table: MatchColumns) -> pyarrow.StructArray:
    """The picked events: for each GPM the list of their IRIs, NULL where a match has none."""
    used, codes = np.unique(table.pick_events, return_inverse=True)
    names = pyarrow.array([table.event_name(event) for event in used.tolist()], TEXT)
    numbers = {name: [n for n, each in enumerate(table.atom_names) if each == name] for name in table.shape.gpms}
    lists = [_picked(table, names, codes, atoms) for atoms in numbers.values()]
    return pyarrow.StructArray.from_arrays(lists, list(numbers))


def _picked(table: MatchColumns, names: pyarrow.Array, codes: Any, atoms: list[int]) -> pyarrow.ListArray:
    chosen_picks = np.isin(table.pick_atoms, atoms)
    offsets = np.append(0, np.cumsum(chosen_picks))[table.pick_offsets].astype(np.int32)
    values = names.take(pyarrow.array(codes[chosen_picks]))
    missing = pyarrow.array(np.diff(offsets) == 0)
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets), values, _TEXTS, mask=missing)


def _dictionaries(events: pyarrow.ChunkedArray) -> list[dict[str, list[str]]]:
    """The events of each match by name of GPM, as ``Match.events`` has them."""
    names = [field.name for field in events.type]
    columns = [[_lists(chunk.field(name)) for name in names] for chunk in events.chunks]
    rows = (row for lists in columns for row in zip(*lists, strict=True))
    return [{name: iris for name, iris in zip(names, row, strict=True) if iris} for row in rows]


def _lists(array: pyarrow.ListArray) -> list[list[str]]:
    values = array.values.to_pylist()
    return [values[start:end] for start, end in pairwise(array.offsets.to_pylist())]


def _decimals(column: pyarrow.ChunkedArray) -> NDArray[Any]:
    """Decimals of Python, each distinct one made once, without the zeros at the end."""
    coded = column.combine_chunks().dictionary_encode()
    values = list(map(_without_zeros, coded.dictionary.to_pylist()))
    found: NDArray[Any] = np.array([*values, None], object)[coded.indices.fill_null(len(values)).to_numpy()]
    return found


def _without_zeros(number: Decimal) -> Decimal:
    text = f"{number:f}"
    return Decimal(text.rstrip("0").rstrip(".")) if "." in text else number


_OBJECTS: dict[int, Callable[[pyarrow.ChunkedArray], Any]] = {
    pyarrow.lib.Type_STRUCT: _dictionaries,
    pyarrow.lib.Type_DECIMAL128: _decimals,
}


def _free(columns: Sequence[str], name: str) -> str:
    return name + "_" if name in columns else name
