"""Syntax tree to text that parses back to an equal tree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from spaseq.languages.paths import tree
from spaseq.languages.spaseq.printer import declaration, expression
from spaseq.languages.spaseq.terms import quote
from spaseq.languages.spaseq.tree import Iri
from spaseq.pattern.paths import PathSelector, print_bounds, print_selector


def format_queries(queries: tree.Queries) -> str:
    """The file in the usual layout, a line for each query and for each declaration.  Comments are not kept."""
    lines = [query(item) if isinstance(item, tree.Query) else declaration(item) for item in queries.items]
    gaps = ["\n" * _is_gap(*pair) for pair in pairwise(queries.items)]
    return "".join(f"{line}\n{gap}" for line, gap in zip(lines, [*gaps, ""], strict=True))


def _is_gap(item: tree.Item, following: tree.Item) -> bool:
    return isinstance(item, tree.Query) != isinstance(following, tree.Query)


def query(node: tree.Query) -> str:
    """One query."""
    return " ".join(_parts(node))


def _parts(node: tree.Query) -> Iterator[str]:
    yield f"QUERY {node.name.text}"
    if node.starts:
        yield f"FROM {', '.join(map(path_end, node.starts))}"
    if node.ends:
        yield f"TO {', '.join(map(path_end, node.ends))}"
    if node.selector:
        yield print_selector(PathSelector(node.selector.kind, node.selector.count))
    if node.restriction:
        yield node.restriction.kind.value
    yield path(node.path)
    if node.not_back:
        yield "NOT BACK TO START"


def path_end(node: tree.PathEnd) -> str:
    """A node of FROM or TO."""
    return f"LABEL {quote(node.text)}" if isinstance(node, tree.Label) else node.text


_ALTERNATIVE, _SEQUENCE, _INVERSE, _REPEATED, _PRIMARY = range(5)


def path(node: tree.Path, least: int = _ALTERNATIVE) -> str:
    """A path expression, in parentheses if it binds looser than ``least``."""
    match node:
        case Iri(text):
            return text
        case tree.Alternatives(parts):
            level, shown = _ALTERNATIVE, "|".join(path(part, _SEQUENCE) for part in parts)
        case tree.Sequence(parts):
            level, shown = _SEQUENCE, "/".join(path(part, _INVERSE) for part in parts)
        case tree.Inverse(inner):
            level, shown = _INVERSE, "^" + path(inner, _REPEATED)
        case tree.Repeated(inner, fewest, most):
            level, shown = _REPEATED, path(inner, _PRIMARY) + print_bounds(fewest, most)
        case tree.Negated(parts):
            level, shown = _PRIMARY, negated(parts)
        case tree.Condition(variable, condition):
            level, shown = _PRIMARY, f"[?{variable.name}: {expression(condition)}]"
    return shown if level >= least else f"({shown})"


def negated(parts: tuple[Iri | tree.InverseIri, ...]) -> str:
    """``!a``, ``!(a|^b)``."""
    shown = [f"^{part.iri.text}" if isinstance(part, tree.InverseIri) else part.text for part in parts]
    return f"!{shown[0]}" if len(shown) == 1 else f"!({'|'.join(shown)})"
