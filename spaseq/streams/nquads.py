"""Reading N-Quads: blocks of whole lines, parsed one by one, so that every error has its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, RdfFormat, parse

from gpm.lines import QuadLines
from nfa_native.lines import plain_runs
from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler, in_runs
from spaseq.streams.event import Event

FIRST_BLOCK, BLOCK = 1 << 14, 1 << 17  # bytes; small at first for early results, never larger than caches like
LONGEST_LINE = 1 << 26

_POSITION = re.compile(r"Parser error (?:at|between) line \d+ .*?: ")
# A line with four terms or more: then the last one names the graph.
_FOUR_TERMS = re.compile(r"\s*\S+\s+\S+\s+\S.*\s(?:<([^<>\"{}|^`\\\s]+)>|_:(\w[\w.-]*))\s*\.\s*(?:#.*)?$")


def read_nquads(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[list[Event]]:
    """Give the events of an N-Quads source in lists, as its blocks come.  StreamError after the events before it."""
    lines = 0
    last = b""
    for block in _blocks(source, path):
        reader = _Block(block, path, lines, assembler)
        try:
            reader.read()
        finally:
            if complete := assembler.take():
                yield complete
        lines += block.count(b"\n")
        last = block
    try:
        assembler.finish(_end(last, path, lines))
    finally:
        if complete := assembler.take():
            yield complete


def _blocks(source: BinaryIO, path: str) -> Iterator[bytes]:
    """Whole lines, as many as are there to be read; a line end of any kind becomes a newline."""
    size, rest = FIRST_BLOCK, b""
    first = True
    while data := source.read1(size):  # type: ignore[attr-defined]
        if first:
            data, first = data.removeprefix(b"\xef\xbb\xbf"), False
        head, newline, tail = data.rpartition(b"\n")
        if newline:
            yield _with_newlines(rest + head + newline)
            rest = tail
        else:
            rest += data
        if len(rest) > LONGEST_LINE:
            raise StreamError(f"a line is longer than {LONGEST_LINE:,} bytes: is this N-Quads?", Location(path))
        size = min(2 * size, BLOCK)
    if rest:
        yield _with_newlines(rest)


def _with_newlines(block: bytes) -> bytes:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return block


def _end(block: bytes, path: str, lines: int) -> Location:
    """The last line of the source."""
    if not block:
        return Location(path)
    return _location(path, max(1, lines + (not block.endswith(b"\n"))), block.rstrip(b"\n").rpartition(b"\n")[2], 1)


def _location(path: str, line: int, text: bytes, column: int, width: int = 1) -> Location:
    return Location(path, line, column, printable(text), width)


def printable(line: bytes) -> str:
    """A line as errors show it: what is undecodable or a control character becomes a replacement character."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def _graph(name: bytes) -> NamedNode | BlankNode:
    text = name.decode()
    return NamedNode(text[1:-1]) if text[0] == "<" else BlankNode(text[2:])


def _is_utf8(block: bytes) -> bool:
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Block:
    """Some lines of a source, ``before`` lines after its beginning."""

    def __init__(self, block: bytes, path: str, before: int, assembler: EventAssembler) -> None:
        self._block = block
        self._path = path
        self._before = before
        self._assembler = assembler

    def read(self) -> None:
        """Feed the assembler; a line that is no statement is reported, and reading goes on behind it."""
        if self._read_plain():
            return
        while self._block:
            try:
                self._assembler.feed(in_runs(parse(self._block, RdfFormat.N_QUADS)), self._locate)
                return
            except SyntaxError as error:
                failure = error
            self._pass_bad_line(failure)

    def _read_plain(self) -> bool:
        """Feed the assembler if every line is plain: the parser then need not check them, which halves its time."""
        runs = plain_runs(self._block)
        if runs is None or not _is_utf8(self._block):
            return False
        default = b"".join(lines for graph, _, lines in runs if not graph)
        quads = parse(default, RdfFormat.N_QUADS, lenient=True)
        self._assembler.feed(
            (
                (_graph(graph), QuadLines(lines, count)) if graph else (DefaultGraph(), list(islice(quads, count)))
                for graph, count, lines in runs
            ),
            self._locate,
        )
        return True

    def _locate(self, number: int, text: str) -> Location:
        """The place of ``text`` in the line of statement ``number``: statements and lines correspond in N-Quads."""
        for index, line in enumerate(self._block.split(b"\n")):
            stripped = line.lstrip(b" \t")
            if stripped and not stripped.startswith(b"#"):
                if not number:
                    column = line.decode("utf-8", "replace").rfind(text) + 1 if text else 0
                    width = len(text) if column else 1
                    return _location(self._path, self._before + index + 1, line, max(1, column), width)
                number -= 1
        return Location(self._path, self._before + self._block.count(b"\n"))

    def _pass_bad_line(self, error: SyntaxError) -> None:
        """Report the line that ``error`` means; what is left are the lines after it.

        The parser notices a statement without its dot on the next line: the bad line is the first of the two that
        is no statement by itself.
        """
        lines = self._block.split(b"\n")
        last = min(error.lineno or 1, len(lines)) - 1
        index = last
        if last and (earlier := _syntax_error(lines[last - 1])):
            index, error = last - 1, earlier
        else:
            error = _syntax_error(lines[last]) or error
        line, number = lines[index], self._before + index + 1
        ends = index + 1 >= len(lines)
        self._block = b"\n".join(lines[index + 1 :])
        self._before = number
        place = _location(self._path, number, line, error.offset or 1, _width(error))
        hint = "the input ends in the middle of this statement" if ends else ""
        self._assembler.fail(StreamError(explain(error), place, hint=hint), _graph_of(line))


def _syntax_error(line: bytes) -> SyntaxError | None:
    try:
        for _quad in parse(line, RdfFormat.N_QUADS):
            pass
    except SyntaxError as error:
        return error
    return None


def _graph_of(line: bytes) -> NamedNode | BlankNode | None:
    """The graph that a bad line names, as far as can be seen."""
    found = _FOUR_TERMS.match(line.decode("utf-8", "replace"))
    if found is None:
        return None
    try:
        return NamedNode(found[1]) if found[1] else BlankNode(found[2])
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
