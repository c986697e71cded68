"""Graphs of rdflib as N-Triples lines, faster than rdflib writes them."""

from __future__ import annotations

import re

import rdflib

_SPECIAL = re.compile(r'["\\\n\r]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r"}


def rdflib_lines(graph: rdflib.Graph) -> bytes | None:
    """Its triples, valid if each of its terms is; None if it has a term that could be taken for something else.

    None also for several graphs.
    """
    if isinstance(graph, rdflib.Dataset | rdflib.ConjunctiveGraph):
        return None
    try:
        return "".join([f"{_text(s)} {_text(p)} {_text(o)} .\n" for s, p, o in graph]).encode()
    except ValueError:
        return None


def _text(term: object) -> str:
    """A term in N-Triples; what would not end where it ends is a ValueError."""
    if isinstance(term, rdflib.URIRef):
        return _iri(term)
    if isinstance(term, rdflib.Literal):
        return _literal(term)
    if isinstance(term, rdflib.BNode) and term.isalnum():
        return f"_:{term}"
    raise ValueError


def _iri(iri: str) -> str:
    if ">" in iri:
        raise ValueError
    return f"<{iri}>"


def _literal(literal: rdflib.Literal) -> str:
    text = literal if _SPECIAL.search(literal) is None else _SPECIAL.sub(lambda found: _ESCAPES[found[0]], literal)
    if literal.language:
        if not literal.language.replace("-", "").isalnum():
            raise ValueError
        return f'"{text}"@{literal.language}'
    return f'"{text}"^^{_iri(literal.datatype)}' if literal.datatype else f'"{text}"'
