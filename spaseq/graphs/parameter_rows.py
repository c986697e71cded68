"""The rows of a query with parameters, from its text or from a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from gpm.terms import encode, plain_term
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, StreamError
from spaseq.languages.spaseq.cells import CellReader
from spaseq.languages.spaseq.parameters import Places
from spaseq.pattern.sequences import Query, Row
from spaseq.plan.sequences.rule_plan import Key
from spaseq.sources.parameter_tables import RowSource, open_given
from spaseq.text import did_you_mean

RowSources: TypeAlias = "Mapping[str, RowSource] | RowSource | None"


def tables_by_name(given: RowSources, names: Sequence[str]) -> dict[str, RowSource]:
    """The tables of queries by name; what is no mapping is that of the only query.  OptionError: of which is it?"""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(names) != 1:
            raise OptionError(f"rows are given by the name of their query, as there are {', '.join(names)}")
        return {names[0]: given}
    for name in given:
        if name not in names:
            raise OptionError(f"rows are given for {name!s:.80}, but {did_you_mean(str(name), names)}")
    return dict(given)


def rows_given(query: Query, table: RowSource | None) -> dict[Key, Row] | None:
    """The distinct rows of a query's text or of a table; None: neither has any, or it has no parameters.

    OptionError: both have, or it takes none.  StreamError: the table cannot be read, or a term of a row cannot stand
    where it would.
    """
    if query.given is None:
        if table is not None:
            raise OptionError(f"{_called(query)} has no parameters: there is no GIVEN in it")
        return None
    if table is None:
        return None if query.given.rows is None else keyed(query.given.rows)
    if query.given.rows is not None:
        raise OptionError(f"{_called(query)} has its rows in its text: none can be given beside them")
    return keyed(read_rows(query, table))


def needed_rows(query: Query, table: RowSource | None) -> dict[Key, Row]:
    """The same of a query with parameters, which cannot be without."""
    rows = rows_given(query, table)
    if rows is None:
        raise OptionError(f"{_called(query)} needs rows for GIVEN {_listed(query)}")
    return rows


def read_rows(query: Query, table: RowSource) -> Iterator[Row]:
    """The rows of a table for a query with parameters; StreamError: one does not fit it."""
    assert query.given is not None
    names = query.given.names
    found = open_given(table, names)
    reader, places = CellReader(query.given), Places(query)
    for place, values in found.rows:
        row = []
        for name, value in zip(names, values, strict=True):
            if _is_missing(value):
                raise StreamError(f"the column {name} has no value: a row has a term for each parameter", place)
            try:
                row.append(reader.term(value, found.is_text))
            except ValueError as error:
                raise StreamError(f"the column {name}: {error}", place) from None
        for number, message in places.misfits(tuple(row)):
            raise StreamError(f"the column {names[number]}: {message} ({values[number]!s:.80})", place)
        yield tuple(row)


def keyed(rows: Iterable[Row]) -> dict[Key, Row]:
    """Each row once, by its key."""
    terms = Terms()
    found: dict[Key, Row] = {}
    for row in rows:
        found.setdefault(key_of(row, terms), row)
    return found


def key_of(row: Row, terms: Terms | None = None) -> Key:
    """Terms are equal if they have the same value, as everywhere: 1 and 01."""
    table = Terms() if terms is None else terms
    return tuple([table.bytes(encode(table, term)) for term in row])


def row_of(key: Key) -> Row:
    """The row with these terms."""
    return tuple(map(plain_term, key))


def _is_missing(value: Any) -> bool:
    """None, and what frames have in its place."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in _MISSING


_MISSING = ("NAType", "NaTType")  # of pandas


def _called(query: Query) -> str:
    return f'the query "{query.name}"' if query.name else "the query"


def _listed(query: Query) -> str:
    assert query.given is not None
    return " ".join(f"?{name}" for name in query.given.names)
