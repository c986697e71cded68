"""The graphs that programs push: rdflib graphs, pyoxigraph quads or triples, or text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from pyoxigraph import DefaultGraph, NamedNode, Quad, RdfFormat, Triple, serialize

from gpm.encoder import encode_single
from gpm.errors import GraphSyntaxError, PatternError
from gpm.native.assembly import Assembler
from gpm.native.single import SingleEvent
from gpm.nesting import TOO_DEEP, is_deep_term, is_too_deep
from gpm.parsing import parse
from gpm.rows import Triples
from gpm.terms import is_rdflib_graph, to_oxigraph, written_badly
from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.rdf.nquads import explain

if TYPE_CHECKING:
    import rdflib


def quad_lines(graph: Sequence[Quad | Triple], assembler: Assembler) -> bytes | None:
    """The lines of statements, one at least.

    None: they are not of one graph, are none by the book, or an IRI that only a lenient parser let pass makes another
    statement of a line.
    """
    lines = serialize(graph, format=RdfFormat.N_QUADS)  # type: ignore[arg-type]
    assert lines is not None
    name = graph[0].graph_name if isinstance(graph[0], Quad) else DefaultGraph()
    named = name != DefaultGraph()
    if named and not all(isinstance(part, Quad) and part.graph_name == name for part in graph):
        return None
    return lines if assembler.are_lines_of(lines, len(graph), named) else None


def check_iris(triple: Quad | Triple) -> None:
    """OptionError: an IRI has a character with which it would be another one, or none, in a line."""
    bent = next(filter(None, map(written_badly, triple)), None)
    if bent is not None:
        raise OptionError(f"an IRI has the character {bent!a}, with which no line can be written: {triple!s:.80}")


LONGEST_TEXT = 1 << 26  # bytes of an event, as of a graph of TriG: no place in it needs more than 32 bits

Graph: TypeAlias = "rdflib.Graph | bytes | Iterable[Quad | Triple]"


def read_graph(graph: Graph, event: str | None = None) -> tuple[Triples, str]:
    """The triples of an event, and its IRI: ``event``, else the IRI that all its quads name, else empty.

    Text (bytes) is N-Triples, N-Quads, Turtle or TriG.  StreamError: the text is none of these.  OptionError: no triple
    at all, several graphs, or something that is no graph.
    """
    triples = _triples(graph)
    if not triples:
        raise OptionError("an event needs at least one triple")
    names = {triple.graph_name for triple in triples if isinstance(triple, Quad)}
    if len(names) > 1:
        raise OptionError("an event is one graph: " + ", ".join(sorted(str(name) for name in names)) + " are several")
    if event is not None:
        return triples, _iri(event)
    name = next(iter(names), None)
    return triples, name.value if isinstance(name, NamedNode) else ""


def single_event(assembler: Assembler, time: int, graph: Graph, event: str | None = None) -> SingleEvent:
    """An event by itself, encoded, with the name that ``read_graph`` gives; errors as there."""
    lines = to_lines(graph, assembler)
    if lines is not None and len(lines) > LONGEST_TEXT:
        raise OptionError(f"a graph of {len(lines):,} bytes is too large: an event may have {LONGEST_TEXT:,}")
    found = None if lines is None else assembler.single(time, lines)
    if found is not None:
        found.name = found.name if event is None else _iri(event)
        return found
    triples, name = read_graph(graph, event)  # another syntax, a term that is none by the book, or an error
    found = encode_single(assembler, triples, time)
    found.name = name
    return found


def to_lines(graph: Graph, assembler: Assembler) -> bytes | None:
    """What may be the N-Quads lines of a graph; None: no way is known that is better than ``read_graph``."""
    if isinstance(graph, bytes):
        return graph
    if is_rdflib_graph(graph):
        from spaseq.sources.rdf.rdflib_lines import rdflib_lines

        return rdflib_lines(graph)
    if isinstance(graph, list | tuple) and graph and all(isinstance(triple, (Quad, Triple)) for triple in graph):
        return quad_lines(graph, assembler)
    return None


def _triples(graph: Graph) -> Triples:
    if isinstance(graph, bytes):
        return _parse(graph)
    if is_rdflib_graph(graph):
        return _from_rdflib(graph)
    if isinstance(graph, str) or not isinstance(graph, Iterable):
        raise OptionError(f"a graph is an rdflib.Graph, pyoxigraph quads or triples, or bytes, not {graph!r:.80}")
    triples = list(graph)
    for triple in triples:
        if not isinstance(triple, (Quad, Triple)):
            raise OptionError(f"a graph has pyoxigraph quads or triples, not {triple!r:.80}")
        if is_deep_term(triple.object):
            raise OptionError(TOO_DEEP)
        check_iris(triple)
    return triples


def _from_rdflib(graph: rdflib.Graph) -> Triples:
    import rdflib

    if isinstance(graph, rdflib.Dataset | rdflib.ConjunctiveGraph):
        raise OptionError("an event is one graph: push the graphs of a dataset one by one")
    try:
        return [Triple(*(to_oxigraph(term) for term in triple)) for triple in graph]  # type: ignore[arg-type]
    except (PatternError, ValueError, TypeError) as error:
        raise OptionError(f"the graph is no RDF: {error}") from None


def _parse(text: bytes) -> Triples:
    if len(text) > LONGEST_TEXT:
        raise OptionError(f"a graph of {len(text):,} bytes is too large: an event may have {LONGEST_TEXT:,}")
    if is_too_deep(text):
        raise StreamError(TOO_DEEP, Location("<event>"))
    try:
        return list(parse(text, RdfFormat.N_QUADS))
    except SyntaxError:
        pass
    try:
        return list(parse(text, RdfFormat.TRIG))
    except SyntaxError as error:
        lines = text.split(b"\n")
        number = min(error.lineno or 1, len(lines))
        line = lines[number - 1].decode("utf-8", "replace")
        raise StreamError(explain(error), Location("<event>", number, error.offset or 1, line)) from None


def _iri(text: str) -> str:
    if not isinstance(text, str):
        raise OptionError(f"the event's name is the text of an IRI, not {text!r:.80}")
    try:
        return NamedNode(text).value
    except ValueError as error:
        raise OptionError(f"the event's name <{text}> is no IRI: {error}") from None


@contextmanager
def graph_errors() -> Iterator[None]:
    """Errors in reading whole graphs (``gpm``) become StreamError and OptionError."""
    try:
        yield
    except GraphSyntaxError as error:
        raise StreamError(explain(SyntaxError(error.message)), Location(error.path, error.line, error.column)) from None
    except PatternError as error:
        raise OptionError(str(error)) from None
    except OSError as error:
        place = Location(str(error.filename or "background"))
        raise StreamError(f"cannot read: {error.strerror or error}", place) from None
