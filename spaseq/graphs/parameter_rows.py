"""The rows of a query with parameters on streams of graphs: terms, from its text or from a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gpm.terms import encode, plain_term
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.languages.spaseq.cells import CellReader, Term
from spaseq.languages.spaseq.parameters import Places
from spaseq.pattern.sequences import Query, Row
from spaseq.plan.sequences.rule_plan import Key
from spaseq.sources.parameter_rows import called, read_table, rows_of_query
from spaseq.sources.parameter_tables import RowSource


class TermRows:
    """See ``RowLanguage``: the rows of a query in SPAseq."""

    kind = "a term"

    def __init__(self, query: Query) -> None:
        assert query.given is not None
        self.parameters: Sequence[str] = [f"?{name}" for name in query.given.names]
        self._reader, self._places = CellReader(query.given), Places(query)

    def value(self, cell: Any, is_text: bool) -> Term:
        """See ``RowLanguage``."""
        return self._reader.term(cell, is_text)

    def misfits(self, row: Row) -> Iterator[tuple[int, str]]:
        """See ``RowLanguage``."""
        return self._places.misfits(row)


def rows_given(query: Query, table: RowSource | None) -> dict[Key, Row] | None:
    """The distinct rows of a query's text or of a table; None: neither has any, or it has no parameters.

    OptionError: both have, or it takes none.  StreamError: the table cannot be read, or a term of a row cannot stand
    where it would.
    """
    rows = rows_of_query(query.name, query.given, table, lambda table: read_rows(query, table))
    return None if rows is None else keyed(rows)


def needed_rows(query: Query, table: RowSource | None) -> dict[Key, Row]:
    """The same of a query with parameters, which cannot be without."""
    rows = rows_given(query, table)
    if rows is None:
        raise OptionError(f"{called(query.name)} needs rows for GIVEN {' '.join(TermRows(query).parameters)}")
    return rows


def read_rows(query: Query, table: RowSource) -> Iterator[Row]:
    """The rows of a table for a query with parameters; StreamError: one does not fit it."""
    return read_table(table, TermRows(query))


def keyed(rows: Iterable[Row]) -> dict[Key, Row]:
    """Each row once, by its key, and written as that is."""
    terms = Terms()
    return {key: row_of(key) for key in dict.fromkeys(key_of(row, terms) for row in rows)}


def key_of(row: Row, terms: Terms | None = None) -> Key:
    """Terms are equal if they have the same value, as everywhere: 1 and 01."""
    table = Terms() if terms is None else terms
    return tuple([table.bytes(encode(table, term)) for term in row])


def row_of(key: Key) -> Row:
    """The row with these terms."""
    return tuple(map(plain_term, key))
