"""RDF terms ↔ words.

A term is written as bytes whose first byte tells its kind: ``I`` IRI, ``B`` scoped blank node, ``S`` string, ``L``
language NUL string, ``T`` datatype NUL lexical form.  ``nfa_native.terms.dictionary.Terms`` makes words of them.  A
triple term (RDF 1.2) passes through as a value of a datatype of our own, in N-Triples.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import pyoxigraph

from gpm import algebra
from gpm.errors import PatternError
from gpm.interning import Interner
from gpm.nesting import TOO_DEEP, is_deep_term
from gpm.parsing import parse
from nfa_native.terms.dictionary import Terms

if TYPE_CHECKING:  # rdflib takes long to import: it is only needed where there are objects of it
    import rdflib
    import rdflib.term
    from typing_extensions import TypeIs

OxTerm: TypeAlias = pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple
RdfTerm: TypeAlias = "OxTerm | rdflib.term.Identifier | algebra.Iri | algebra.Literal"

SCOPE_BITS = 40
TRIPLE_TERM = "triple term"  # stands where the datatype of a literal does, and is no IRI: no literal can have it
_ENDING = re.compile(r"[\x00-\x1f\\>]")
_ANY = pyoxigraph.NamedNode("urn:spaseq:any")


def event_label(scope: int | None, label: str) -> str:
    """The label under which a blank node of an event is known outside of it.

    A scope is a number (40 bits) among the events of one origin (24 bits; see ``gpm.native.assembly.Encoder``).
    """
    origin, number = divmod(scope or 0, 1 << SCOPE_BITS)
    return f"e{number}s{origin}.{label}" if origin else f"e{number}.{label}"


def encode(terms: Interner, term: RdfTerm, scope: int | None = None) -> int:
    """The word of a term; ``scope`` is that of the event whose blank nodes these are (None: they are scoped)."""
    return terms.intern(term_bytes(term, scope))


def decode(terms: Terms, word: int) -> OxTerm | None:
    """The pyoxigraph term of a word; None if it is 0, unbound."""
    return ox_term(terms.bytes(word)) if word else None


def term_bytes(term: RdfTerm, scope: int | None = None) -> bytes:
    """The canonical bytes of a term; blank nodes get the prefix of their event if ``scope`` is given."""
    match term:
        case pyoxigraph.NamedNode():
            return b"I" + term.value.encode()
        case pyoxigraph.BlankNode():
            return b"B" + (term.value if scope is None else event_label(scope, term.value)).encode()
        case pyoxigraph.Literal():
            return _literal_bytes(term)
        case pyoxigraph.Triple():
            if is_deep_term(term):
                raise PatternError(TOO_DEEP)
            return f"T{TRIPLE_TERM}\0<<( {_canonical(scoped(term, scope))} )>>".encode()
    return term_bytes(to_oxigraph(term), scope)


def to_oxigraph(term: RdfTerm) -> OxTerm:
    """The same term as a pyoxigraph object.  PatternError: something that RDF does not have (a variable, a formula)."""
    match term:
        case pyoxigraph.NamedNode() | pyoxigraph.BlankNode() | pyoxigraph.Literal() | pyoxigraph.Triple():
            return term
        case algebra.Iri(value):
            return pyoxigraph.NamedNode(value)
        case algebra.Literal(lexical, datatype, language):
            return new_literal(lexical, language, datatype)
    return _from_rdflib(term)


def _from_rdflib(term: object) -> OxTerm:
    import rdflib

    match term:
        case rdflib.URIRef():
            return pyoxigraph.NamedNode(str(term))
        case rdflib.BNode():
            return pyoxigraph.BlankNode(str(term))
        case rdflib.Literal():
            return new_literal(str(term), term.language, term.datatype)
    raise PatternError(f"{term!r} is not an RDF term")


def is_rdflib_graph(value: object) -> TypeIs[rdflib.Graph]:
    """Whether it is an rdflib.Graph; who has one has imported rdflib."""
    module = sys.modules.get("rdflib.graph")
    return isinstance(value, getattr(module, "Graph", ()))


def scoped(term: Any, scope: int | None) -> Any:
    """A pyoxigraph term or triple in which the event's blank nodes have their outside labels."""
    if scope is None:
        return term
    if isinstance(term, pyoxigraph.BlankNode):
        return pyoxigraph.BlankNode(event_label(scope, term.value))
    if isinstance(term, pyoxigraph.Triple):
        return pyoxigraph.Triple(scoped(term.subject, scope), term.predicate, scoped(term.object, scope))
    return term


def plain_term(data: bytes) -> algebra.Iri | algebra.Literal:
    """The IRI or literal that canonical bytes stand for."""
    kind, text = data[:1], data[1:].decode()
    if kind in b"IS":
        return algebra.Iri(text) if kind == b"I" else algebra.Literal(text)
    head, _, lexical = text.partition("\0")
    return algebra.Literal(lexical, language=head) if kind == b"L" else algebra.Literal(lexical, head)


def ox_term(data: bytes) -> OxTerm:
    """The pyoxigraph term that canonical bytes stand for, also one that only a lenient parser lets pass.

    ValueError, SyntaxError: they are no term.
    """
    try:
        return _strict_term(data)
    except (ValueError, SyntaxError):
        found = _lenient_term(data)
        if term_bytes(found) != data or written_badly(found) is not None:
            raise
        return found


def written_badly(term: Any) -> str | None:
    """The character of an IRI in a term or triple that would end it in N-Triples, or the line; None: there is none."""
    match term:
        case pyoxigraph.NamedNode():
            found = _ENDING.search(term.value)
            return found[0] if found else None
        case pyoxigraph.Literal():
            return written_badly(term.datatype)
        case pyoxigraph.Triple():
            return written_badly(term.subject) or written_badly(term.predicate) or written_badly(term.object)
    return None


def _lenient_term(data: bytes) -> OxTerm:
    """The term as a lenient parser reads it, if it is one: what it is has to be compared."""
    kind, text = data[:1], data[1:].decode()
    qualifier, _, lexical = text.partition("\0")
    if kind == b"I":
        return _read_leniently(f"<{text}>")
    if kind == b"L":
        return _read_leniently(f"{pyoxigraph.Literal(lexical)}@{qualifier}")
    if kind == b"T" and qualifier == TRIPLE_TERM:
        return _read_leniently(lexical)
    if kind == b"T":
        return _read_leniently(f"{pyoxigraph.Literal(lexical)}^^<{qualifier}>")
    raise ValueError(f"no term: {data[:80]!r}")


def _read_leniently(text: str) -> OxTerm:
    found = list(parse(f"{_ANY} {_ANY} {text} .".encode(), pyoxigraph.RdfFormat.N_TRIPLES, lenient=True))
    if len(found) != 1:
        raise ValueError(f"no term: {text:.80}")
    object_: OxTerm = found[0].object
    return object_


def _strict_term(data: bytes) -> OxTerm:
    kind, text = data[:1], data[1:].decode()
    match kind:
        case b"I":
            return pyoxigraph.NamedNode(text)
        case b"B":
            return pyoxigraph.BlankNode(text)
        case b"S":
            return pyoxigraph.Literal(text)
    qualifier, _, lexical = text.partition("\0")
    if qualifier == TRIPLE_TERM:
        return triple_term(lexical)
    if kind == b"T":
        return pyoxigraph.Literal(lexical, datatype=pyoxigraph.NamedNode(qualifier))
    return new_literal(lexical, qualifier, None)


def new_literal(lexical: str, language: str | None, datatype: str | None) -> pyoxigraph.Literal:
    """A literal; ``language`` may end in a base direction, as in ``ar--rtl``."""
    if language:
        tag, _, direction = language.partition("--")
        side = pyoxigraph.BaseDirection(direction) if direction else None
        return pyoxigraph.Literal(lexical, language=tag, direction=side)
    return pyoxigraph.Literal(lexical, datatype=pyoxigraph.NamedNode(datatype) if datatype else None)


def _literal_bytes(term: pyoxigraph.Literal) -> bytes:
    datatype = term.datatype.value
    if datatype == algebra.XSD_STRING:
        return b"S" + term.value.encode()
    if term.language:
        tag = f"{term.language}--{term.direction.value}" if term.direction else term.language
        return f"L{tag}\0{term.value}".encode()
    return f"T{datatype}\0{term.value}".encode()


def _canonical(triple: pyoxigraph.Triple) -> pyoxigraph.Triple:
    """The triple with its literals in the form that a Store gives them, which defines equality."""
    store = pyoxigraph.Store()
    store.add(pyoxigraph.Quad(triple.subject, triple.predicate, triple.object))
    (quad,) = store
    canonical: pyoxigraph.Triple = quad.triple
    return canonical


def triple_term(text: str) -> OxTerm:
    """The triple term ``<<( … )>>`` of a TSV cell or of canonical bytes."""
    line = f"{_ANY} {_ANY} {text} ."
    (quad,) = parse(line.encode(), pyoxigraph.RdfFormat.TURTLE)
    object_: OxTerm = quad.object
    return object_
