"""What a query with parameters means: for each row the query with its terms in their place (semantics.md 3.7)."""

from __future__ import annotations

from dataclasses import replace

from gpm.algebra import Literal, Parameter
from gpm.rewrite import rewrite
from spaseq.pattern.sequences import Given, Query, Row, Window


def bound(query: Query, row: Row) -> Query:
    """The query of one row, which has a term for each parameter and fits (``languages.spaseq.parameters``)."""
    assert query.given is not None
    terms = dict(zip(query.given.names, row, strict=True))

    def change(part: object) -> object | None:
        return terms[part.name] if isinstance(part, Parameter) else None

    found = replace(rewrite(replace(query, given=None), change), row=row)
    return replace(found, window=_window(query.window, query.given, row)) if query.given.length is not None else found


def _window(window: Window | None, given: Given, row: Row) -> Window:
    """The window of a row: ``window`` is as long as a unit."""
    assert window is not None and given.length is not None
    term = row[given.names.index(given.length)]
    assert isinstance(term, Literal)
    return replace(window, length=int(term.lexical) * window.length)
