"""Whether a node fulfils a condition: pyoxigraph decides."""

from __future__ import annotations

from functools import cache

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, parse

from .model import Condition, Term

NODE, HAS = NamedNode("urn:node"), NamedNode("urn:has")


@cache
def holds(condition: Condition, node: Term) -> bool:
    """Whether the expression's effective boolean value is true of the node; an error is not true."""
    name = condition.variable
    return any(True for _ in _alone(node).query(f"SELECT * {{ {NODE} {HAS} ?{name} FILTER({condition.text}) }}"))


@cache
def _alone(node: Term) -> Store:
    store = Store()
    store.add(Quad(NODE, HAS, term_of(node)))
    return store


@cache
def term_of(text: Term) -> object:
    """pyoxigraph's term."""
    (quad,) = parse(f"{NODE} {HAS} {text} .", RdfFormat.N_TRIPLES)
    return quad.object


def lexical_form(text: Term) -> str | None:
    """The lexical form of a literal, whatever its language; None of other terms."""
    term = term_of(text)
    return term.value if isinstance(term, Literal) else None
