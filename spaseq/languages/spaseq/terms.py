"""Terms as they are meant: quotes and escapes of strings and IRIs, prefixes and BASE."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin

from pyoxigraph import Literal, NamedNode

from gpm.algebra import XSD
from spaseq.languages.node import Span
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.text import did_you_mean

_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPES = {character: "\\" + letter for letter, character in _CHARACTERS.items() if letter != "'"}


def unescape(text: str, start: int) -> str:
    """``text`` with its escapes resolved; ``start`` is its offset, for the Problem of an unknown escape."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _character(match, start), text)


def _character(match: re.Match[str], start: int) -> str:
    span = Span(start + match.start(), start + match.end())
    code = match[1] or match[2]
    if code is None:
        if match[3] not in _CHARACTERS:
            raise Problem(f"unknown escape {match[0]}", span, r"a backslash itself is written \\", syntax=True)
        return _CHARACTERS[match[3]]
    number = int(code, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise Problem(f"{match[0]} is no Unicode character", span, syntax=True)
    return chr(number)


def unquote(token: str, start: int) -> str:
    """The text of a quoted token at offset ``start``."""
    width = 3 if len(token) >= 6 and token[:3] in ('"""', "'''") else 1
    return unescape(token[width:-width], start + width)


def quote(text: str) -> str:
    """``text`` as a token in double quotes."""
    return '"' + re.sub(r'[\t\b\n\r\f"\\]', lambda match: _ESCAPES[match[0]], text) + '"'


# ── IRIs ─────────────────────────────────────────────────────────────────────────────────────────────────
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
WELL_KNOWN = {
    "rdf": RDF,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "sosa": "http://www.w3.org/ns/sosa/",
    "ssn": "http://www.w3.org/ns/ssn/",
    "prov": "http://www.w3.org/ns/prov#",
    "time": "http://www.w3.org/2006/time#",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "qudt": "http://qudt.org/schema/qudt/",
    "schema": "http://schema.org/",
}
MOST_WRITTEN = 1 << 24  # characters of all IRIs of a text
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_NOT_IN_IRIS = re.compile(r'[\x00-\x20<>"{}|\\^`]')
_LOCAL_ESCAPE = re.compile(r"\\(.)")


class Prefixes:
    """The prefixes and the base of one query: those of its prologue, and ``xsd:`` and others ``known`` from the start.

    ``first``: what declarations stand before, for hints.
    """

    def __init__(
        self,
        prologue: Iterable[tree.Base | tree.Prefix],
        known: Mapping[str, str] | None = None,
        first: str = "SELECT or CONSTRUCT",
    ) -> None:
        self.base = ""
        self.known = {"xsd": XSD, **(known or {})}
        self.prefixes = dict(self.known)
        self.written = 0  # characters
        self.first = first
        for declaration in prologue:
            self.declare(declaration)

    def declare(self, declaration: tree.Base | tree.Prefix) -> None:
        """Take in what the next declaration says."""
        if isinstance(declaration, tree.Base):
            self.base = self.iri(declaration.iri)
        else:
            self.prefixes[declaration.name] = self.iri(declaration.iri)

    def iri(self, node: tree.Iri) -> str:
        """The absolute IRI; Problem for an undeclared prefix, a relative IRI without BASE, or what is no IRI."""
        if node.text == "a":
            return RDF + "type"
        iri = self.reference(node) if node.text.startswith("<") else self.prefixed(node)
        self.written += len(iri)
        if self.written > MOST_WRITTEN:
            message = f"the IRIs of the query have more than {MOST_WRITTEN:,} characters, once they are written in full"
            raise Problem(message, node.span, "what PREFIX and BASE stand for counts each time")
        try:
            return NamedNode(iri).value
        except ValueError as error:
            raise Problem(f"<{iri}> is no IRI: {_lower(str(error))}", node.span) from None

    def prefixed(self, node: tree.Iri) -> str:
        """What ``prefix:local`` stands for."""
        prefix, _, local = node.text.partition(":")
        if prefix not in self.prefixes:
            raise Problem(f"undeclared prefix {prefix}:", node.span, self._prefix_hint(prefix))
        return self.prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local)

    def _prefix_hint(self, prefix: str) -> str:
        if prefix in WELL_KNOWN:
            return f"add PREFIX {prefix}: <{WELL_KNOWN[prefix]}>"
        declared = [name for name in self.prefixes if name not in self.known]
        near = did_you_mean(prefix, declared) if prefix and declared else ""
        return near[:-1] + ":?" if near.startswith("did") else f"add PREFIX {prefix}: <…> before {self.first}"

    def reference(self, node: tree.Iri) -> str:
        """What ``<…>`` stands for."""
        iri = unescape(node.text[1:-1], node.span.start + 1)
        if _SCHEME.match(iri):
            return iri
        if not self.base:
            raise Problem(f"relative IRI {node.text}", node.span, "write it in full, or add BASE <…>")
        if found := _NOT_IN_IRIS.search(iri):  # which ../ may take away
            raise Problem(f"<{iri}> is no IRI: it has the character U+{ord(found[0]):04X}", node.span)
        return _joined(self.base, iri)


def language_of(node: tree.Literal) -> str | None:
    """The language tag of a literal that has one; Problem if it is none by BCP 47."""
    try:
        if node.language:
            Literal("", language=node.language)
    except ValueError as error:
        raise Problem(f"@{node.language} is no language tag: {_lower(str(error))}", node.span) from None
    return node.language


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _joined(base: str, reference: str) -> str:
    """RFC 3986 resolution for any scheme; urljoin itself knows only some, and drops an empty fragment."""
    path, mark, fragment = reference.partition("#")
    if not path:
        return base.partition("#")[0] + mark + fragment
    scheme, _, rest = base.partition(":")
    return scheme + urljoin("http:" + rest, path).removeprefix("http") + mark + fragment
