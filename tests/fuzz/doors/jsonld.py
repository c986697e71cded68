"""JSON-LD by lines: the statements that pyoxigraph finds in each document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from pyoxigraph import Quad, RdfFormat, parse, serialize

from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.jsonld import read_jsonld
from tests.fuzz.door import ROOT, Door, same
from tests.fuzz.doors.reading import nameless, read_alike

DEEP = 100  # brackets
_CONTEXT = re.compile(rb'\s*\{\s*"@context"\s*:')
WORDS = (
    b'"@context"', b'"@id"', b'"@type"', b'"@value"', b'"@graph"', b'"@list"', b'"@set"', b'"@language"', b'"@vocab"',
    b'"@base"', b'"@reverse"', b'"@index"', b'"@container"', b'"@none"', b'"@included"', b'"@nest"', b'"@json"',
    b'"@direction"',
    b'"@import"', b'"@propagate"', b'"@protected"', b'"@version": 1.1', b'"@prefix"', b"null", b"true", b"1e400",
    b"[]", b"{}",
    b'"urn:a"', b'"_:b"', b'"ex:a"', b"[", b"]", b"{", b"}", b",", b":", b"\n", b'{"@context": {"ex": "urn:"}}\n',
    b'"http://www.w3.org/ns/prov#generatedAtTime": [{"@value": 5}]', b'"\\ud800"', b'"\\u0000"', b'"@id": "urn:g"',
    b'"https://example.org/remote.jsonld"',
)  # fmt: skip


def enter(data: bytes) -> str:
    """Read the lines, and compare each document before the first context with pyoxigraph's."""
    found = read_alike(data, read)
    recorder = _Lines()
    source: Any = _Whole(data.removeprefix(b"\xef\xbb\xbf"))
    for _ in read_jsonld(source, "f", recorder):  # type: ignore[arg-type]
        pass
    theirs = list(_theirs(data.removeprefix(b"\xef\xbb\xbf")))
    same(recorder.found[: len(theirs)], theirs, "documents")
    return found.word()


def read(source: BinaryIO, assembler: EventAssembler) -> Iterator[Events]:
    """As the command line does."""
    return read_jsonld(source, "f", assembler)


class _Lines:
    """Stands for an assembler, and keeps what each document says; None: it is none."""

    nothing = None

    def __init__(self) -> None:
        self.found: list[frozenset[str] | None] = []

    def read_messages(self, block: bytes, start: int, *_: bool) -> tuple[int, int]:
        """Nothing is taken as it is."""
        from spaseq.sources.rdf.wire import TAKEN, UNSURE

        return start, UNSURE if start < len(block) else TAKEN

    def take_message(self, message: Any) -> None:
        """Keep it."""
        self.found.append(None if isinstance(message, StreamError) else nameless_quads(message.quads))

    def take(self) -> None:
        """There are no events."""


class _Whole:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read1(self, _size: int = -1) -> bytes:
        data, self._data = self._data, b""
        return data


def nameless_quads(quads: list[Quad]) -> frozenset[str]:
    """Quads as texts."""
    return frozenset(f"{next(iter(nameless([quad.triple])))} {str(quad.graph_name)[:2]}" for quad in quads)


def _theirs(data: bytes) -> Iterator[frozenset[str] | None]:
    """What pyoxigraph makes of the lines before one that may be a context."""
    for line in data.split(b"\n"):
        if not line or line.isspace():
            continue
        if line.count(b"[") + line.count(b"{") > DEEP or not line.lstrip().startswith(b"{"):
            return
        quads = _parsed(line)
        if _CONTEXT.match(line) and not quads:
            return
        if quads is None or quads:
            yield None if quads is None else nameless_quads(quads)


def _parsed(line: bytes) -> list[Quad] | None:
    try:
        return list(parse(line.rstrip(), RdfFormat.JSON_LD))
    except SyntaxError:
        return None


def seeds() -> list[bytes]:
    """The first graphs of an example in JSON-LD."""
    quads = list(parse((ROOT / "examples/streams/vessels-positions.trig").read_bytes(), RdfFormat.TRIG))[:40]
    graphs: dict[str, list[Quad]] = {}
    for quad in quads:
        graphs.setdefault(str(quad.subject if str(quad.graph_name) == "DEFAULT" else quad.graph_name), []).append(quad)
    written = (serialize(some, format=RdfFormat.JSON_LD) or b"" for some in graphs.values())
    return [b'{"@graph": ' + json.dumps(json.loads(text)).encode() + b"}\n" for text in written]


DOOR = Door("jsonld", enter, seeds, WORDS)
