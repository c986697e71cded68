"""A query in SQL, from its text to what it means on the columns that a table has."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import pyarrow

from spaseq.errors import QueryError, QueryWarning
from spaseq.languages.sql import ParsedRowPatternQuery, format_query, parse
from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.plan.rows.held import held_rows
from spaseq.plan.rows.plan import RowPatternPlan, checked_plan, row_pattern_plan
from spaseq.sources.tables.types import exact_name, shown
from spaseq.tuples.row_patterns.arrow_types import sql_type
from spaseq.tuples.row_patterns.searching import UnsearchedError, check_searched

MOST_REMEMBERED = 256  # of the queries that were prepared, in a process


@dataclass(frozen=True, eq=False)
class PreparedRowPattern:
    """A query in SQL that was read, checked and planned.  It never changes, and pickles as its text (``source``)."""

    source: str | ParsedRowPatternQuery

    of_streams: ClassVar[tuple[tuple[str, str], ...]] = ()  # types of events, which only CEQL has

    @cached_property
    def parsed(self) -> ParsedRowPatternQuery:
        """What was read."""
        return self.source if isinstance(self.source, ParsedRowPatternQuery) else parse(self.source)

    @property
    def query(self) -> RowPatternQuery:
        """What it means on any table."""
        return self.parsed.query

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal in all processes for statements that differ in spaces and comments at most."""
        return hashlib.sha256(format_query(self.parsed.tree).encode()).hexdigest()[:32]

    def __reduce__(self) -> tuple[Callable[..., PreparedRowPattern], tuple[str | ParsedRowPatternQuery]]:
        return prepared_row_pattern, (self.source,)

    def asked(self, names: Sequence[str]) -> tuple[str, ...]:
        """What it asks of a source that has these columns: values as they are.  QueryError: a column is not there."""
        return tuple(map(exact_name, self.parsed.columns_of(names)))

    def on(self, names: Sequence[str], schema: pyarrow.Schema) -> RowPatternQuery:
        """What it means for a table with these columns; ``schema`` has what was ``asked``.  QueryError: nothing."""
        read = set(self.parsed.columns_of(names))
        found = {name: sql_type(schema.field(exact_name(name)).type) for name in names if name in read}
        for name, type_ in found.items():
            if type_ is None:
                told = f"the column {name} is of type {shown(schema.field(exact_name(name)).type)}"
                raise QueryError(f"{told}, which SQL has no values of", hint=_HINT)
        query = self.parsed.on({name: type_ for name, type_ in found.items() if type_ is not None})
        check_conditions(self.parsed, row_pattern_plan(query))
        return query


@dataclass(frozen=True, slots=True)
class StreamAdvice:
    """What the author of a query should know where its rows come in their order."""

    warnings: tuple[QueryWarning, ...] = ()


def stream_advice(prepared: PreparedRowPattern) -> StreamAdvice:
    """That a variable of any row may hold rows for ever."""
    endless = held_rows(prepared.query, row_pattern_plan(prepared.query)).endless
    if not endless:
        return StreamAdvice()
    message = (
        f"{' and '.join(endless)} may hold any number of rows, as {'they take' if endless[1:] else 'it takes'} any"
    )
    place = prepared.parsed.place("PATTERN")
    return StreamAdvice(
        (QueryWarning(message, place, "WITHIN INTERVAL … behind PATTERN says how long a match may take"),)
    )


_HINT = "say which columns results have, as in SELECT a, b FROM …; a column's type can be declared"


def check_conditions(parsed: ParsedRowPatternQuery, plan: RowPatternPlan) -> None:
    """QueryError: the conditions of a query, or what is known of them, ask for what is not supported."""
    try:
        check_searched(plan.automaton, plan.conditions.searched)
    except UnsearchedError as unsearched:
        with parsed.about("DEFINE", unsearched.variable):
            raise unsearched.error from None


def prepared_row_pattern(source: str | ParsedRowPatternQuery) -> PreparedRowPattern:
    """A statement that was checked; that of a text once.  QuerySyntaxError, QueryError: it has no meaning."""
    return _remembered(source) if isinstance(source, str) else _checked(source)


def _checked(source: str | ParsedRowPatternQuery) -> PreparedRowPattern:
    found = PreparedRowPattern(source)
    check_conditions(found.parsed, checked_plan(found.query, found.parsed.about))
    return found


_remembered = lru_cache(maxsize=MOST_REMEMBERED)(_checked)
