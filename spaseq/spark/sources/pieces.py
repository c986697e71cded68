"""What of the files is read together: whole files, or parts of those that may be cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from spaseq.errors import OptionError
from spaseq.sources.files import may_fall_silent
from spaseq.sources.rdf.files import check_readable, is_plain_nquads
from spaseq.sources.rdf.nquads import event_start
from spaseq.sources.source import is_url
from spaseq.spark.sources.options import ReadOptions

TOGETHER = 4 << 20  # bytes of small files that one task reads


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or the bytes ``start:stop`` of one of N-Quads, where events begin; ``size`` is how much there is to read.

    ``torn``: what belongs to its events may stand in another piece.
    """

    path: str
    size: int
    start: int = 0
    stop: int | None = None
    torn: bool = False


def pieces(path: str, options: ReadOptions) -> Iterator[Piece]:
    """The pieces of a file, in their order; a source is one.  StreamError: it cannot be read, OptionError: a pipe."""
    if is_url(path):
        yield Piece(path, 0)
        return
    check_is_file(path)
    size = Path(path).stat().st_size if Path(path).exists() else 0
    if options.cut and size > options.partition_bytes and is_plain_nquads(path):
        yield from ranges(path, 0, size, options, torn=True)
    else:
        check_readable(path)
        yield Piece(path, size)


def ranges(path: str, start: int, stop: int, options: ReadOptions, torn: bool = False) -> Iterator[Piece]:
    """The bytes ``start:stop`` of a file of N-Quads, cut between events."""
    with Path(path).open("rb") as file:
        begin = start
        while begin < stop:
            at = min(begin + options.partition_bytes, stop)
            end = event_start(file, at, stop, options.wire.time_properties) if at < stop else stop
            yield Piece(path, end - begin, begin, end, torn)
            begin = end


def gathered(found: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """The same pieces, small files that follow each other together."""
    waiting: list[Piece] = []
    for piece in found:
        if waiting and (piece.stop is not None or sum(one.size for one in waiting) + piece.size > TOGETHER):
            yield tuple(waiting)
            waiting = []
        waiting.append(piece)
        if piece.stop is not None:
            yield (waiting.pop(),)
    if waiting:
        yield tuple(waiting)


def check_is_file(path: str) -> None:
    """OptionError: it is a pipe or the like."""
    if may_fall_silent(path):
        raise OptionError(f"{path:.200}: Spark reads files, no pipes")
