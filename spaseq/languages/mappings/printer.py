"""Syntax tree to text that parses back to an equal tree."""

from __future__ import annotations

from collections.abc import Iterator

from spaseq.languages.mappings import tree
from spaseq.languages.spaseq.printer import declaration, group, statements, term
from spaseq.languages.spaseq.terms import quote


def format_mapping(node: tree.Mapping) -> str:
    """The mapping in the usual layout.  Comments are not kept."""
    return "\n".join(_lines(node)) + "\n"


def _lines(node: tree.Mapping) -> Iterator[str]:
    yield from map(declaration, node.prologue)
    yield from map(_clause, node.clauses)
    yield from ("CONSTRUCT {", *("  " + line for line in statements(node.construct.template)), "}")
    if node.group is not None:
        first, *rest = group(node.group)
        yield from (f"WHERE {first}", *rest)


def _clause(node: tree.Clause) -> str:
    match node:
        case tree.Column(path, variable):
            return f"COLUMN {quote(path)} AS ?{variable.name}"
        case tree.Each(path, variable):
            return f"EACH {quote(path)} AS ?{variable.name}"
        case tree.Event(name):
            return f"EVENT {term(name)}"
        case tree.Time():
            return f"AT ?{node.variable.name}{_how(node)}"


def _how(node: tree.Time) -> str:
    """How a time is read."""
    if node.unit is not None:
        return f" UNIT {node.unit}"
    return "" if node.form is None else f" FORMAT {quote(node.form)}"
