"""The language of path queries: text to ``spaseq.pattern.paths.PathQuery``, and back to text."""

from __future__ import annotations

import os
from dataclasses import dataclass

from spaseq.errors import QueryError, QuerySyntaxError, QueryWarning
from spaseq.languages.paths import tree
from spaseq.languages.paths.advice import warnings
from spaseq.languages.paths.lowering import lower_queries
from spaseq.languages.paths.parser import parse_tree
from spaseq.languages.paths.printer import format_queries
from spaseq.languages.query_text import Problem, QueryText, source_of
from spaseq.pattern.paths import PathQuery

__all__ = ["ParsedPathQueries", "format_queries", "parse"]


@dataclass(frozen=True, slots=True)
class ParsedPathQueries:
    """Queries that were read without error: their meanings in order, their syntax tree, their text, its warnings."""

    queries: tuple[PathQuery, ...]
    tree: tree.Queries
    source: QueryText
    warnings: tuple[QueryWarning, ...] = ()

    def error(self, name: str, message: str, hint: str = "") -> QueryError | QuerySyntaxError:
        """What to raise about the expression of the query ``name``; it shows the place in the text."""
        query = next(item for item in self.tree.items if isinstance(item, tree.Query) and item.name.text == name)
        return self.source.error(Problem(message, query.path.span, hint))


def parse(text: str | os.PathLike[str], path: str = "") -> ParsedPathQueries:
    """Read path queries, a text or a ``pathlib.Path`` of a file; ``path`` is where it comes from, for messages.

    Raises QuerySyntaxError if the text is not of the language, QueryError if a query has no meaning, OptionError if it
    is neither or cannot be read.
    """
    source = source_of(text, path)
    try:
        syntax = parse_tree(source.text)
        return ParsedPathQueries(lower_queries(syntax), syntax, source, warnings(syntax, source))
    except Problem as problem:
        raise source.error(problem) from None
