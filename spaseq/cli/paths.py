"""``spaseq paths``: paths, pictures of them, pairs of nodes or numbers, of a graph or of a stream of edges."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click
from pyoxigraph import Triple

from spaseq.cli import config, execution, options, printer, progress, queries
from spaseq.errors import OptionError
from spaseq.languages.paths import ParsedPathQueries, parse
from spaseq.results.formats import BLOCKS
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.files import expand

if TYPE_CHECKING:
    from spaseq.cli.path_blocks import AnswerBlock, PathBlock
    from spaseq.paths import EdgeEvent, EdgeStream, Graph, PathRun

_OF_GRAPHS = ("ends", "columns", "separator", "time_limit", "most_edges", "most_nodes", "save")
_OF_STREAMS = ("window", "labels", "lateness", "late", "idle", "follow", "on_error", "time_properties", "time_unit")


@click.command(cls=config.ConfiguredCommand)
@click.argument("queries", metavar="QUERY.paths...", nargs=-1)
@click.option(
    "--graph", "file", metavar="PATH",
    help="The graph: RDF (.nt, .ttl, .nq, .trig, .rdf …), a table of edges (.csv, .tsv, .txt, .parquet), maybe .gz, or "
    "what --save wrote.",
)  # fmt: skip
@click.option(
    "--stream", metavar="PATH",
    help="Instead of a graph a stream whose events are edges, as of spaseq run: a file, a folder, a glob, or -. Paths "
    "are printed when they appear.",
)  # fmt: skip
@click.option(
    "--labels", metavar="PATH", help="With --stream: the graph in which LABEL finds nodes, RDF in any syntax."
)
@click.option(
    "--window", type=options.Duration(), help="With --stream: how long an edge stays when it does not come again."
)
@click.option(
    "--columns", metavar="SUBJECT,RELATION,OBJECT",
    help="The columns of a table with edges.  [default: subject,relation,object, or the three that it has]",
)  # fmt: skip
@click.option(
    "--separator", metavar="CHARACTER",
    help="What separates the values of a table: tab, or a character.  [default: that of .csv, .tsv; | for .txt]",
)  # fmt: skip
@click.option(
    "--label-property", metavar="IRI", help="What LABEL looks at in RDF.  [default: rdfs:label]",
)  # fmt: skip
@click.option(
    "--save", type=click.Path(path_type=Path), metavar="FILE.spaseqgraph",
    help="Write the graph into a file that opens at once; without queries that is all.",
)  # fmt: skip
@options.format_option((*BLOCKS, *options.PICTURES))
@click.option(
    "--most-nodes", type=click.IntRange(min=1), help="At most so many nodes in svg, mermaid and dot.  [default: 60]",
)  # fmt: skip
@options.output_option
@options.limit_option
@click.option("--time-limit", type=options.Duration(), help="Stop after this time, with what was found by then.")
@click.option(
    "--most-edges", type=click.IntRange(min=0),
    help="Stop when so many edges were looked at, those of results counted again.",
)  # fmt: skip
@click.option("--count", is_flag=True, help="Print the number of paths alone; of several queries a line each.")
@click.option("--ends", is_flag=True, help="Print the pairs of nodes that have paths, each once, instead of paths.")
@options.lateness_option
@options.late_option
@options.idle_option("when the next one begins")
@options.follow_option
@options.on_error_option
@options.time_property_option
@options.time_unit_option
@options.notes_options
@click.pass_context
def paths(ctx: click.Context, /, **given: Any) -> None:
    """Print the paths that path queries find in a graph, or those that appear in a stream of edges.

    What a limit leaves out is told on standard error.
    """
    check_source(ctx)
    asked = options.asked(ctx, PathOptions)
    if not asked.queries and asked.save is None:
        raise click.UsageError("Missing argument 'QUERY.paths...'.")
    kind = SearchExecution if asked.stream is None else EdgeExecution
    kind(ctx, asked).run()


def check_source(ctx: click.Context) -> None:
    """OptionError: there is no graph and no stream, or both, or an option of the other one."""
    given = {name for name in ctx.params if config.is_given(ctx, name)}
    if ("file" in given) == ("stream" in given):
        raise OptionError("paths are those of a graph (--graph PATH) or of a stream of edges (--stream PATH), of one")
    strange = given.intersection(_OF_STREAMS if "file" in given else _OF_GRAPHS)
    if strange:
        written = {option.name: option.opts[0] for option in ctx.command.params}
        names = ", ".join(sorted(written[name] for name in strange))
        raise OptionError(f"{names}: {'only with --stream' if 'file' in given else 'not with --stream'}")
    if "stream" in given and "window" not in given:
        raise OptionError("--stream needs --window: how long an edge stays, as in --window 1h")
    if "stream" in given and ctx.params["format"] in options.PICTURES:
        raise OptionError(f"--format {ctx.params['format']}: not with --stream, whose paths come one after the other")


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


class PathExecution(execution.Execution[PathOptions]):
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

    def write(self) -> None:
        """See ``Execution``."""
        asked = self.options
        format = "count" if asked.count else printer.choose_format(asked.format, self.text)
        if asked.ends:
            self._write_ends(format)
        elif asked.count:
            self._write_counts()
        else:
            self._write_paths(format)

    def losses(self) -> list[str]:
        """What the graph does not have, and whether there may be more paths."""
        if self.outcome.complete or self.found == self.options.limit:
            return [*self.outcome.warnings]
        return [*self.outcome.warnings, "not all paths: the search ended early, as its limit says"]

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self.options.limit == 0 or self.found > 0

    def _write_paths(self, format: str) -> None:
        """Paths as they are found, or a picture of all of them."""
        self.outcome = run = self._search()
        if format in options.PICTURES:
            from spaseq.paths.pictures import MOST_NODES

            found = run.all()
            self.text.write(found.picture(format, self.options.most_nodes or MOST_NODES))
            self.found = len(found)
            return
        self.options.check_no_picture()
        from spaseq.cli.path_blocks import PathBlock

        empty = PathBlock(run.none(), run.names[0])
        self._take(_blocks(run), printer.open_block_printer(self.options, self.text, run.names, empty, limited=True))

    def _write_ends(self, format: str) -> None:
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
            self.text.write(printer.counted_lines({name: len(some) for name, some in pairs.items()}))
            return
        blocks = (EndBlock(some, name) for name, some in pairs.items() if len(some))
        empty = EndBlock(found.part(0, 0), names[0])
        self.take(blocks, printer.open_block_printer(asked, self.text, names, empty, limited=True))

    def _write_counts(self) -> None:
        """How many paths each query has, up to the limit."""
        asked = self.options
        if asked.limit is None:
            counts = self.graph.counts(self.parsed, None, asked.time_limit, asked.most_edges)
            self.outcome, self.found = counts, counts.total
            self.text.write(printer.counted_lines(counts))
            return
        self.outcome = run = self._search()
        counter = printer.BlockCounter(None, run.names)
        self._take(_blocks(run), counter)
        self.text.write(printer.counted_lines(counter.counts))

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

    def prepare(self) -> None:
        """See ``Execution``."""
        super().prepare()
        from spaseq.paths import EdgeStream

        asked, labels = self.options, self.options.labelled()
        assert asked.window is not None
        self.stream = EdgeStream(self.parsed, asked.window, None, asked.lateness, self._take_late, labels=labels)

    def write(self) -> None:
        """See ``Execution``."""
        self.counter = printer.BlockCounter(self.options.limit, self.stream.names)
        with self.progress(self._reached):
            if not self.options.count:
                self.counter = self._printer()
            self.take(self._appearing(), self.counter)
            if self.options.count:
                self.text.write(printer.counted_lines(self.counter.counts))

    def losses(self) -> list[str]:
        """What was dropped, but for late events that are in a file."""
        has_file = self.options.late is not None
        losses = [loss.line("--{}") for loss in self.stream.losses() if not (has_file and loss.is_late)]
        return self.stream.warnings + losses

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self.counter.results > 0

    def _printer(self) -> printer.BlockPrinter:
        from spaseq.cli.path_blocks import AppearedBlock

        names = self.stream.names
        return printer.open_block_printer(self.options, self.text, names, AppearedBlock(self.stream.none(), names[0]))

    def _reached(self) -> progress.Reached:
        clock = self.stream.clock
        return progress.Reached(clock.events, self.counter.results, clock.newest if clock.events else None)

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
