"""Row patterns in SQL: text to ``spaseq.pattern.rows.query.RowPatternQuery``, and back to text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from spaseq.languages.query_text import Problem, QueryText, source_of
from spaseq.languages.sql import tree
from spaseq.languages.sql.lower_query import lower_query
from spaseq.languages.sql.parser import parse_tree
from spaseq.languages.sql.printer import format_query
from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.pattern.rows.types import SqlType

__all__ = ["ParsedRowPatternQuery", "format_query", "parse"]


@dataclass(frozen=True, slots=True)
class ParsedRowPatternQuery:
    """A statement that was read without error: its text, its syntax tree, and what it means on any table."""

    source: QueryText
    tree: tree.Query
    query: RowPatternQuery

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
