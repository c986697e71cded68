"""Background knowledge: named graphs that stay the same while events pass.  Only local data, never the network."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QueryTriples, RdfFormat, Store, Triple

from gpm.entailment import conclusions
from gpm.errors import GraphSyntaxError, PatternError
from gpm.nesting import TOO_DEEP, is_deep_term
from gpm.parsing import check, load, parse
from gpm.printing import print_group
from gpm.rewrite import canonical
from gpm.schema import Schema
from gpm.terms import is_rdflib_graph, to_oxigraph

if TYPE_CHECKING:
    import rdflib

Source: TypeAlias = "str | os.PathLike[str] | bytes | rdflib.Graph | Iterable[Quad | Triple]"

GZIP = b"\x1f\x8b"
LARGEST_UNPACKED = 1 << 30  # bytes that a compressed file may have
MOST_REMEMBERED = 8  # of the backgrounds that came from other processes
# What a text of a format may be without blank nodes and graph names, and what else it must not have in it for that.
_PLAIN: dict[RdfFormat | None, tuple[RdfFormat, ...]] = {
    RdfFormat.N_TRIPLES: (RdfFormat.N_TRIPLES,),
    RdfFormat.N_QUADS: (RdfFormat.N_TRIPLES,),
    RdfFormat.TURTLE: (RdfFormat.TURTLE,),
    RdfFormat.TRIG: (RdfFormat.TURTLE,),
    None: (RdfFormat.N_TRIPLES, RdfFormat.TURTLE),
}
_BLANK_NODE_SIGNS = {
    RdfFormat.N_TRIPLES: (b"_:",),
    RdfFormat.TURTLE: (b"_:", b"[", b"(", b"<<", b"{|", b"~"),
}
_MORE_EXTENSIONS = {"owl": RdfFormat.RDF_XML, "xml": RdfFormat.RDF_XML}


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """One background graph in a Store of its own, under its name.

    ``digest`` tells its text from others; a graph that ``is_plain`` has no blank nodes.
    """

    name: NamedNode
    store: Store
    digest: str
    is_plain: bool


class BackgroundGraphs:
    """The background graphs of an engine; it never changes.

    ``sources`` maps graph IRIs to a file (format by extension, maybe compressed by gzip), bytes (any of the text
    formats), an rdflib graph, or pyoxigraph quads or triples; names of graphs inside a source are ignored, all of it is
    that graph.  ``entailed`` are the IRIs of graphs that make up the RDFS ``schema``, and that have all that it entails
    (docs/entailment.md).  GraphSyntaxError: a text that is not RDF, a file of unknown format, damaged gzip data.
    OSError: a file that cannot be read.  PatternError: the name of a graph is no IRI or unknown, something is no
    source, or the schema changes the meaning of RDFS.
    """

    def __init__(self, sources: Mapping[str, Source] | None = None, entailed: Collection[str] = ()) -> None:
        if not isinstance(sources, Mapping | None):
            raise PatternError(f"background graphs are given as a mapping of IRIs to sources, not {sources!r:.80}")
        given = sources or {}
        for iri in entailed:
            if iri not in given:
                raise PatternError(f"there is no background graph <{iri}> to entail anything")
        self._entailed = tuple(iri for iri in given if iri in entailed)
        self._set({iri: _read_graph(number, iri, source) for number, (iri, source) in enumerate(given.items())}, None)

    def _set(self, stated: dict[str, KnowledgeGraph], before: BackgroundGraphs | None) -> None:
        """Take these graphs and what they entail; what is as ``before`` is shared."""
        self._stated = self.graphs = stated
        self.schema = Schema(stated[iri].store for iri in self._entailed) if self._entailed else None
        if self.schema is None:
            return
        if before is not None and before.schema == self.schema:
            self.schema = before.schema
            known = {iri: graph for iri, graph in before.graphs.items() if before._stated[iri] is stated[iri]}
        else:
            known = {}
        closed = {iri: known.get(iri) or _closed(stated[iri], self.schema) for iri in self._entailed}
        self.graphs = stated | closed

    @property
    def names(self) -> tuple[str, ...]:
        """The IRIs of the graphs."""
        return tuple(self.graphs)

    def replaced(self, iri: str, source: Source) -> BackgroundGraphs:
        """The background in which one graph, maybe a new one, has other contents; errors as of the class."""
        names = list(self.graphs)
        number = names.index(iri) if iri in self.graphs else len(names)
        changed = type(self)()
        changed._entailed = self._entailed
        changed._set(self._stated | {iri: _read_graph(number, iri, source)}, self)
        return changed

    def fingerprint(self) -> str:
        """A digest that is equal for equal knowledge, in any process, however it came about."""
        digest = hashlib.sha256()
        for number, (iri, graph) in enumerate(self.graphs.items()):
            entailed = "entailed" if iri in self._entailed else ""
            digest.update(f"graph {number} {iri}\n{graph.digest} {entailed}\n".encode())
        return digest.hexdigest()

    def __reduce__(self) -> tuple[Callable[..., BackgroundGraphs], tuple[Any, ...]]:
        """As its stated graphs, with the labels that their blank nodes have, and made again once in a process."""
        graphs = tuple((iri, one.digest, one.is_plain, _dumped(one)) for iri, one in self._stated.items())
        return _made_again, (type(self), graphs, self._entailed)

    def triples(self, iri: str) -> list[Triple]:
        """The triples of one graph; none if it is unknown."""
        graph = self.graphs.get(iri)
        return [quad.triple for quad in graph.store] if graph else []

    def store(self, names: Iterable[str]) -> Store:
        """A Store with these graphs, to be read only; unknown ones are empty."""
        known = [self.graphs[name] for name in names if name in self.graphs]
        return known[0].store if len(known) == 1 else _merged(known)

    def copy(self) -> Store:
        """A new Store with all background graphs."""
        return _merged(self.graphs.values())


Dumped: TypeAlias = "tuple[str, str, bool, bytes]"  # IRI, digest, whether it is plain, its triples


def _dumped(graph: KnowledgeGraph) -> bytes:
    text = graph.store.dump(format=RdfFormat.N_TRIPLES, from_graph=graph.name)
    assert text is not None
    return text


@lru_cache(maxsize=MOST_REMEMBERED)
def _made_again(
    kind: type[BackgroundGraphs], graphs: tuple[Dumped, ...], entailed: tuple[str, ...]
) -> BackgroundGraphs:
    made = kind()
    made._entailed = entailed
    made._set({iri: _undumped(iri, digest, is_plain, text) for iri, digest, is_plain, text in graphs}, None)
    return made


def _undumped(iri: str, digest: str, is_plain: bool, text: bytes) -> KnowledgeGraph:
    name, store = NamedNode(iri), Store()
    if is_plain:
        load(store, text, RdfFormat.N_TRIPLES, None, name)
    else:  # otherwise its blank nodes would get new labels
        parts = parse(text, RdfFormat.N_TRIPLES)
        store.bulk_extend(Quad(part.subject, part.predicate, part.object, name) for part in parts)
    store.add_graph(name)
    return KnowledgeGraph(name, store, digest, is_plain)


def _closed(graph: KnowledgeGraph, schema: Schema) -> KnowledgeGraph:
    """A graph with all that it entails; the same one if that is nothing."""
    where, names = canonical(conclusions(schema))
    triple = " ".join(f"?{names.get(name, name)}" for name in "spo")
    query = f"CONSTRUCT {{ {triple} }} WHERE {print_group(where)}"
    answer = graph.store.query(query, default_graph=graph.name)
    assert isinstance(answer, QueryTriples)
    quads = (Quad(one.subject, one.predicate, one.object, graph.name) for one in answer)
    if all(quad in graph.store for quad in quads):
        return graph
    store = _merged([graph])
    store.update(f"INSERT {{ GRAPH {graph.name} {{ {triple} }} }} WHERE {{ GRAPH {graph.name} {print_group(where)} }}")
    return KnowledgeGraph(graph.name, store, graph.digest, graph.is_plain)


def _merged(graphs: Iterable[KnowledgeGraph]) -> Store:
    store = Store()
    for graph in graphs:
        if graph.is_plain:  # otherwise `load` would give its blank nodes new labels
            text = graph.store.dump(format=RdfFormat.N_TRIPLES, from_graph=graph.name)
            store.load(text, format=RdfFormat.N_TRIPLES, to_graph=graph.name)
        else:
            store.bulk_extend(iter(graph.store))
        store.add_graph(graph.name)
    return store


def _read_graph(number: int, iri: str, source: Source) -> KnowledgeGraph:
    """A graph from its source; ``number`` tells its blank nodes from those of other graphs with the same text."""
    name, store = _graph_name(iri), Store()
    try:
        contents = _contents(iri, source)
        digest = contents.digest()
        is_plain = contents.load(store, name)
        if not is_plain:
            label = _Labels(f"k{number}.{digest[:12]}.")
            store.bulk_extend(_named(part, name, label) for part in contents.parts())
    except SyntaxError as error:
        raise located(iri, source, error) from None
    store.add_graph(name)
    return KnowledgeGraph(name, store, digest, is_plain)


def _graph_name(iri: str) -> NamedNode:
    try:
        return NamedNode(iri)
    except (ValueError, TypeError) as error:
        raise PatternError(f"the background graph <{iri}> has no IRI as its name: {error}") from None


class _Labels:
    """Labels of a graph's blank nodes in order of appearance: each process agrees.

    No two graphs share one, nor do two versions of a graph, which are different texts.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.known: dict[str, BlankNode] = {}

    def __call__(self, node: BlankNode) -> BlankNode:
        known = self.known.get(node.value)
        if known is None:
            known = self.known[node.value] = BlankNode(f"{self.prefix}{len(self.known)}")
        return known


def _named(part: Quad | Triple, graph: NamedNode, label: _Labels) -> Quad:
    subject, object_ = part.subject, part.object
    if isinstance(subject, BlankNode):
        subject = label(subject)
    if not isinstance(object_, NamedNode | Literal):
        object_ = _relabelled(object_, label)
    return Quad(subject, part.predicate, object_, graph)


def _relabelled(term: Any, label: _Labels) -> Any:
    if isinstance(term, BlankNode):
        return label(term)
    if isinstance(term, Triple):
        return Triple(_relabelled(term.subject, label), term.predicate, _relabelled(term.object, label))
    return term


@dataclass(frozen=True, slots=True)
class _Text:
    """A graph as text; without a format it is N-Quads or TriG, which have N-Triples and Turtle in them."""

    data: bytes
    file_format: RdfFormat | None
    base: str

    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def load(self, store: Store, graph: NamedNode) -> bool:
        """Put it into a graph of an empty Store as it is, several times faster than part by part.

        False: that is not sure to go well, because there may be blank nodes or names of graphs.
        """
        check(self.data, self.file_format or RdfFormat.TRIG)
        return any(self._load_as(guess, store, graph) for guess in _PLAIN.get(self.file_format, ()))

    def parts(self) -> Iterable[Quad]:
        """Its statements in their order."""
        if self.file_format is not None:
            return parse(self.data, self.file_format, self.base)
        try:
            return list(parse(self.data, RdfFormat.N_QUADS))
        except SyntaxError:
            return parse(self.data, RdfFormat.TRIG, self.base)

    def _load_as(self, guess: RdfFormat, store: Store, graph: NamedNode) -> bool:
        if any(sign in self.data for sign in _BLANK_NODE_SIGNS[guess]):
            return False
        try:
            load(store, self.data, guess, self.base, graph)
        except SyntaxError:
            return False  # and the Store is as it was
        return True


class _Parts:
    """A graph in memory: sorted triples with canonical blank-node labels (RDFC-1.0), for it has no order of its own."""

    def __init__(self, parts: Sequence[Quad | Triple]) -> None:
        dataset = pyoxigraph.Dataset(Quad(part.subject, part.predicate, part.object) for part in parts)
        if any(isinstance(node, BlankNode) for part in parts for node in (part.subject, part.object)):
            dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.RDFC_1_0)
        self.lines = sorted((str(quad.triple), quad.triple) for quad in dataset)

    def digest(self) -> str:
        return hashlib.sha256("".join(f"{text}\n" for text, _ in self.lines).encode()).hexdigest()

    def load(self, store: Store, graph: NamedNode) -> bool:
        return False

    def parts(self) -> Iterable[Triple]:
        return (triple for _, triple in self.lines)


def _contents(iri: str, source: Source) -> _Text | _Parts:
    """What is in a source, in an order that each process agrees on."""
    if isinstance(source, bytes):
        return _Text(source, None, iri)
    if isinstance(source, str | os.PathLike):
        return _Text(*read_graph_file(Path(source)), iri)
    return _Parts(triples_of_rdflib(source) if is_rdflib_graph(source) else _checked(iri, source))


def _checked(iri: str, source: Iterable[Quad | Triple]) -> list[Quad | Triple]:
    parts = list(source) if isinstance(source, Iterable) else [source]
    for part in parts:
        if not isinstance(part, Quad | Triple):
            raise PatternError(f"the background graph <{iri}> is no file, graph, or list of triples: {part!r:.80}")
        if is_deep_term(part.object):
            raise PatternError(f"the background graph <{iri}>: {TOO_DEEP}")
    return parts


def read_graph_file(path: Path) -> tuple[bytes, RdfFormat]:
    """The text of a file, unpacked, and its format.  GraphSyntaxError: an unknown format, damaged gzip data."""
    file_format = graph_format(path)
    return unpacked(path, path.read_bytes()), file_format


def graph_format(path: Path) -> RdfFormat:
    """The format of a file, by its name.  GraphSyntaxError: it is unknown."""
    suffixes = [suffix[1:].lower() for suffix in path.suffixes]
    extension = (suffixes[:-1] if suffixes[-1:] == ["gz"] else suffixes)[-1:] or [""]
    file_format = _MORE_EXTENSIONS.get(extension[0]) or RdfFormat.from_extension(extension[0])
    if file_format is None:
        known = "ttl, nt, nq, trig, rdf, xml, owl, n3 or jsonld"
        raise GraphSyntaxError(str(path), 0, 0, f"unknown format {extension[0]!r}: the name should end in {known}")
    return file_format


def unpacked(path: Path, data: bytes) -> bytes:
    """The contents of a file with this data.  GraphSyntaxError: damaged gzip data, or too much of it."""
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = file.read(LARGEST_UNPACKED + 1)
        if len(unpacked) <= LARGEST_UNPACKED:
            return unpacked
        message = f"the gzip data has more than {LARGEST_UNPACKED:,} bytes: unpack the file before, if you trust it"
        raise GraphSyntaxError(str(path), 0, 0, message)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise GraphSyntaxError(str(path), 0, 0, f"the gzip data is damaged or cut off: {error}") from None


def triples_of_rdflib(graph: rdflib.Graph) -> list[Triple]:
    """The triples of a graph of rdflib, those of all graphs of a dataset."""
    import rdflib

    rows: Iterable[Any] = graph.quads() if isinstance(graph, rdflib.Dataset) else graph
    return [_triple(*map(to_oxigraph, row[:3])) for row in rows]


def _triple(subject: Any, predicate: Any, object_: Any) -> Triple:
    return Triple(subject, predicate, object_)


def located(iri: str, source: Source, error: SyntaxError) -> GraphSyntaxError:
    """An error of a parser with the file, or the name of the graph."""
    path = str(source) if isinstance(source, str | os.PathLike) else iri
    return GraphSyntaxError(path, error.lineno or 0, error.offset or 0, error.msg)
