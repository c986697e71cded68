"""N-Quads, whole files and parts that begin and end between events."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import islice
from typing import BinaryIO, TypeAlias, cast

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, RdfFormat

from gpm.parsing import parse
from spaseq.errors import Location, StreamError
from spaseq.sources.incoming import chunks, is_idle
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.text import shown

FIRST_BLOCK, BLOCK = 1 << 14, 1 << 18  # bytes; small at first for early results, never larger than caches like
GATHERED = 1 << 22  # bytes whose events are given together, of a file or of memory; other sources may fall silent
LONGEST_LINE = 16_000_000  # bytes; pyoxigraph, which reads what we cannot, holds 16 MiB
BOM = b"\xef\xbb\xbf"

_WRITTEN = re.compile(rb"\S")
_POSITION = re.compile(r"Parser error (?:at|between) line \d+ .*?: ")
Count: TypeAlias = Callable[[], int]
# A line with four terms or more: then the last one names the graph.
_FOUR_TERMS = re.compile(r"\s*\S+\s+\S+\s+\S.*\s(?:<([^<>\"{}|^`\\\s]+)>|_:(\w[\w.-]*))\s*\.\s*(?:#.*)?$")


def read_nquads(
    source: BinaryIO, path: str, assembler: EventAssembler, lines_before: Count = lambda: 0
) -> Iterator[Events]:
    """Give the events of an N-Quads source, as its blocks come.  StreamError after the events before it.

    ``lines_before`` counts the lines of its file that stand before the source; only errors ask for it.
    """
    before = assembler.lines  # of files before this one
    last = _Lines(b"", path, 0, lines_before=lines_before)
    bytes(2 * GATHERED)  # glibc keeps freed memory up to twice what it saw freed at once: blocks need no new pages
    size = gathered = 0
    try:
        for block, start, stop in _blocks(source, path):
            if block:
                lines = _Lines(block, path, assembler.lines - before, start, stop, lines_before)
                last = lines if lines.are_written else last
                assembler.read(block, lines, start, stop)
            elif not stop and is_idle(source):
                assembler.flush()
            size, gathered = size + stop - start, gathered + stop - start
            if not block or gathered >= min(GATHERED, size // 2):
                gathered = 0
                yield assembler.take() or assembler.nothing
        assembler.finish(last.end)
    finally:
        if complete := assembler.take():
            yield complete


def read_text(text: bytes, path: str, assembler: EventAssembler) -> Events:
    """The events of a whole text of N-Quads, a short one; StreamError, also if some are complete before it."""
    block = text.removeprefix(BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = _Lines(block, path, 0, 0, len(block))
    assembler.read(block, lines)
    assembler.finish(lines.end)
    return assembler.take() or assembler.nothing


def _blocks(source: BinaryIO, path: str) -> Iterator[tuple[bytes, int, int]]:
    """Whole lines, as many as are there to be read: bytes of a block from an offset to another.

    A line end of any kind becomes a newline.  A line of two blocks comes by itself, so that blocks need not be copied.
    Nothing, before more has to be waited for; its offsets are then 0, and the size of the line that has begun.
    """
    rest = b""
    first = True
    for data in chunks(source, FIRST_BLOCK, BLOCK):
        if data is None:
            yield b"", 0, len(rest)
            continue
        if first:
            data = rest + data
            if len(data) < len(BOM) and BOM.startswith(data):
                rest = data
                continue
            rest, data, first = b"", data.removeprefix(BOM), False
        if b"\r" in data or rest.endswith(b"\r"):
            rest, data = b"", _with_newlines(rest + data)
        ends, stop = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        if len(rest) + (ends or len(data)) > LONGEST_LINE:
            raise StreamError(f"a line is longer than {LONGEST_LINE:,} bytes: is this N-Quads?", Location(path))
        if stop:
            start = ends if rest else 0
            if start:
                yield (line := rest + data[:start]), 0, len(line)
            if start < stop:
                yield data, start, stop
            rest = data[stop:]
        else:
            rest += data
    if rest:
        yield (line := rest[:-1] + b"\n" if rest.endswith(b"\r") else rest), 0, len(line)


def _with_newlines(data: bytes) -> bytes:
    """The same lines with ends of one kind; a carriage return at the very end stays: a newline may follow it."""
    ended = data.removesuffix(b"\r")
    lines = ended.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return lines + data[len(ended) :]


def shown_line(path: str, number: int, column: int, line: bytes, width: int = 1) -> Location:
    """A place in a line, which is shown."""
    return Location(path, number, column, printable(line), width, line.rstrip(b"\r\n"))


def printable(line: bytes) -> str:
    """A line as errors show it: what is undecodable or a control character becomes a replacement character."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    return shown(text)


class _Lines:
    """The lines ``start:stop`` of a block, ``before`` lines after the beginning of the source, as a Place."""

    def __init__(
        self, block: bytes, path: str, before: int, start: int = 0, stop: int = 0, lines_before: Count = lambda: 0
    ) -> None:
        self._block = block
        self._path = path
        self._lines_before = lines_before
        self._before = before
        self._start = start
        self._stop = stop
        self._known = start, before + 1  # an offset where a line begins, and the line's number

    @property
    def are_written(self) -> bool:
        """Whether there is more than white space."""
        return _WRITTEN.search(self._block, self._start, self._stop) is not None

    def end(self) -> Location:
        """The last line with more than white space, when it is the last one of the source."""
        if self._start == self._stop:
            return Location(self._path)
        lines = self._block[self._start : self._stop].rstrip()
        number = self._before + self._block.count(b"\n", self._start, self._start + len(lines)) + 1
        return shown_line(self._path, self._lines_before() + number, 1, lines.rpartition(b"\n")[2])

    def locate(self, offset: int, text: str) -> Location:
        line, number = self._line(offset)
        column = line.decode("utf-8", "replace").rfind(text) + 1 if text else 0
        return shown_line(self._path, number, max(1, column), line, len(text) if column else 1)

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        line, number = self._line(offset)
        error = _syntax_error(line)
        ended = self._block.find(b"\n", offset, self._stop) >= 0
        hint = "" if ended else "the input ends in the middle of this statement"
        if error is None:
            return StreamError("this is no statement", shown_line(self._path, number, 1, line), hint=hint), None
        place = shown_line(self._path, number, error.offset or 1, line, _width(error))
        return StreamError(explain(error), place, hint=hint), graph_of(line)

    def _line(self, offset: int) -> tuple[bytes, int]:
        """The line at an offset, and its number in the source."""
        known, number = self._known
        if offset < known:
            known, number = self._start, self._before + 1
        self._known = offset, number + self._block.count(b"\n", known, offset)
        end = self._block.find(b"\n", offset, self._stop)
        return self._block[offset : end if end >= 0 else self._stop], self._lines_before() + self._known[1]


def _syntax_error(line: bytes) -> SyntaxError | None:
    """What the parser says of a line."""
    try:
        for _quad in parse(line, RdfFormat.N_QUADS):
            pass
    except SyntaxError as error:
        return error
    return None


def graph_of(line: bytes) -> bytes | None:
    """The graph that a bad line names, as far as can be seen, as it would be written."""
    found = _FOUR_TERMS.match(line.decode("utf-8", "replace"))
    if found is None:
        return None
    try:
        return str(NamedNode(found[1]) if found[1] else BlankNode(found[2])).encode()
    except ValueError:
        return None


def _width(error: SyntaxError) -> int:
    if error.end_lineno != error.lineno or error.end_offset is None or error.offset is None:
        return 1
    return max(1, error.end_offset - error.offset)


def explain(error: SyntaxError) -> str:
    """The message of a parser's error without its position, which our location shows."""
    message = _POSITION.sub("", error.msg, count=1).replace("\n", "\\n")
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


LOOK = 1 << 16  # bytes that are looked at together
_LINE_END = re.compile(rb"\n|\r\n|\r(?=[^\n])")  # a carriage return at the end may be half of one


def event_start(file: BinaryIO, at: int, stop: int, properties: Collection[str]) -> int:
    """Where an event begins, at byte ``at`` or soon behind, but for the file's beginning; ``stop`` if none does.

    ``properties``: IRIs of time properties.
    """
    if at == 0:
        return 0
    known = None
    for offset, line in islice(_lines(file, at - 1, stop), 1, None):
        event = _event_of(line, properties)
        if event is not None and known is not None and event != known:
            return offset
        known = known or event
    return stop


def last_event_start(file: BinaryIO, start: int, stop: int, properties: Collection[str]) -> int:
    """Where the last event begins of which there is a whole line in bytes ``start:stop``; ``start`` if no other does.

    An event begins at ``start``.  What stands before is complete, what stands behind may go on.
    """
    size = LOOK
    while stop - size > start:
        lines = list(islice(_lines(file, stop - size, stop), 1, None))
        if (found := _last_change(lines, properties)) is not None:
            return found
        size *= 4
    found = _last_change(list(_lines(file, start, stop)), properties)
    return start if found is None else found


def event_around(file: BinaryIO, at: int, stop: int, properties: Collection[str]) -> str:
    """The event that goes on at byte ``at``, as its IRI or node is written; empty if another begins there, or none."""
    before = [_event_of(line, properties) for _, line in _lines(file, max(0, at - LOOK), at)]
    behind = (_event_of(line, properties) for _, line in _lines(file, at, stop))
    first, last = next(filter(None, behind), None), next(filter(None, reversed(before)), None)
    return first.decode() if first is not None and first == last else ""


def _last_change(lines: list[tuple[int, bytes]], properties: Collection[str]) -> int | None:
    """Where the lines begin that belong to the last event; None if all do."""
    last, begin = None, 0
    for offset, line in reversed(lines):
        event = _event_of(line, properties)
        if event is not None and last is not None and event != last:
            return begin
        if event is not None:
            last, begin = event, offset
    return None


def _event_of(line: bytes, properties: Collection[str]) -> bytes | None:
    """The event that a line belongs to, as its IRI or node is written; None: none."""
    try:
        quad = next(iter(parse(line, RdfFormat.N_QUADS)), None)
    except SyntaxError:
        return graph_of(line)
    if quad is None:
        return None
    if not isinstance(quad.graph_name, DefaultGraph):
        return str(quad.graph_name).encode()
    return str(quad.subject).encode() if quad.predicate.value in properties else None


def _lines(file: BinaryIO, at: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that end in bytes ``at:stop``, each with where it begins; the first one may be the end of a line."""
    file.seek(at)
    rest = b""
    while data := file.read(min(LOOK, stop - at - len(rest))):
        rest += data
        start = 0
        for end in _LINE_END.finditer(rest):
            yield at + start, rest[start : end.end()]
            start = end.end()
        at, rest = at + start, rest[start:]


_BLOCK = 1 << 20


class FilePart(io.RawIOBase):
    """The bytes ``start:stop`` of a file, to be read as if they were all of it."""

    def __init__(self, path: str, start: int, stop: int) -> None:
        self._file = io.FileIO(path)
        self._file.seek(start)
        self._left = stop - start

    def read1(self, size: int) -> bytes:
        """At most so many bytes; none at the end."""
        data = self._file.read(min(size, self._left)) or b""
        self._left -= len(data)
        return data

    def fileno(self) -> int:
        """That of the file: reading never waits."""
        return self._file.fileno()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def read_part(path: str, start: int, stop: int, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events in the bytes ``start:stop`` of a file of N-Quads, where events begin; errors have its lines."""

    @cache
    def lines_before() -> int:
        return lines_in(path, start)

    with FilePart(path, start, stop) as part:
        yield from read_nquads(cast(BinaryIO, part), path, assembler, lines_before)


def lines_in(path: str, stop: int) -> int:
    """How many lines end in the first bytes of a file; a line end of any kind counts."""
    with FilePart(path, 0, stop) as part:
        found, before = 0, b""
        while data := part.read1(_BLOCK):
            found += data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            found -= before == b"\r" and data.startswith(b"\n")
            before = data[-1:]
    return found
