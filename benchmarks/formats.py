"""Every format from bytes to matches of the V shape, beside the library's parser alone on the same bytes.

The events are those of ``benchmarks.v_shape``: six triples and a time, as a named graph in N-Quads, TriG and Jelly, as
the default graph of a message in the others.  A parser reads all of a file at once, messages without their delimiters;
JSON-LD it reads line by line, each line with the context, since that is what a document is.
Run: ``python -m benchmarks.formats [events]``.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse, serialize

from benchmarks.timing import Preparation, interleaved
from benchmarks.v_shape import end_to_end
from spaseq.datasets import workloads
from spaseq.sources.rdf.wire import PROV_TIME

STOCK, DATA = "https://spaseq.org/ontology/stock#", "https://spaseq.org/data/stock/"
XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = {"stock": STOCK, "quote": f"{DATA}quote/", "company": f"{DATA}company/", "xsd": XSD, "prov": PROV_TIME[:-15]}
CONTEXT = {
    "@vocab": STOCK, "quote": f"{DATA}quote/", "company": {"@type": "@id"}, "exchange": {"@type": "@id"},
    "price": {"@type": f"{XSD}decimal"}, "time": {"@id": PROV_TIME, "@type": f"{XSD}dateTime"},
}  # fmt: skip
Event = list[Quad]  # its statements, the time last


@dataclass(frozen=True)
class Format:
    """Events written in a format: the file's ending, its bytes, and the parser alone on the same."""

    ending: str
    data: bytes
    alone: Preparation


def parsing(documents: Iterable[bytes], rdf_format: RdfFormat) -> Preparation:
    """The parser alone on some documents."""

    def job() -> int:
        return sum(1 for document in documents for _ in parse(document, rdf_format))

    return lambda: job


def plain(event: Event) -> Event:
    """The same statements without graph."""
    return [Quad(*quad.triple) for quad in event]


def lines(event: Event, rdf_format: RdfFormat) -> bytes:
    """The statements in a format of lines."""
    return cast(bytes, serialize(event, format=rdf_format))


def document_of(quads: Event, rdf_format: RdfFormat) -> bytes:
    """The statements in Turtle or TriG."""
    return cast(bytes, serialize(quads, format=rdf_format, prefixes=PREFIXES))


def body(event: Event, rdf_format: RdfFormat) -> bytes:
    """The same without the prefixes."""
    text = document_of(event, rdf_format)
    return b"".join(line for line in text.splitlines(keepends=True) if not line.startswith(b"@prefix"))


HEAD = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items()).encode()


def in_messages(ending: str, head: bytes, delimiter: bytes, texts: list[bytes], rdf_format: RdfFormat) -> Format:
    """Messages with this delimiter; the parser reads them without it."""
    return Format(ending, head + delimiter.join(texts), parsing([head + b"".join(texts)], rdf_format))


def by_graphs(ending: str, data: bytes, rdf_format: RdfFormat) -> Format:
    """Events told by graph."""
    return Format(ending, data, parsing([data], rdf_format))


def document(event: Event) -> dict[str, Any]:
    """An event as JSON-LD for CONTEXT."""
    found: dict[str, Any] = {"@id": str(event[0].subject.value).replace(PREFIXES["quote"], "quote:")}  # type: ignore[union-attr]
    for quad in event:
        name = quad.predicate.value.removeprefix(STOCK)
        if quad.predicate.value == PROV_TIME:
            found["time"] = quad.object.value  # type: ignore[union-attr]
        elif name in ("volume", "number"):
            found[name] = int(quad.object.value)  # type: ignore[union-attr]
        elif name.endswith("type"):
            found["@type"] = quad.object.value.removeprefix(STOCK)  # type: ignore[union-attr]
        else:
            found[name] = quad.object.value  # type: ignore[union-attr]
    return found


def expanded(event: Event) -> dict[str, Any]:
    """An event as JSON-LD without context."""

    def value(term: object) -> dict[str, str]:
        if isinstance(term, Literal):
            return {"@value": term.value, "@type": term.datatype.value}
        assert isinstance(term, NamedNode)
        return {"@id": term.value}

    return {"@id": value(event[0].subject)["@id"]} | {quad.predicate.value: value(quad.object) for quad in event}


def json_lines(events: list[Event]) -> dict[str, Format]:
    """The ways to write JSON-LD; the parser gets each line as a document with its context."""
    own = [json.dumps({"@context": CONTEXT} | document(event)).encode() for event in events]
    bare = [json.dumps(document(event)).encode() for event in events]
    long = [json.dumps(expanded(event)).encode() for event in events]
    context = json.dumps(CONTEXT).encode()
    wrapped = [b'{"@context":' + context + b',"@graph":' + line + b"}" for line in bare]
    first = json.dumps({"@context": CONTEXT}).encode()
    return {
        "JSON-LD, a context in each line": Format(".jsonld", b"\n".join(own), parsing(own, RdfFormat.JSON_LD)),
        "JSON-LD, one context before": Format(
            ".jsonld", b"\n".join([first, *bare]), parsing(wrapped, RdfFormat.JSON_LD)
        ),
        "JSON-LD without context": Format(".jsonld", b"\n".join(long), parsing(long, RdfFormat.JSON_LD)),
    }


def jelly(events: list[Event]) -> Format:
    """A frame an event; alone, pyjelly makes its own terms."""
    from pyjelly.integrations.generic import generic_sink
    from pyjelly.integrations.generic.parse import parse_jelly_grouped
    from pyjelly.integrations.generic.serialize import grouped_stream_to_file
    from pyjelly.jelly import LOGICAL_STREAM_TYPE_DATASETS
    from pyjelly.serialize.streams import SerializerOptions

    def term(found: object) -> Any:
        if isinstance(found, Literal):
            return generic_sink.Literal(found.value, datatype=found.datatype.value)
        return generic_sink.IRI(found.value) if isinstance(found, NamedNode) else generic_sink.DefaultGraph

    def sink(event: Event) -> Any:
        made = generic_sink.GenericStatementSink()
        for quad in event:
            made.add(generic_sink.Quad(*map(term, (quad.subject, quad.predicate, quad.object, quad.graph_name))))
        return made

    out = io.BytesIO()
    options = SerializerOptions(logical_type=LOGICAL_STREAM_TYPE_DATASETS)
    grouped_stream_to_file(map(sink, events), out, options=options)
    data = out.getvalue()
    return Format(".jelly", data, lambda: lambda: sum(1 for _ in parse_jelly_grouped(io.BytesIO(data))))


def formats(events: list[Event]) -> dict[str, Format]:
    """All of them."""
    quads = [quad for event in events for quad in event]
    graphs = [plain(event) for event in events]
    triples = [lines(event, RdfFormat.N_TRIPLES) for event in graphs]
    turtle = [body(event, RdfFormat.TURTLE) for event in graphs]
    n_quads = [lines(event, RdfFormat.N_QUADS) for event in events]
    trig = [body(event, RdfFormat.TRIG) for event in events]
    keyword, comment = b"MESSAGE\n", b"# @message\n"
    return {
        "N-Quads": by_graphs(".nq", b"".join(n_quads), RdfFormat.N_QUADS),
        "TriG": by_graphs(".trig", document_of(quads, RdfFormat.TRIG), RdfFormat.TRIG),
        "N-Triples, MESSAGE": in_messages(".nt", b"", keyword, triples, RdfFormat.N_TRIPLES),
        "N-Triples, # @message": in_messages(".nt", b"", comment, triples, RdfFormat.N_TRIPLES),
        "N-Quads, MESSAGE": in_messages(".nq", b"", keyword, n_quads, RdfFormat.N_QUADS),
        "N-Quads, # @message": in_messages(".nq", b"", comment, n_quads, RdfFormat.N_QUADS),
        "Turtle, MESSAGE": in_messages(".ttl", HEAD, keyword, turtle, RdfFormat.TURTLE),
        "Turtle, # @message": in_messages(".ttl", HEAD, comment, turtle, RdfFormat.TURTLE),
        "Turtle, MESSAGE, prefixes in each": in_messages(
            ".ttl", b"", keyword, [HEAD + text for text in turtle], RdfFormat.TURTLE
        ),
        "TriG, MESSAGE": in_messages(".trig", HEAD, keyword, trig, RdfFormat.TRIG),
        "TriG, # @message": in_messages(".trig", HEAD, comment, trig, RdfFormat.TRIG),
        **json_lines(events),
        "Jelly": jelly(events),
    }


def measured(written: Format, rounds: int) -> tuple[float, float, int]:
    """CPU seconds of bytes to matches and of the parser alone, and how many matches there are."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"events{written.ending}"
        file.write_bytes(written.data)
        matches: Callable[[], object] = end_to_end(file)()
        count = matches()
        assert isinstance(count, int)
        seconds = interleaved({"whole": end_to_end(file), "alone": written.alone}, rounds)
    return seconds["whole"], seconds["alone"], count


def stock_events(count: int) -> list[Event]:
    """The events of the V shape's benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["stocks"].write(Path(folder), count, 1)["stock"]
        quads = list(parse(stream.read_bytes(), RdfFormat.N_QUADS))
    return [quads[start : start + 7] for start in range(0, len(quads), 7)]


def main(events: int = 20_000, rounds: int = 5) -> None:
    """Print a line for each format."""
    print(f"formats, {events:,} events of 6 triples, bytes to matches of the V shape, one process, CPU time")
    print(f"  {'':<36}{'µs an event':>12}{'parser alone':>14}{'ratio':>8}{'matches':>10}")
    for name, written in formats(stock_events(events)).items():
        whole, alone, matches = measured(written, rounds)
        micros = whole / events * 1e6, alone / events * 1e6
        print(f"  {name:<36}{micros[0]:>12.1f}{micros[1]:>14.1f}{whole / alone:>8.2f}{matches:>10,}")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
