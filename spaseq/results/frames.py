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

from gpm.native.narrow import listed
from nfa_native.terms.dictionary import Terms
from spaseq.errors import Location, OptionError, StreamError
from spaseq.results.arrow import (
    DECIMAL,
    INSTANT,
    INTEGER,
    NOTHING,
    TEXT,
    TRUTH,
    MisfitError,
    Types,
    bits,
    chosen,
    column,
    common_type,
    of_2_gib,
    strings,
    term_columns,
    type_name,
    types_in as found_types,
)
from spaseq.results.match import DerivedEvent, MatchColumns
from spaseq.results.terms import coded_names, native

if TYPE_CHECKING:
    import pandas
    import polars

DecidedTypes = Mapping[str, pyarrow.DataType]
TermColumn = tuple[Terms, NDArray[np.uint64]]  # a variable of one table
_TEXTS = pyarrow.list_(pyarrow.field("element", TEXT))  # the name that Parquet has


def to_arrow(table: MatchColumns, types: Types | None = None, terms: str | None = None) -> pyarrow.Table:
    """The matches of a table.  Columns have the types given, or those that earlier tables of the query had.

    A column that had no value yet is decided by this table; without a value it is null.  With ``terms="ntriples"``
    variables are strings, the terms themselves.  OptionError: an unknown column or type, or types and terms.
    StreamError: a term that is no value of its column's type.
    """
    if has_terms(terms, types, table.columns):
        return _term_table([table])
    agreed = table.shape.types
    given = chosen(types, table.columns)
    frame, decided = arrow_table([table], agreed | given)
    agreed |= {name: type_ for name, type_ in decided.items() if name not in given and type_ != NOTHING}
    return frame


def all_to_arrow(tables: Sequence[MatchColumns], types: Types | None = None, terms: str | None = None) -> pyarrow.Table:
    """The matches of one query's tables (at least one), with types that fit all of them; errors as of ``to_arrow``.

    A column without any value is of strings.
    """
    if has_terms(terms, types, tables[0].columns):
        return _term_table(tables)
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
    sources = [native(table.terms, table.words) for table in tables]
    variables = {
        name: _typed(name, [(terms, words[:, index]) for terms, words in sources], decided.get(name), first_row)
        for index, name in enumerate(tables[0].columns)
    }
    return _framed(tables, variables), {name: chunks[0].type for name, chunks in variables.items()}


def has_terms(terms: str | None, types: Types | None, columns: Sequence[str]) -> bool:
    """Whether variables are to be terms of N-Triples.  OptionError: it is wrong, or types are, or both are given."""
    typed = chosen(types, columns)
    if terms is None:
        return False
    if terms != "ntriples":
        raise OptionError(f'terms are "ntriples" or None, not {terms!r:.80}')
    if typed:
        raise OptionError(f"a column has its terms or a type: with terms, types has {', '.join(typed)}")
    return True


def _term_table(tables: Sequence[MatchColumns]) -> pyarrow.Table:
    """The matches of one query's tables, variables as terms of N-Triples."""
    columns = zip(*(term_columns(*native(table.terms, table.words)) for table in tables), strict=True)
    return _framed(tables, dict(zip(tables[0].columns, columns, strict=True)))


def _framed(tables: Sequence[MatchColumns], variables: Mapping[str, Sequence[pyarrow.Array]]) -> pyarrow.Table:
    """The chunks of the variables, and the other columns around them."""
    names = tables[0].columns
    times = {_free(names, name): [_times(table, name) for table in tables] for name in ("first", "last")}
    columns = {**times, **variables, **_events_and_more(tables)}
    return pyarrow.table({name: pyarrow.chunked_array(chunks) for name, chunks in columns.items()})


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
    times = np.ascontiguousarray(getattr(table, name))
    return pyarrow.Array.from_buffers(INSTANT, len(times), [None, pyarrow.py_buffer(times)])


def _typed(
    name: str, parts: Sequence[TermColumn], type_: pyarrow.DataType | None, first_row: int
) -> list[pyarrow.Array]:
    """A variable of all tables, as values of the type, or of the one that fits all of them."""
    if type_ is not None:
        return _strictly(name, parts, type_, first_row)
    fitting = common_type(type_ for part in parts for type_ in found_types(*part))
    try:
        return [column(*part, fitting) for part in parts]
    except MisfitError:  # a time or number beyond the type's range: texts hold it
        return [column(*part, TEXT) for part in parts]


def _strictly(name: str, parts: Sequence[TermColumn], type_: pyarrow.DataType, row: int) -> list[pyarrow.Array]:
    chunks = []
    for terms, words in parts:
        try:
            chunks.append(column(terms, words, type_))
        except MisfitError as misfit:
            _refuse(name, (terms, words[misfit.row : misfit.row + 1]), type_, misfit, row)
        row += len(words)
    return chunks


def _refuse(name: str, terms: TermColumn, type_: pyarrow.DataType, misfit: MisfitError, first_row: int) -> NoReturn:
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
        columns |= _derived([event for table in tables for event in table.derived or ()])
    return columns


def _derived(events: Sequence[DerivedEvent]) -> dict[str, list[pyarrow.Array]]:
    triples = [f"{triple} ." for event in events for triple in event.triples]
    offsets = np.cumsum([0, *(len(event.triples) for event in events)], dtype=np.int32)
    return {
        "stream": [pyarrow.array([event.stream for event in events], TEXT)],
        "event": [pyarrow.array([event.name for event in events], TEXT)],
        "triples": [pyarrow.ListArray.from_arrays(offsets, pyarrow.array(triples, TEXT), _TEXTS)],
    }


def _events(table: MatchColumns) -> pyarrow.StructArray:
    """The picked events: for each GPM the list of their IRIs, NULL where a match has none."""
    texts, codes = coded_names(table.event_name, table.pick_events)
    gpms = list(table.shape.gpms)
    kind_of = [gpms.index(name) if name in gpms else len(gpms) for name in table.atom_names]  # negated: no pick has it
    kinds = np.array(kind_of, np.uint16)[table.pick_atoms]
    with of_2_gib():
        lists = listed(texts, codes, kinds, table.pick_offsets, len(gpms))
    return pyarrow.StructArray.from_arrays([_lists_of(*each) for each in lists], gpms)


def _lists_of(begins: NDArray[np.int32], offsets: NDArray[np.int32], text: bytes) -> pyarrow.ListArray:
    """Lists of texts, NULL where one is empty."""
    buffers = [bits(begins[1:] > begins[:-1]), pyarrow.py_buffer(begins)]
    return pyarrow.Array.from_buffers(_TEXTS, len(begins) - 1, buffers, children=[strings(offsets, text)])


def _dictionaries(events: pyarrow.ChunkedArray) -> list[dict[str, list[str]]]:
    """The events of each match by name of GPM, as ``Match.events`` has them."""
    names = [field.name for field in events.type]
    found: list[dict[str, list[str]]] = []
    for chunk in events.chunks:
        lists = [_lists(chunk.field(name)) for name in names]
        rows = [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True)]
        for name in names:
            for missing in np.flatnonzero(chunk.field(name).is_null().to_numpy(zero_copy_only=False)).tolist():
                del rows[missing][name]
        found += rows
    return found


def _lists(array: pyarrow.ListArray) -> list[list[str]]:
    values = array.values.to_numpy(zero_copy_only=False).tolist()
    if len(values) == len(array) and not array.null_count:  # each has one
        return [[value] for value in values]
    return [values[start:end] for start, end in pairwise(array.offsets.to_pylist())]


def _decimals(column: pyarrow.ChunkedArray) -> NDArray[Any]:
    """Decimals of Python, each distinct one made once, without the zeros at the end."""
    coded = column.combine_chunks().dictionary_encode()
    values = list(map(_without_zeros, coded.dictionary.cast(TEXT).to_pylist()))
    found: NDArray[Any] = np.array([*values, None], object)[coded.indices.fill_null(len(values)).to_numpy()]
    return found


def _without_zeros(text: str) -> Decimal:
    plain = f"{Decimal(text):f}" if "E" in text else text
    return Decimal(plain.rstrip("0").rstrip(".") if "." in plain else plain)


_OBJECTS: dict[int, Callable[[pyarrow.ChunkedArray], Any]] = {
    pyarrow.lib.Type_STRUCT: _dictionaries,
    pyarrow.lib.Type_DECIMAL128: _decimals,
}


def _free(columns: Sequence[str], name: str) -> str:
    return name + "_" if name in columns else name
