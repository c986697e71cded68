"""The language of mappings: text to ``spaseq.pattern.mappings.Mapping``, and back to text."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from spaseq.errors import QueryError, QuerySyntaxError, QueryWarning
from spaseq.languages.mappings import tree
from spaseq.languages.mappings.lowering import lower_mapping
from spaseq.languages.mappings.parser import parse_tree
from spaseq.languages.mappings.printer import format_mapping
from spaseq.languages.node import Node, Span, walk
from spaseq.languages.query_text import Problem, QueryText, source_of
from spaseq.languages.spaseq.tree import Variable
from spaseq.pattern.mappings import Mapping

__all__ = ["ParsedMapping", "format_mapping", "parse"]


@dataclass(frozen=True, slots=True, eq=False)
class ParsedMapping:
    """A mapping that was read without error: its meaning, its syntax tree and its text."""

    mapping: Mapping
    tree: tree.Mapping
    source: QueryText
    warnings: tuple[QueryWarning, ...] = ()

    def error(self, variable: str, message: str, hint: str = "") -> QueryError | QuerySyntaxError:
        """What to raise about a variable; it shows where this stands first."""
        return self.source.error(Problem(message, self._place(variable), hint))

    def _place(self, variable: str) -> Span:
        found = (node for node in walk(self.tree) if _names(node, variable))
        return next(found, self.tree).span


def _names(node: Node, variable: str) -> bool:
    if isinstance(node, tree.IriTemplate):
        return re.search(rf"\{{[?$]{re.escape(variable)}\}}", node.text) is not None
    return isinstance(node, Variable) and node.name == variable


def parse(text: str | os.PathLike[str], path: str = "") -> ParsedMapping:
    """Read a mapping, a text or a ``pathlib.Path`` of a file; ``path`` is where it comes from, for messages.

    Raises QuerySyntaxError if the text is not of the language, QueryError if it has no meaning, OptionError if it is
    neither or cannot be read.
    """
    source = source_of(text, path)
    try:
        syntax = parse_tree(source.text)
        return ParsedMapping(lower_mapping(syntax), syntax, source)
    except Problem as problem:
        raise source.error(problem) from None
