"""Warnings: legal queries that most likely do not say what is meant."""

from __future__ import annotations

from collections.abc import Iterator

from spaseq.errors import QueryWarning
from spaseq.languages.node import Span, walk
from spaseq.languages.paths import tree
from spaseq.languages.query_text import QueryText
from spaseq.languages.spaseq.tree import Iri, Variable
from spaseq.pattern.paths import RELATION, Restrictor

Found = tuple[str, Span, str]


def warnings(queries: tree.Queries, source: QueryText) -> tuple[QueryWarning, ...]:
    """All warnings, in the order of the text."""
    found = [found for item in queries.items if isinstance(item, tree.Query) for found in _of_query(item)]
    found += _relations_as_nodes(queries)
    found.sort(key=lambda each: each[1])
    return tuple(source.warning(*each) for each in found)


def _of_query(query: tree.Query) -> Iterator[Found]:
    if query.not_back and query.restriction and query.restriction.kind is Restrictor.ACYCLIC:
        yield "ACYCLIC paths never come back to their start", query.restriction.span, "leave NOT BACK TO START out"
    yield from _named_twice(query.starts)
    yield from _named_twice(query.ends)
    for node in walk(query.path):
        if isinstance(node, tree.Repeated) and node.most == 0:
            yield "a repetition of 0 times is the path of length 0", node.span, "write {0,1}, or leave it out"
        if isinstance(node, tree.Condition) and not _reads_node(node):
            yield f"this condition does not look at ?{node.variable.name}", node.span, "all nodes satisfy it, or none"


def _relations_as_nodes(queries: tree.Queries) -> Iterator[Found]:
    """Nodes with the empty prefix before it is declared."""
    for item in queries.items:
        if isinstance(item, tree.Prefix) and not item.name:
            return
        for node in (*item.starts, *item.ends) if isinstance(item, tree.Query) else ():
            if isinstance(node, Iri) and node.text.startswith(":"):
                message = f"{node.text} is a relation: the empty prefix is {RELATION} where it is not declared"
                yield message, node.span, f'write LABEL "{node.text[1:]}", or add PREFIX : <…>'


def _named_twice(nodes: tuple[tree.PathEnd, ...]) -> Iterator[Found]:
    seen: set[tree.PathEnd] = set()
    for node in nodes:
        if node in seen:
            yield "this node is named twice", node.span, "once is enough"
        seen.add(node)


def _reads_node(condition: tree.Condition) -> bool:
    return any(isinstance(node, Variable) for node in walk(condition.expression))
