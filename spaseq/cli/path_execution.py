"""``spaseq paths`` at work: paths, pictures of them, pairs of nodes or numbers, of a graph or of a stream of edges."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from pyoxigraph import Triple

from spaseq.cli import options, printer, queries
from spaseq.cli.execution import Execution
from spaseq.cli.output import LateFile
from spaseq.cli.progress import Reached
from spaseq.errors import OptionError
from spaseq.languages.paths import ParsedPathQueries, parse
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.files import expand

if TYPE_CHECKING:
    from spaseq.cli.path_blocks import AnswerBlock, PathBlock
    from spaseq.paths import EdgeEvent, EdgeStream, Graph, PathRun


@dataclass(frozen=True, kw_only=True)
class PathOptions(options.StreamOptions):
    """What ``spaseq paths`` is asked."""

    file: str | None
    stream: str | None
    labels: str | None
    window: timedelta | None
    columns: str | None
    separator: str | None
    label_property: str | None
    save: Path | None
    most_nodes: int | None
    time_limit: timedelta | None
    most_edges: int | None
    ends: bool
    idle: timedelta | None

    @property
    def sources(self) -> list[str]:
        """The files that are read."""
        return [self.file] if self.file is not None else [*expand(self.stream or ""), *filter(None, [self.labels])]

    def graph(self) -> Graph:
        """The graph that is searched.  OptionError, StreamError."""
        from spaseq.paths import Graph

        assert self.file is not None
        names = None if self.columns is None else _columns(self.columns)
        delimiter = "\t" if self.separator == "tab" else self.separator
        if self.label_property is not None and (names or delimiter):
            raise OptionError("--label-property is about RDF; nodes of a table of edges are called by what they are")
        return Graph.load(self.file, self.label_property, names, delimiter)

    def labelled(self) -> Graph | None:
        """The graph with the labels of a stream's nodes, if there is one.  OptionError, StreamError."""
        from spaseq.paths import Graph

        return Graph.load(self.labels, self.label_property) if self.labels else None

    def check_no_picture(self) -> None:
        """OptionError: --most-nodes is given, and there is no picture."""
        if self.most_nodes is not None:
            raise OptionError(f"--most-nodes is about pictures: {', '.join(options.PICTURES)}")


class PathExecution(Execution[PathOptions]):
    """Path queries, on whatever they are."""

    def prepare(self) -> None:
        """See ``Execution``."""
        asked = self.options
        self.parsed = list(queries.each_query(asked.queries, _read).values())
        self.check_files([*asked.queries, *asked.sources], {"--save": asked.save})
        self.hold_files()
        self.warn(self.parsed)


# ── on a graph ───────────────────────────────────────────────────────────────────────────────────────────
class SearchOutcome(Protocol):
    """How a search ended."""

    @property
    def complete(self) -> bool:
        """Whether all was found."""

    @property
    def warnings(self) -> Sequence[str]:
        """What the graph does not have."""


class SearchExecution(PathExecution):
    """Path queries on a graph."""

    graph: Graph
    outcome: SearchOutcome
    found = 0  # paths, or pairs

    def open(self) -> None:
        """See ``Execution``."""
        self.graph = self.options.graph()
        if self.options.save is not None:
            self.graph.save(self.options.save)

    def write(self, text: TextIO) -> None:
        """See ``Execution``."""
        asked = self.options
        if asked.ends:
            self._write_ends(text, "count" if asked.count else printer.choose_format(asked.format, text))
        elif asked.count:
            self._write_counts(text)
        else:
            self._write_paths(text, printer.choose_format(asked.format, text))

    def losses(self) -> list[str]:
        """What the graph does not have, and whether there may be more paths."""
        if self.outcome.complete or self.found == self.options.limit:
            return [*self.outcome.warnings]
        return [*self.outcome.warnings, "not all paths: the search ended early, as its limit says"]

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self.options.limit == 0 or self.found > 0

    def _write_paths(self, text: TextIO, format: str) -> None:
        """Paths as they are found, or a picture of all of them."""
        self.outcome = run = self._search()
        if format in options.PICTURES:
            from spaseq.paths.pictures import MOST_NODES

            found = run.all()
            text.write(found.picture(format, self.options.most_nodes or MOST_NODES))
            self.found = len(found)
            return
        self.options.check_no_picture()
        from spaseq.cli.path_blocks import PathBlock

        printed = printer.open_block_printer(format, text, None, run.names, PathBlock(run.none(), run.names[0]))
        self._take(_blocks(run), printed)

    def _write_ends(self, text: TextIO, format: str) -> None:
        """All pairs, those of one query after the other, or how many each has (``count``)."""
        from spaseq.cli.path_blocks import EndBlock

        asked = self.options
        if format in options.PICTURES:
            raise OptionError(f"--format {format}: not with --ends, which finds no paths")
        asked.check_no_picture()
        names = [one.name for each in self.parsed for one in each.queries]
        printer.check_block_format(format, names)
        found = self.graph.ends(self.parsed, None, asked.limit, asked.time_limit, asked.most_edges)
        self.outcome, self.found, pairs = found, len(found), found.by_query()
        if format == "count":
            text.write(printer.counted_lines({name: len(some) for name, some in pairs.items()}))
            return
        printed = printer.open_block_printer(format, text, None, names, EndBlock(found.part(0, 0), names[0]))
        self.take((EndBlock(some, name) for name, some in pairs.items() if len(some)), printed)

    def _write_counts(self, text: TextIO) -> None:
        """How many paths each query has, up to the limit."""
        asked = self.options
        if asked.limit is None:
            counts = self.graph.counts(self.parsed, None, asked.time_limit, asked.most_edges)
            self.outcome, self.found = counts, counts.total
            text.write(printer.counted_lines(counts))
            return
        self.outcome = run = self._search()
        counter = printer.BlockCounter(None, run.names)
        self._take(_blocks(run), counter)
        text.write(printer.counted_lines(counter.counts))

    def _take(self, blocks: Iterator[AnswerBlock], counter: printer.BlockCounter) -> None:
        self.take(blocks, counter)
        self.found = counter.results

    def _search(self) -> PathRun:
        asked = self.options
        return self.graph.search(self.parsed, None, asked.limit, asked.time_limit, asked.most_edges)


def _blocks(run: PathRun) -> Iterator[PathBlock]:
    """What a search finds, as it finds it."""
    from spaseq.cli.path_blocks import PathBlock

    return (PathBlock(some, some[0].query) for some in run.tables())


# ── on a stream of edges ─────────────────────────────────────────────────────────────────────────────────
class EdgeExecution(PathExecution):
    """Path queries on a stream of edges: paths are written as they appear."""

    tells_after_errors = True
    stream: EdgeStream
    counter: printer.BlockCounter
    late: LateFile | None = None

    def prepare(self) -> None:
        """See ``Execution``."""
        super().prepare()
        from spaseq.paths import EdgeStream

        asked, labels = self.options, self.options.labelled()
        assert asked.window is not None
        self.stream = EdgeStream(self.parsed, asked.window, None, asked.lateness, self._take_late, labels=labels)

    def begin(self, late: LateFile | None, text: TextIO) -> None:
        """See ``Execution``."""
        self.late = late

    def write(self, text: TextIO) -> None:
        """See ``Execution``."""
        clock = self.stream.clock
        self.counter = printer.BlockCounter(self.options.limit, self.stream.names)
        with self.progress(
            text, lambda: Reached(clock.events, self.counter.results, clock.newest if clock.events else None)
        ):
            if not self.options.count:
                self.counter = self._printer(text)
            self.take(self._appearing(), self.counter)
            if self.options.count:
                text.write(printer.counted_lines(self.counter.counts))

    def losses(self) -> list[str]:
        """What was dropped, but for late events that are in a file."""
        has_file = self.options.late is not None
        losses = [loss.line("--{}") for loss in self.stream.losses() if not (has_file and loss.is_late)]
        return self.stream.warnings + losses

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self.counter.results > 0

    def _printer(self, text: TextIO) -> printer.BlockPrinter:
        from spaseq.cli.path_blocks import AppearedBlock

        names, format = self.stream.names, printer.choose_format(self.options.format, text)
        empty = AppearedBlock(self.stream.none(), names[0])
        return printer.open_block_printer(format, text, self.options.limit, names, empty)

    def _appearing(self) -> Iterator[AnswerBlock]:
        """What appears; at the end what waited for older events."""
        from spaseq.cli.path_blocks import AppearedBlock

        asked = self.options
        for found in self.stream.read(asked.stream or "", asked.wire, asked.follow, asked.idle):
            yield from (AppearedBlock(some, some[0].query) for some in found.runs())
        yield from (AppearedBlock(some, some[0].query) for some in self.stream.close().runs())

    def _take_late(self, event: EdgeEvent) -> None:
        if self.late is not None:
            name = event.name or self.stream.clock.event_name(self.stream.clock.events)
            self.late(Event("", event.time, name, [Triple(*edge) for edge in event.edges]))


def _read(path: str) -> ParsedPathQueries:
    return parse(*queries.read_text(path))


def _columns(text: str) -> tuple[str, str, str]:
    match next(csv.reader([text]), []):
        case [subject, relation, object_] if subject and relation and object_:
            return subject.strip(), relation.strip(), object_.strip()
    raise OptionError(f"--columns {text}: write three names, as in subject,relation,object")
