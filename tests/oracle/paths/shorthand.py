"""Short spellings for tests: ``edges("a p b, b q c")``, ``path("a p b ^q c")``, ``star(rel("p"))``.

Nodes are names in <http://example.org/>, numbers or "texts"; predicates are names in <urn:relation:>.
"""

from __future__ import annotations

import re

from .model import Alternative, Condition, Expression, Forward, Graph, Inverse, Path, Repeat, Sequence, Step, Term
from .text import EXAMPLE, RELATION

XSD = "http://www.w3.org/2001/XMLSchema#"
WORD = re.compile(r'"[^"]*"\S*|[^\s",]+')


def node(word: str) -> Term:
    """`a`, `1990`, `"text"`, `"text"@en`, `<iri>`, `_:b`."""
    if word.startswith(('"', "<", "_:")):
        return word
    if word.isdigit():
        return f'"{word}"^^<{XSD}integer>'
    return f"<{EXAMPLE}{word}>"


def predicate(word: str) -> Term:
    return word if word.startswith("<") else f"<{RELATION}{word}>"


def step(word: str) -> Step:
    return predicate(word.removeprefix("^")), word.startswith("^")


def graph(text: str) -> Graph:
    """Edges by commas."""
    return Graph.of(
        (node(start), predicate(name), node(end)) for start, name, end in map(words, text.split(",")) if start
    )


def path(text: str) -> Path:
    """Nodes and steps in turn."""
    found = words(text)
    return Path(tuple(map(node, found[::2])), tuple(map(step, found[1::2])))


def words(text: str) -> list[str]:
    return WORD.findall(text)


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
def rel(name: str) -> Expression:
    return Forward(predicate(name))


def inv(body: Expression) -> Expression:
    return Inverse(body)


def seq(*factors: Expression) -> Expression:
    """All one after another."""
    first, *rest = factors
    return Sequence(first, seq(*rest)) if rest else first


def either(*options: Expression) -> Expression:
    first, *rest = options
    return Alternative(first, either(*rest)) if rest else first


def star(body: Expression) -> Expression:
    return Repeat(body, 0, None)


def plus(body: Expression) -> Expression:
    return Repeat(body, 1, None)


def maybe(body: Expression) -> Expression:
    return Repeat(body, 0, 1)


def where(text: str) -> Expression:
    return Condition("x", text)
