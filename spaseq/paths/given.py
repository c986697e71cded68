"""Edges as users give them to a graph that is there: terms, or names if it is one of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gpm.edges import SCOPE, edge_words
from gpm.rows import Words
from gpm.terms import term_bytes
from nfa_native.terms.words import Terms
from spaseq.errors import require
from spaseq.paths.names import node_bytes, relation_bytes


def given_words(terms: Terms, source: Any, are_names: bool) -> Words:
    """uint64[3, n]: the edges of a source; ``are_names``: strings are names as in tables.

    Errors are those of ``gpm.edges.edge_words`` and of ``edge_table``.
    """
    if not are_names:
        return edge_words(terms, source)
    if not isinstance(source, list | tuple | set | frozenset | Iterator):
        return _table(terms, source)
    rows = list(source)
    if not all(isinstance(row, tuple) and len(row) == 3 for row in rows):
        return edge_words(terms, rows)
    return terms.intern_many([text for row in rows for text in _texts(row)]).reshape(-1, 3).T


def _texts(row: tuple[Any, Any, Any]) -> Iterable[bytes]:
    forms = (node_bytes, relation_bytes, node_bytes)
    parts = zip(row, forms, strict=True)
    return (form(part) if type(part) is str else term_bytes(part, SCOPE) for part, form in parts)


def _table(terms: Terms, source: Any) -> Words:
    require("pyarrow")
    from spaseq.paths.tables import TableForm, edge_table

    return edge_table(terms, source, TableForm())
