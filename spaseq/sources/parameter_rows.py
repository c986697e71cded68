"""The rows of queries with parameters, from their texts or from tables: of which query they are, and whether they fit.

What a cell is in a query, and where it can stand, its language says (``RowLanguage``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from spaseq.errors import OptionError, StreamError
from spaseq.sources.parameter_tables import RowSource, open_given
from spaseq.text import did_you_mean

RowSources: TypeAlias = "Mapping[str, RowSource] | RowSource | None"
V = TypeVar("V")
R = TypeVar("R")


class RowLanguage(Protocol[V]):
    """What a language knows of the rows of a query.

    ``parameters`` are as the query writes them; in their place stands ``kind``, such as "a term".
    """

    kind: str
    parameters: Sequence[str]

    def value(self, cell: Any, is_text: bool) -> V:
        """What a cell is; ``is_text``: all cells of its table are texts.  ValueError: it is nothing."""

    def misfits(self, row: tuple[V, ...]) -> Iterator[tuple[int, str]]:
        """The places in a row of what cannot stand where it would, and why."""


class HasRows(Protocol):
    """GIVEN of a query in any language."""

    @property
    def rows(self) -> Sequence[Any] | None:
        """The rows of its text."""


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


def rows_of_query(
    name: str, given: HasRows | None, table: RowSource | None, read: Callable[[RowSource], Iterator[R]]
) -> Sequence[R] | None:
    """The rows of the text of a query, or what is read of a table; None: neither has any, or it has no parameters.

    OptionError: both have, or it takes none.  Other errors are those of ``read``.
    """
    if given is None:
        if table is not None:
            raise OptionError(f"{called(name)} has no parameters: there is no GIVEN in it")
        return None
    if table is None:
        return given.rows
    if given.rows is not None:
        raise OptionError(f"{called(name)} has its rows in its text: none can be given beside them")
    return list(read(table))


def read_table(table: RowSource, language: RowLanguage[V]) -> Iterator[tuple[V, ...]]:
    """The rows of a table; StreamError: one does not fit."""
    names = [name[1:] for name in language.parameters]
    found = open_given(table, language.parameters)
    for place, values in found.rows:
        row = []
        for name, value in zip(names, values, strict=True):
            if is_missing(value):
                raise StreamError(
                    f"the column {name} has no value: a row has {language.kind} for each parameter", place
                )
            try:
                row.append(language.value(value, found.is_text))
            except ValueError as error:
                raise StreamError(f"the column {name}: {error}", place) from None
        for number, message in language.misfits(tuple(row)):
            raise StreamError(f"the column {names[number]}: {message} ({values[number]!s:.80})", place)
        yield tuple(row)


def is_missing(value: Any) -> bool:
    """None, and what frames have in its place."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in _MISSING


_MISSING = ("NAType", "NaTType")  # of pandas


def called(name: str) -> str:
    """A query, by its name if it has one."""
    return f'the query "{name}"' if name else "the query"
