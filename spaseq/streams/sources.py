"""From a path to events: files, folders, globs and standard input; compression and format are recognised."""

from __future__ import annotations

import glob
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from gpm.native.assembly import Encoder
from nfa_native.terms.words import Terms
from spaseq.errors import Location, OptionError, StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.delimiters import announces_messages, without_delimiters
from spaseq.streams.event import Events
from spaseq.streams.feeds import GrowingFile, Pipe, is_regular
from spaseq.streams.incoming import GZIP, NOT_FOLLOWED, Incoming
from spaseq.streams.jelly import is_jelly
from spaseq.streams.nquads import BOM, read_nquads
from spaseq.streams.trig import read_trig
from spaseq.streams.wholes import read_wholes
from spaseq.streams.wire import WireOptions, WireReport

_Opened: TypeAlias = io.BufferedReader | gzip.GzipFile | Incoming

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
    ".zip": "zip",
    ".bz2": "bzip2",
    ".xz": "xz",
    ".zst": "zstd",
}
_EXPECTED = (
    "N-Quads (.nq, .nquads)",
    "TriG (.trig)",
    "RDF messages in these, in N-Triples (.nt) or in Turtle (.ttl)",
    "JSON-LD, a document a line (.jsonld, .ndjsonld, .jsonl)",
    "Jelly (.jelly)",
    "any of them with .gz",
)
_SNIFFED = 1 << 16
_TRIG_START = re.compile(
    rb"\s*(?:@prefix|@base|prefix\s|base\s|graph\s|\{|\[|\(|(?:<[^<>\s]*>|[\w-]*:[^\s<>]*)\s*\{)", re.IGNORECASE
)
_TRIG_GRAPH = re.compile(rb"\s*\{\s*[^\s\"}]")  # a default graph in braces; JSON goes on with a string or ends
_PREFIXED = re.compile(rb"\s*(?!_:)[\w-]*:[^\s<>/]")


def expand(path: str | Path) -> list[str]:
    """The files that ``path`` means, sorted: itself, those of a folder (by their endings), of a glob, or ``-``.

    StreamError if there is none.
    """
    text = str(path)
    if text == "-":
        return [text]
    with _as_stream_errors(text):
        return _files(text)


def files_to_follow(path: str | Path) -> list[str]:
    """``path``, if it is one file, a pipe or ``-``; OptionError: a folder or a pattern, whose files may change."""
    text = str(path)
    if text != "-" and (Path(text).is_dir() or (glob.has_magic(text) and not Path(text).exists())):
        raise OptionError(f"{text}: only single files can be followed as they grow, no folder and no pattern")
    return expand(text)


def _files(text: str) -> list[str]:
    if "\0" in text:
        raise OSError("a name cannot have a null character")
    place = Path(text)
    if place.is_dir():
        found = sorted(str(file) for file in place.iterdir() if _ending(file.name) in ENDINGS and file.is_file())
        return _some(found, text, "the folder has no file with the ending of a stream", expected=_EXPECTED)
    if place.exists() or not glob.has_magic(text):
        return [text]
    names = glob.glob(text, recursive=True)  # noqa: PTH207  (Path.glob takes no absolute patterns)
    return _some(sorted(name for name in names if Path(name).is_file()), text, "no file fits this pattern")


def _some(files: list[str], path: str, message: str, expected: tuple[str, ...] = ()) -> list[str]:
    if not files:
        raise StreamError(message, Location(path), expected=expected)
    return files


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
    with _as_stream_errors(path), incoming or _opened(path) as opened:
        reading = _Reading(path, stream, options, report, encoder or Encoder(Terms()))
        yield from reading.events(opened)
        while isinstance(opened, Incoming) and opened.next_file():
            yield from reading.until_it_begins(opened)
            yield from reading.events(opened)


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

    def events(self, opened: _Opened) -> Iterator[Events]:
        """The events of a file."""
        source, name = cast(BinaryIO, opened), shown(self._path)
        kind, in_messages = _format(self._path, opened)
        if in_messages:
            return read_wholes(kind, source, name, *self._arguments)
        endless = isinstance(opened, Incoming) and opened.feed.goes_on
        assembler = self._assembler = self._assembler or EventAssembler(*self._arguments, endless=endless)
        return (read_trig if kind == "trig" else read_nquads)(source, name, assembler)


def live_source(path: str, follow: bool) -> Incoming | None:
    """The bytes of what may fall silent: a pipe, or (``follow``) a file that is read as it grows; None: neither.

    StreamError: there is nothing of this name, or it is compressed and cannot be followed.
    """
    with _as_stream_errors(path):
        kept = _is_file(path)
        if kept and not follow:
            return None
        if kept and path != "-":
            _check_not_compressed(path)
        return Incoming(GrowingFile(path) if kept else Pipe(path, follow), shown(path))


def may_fall_silent(path: str) -> bool:
    """Whether a path leads to a pipe, a terminal or the like."""
    return (path == "-" and not _is_file(path)) or (Path(path).exists() and not _is_file(path))


def _is_file(path: str) -> bool:
    """Whether a path leads to a file on a disk, or to what only Python knows."""
    if path != "-":
        return is_regular(path)
    try:
        return is_regular(sys.stdin.buffer.fileno())
    except (OSError, ValueError, AttributeError):  # replaced, or closed
        return True


def _check_not_compressed(path: str) -> None:
    with Path(path).open("rb") as file:
        if file.read(2) == GZIP:
            raise StreamError(NOT_FOLLOWED, Location(path), hint="decompress it first, or read it without follow")


def shown(path: str) -> str:
    """``path`` as errors name it."""
    return "<standard input>" if path == "-" else path


@contextmanager
def _as_stream_errors(path: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StreamError(f"the gzip data is damaged or cut off: {error}", Location(shown(path))) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise StreamError(f"cannot read: {reason[:1].lower()}{reason[1:]}", Location(shown(path))) from None


@contextmanager
def _opened(path: str) -> Iterator[_Opened]:
    """The bytes of ``path``, decompressed, with ``peek`` and ``read1``."""
    if incoming := live_source(path, follow=False):
        with incoming:
            yield incoming
        return
    if path == "-":
        yield _plain(cast(io.BufferedReader, sys.stdin.buffer))
        return
    with Path(path).open("rb", buffering=_SNIFFED) as file:
        yield _plain(cast(io.BufferedReader, file))


def _plain(file: io.BufferedReader) -> io.BufferedReader | gzip.GzipFile:
    return gzip.GzipFile(fileobj=file) if file.peek(2)[:2] == GZIP else file


def _ending(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _format(path: str, source: _Opened) -> tuple[str, bool]:
    """The format, by the file's name, else by how its content begins, and whether it comes in messages."""
    beginning = source.peek(_SNIFFED)
    ending = _ending(path) if path != "-" else ""
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


def check_path(path: str) -> None:
    """StreamError if no file can have the name."""
    try:
        wrong = "a null character" if b"\0" in os.fsencode(path) else ""
    except UnicodeEncodeError:
        wrong = "a character without an encoding"
    if wrong:
        raise StreamError(f"cannot read: its name has {wrong}", Location(path))


def is_plain_nquads(path: str) -> bool:
    """Whether the file ``path`` is N-Quads, neither compressed nor in messages; errors as of ``check_readable``."""
    with _as_stream_errors(path), _opened(path) as opened:
        return isinstance(opened, io.BufferedReader) and _format(path, opened) == ("nquads", False)


def check_readable(path: str) -> None:
    """Open and close the file ``path``; StreamError if that fails, or its ending is that of another format."""
    if path == "-" or (Path(path).exists() and not Path(path).is_file()):
        return  # standard input and pipes can be read only once
    with _as_stream_errors(path), _opened(path) as source:
        _format(path, source)
