"""Row patterns in SQL: text to ``spaseq.pattern.rows.query.RowPatternQuery``, and back to text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from spaseq.errors import Location, QueryError, QueryWarning
from spaseq.languages.node import Node
from spaseq.languages.query_text import Problem, QueryText, source_of
from spaseq.languages.sql import tree
from spaseq.languages.sql.lower_query import lower_query
from spaseq.languages.sql.names import variable_of
from spaseq.languages.sql.parser import parse_tree
from spaseq.languages.sql.printer import format_query
from spaseq.pattern.rows.query import RowPatternQuery, columns_read
from spaseq.pattern.rows.types import ANY, SqlType

__all__ = ["ParsedRowPatternQuery", "format_query", "is_row_pattern", "parse"]

_APART = re.compile(r"""'(?:[^']|'')*+'?|"(?:[^"]|"")*+"?|--[^\n]*+|/\*.*?(?:\*/|\Z)""", re.DOTALL)
_CLAUSE = re.compile(r"\bMATCH_RECOGNIZE\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedRowPatternQuery:
    """A statement that was read without error: its text, its syntax tree, and what it means on any table."""

    source: QueryText
    tree: tree.Query
    query: RowPatternQuery

    @property
    def warnings(self) -> tuple[QueryWarning, ...]:
        """What its author should know: nothing so far."""
        return ()

    def columns_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Which columns it reads of a table that has these; QueryError: it has not what is asked for."""
        return columns_read(self.on(dict.fromkeys(names, ANY)))

    @contextmanager
    def about(self, clause: str, name: str = "") -> Iterator[None]:
        """Within, errors without a place are about a clause, as of ``place``."""
        try:
            yield
        except QueryError as error:
            error.location = error.location if error.location.line else self.place(clause, name)
            raise

    def place(self, clause: str, name: str = "") -> Location:
        """Where a variable is defined (DEFINE), a measure (MEASURES), PATTERN, AFTER MATCH SKIP, or ORDER BY."""
        nodes: dict[tuple[str, str], Node] = {
            ("DEFINE", variable_of(each.variable)): each for each in self.tree.definitions
        }
        nodes |= {("MEASURES", each.name.text): each for each in self.tree.measures}
        nodes |= {("PATTERN", ""): self.tree.pattern}
        nodes |= {("ORDER BY", ""): self.tree.order[0]} if self.tree.order else {}
        nodes |= {} if self.tree.skip is None else {("AFTER MATCH SKIP", ""): self.tree.skip}
        first = next((each for (kind, _), each in nodes.items() if kind == clause), self.tree)
        return self.source.location(nodes.get((clause, name), first).span)

    def on(self, columns: Mapping[str, SqlType]) -> RowPatternQuery:
        """What it means on a table with these columns; QueryError: nothing."""
        try:
            return lower_query(self.tree, columns)
        except Problem as problem:
            raise self.source.error(problem) from None


def parse(text: str | os.PathLike[str], path: str = "") -> ParsedRowPatternQuery:
    """Read a statement, a text or a ``pathlib.Path`` of a file; ``path`` is where it comes from, for messages.

    Raises QuerySyntaxError if the text is not of the language, QueryError if it has no meaning on any table,
    OptionError if it is neither or cannot be read.
    """
    source = source_of(text, path)
    try:
        syntax = parse_tree(source.text)
        return ParsedRowPatternQuery(source, syntax, lower_query(syntax))
    except Problem as problem:
        raise source.error(problem) from None


def is_row_pattern(text: str) -> bool:
    """Whether a query is in SQL with this clause, be it right or wrong."""
    return _CLAUSE.search(text) is not None and _CLAUSE.search(_APART.sub(" ", text)) is not None
