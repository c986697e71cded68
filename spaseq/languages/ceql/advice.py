"""Warnings: legal queries that most likely do not say what is meant."""

from __future__ import annotations

from collections.abc import Iterator

from spaseq.errors import QueryWarning
from spaseq.languages.ceql import tree
from spaseq.languages.node import Span
from spaseq.languages.query_text import QueryText

Found = tuple[str, Span, str]


def warnings(query: tree.Query, source: QueryText) -> tuple[QueryWarning, ...]:
    """All warnings of the query, in the order of its text."""
    found = [*_window(query), *_consumption(query), *_names_of_types(query), *_names_in_sequence(query)]
    found.sort(key=lambda each: each[1])
    return tuple(source.warning(*each) for each in found)


def _window(query: tree.Query) -> Iterator[Found]:
    if query.window is None:
        message = "no WITHIN: a match may take any time, and partial matches are kept for ever"
        yield message, query.select.span, "add a window such as WITHIN 30 SECONDS"


def _consumption(query: tree.Query) -> Iterator[Found]:
    if query.consume and query.consume.policy == "PARTITION" and not query.partition:
        yield "CONSUME BY PARTITION without PARTITION BY drops all partial matches", query.consume.span, "write ANY"


def _walk(node: tree.Formula) -> Iterator[tree.Formula]:
    """The formula and all formulas in it; conditions are none."""
    yield node
    match node:
        case tree.Named(body) | tree.Filtered(body) | tree.Repeated(body):
            yield from _walk(body)
        case tree.Alternatives(left, right) | tree.Unordered(left, right) | tree.Steps(left, _, right):
            yield from _walk(left)
            yield from _walk(right)


def _names_of_types(query: tree.Query) -> Iterator[Found]:
    types = {node.name for node in _walk(query.formula) if isinstance(node, tree.Reference)}
    for name in _given(query.formula):
        if name.text in types:
            message = f"{name.text} is a type of event, too: the variable holds both"
            yield message, name.span, "choose another name"


def _names_in_sequence(query: tree.Query) -> Iterator[Found]:
    """Names that both sides of ``;``, ``:`` or ALL give."""
    found: dict[Span, str] = {}
    for node in _walk(query.formula):
        if isinstance(node, tree.Steps | tree.Unordered):
            left = {name.text for name in _given(node.left)}
            found |= {name.span: name.text for name in _given(node.right) if name.text in left}
    for span, name in found.items():
        message = f"{name} names several events: its filters are about each of them"
        yield message, span, "give them different names, unless that is meant"


def _given(node: tree.Formula) -> Iterator[tree.Name]:
    return (each.name for each in _walk(node) if isinstance(each, tree.Named))
