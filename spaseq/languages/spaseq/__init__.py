"""The SPAseq language: text to ``spaseq.pattern.sequences.Query``, and back to text."""

from __future__ import annotations

import os
from dataclasses import dataclass

from spaseq.errors import QueryWarning
from spaseq.languages.query_text import Problem, source_of
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.advice import warnings
from spaseq.languages.spaseq.checks import Groups, check, check_sizes
from spaseq.languages.spaseq.lower_query import lower_query
from spaseq.languages.spaseq.parser import parse_tree
from spaseq.languages.spaseq.printer import format_query
from spaseq.pattern.sequences import Query

__all__ = ["ParsedQuery", "format_query", "parse"]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query that was read without error: its meaning, its syntax tree, and what looks wrong all the same."""

    query: Query
    tree: tree.Query
    warnings: tuple[QueryWarning, ...] = ()


def parse(text: str | os.PathLike[str], path: str = "") -> ParsedQuery:
    """Read a SPAseq query, a text or a ``pathlib.Path`` of a file; ``path`` is where it comes from, for messages.

    Raises QuerySyntaxError if the text is not of the language, QueryError if it has no meaning, OptionError if it is
    neither or cannot be read.
    """
    source = source_of(text, path)
    try:
        syntax = parse_tree(source.text)
        lowered = lower_query(syntax)
        check_sizes(lowered)
        groups = Groups(lowered)
        check(lowered, groups)
    except Problem as problem:
        raise source.error(problem) from None
    return ParsedQuery(lowered.query, syntax, warnings(lowered, groups, source))
