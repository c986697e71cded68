"""``spaseq paths --stream``: the paths that appear as edges come."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TextIO

import click
from pyoxigraph import Triple

from spaseq.cli.late import LateFile, late_file
from spaseq.cli.output import check_one_query, choose_format, open_output
from spaseq.cli.path_block import AppearedBlock
from spaseq.cli.progress import Progress, Reached, pace_of
from spaseq.languages.paths import ParsedPathQueries
from spaseq.paths import Appeared, EdgeEvent, EdgeStream, Graph
from spaseq.results.formats import FRAMES, SOLUTIONS, Layout, open_block_writer
from spaseq.results.formats.writer import BlockWriter
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.wire import WireOptions
from spaseq.text import on_one_line


@dataclass(frozen=True, slots=True)
class EdgeOptions:
    """Where edges come from, how long they stay, and what late ones are."""

    path: str
    window: timedelta
    lateness: timedelta
    late: Path | None
    follow: bool
    idle: timedelta | None
    wire: WireOptions
    labels: Graph | None


@dataclass(frozen=True, slots=True)
class PathsOut:
    """Where paths go: a file, a format, how many at most; ``count``: or their number alone."""

    output: Path | None
    format: str | None
    limit: int | None
    count: bool
    quiet: bool


class StreamedPaths:
    """Reads edges, and writes the paths that appear, as they appear."""

    def __init__(self, queries: Sequence[ParsedPathQueries], options: EdgeOptions, out: PathsOut) -> None:
        self._options = options
        self._out = out
        self._late: LateFile | None = None
        late = options.lateness, self._take_late
        self.stream = EdgeStream(queries, options.window, None, *late, labels=options.labels)
        self._counts = dict.fromkeys(self.stream.names, 0)
        self._left = out.limit

    @property
    def found(self) -> int:
        """How many paths there were."""
        return sum(self._counts.values())

    def run(self, ctx: click.Context) -> None:
        """All of it.  StreamError, OptionError."""
        pieces = self._pieces()
        with late_file(self._options.late) as self._late, open_output(self._out.output) as text:
            hidden = self._out.quiet or (text.isatty() and not self._out.count)
            with closing(pieces), Progress(self._reached, hidden, pace_of(ctx)):
                if self._out.count:
                    for _ in pieces:
                        pass
                    text.writelines(self._count_lines())
                else:
                    self._write(pieces, text)

    def losses(self) -> list[str]:
        """What was dropped, but for late events that are in a file."""
        losses = self.stream.losses()
        return self.stream.warnings + [
            one.line("--{}") for one in losses if not (one.is_late and self._options.late is not None)
        ]

    def _pieces(self) -> Generator[Appeared, None, None]:
        """What appears, up to the limit; at the end what waited for older events."""
        for found in self._all():
            some = found if self._left is None else found.part(0, min(self._left, len(found)))
            for piece in some.runs():
                self._counts[piece[0].query] += len(piece)
                yield piece
            if self._left is not None:
                self._left -= len(some)
                if not self._left:
                    return

    def _all(self) -> Iterator[Appeared]:
        if self._left == 0:
            return
        options = self._options
        yield from self.stream.read(options.path, options.wire, options.follow, options.idle)
        yield self.stream.close()

    def _write(self, pieces: Iterator[Appeared], text: TextIO) -> None:
        format = choose_format(self._out.format, text)
        names = self.stream.names
        if format in SOLUTIONS | FRAMES:
            check_one_query(format, "query", names)
        writer: BlockWriter = open_block_writer(format, text, Layout(AppearedBlock.HEADS, len(names) > 1, bold=False))
        try:
            if format in FRAMES:
                writer.write(AppearedBlock(self.stream.none(), names[0]))  # which columns there are
            for piece in pieces:
                writer.write(AppearedBlock(piece, piece[0].query))
                text.flush()
        finally:
            writer.close()

    def _count_lines(self) -> Iterator[str]:
        several = len(self._counts) > 1
        return (f"{on_one_line(name)} {count}\n" if several else f"{count}\n" for name, count in self._counts.items())

    def _reached(self) -> Reached:
        time = self.stream.clock.newest if self.stream.clock.events else None
        return Reached(self.stream.clock.events, self.found, time)

    def _take_late(self, event: EdgeEvent) -> None:
        if self._late is not None:
            triples = [Triple(*edge) for edge in event.edges]
            name = event.name or self.stream.clock.event_name(self.stream.clock.events)
            self._late(Event("", event.time, name, triples))
