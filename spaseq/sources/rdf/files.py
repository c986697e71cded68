"""From a path to events: which files are streams of RDF, and which format each has."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, cast

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import Location, StreamError
from spaseq.sources.files import (
    SNIFFED,
    TABLE_ENDINGS,
    OfZstd,
    Opened,
    as_stream_errors,
    check_followed,
    ending_of,
    files_of,
    open_bytes,
    shown,
)
from spaseq.sources.incoming import ZSTD, Incoming
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.jelly import is_jelly, read_jelly
from spaseq.sources.rdf.jsonld import read_jsonld
from spaseq.sources.rdf.messages import DELIMITED_FORMATS, read_delimited
from spaseq.sources.rdf.nquads import BOM, read_nquads
from spaseq.sources.rdf.text import announces_messages, without_delimiters
from spaseq.sources.rdf.trig import read_trig
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.source import is_url

KINDS = (*DELIMITED_FORMATS, "jsonld", "jelly")


def read_wholes(
    kind: str,
    source: BinaryIO,
    path: str,
    stream: str,
    options: WireOptions,
    report: WireReport,
    encoder: Encoder | None = None,
) -> Iterator[Events]:
    """Give the events of a source of messages as they come; ``kind`` is one of KINDS.

    ``source`` has ``read1`` and ``peek``.  A wire error is raised as StreamError after the events before
    it, or, with ``options.skip``, noted in ``report``.
    """
    yield from _messages(kind, source, path, EventAssembler(stream, options, report, encoder))


def _messages(kind: str, source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    if kind in DELIMITED_FORMATS:
        yield from read_delimited(source, path, kind, assembler)
    elif kind == "jsonld":
        yield from read_jsonld(source, path, assembler)
    else:
        yield from read_jelly(source, path, assembler)


ENDINGS = {
    ".nq": "nquads",
    ".nquads": "nquads",
    ".trig": "trig",
    ".nt": "ntriples",
    ".ttl": "turtle",
    ".jsonld": "jsonld",
    ".ndjsonld": "jsonld",
    ".jsonl": "jsonld",
    ".jelly": "jelly",
}
_ONLY_MESSAGES = {"ntriples": "N-Triples", "turtle": "Turtle"}  # without delimiters a file has one graph and no name
_OTHER_ENDINGS = {
    ".n3": "N3",
    ".rdf": "RDF/XML",
    ".xml": "XML",
    ".owl": "OWL",
    ".json": "JSON",
    ".csv": "CSV",
    ".tsv": "TSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow IPC",
    ".feather": "Arrow IPC",
    ".ipc": "Arrow IPC",
    ".ndjson": "JSON lines",
    ".zip": "zip",
    ".bz2": "bzip2",
    ".xz": "xz",
}
_EXPECTED = (
    "N-Quads (.nq, .nquads)",
    "TriG (.trig)",
    "RDF messages in these, in N-Triples (.nt) or in Turtle (.ttl)",
    "JSON-LD, a document a line (.jsonld, .ndjsonld, .jsonl)",
    "Jelly (.jelly)",
    "any of them with .gz or .zst",
)
_TRIG_START = re.compile(
    rb"\s*(?:@prefix|@base|prefix\s|base\s|graph\s|\{|\[|\(|(?:<[^<>\s]*>|[\w-]*:[^\s<>]*)\s*\{)", re.IGNORECASE
)
_TRIG_GRAPH = re.compile(rb"\s*\{\s*[^\s\"}]")  # a default graph in braces; JSON goes on with a string or ends
_PREFIXED = re.compile(rb"\s*(?!_:)[\w-]*:[^\s<>/]")


def expand(path: str | Path) -> list[str]:
    """The files that ``path`` means, sorted: itself, those of a folder (by their endings), of a glob, or ``-``.

    StreamError if there is none.
    """
    return files_of(path, lambda name: ending_of(name) in ENDINGS, _EXPECTED)


def files_to_follow(path: str | Path) -> list[str]:
    """``path``, if it is one file, a pipe or ``-``; OptionError: a folder or a pattern, whose files may change."""
    check_followed(path)
    return expand(path)


def read_source(
    path: str,
    stream: str,
    options: WireOptions,
    report: WireReport,
    encoder: Encoder | None = None,
    incoming: Incoming | None = None,
) -> Iterator[Events]:
    """Give the events of one file (or ``-``) as events of ``stream``, as they come and in the order of the file.

    ``encoder`` is that of the engine that they are for, ``incoming`` what ``live_source`` gave.  Where more has to be
    waited for, no events may be given.  A wire error is raised as StreamError after the events before it, or, with
    ``options.skip``, noted in ``report``.
    """
    with as_stream_errors(path), incoming or open_bytes(path) as opened:
        reading = _Reading(path, stream, options, report, encoder or Encoder(Terms()))
        yield from reading.events(opened)
        while isinstance(opened, Incoming) and opened.next_file():
            yield from reading.until_it_begins(opened)
            yield from reading.events(opened)


def read_with(assembler: EventAssembler, path: str, opened: AbstractContextManager[Opened]) -> Iterator[Events]:
    """Give the events of a source of this name, as an assembler of one's own makes them; errors as of ``read_source``.

    It is read to its end once, also if it is a file that grows.
    """
    with as_stream_errors(path), opened as found:
        source, name = cast(BinaryIO, found), shown(path)
        kind, in_messages = _format(path, found)
        if in_messages:
            yield from _messages(kind, source, name, assembler)
        else:
            yield from (read_trig if kind == "trig" else read_nquads)(source, name, assembler)


class _Reading:
    """How the files of one source are read, one after the other; what is no message may lie in several."""

    def __init__(self, path: str, stream: str, options: WireOptions, report: WireReport, encoder: Encoder) -> None:
        self._path = path
        self._nothing = Events.of(stream, [], encoder)
        self._arguments = stream, options, report, encoder
        self._assembler: EventAssembler | None = None

    def until_it_begins(self, opened: Incoming) -> Iterator[Events]:
        """No events, or the one that is open, until the first line of another file is there."""
        while not opened.ready():
            if opened.is_idle and self._assembler is not None:
                self._assembler.flush()
            yield (self._assembler and self._assembler.take()) or self._nothing

    def events(self, opened: Opened) -> Iterator[Events]:
        """The events of a file."""
        source, name = cast(BinaryIO, opened), shown(self._path)
        kind, in_messages = _format(self._path, opened)
        if in_messages:
            return read_wholes(kind, source, name, *self._arguments)
        endless = isinstance(opened, Incoming) and opened.source.goes_on
        assembler = self._assembler = self._assembler or EventAssembler(*self._arguments, endless=endless)
        return (read_trig if kind == "trig" else read_nquads)(source, name, assembler)


def _format(path: str, source: Opened) -> tuple[str, bool]:
    """The format, by the file's name, else by how its content begins, and whether it comes in messages."""
    beginning = source.peek(SNIFFED)
    if beginning.startswith(ZSTD):
        hint = "unpack it on the way (zstd -dc), or give the path of the file"
        raise StreamError("the stream is packed by zstd", Location(shown(path)), hint=hint)
    ending = ending_of(path) if path != "-" else ""
    if ending in TABLE_ENDINGS and ending not in ENDINGS:
        message = f"{_OTHER_ENDINGS[ending]} is no format of streams, unless a mapping says what rows mean"
        raise StreamError(message, Location(path), hint=f"spaseq.Mapped({path!r}, mapping)")
    if ending in _OTHER_ENDINGS:
        raise StreamError(f"{_OTHER_ENDINGS[ending]} is no format of streams", Location(path), expected=_EXPECTED)
    kind = ENDINGS.get(ending) or sniffed(beginning)
    if kind in ("jsonld", "jelly"):
        return kind, True
    in_messages = announces_messages(beginning)
    if kind in _ONLY_MESSAGES and not in_messages:
        message = f"{_ONLY_MESSAGES[kind]} has no events: nothing tells where one ends"
        raise StreamError(message, Location(path), expected=_EXPECTED)
    return kind, in_messages


def sniffed(beginning: bytes) -> str:
    """The format of what begins so and has no name: a value of ``ENDINGS``."""
    if is_jelly(beginning):
        return "jelly"
    text = without_delimiters(beginning) if announces_messages(beginning) else beginning
    if text.removeprefix(BOM).lstrip()[:1] == b"{" and not _TRIG_GRAPH.match(text):
        return "jsonld"
    return sniff(text)


def sniff(beginning: bytes) -> str:
    """``nquads`` or ``trig``, whichever a text looks like; ``nquads`` if nothing speaks for TriG."""
    for line in beginning.removeprefix(BOM).splitlines():  # the first ones may tell a time, as in N-Quads
        if not line.lstrip().startswith(b"#") and (_TRIG_START.match(line) or _PREFIXED.match(line)):
            return "trig"
    return "nquads"


def is_plain_nquads(path: str) -> bool:
    """Whether the file ``path`` is N-Quads, neither compressed nor in messages; errors as of ``check_readable``."""
    if is_url(path):
        return False
    with as_stream_errors(path), open_bytes(path) as opened:
        is_plain = isinstance(opened, io.BufferedReader) and not isinstance(opened, OfZstd)
        return is_plain and _format(path, opened) == ("nquads", False)


def check_readable(path: str) -> None:
    """Open and close the file ``path``; StreamError if that fails, or its ending is that of another format."""
    if path == "-" or is_url(path) or (Path(path).exists() and not Path(path).is_file()):
        return  # standard input, pipes and the like can be read only once
    with as_stream_errors(path), open_bytes(path) as source:
        _format(path, source)
