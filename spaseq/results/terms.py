"""RDF terms as results show them: light values that every format can write, made from the canonical bytes of words.

For people they have short names and no datatypes.  Columns of texts native code writes as a whole
(``gpm.native.texts``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import XSD_STRING
from gpm.rows import TextColumn
from gpm.terms import TRIPLE_TERM, term_bytes, triple_term
from nfa_native.core.coding import coded
from nfa_native.terms.dictionary import Terms
from spaseq.text import json_text, shown

if TYPE_CHECKING:
    import rdflib


UNBOUND = 0


class Holder(Protocol):
    """What has words."""

    @property
    def words(self) -> NDArray[np.uint64]:
        """The words, 0 among them or not."""


class TermTable(Protocol):
    """What results need of ``nfa_native.terms.dictionary.Terms``."""

    def bytes(self, word: int) -> bytes:
        """The canonical bytes of a word: a kind letter and the parts of the term."""

    def hold(self, holder: Holder) -> None:
        """Keep the words of ``holder.words`` valid while the holder exists."""


class OwnTerms:
    """Terms by themselves, apart from any engine: word n is the n-th of these canonical bytes, counted from 1."""

    def __init__(self, texts: tuple[bytes, ...]) -> None:
        self._texts = texts

    def bytes(self, word: int) -> bytes:
        """The canonical bytes of a word."""
        return self._texts[word - 1]

    def hold(self, holder: Holder) -> None:
        """Words stay valid as long as these terms exist."""

    def interned(self) -> tuple[Terms, NDArray[np.uint64]]:
        """A table for native code, and the words that these have in it, that of word 0 first."""
        terms = Terms()
        return terms, np.append(np.uint64(UNBOUND), terms.intern_many(list(self._texts)))


def native(terms: TermTable, words: NDArray[np.uint64]) -> tuple[Terms, NDArray[np.uint64]]:
    """Words in a table that native code reads: matches that were copied or pickled have terms of their own."""
    if isinstance(terms, OwnTerms):
        table, known = terms.interned()
        return table, known[words.astype(np.int64)]
    assert isinstance(terms, Terms)
    return terms, words


class Value(NamedTuple):
    """An RDF term; ``kind`` is ``uri``, ``bnode``, ``literal`` or ``triple`` (the words of SPARQL JSON).

    ``datatype`` is None for strings, for strings with a language, and for what is no literal.  ``language`` may end in
    ``--ltr`` or ``--rtl``, a base direction.  The text of a triple term is N-Triples.
    """

    kind: str
    text: str
    datatype: str | None = None
    language: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The term as in SPARQL 1.1 Query Results JSON (triple terms and directions: 1.2)."""
        if self.kind == "triple":
            return {"type": "triple", "value": {name: part.to_json() for name, part in self.parts().items()}}
        term = {"type": self.kind, "value": self.text}
        if self.language:
            term["xml:lang"], _, direction = self.language.partition("--")
            term |= {"its:dir": direction} if direction else {}
        elif self.datatype:
            term["datatype"] = self.datatype
        return term

    def to_rdflib(self) -> rdflib.term.Identifier:
        """The term as a class of rdflib, its lexical form untouched; a triple term, which rdflib lacks, as a string."""
        import rdflib  # takes long, and those who want text do not need it

        if self.kind == "uri":
            return rdflib.URIRef(self.text)
        if self.kind == "bnode":
            return rdflib.BNode(self.text)
        datatype = rdflib.URIRef(self.datatype) if self.datatype else None
        language = self.language.partition("--")[0] if self.language else None
        return rdflib.Literal(self.text, lang=language, datatype=datatype, normalize=False)

    def parts(self) -> dict[str, Value]:
        """Subject, predicate and object of a triple term."""
        triple = triple_term(self.text)
        names = ("subject", "predicate", "object")
        return {name: from_bytes(term_bytes(getattr(triple, name))) for name in names}

    def to_ntriples(self) -> str:
        """The term in the syntax of N-Triples, which SPARQL TSV uses as well."""
        if self.kind == "uri":
            return f"<{_escape_iri(self.text)}>"
        if self.kind == "bnode":
            return "_:" + self.text
        if self.kind == "triple":  # its characters have escapes, but for C1
            return _C1.sub(_numbered, self.text)
        quoted = f'"{_escape(self.text)}"'
        if self.language:
            return f"{quoted}@{self.language}"
        return f"{quoted}^^<{_escape_iri(self.datatype)}>" if self.datatype else quoted


class Decoder:
    """Words to values.  It remembers what it decoded: make one for each batch of results."""

    def __init__(self, terms: TermTable) -> None:
        self._terms = terms
        self._values: dict[int, Value | None] = {UNBOUND: None}
        self._fragments: dict[int, str] = {}

    def value(self, word: int) -> Value | None:
        """The term of a word, None for unbound."""
        try:
            return self._values[word]
        except KeyError:
            value = self._values[word] = from_bytes(self._terms.bytes(word))
            return value

    def json(self, word: int) -> str:
        """The text of the SPARQL JSON term of a bound word."""
        try:
            return self._fragments[word]
        except KeyError:
            value = self.value(word)
            assert value is not None
            text = self._fragments[word] = json_text(value.to_json())
            return text


def from_bytes(data: bytes) -> Value:
    """The term with these canonical bytes; ValueError if they are none."""
    kind, text = data[:1], data[1:].decode()
    if kind == b"I":
        return Value("uri", text)
    if kind == b"B":
        return Value("bnode", text)
    if kind == b"S":
        return Value("literal", text)
    head, _, lexical = text.partition("\0")
    if kind == b"L":
        return Value("literal", lexical, None, head)
    if kind == b"T" and head == TRIPLE_TERM:
        return Value("triple", lexical)
    if kind == b"T":
        return Value("literal", lexical, None if head == XSD_STRING else head)
    raise ValueError(f"no canonical term: {data!r}")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f-\x9f]')
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\x7f-\x9f]')
_C1 = re.compile(r"[\x80-\x9f]")


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES.get(found[0]) or _numbered(found), text)


def _escape_iri(text: str) -> str:
    return _NOT_IN_IRI.sub(_numbered, text)


def _numbered(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04X}"


# ── for people ───────────────────────────────────────────────────────────────────────────────────────────
def shorten(iri: str, prefixes: Mapping[str, str], parts: int = 0) -> str:
    """``prefix:rest`` by the longest prefix that fits, else ``<iri>``, or ``…`` and its last ``parts`` if not 0."""
    fits = [(len(start), name) for name, start in prefixes.items() if start and iri.startswith(start)]
    if fits:
        length, name = max(fits)
        return f"{name}:{iri[length:]}"
    found = re.split(r"(?<=[/#])", iri.removesuffix("/"))
    return "…" + "".join(found[-parts:]) if parts and len(found) > parts + 2 else f"<{iri}>"


def show(value: Value | None, prefixes: Mapping[str, str], parts: int = 0) -> str:
    """A term on one line; an unbound variable is empty."""
    if value is None:
        return ""
    if value.kind == "uri":
        return shorten(value.text, prefixes, parts)
    text = shown(" ".join(value.text.split()))
    if value.kind == "bnode":
        return "_:" + text
    return f"{text}@{value.language}" if value.language else text


def show_events(events: Mapping[str, list[str]], prefixes: Mapping[str, str], parts: int = 0) -> str:
    """``A e:1, B e:2 e:3``."""
    shown = {name: " ".join(shorten(iri, prefixes, parts) for iri in iris) for name, iris in events.items()}
    return ", ".join(f"{name} {iris}" for name, iris in shown.items())


# ── columns of texts ─────────────────────────────────────────────────────────────────────────────────────
class NameColumns(Protocol):
    """Names of events by number that can be had as a column."""

    def texts(self, numbers: NDArray[np.uint64]) -> TextColumn:
        """The names of these numbers, in their order."""

    def coded(self, numbers: NDArray[np.uint64]) -> tuple[TextColumn, NDArray[np.int32]]:
        """Names, at least those of these numbers, and which of them each number has."""


def texts_of(texts: Iterable[str]) -> TextColumn:
    """A column of these texts."""
    encoded = [text.encode() for text in texts]
    return np.cumsum([0, *map(len, encoded)], dtype=np.int64), b"".join(encoded)


def coded_names(event_name: Callable[[int], str], numbers: NDArray[np.uint64]) -> tuple[TextColumn, NDArray[np.int32]]:
    """Names, at least those of these events, and which of them each event has."""
    if _has_columns(event_name):
        return event_name.coded(numbers)
    used, codes = coded(numbers)
    return texts_of(map(event_name, used.tolist())), codes


def names_of(event_name: Callable[[int], str], numbers: NDArray[np.uint64]) -> TextColumn:
    """The names of these events as a column."""
    if _has_columns(event_name):
        return event_name.texts(numbers)
    return texts_of(map(event_name, numbers.tolist()))


def _has_columns(event_name: object) -> TypeGuard[NameColumns]:
    return hasattr(event_name, "texts")
