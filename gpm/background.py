"""Background knowledge: named graphs that stay the same while events pass.  Only local data, never the network."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyoxigraph
import rdflib
from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Store, Triple

from gpm.errors import GraphSyntaxError, PatternError
from gpm.terms import to_oxigraph

Source: TypeAlias = str | os.PathLike[str] | bytes | rdflib.Graph | Iterable[Quad | Triple]

_GZIP = b"\x1f\x8b"
_MORE_EXTENSIONS = {"owl": RdfFormat.RDF_XML, "xml": RdfFormat.RDF_XML}


class Background:
    """The background graphs of an engine.

    ``sources`` maps graph IRIs to a file (format by extension, maybe compressed by gzip), bytes (any of the text
    formats), an rdflib graph, or pyoxigraph quads or triples; names of graphs inside a source are ignored, all of it is
    that graph.  GraphSyntaxError: a text that is not RDF, a file of unknown format, damaged gzip data.  OSError: a file
    that cannot be read.  PatternError: the name of a graph is no IRI, or something is no source.
    """

    def __init__(self, sources: Mapping[str, Source] | None = None) -> None:
        if not isinstance(sources, Mapping | None):
            raise PatternError(f"background graphs are given as a mapping of IRIs to sources, not {sources!r:.80}")
        self.store = Store()
        self.names = tuple(sources or ())
        self._digest = hashlib.sha256()
        for number, (iri, source) in enumerate((sources or {}).items()):
            self._add(number, iri, source)

    def fingerprint(self) -> str:
        """A digest that is equal for equal knowledge, in any process."""
        return self._digest.hexdigest()

    def triples(self, iri: str) -> list[Triple]:
        """The triples of one graph; none if it is unknown."""
        return [quad.triple for quad in self.store.quads_for_pattern(None, None, None, NamedNode(iri))]

    def copy(self) -> Store:
        """A new Store with all background graphs."""
        store = Store()
        store.bulk_extend(iter(self.store))
        for iri in self.names:
            store.add_graph(NamedNode(iri))
        return store

    def _add(self, number: int, iri: str, source: Source) -> None:
        graph = _graph_name(iri)
        self.store.add_graph(graph)
        self._digest.update(f"graph {number} {iri}\n".encode())
        label = _Labels(number)
        try:
            parts = _parts(iri, source, self._digest.update)
            self.store.bulk_extend(_named(part, graph, label) for part in parts)
        except SyntaxError as error:
            raise _located(iri, source, error) from None


def _graph_name(iri: str) -> NamedNode:
    try:
        return NamedNode(iri)
    except (ValueError, TypeError) as error:
        raise PatternError(f"the background graph <{iri}> has no IRI as its name: {error}") from None


class _Labels:
    """Labels of a graph's blank nodes in order of appearance: no two graphs share one, and each process agrees."""

    def __init__(self, number: int) -> None:
        self.prefix = f"k{number}."
        self.known: dict[str, BlankNode] = {}

    def __call__(self, node: BlankNode) -> BlankNode:
        known = self.known.get(node.value)
        if known is None:
            known = self.known[node.value] = BlankNode(f"{self.prefix}{len(self.known)}")
        return known


def _named(part: Quad | Triple, graph: NamedNode, label: _Labels) -> Quad:
    return Quad(_relabelled(part.subject, label), part.predicate, _relabelled(part.object, label), graph)


def _relabelled(term: Any, label: _Labels) -> Any:
    if isinstance(term, BlankNode):
        return label(term)
    if isinstance(term, Triple):
        return Triple(_relabelled(term.subject, label), term.predicate, _relabelled(term.object, label))
    return term


def _parts(iri: str, source: Source, digest: Callable[[bytes], None]) -> Iterable[Quad | Triple]:
    """The triples of a source in an order that each process agrees on."""
    if isinstance(source, bytes):
        digest(source)
        return _from_bytes(source, iri)
    if isinstance(source, str | os.PathLike):
        data, file_format = _read(Path(source))
        digest(data)
        return pyoxigraph.parse(data, format=file_format, base_iri=iri)
    parts = _from_rdflib(source) if isinstance(source, rdflib.Graph) else _checked(iri, source)
    return _ordered(parts, digest)


def _checked(iri: str, source: Iterable[Quad | Triple]) -> list[Quad | Triple]:
    parts = list(source) if isinstance(source, Iterable) else [source]
    for part in parts:
        if not isinstance(part, Quad | Triple):
            raise PatternError(f"the background graph <{iri}> is no file, graph, or list of triples: {part!r:.80}")
    return parts


def _read(path: Path) -> tuple[bytes, RdfFormat]:
    suffixes = [suffix[1:].lower() for suffix in path.suffixes]
    extension = (suffixes[:-1] if suffixes[-1:] == ["gz"] else suffixes)[-1:] or [""]
    file_format = _MORE_EXTENSIONS.get(extension[0]) or RdfFormat.from_extension(extension[0])
    if file_format is None:
        known = "ttl, nt, nq, trig, rdf, xml, owl, n3 or jsonld"
        raise GraphSyntaxError(str(path), 0, 0, f"unknown format {extension[0]!r}: the name should end in {known}")
    return _decompressed(path, path.read_bytes()), file_format


def _decompressed(path: Path, data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise GraphSyntaxError(str(path), 0, 0, f"the gzip data is damaged or cut off: {error}") from None


def _from_bytes(data: bytes, iri: str) -> Iterable[Quad]:
    """N-Quads, or TriG, which has N-Triples and Turtle in it."""
    try:
        return list(pyoxigraph.parse(data, format=RdfFormat.N_QUADS))
    except SyntaxError:
        return pyoxigraph.parse(data, format=RdfFormat.TRIG, base_iri=iri)


def _from_rdflib(graph: rdflib.Graph) -> list[Triple]:
    rows: Iterable[Any] = graph.quads() if isinstance(graph, rdflib.Dataset) else graph
    return [_triple(*map(to_oxigraph, row[:3])) for row in rows]


def _triple(subject: Any, predicate: Any, object_: Any) -> Triple:
    return Triple(subject, predicate, object_)


def _ordered(parts: Sequence[Quad | Triple], digest: Callable[[bytes], None]) -> list[Triple]:
    """Sorted triples with canonical blank-node labels (RDFC-1.0): graphs in memory have no order of their own."""
    dataset = pyoxigraph.Dataset(Quad(part.subject, part.predicate, part.object) for part in parts)
    if any(isinstance(node, BlankNode) for part in parts for node in (part.subject, part.object)):
        dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.RDFC_1_0)
    lines = sorted((str(quad.triple), quad.triple) for quad in dataset)
    for text, _ in lines:
        digest(text.encode() + b"\n")
    return [triple for _, triple in lines]


def _located(iri: str, source: Source, error: SyntaxError) -> GraphSyntaxError:
    path = str(source) if isinstance(source, str | os.PathLike) else iri
    return GraphSyntaxError(path, error.lineno or 0, error.offset or 0, error.msg)
