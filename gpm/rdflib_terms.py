"""rdflib's terms ↔ pyoxigraph's and canonical bytes.  rdflib takes long to import: who meets its terms imports this."""

from __future__ import annotations

import pyoxigraph
import rdflib
import rdflib.term

from gpm.errors import PatternError
from gpm.terms import TRIPLE_TERM, OxTerm, new_literal
from nfa_native.terms.words import Terms


def decode_rdflib(terms: Terms, word: int) -> rdflib.term.Identifier | None:
    """The rdflib term of a word, in canonical form and without a base direction; None if it is 0, unbound.

    PatternError: a triple term, which rdflib does not have.
    """
    return rdflib_term(terms.bytes(word)) if word else None


def from_rdflib(term: object) -> OxTerm:
    """The same term as a pyoxigraph object.  PatternError: something that RDF does not have (a variable, a formula)."""
    match term:
        case rdflib.URIRef():
            return pyoxigraph.NamedNode(str(term))
        case rdflib.BNode():
            return pyoxigraph.BlankNode(str(term))
        case rdflib.Literal():
            return new_literal(str(term), term.language, term.datatype)
    raise PatternError(f"{term!r} is not an RDF term")


def rdflib_term(data: bytes) -> rdflib.term.Identifier:
    """The rdflib term that canonical bytes stand for.  PatternError: a triple term."""
    kind, text = data[:1], data[1:].decode()
    match kind:
        case b"I":
            return rdflib.URIRef(text)
        case b"B":
            return rdflib.BNode(text)
        case b"S":
            return rdflib.Literal(text)
    qualifier, _, lexical = text.partition("\0")
    if qualifier == TRIPLE_TERM:
        raise PatternError(f"rdflib has no triple terms: {lexical}")
    if kind == b"T":
        return rdflib.Literal(lexical, datatype=rdflib.URIRef(qualifier), normalize=False)
    return rdflib.Literal(lexical, lang=qualifier.partition("--")[0])
