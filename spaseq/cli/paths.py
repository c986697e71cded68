"""``spaseq paths``."""

from __future__ import annotations

import csv
import signal
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from spaseq.cli.failures import FAILED
from spaseq.cli.locks import outputs_held
from spaseq.cli.notes import notes_options, tell_losses, tell_why
from spaseq.cli.options import PICTURES, Duration, format_option, limit_option, output_option
from spaseq.cli.output import check_not_read, choose_format, open_output
from spaseq.cli.queries import each_query, read_text, show_warnings
from spaseq.cli.signals import handled
from spaseq.cli.stream_options import (
    follow_option,
    idle_option,
    late_option,
    lateness_option,
    on_error_option,
    time_property_option,
    time_unit_option,
)
from spaseq.errors import OptionError
from spaseq.languages.paths import ParsedPathQueries, parse
from spaseq.memory import give_back_large_blocks
from spaseq.results.formats import BLOCKS
from spaseq.sources.rdf.files import expand
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions
from spaseq.streams.timestamps import UNITS

if TYPE_CHECKING:
    from spaseq.cli.path_answers import SearchOutcome
    from spaseq.cli.path_stream import StreamedPaths
    from spaseq.paths import Graph


@click.command()
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
@click.option("--window", type=Duration(), help="With --stream: how long an edge stays when it does not come again.")
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
@format_option((*BLOCKS, *PICTURES))
@click.option(
    "--most-nodes", type=click.IntRange(min=1), help="At most so many nodes in svg, mermaid and dot.  [default: 60]",
)  # fmt: skip
@output_option
@limit_option
@click.option("--time-limit", type=Duration(), help="Stop after this time, with what was found by then.")
@click.option(
    "--most-edges", type=click.IntRange(min=0),
    help="Stop when so many edges were looked at, those of results counted again.",
)  # fmt: skip
@click.option("--count", is_flag=True, help="Print the number of paths alone; of several queries a line each.")
@click.option("--ends", is_flag=True, help="Print the pairs of nodes that have paths, each once, instead of paths.")
@lateness_option
@late_option
@idle_option("when the next one begins")
@follow_option
@on_error_option
@time_property_option
@time_unit_option
@notes_options
@click.pass_context
def paths(
    ctx: click.Context,
    queries: tuple[str, ...],
    file: str | None,
    stream: str | None,
    labels: str | None,
    window: timedelta | None,
    columns: str | None,
    separator: str | None,
    label_property: str | None,
    save: Path | None,
    format: str | None,
    most_nodes: int | None,
    output: Path | None,
    limit: int | None,
    time_limit: timedelta | None,
    most_edges: int | None,
    count: bool,
    ends: bool,
    lateness: timedelta,
    late: Path | None,
    idle: timedelta | None,
    follow: bool,
    on_error: str,
    time_properties: tuple[str, ...],
    time_unit: str,
    quiet: bool,
    strict: bool,
) -> None:
    """Print the paths that path queries find in a graph, or those that appear in a stream of edges.

    What a limit leaves out is told on standard error.
    """
    give_back_large_blocks()
    check_source(ctx)
    if not queries and save is None:
        raise click.UsageError("Missing argument 'QUERY.paths...'.")
    parsed = each_query(queries, _read)
    sources = [file] if file is not None else [*expand(stream or ""), *([labels] if labels else [])]
    check_not_read({"--output": output, "--save": save, "--late": late}, [*queries, *sources])
    ctx.with_resource(outputs_held({"--output": output, "--late": late}))
    for each in parsed.values() if not quiet else ():
        show_warnings(each, err=True)
    if stream is not None and window is not None:
        from spaseq.cli.path_stream import EdgeOptions, PathsOut, StreamedPaths

        wire = wire_options(time_properties, time_unit, on_error)
        known = opened_graph(labels, None, None, label_property) if labels else None
        edges = EdgeOptions(stream, window, lateness, late, follow, idle, wire, known)
        streamed = StreamedPaths(list(parsed.values()), edges, PathsOut(output, format, limit, count, quiet))
        _run_stream(ctx, streamed, quiet, strict)
        return
    assert file is not None
    with handled({signal.SIGTERM: signal.default_int_handler}):  # SIGTERM is what Ctrl-C is
        graph = opened_graph(file, columns, separator, label_property)
        if save is not None:
            graph.save(save)
        if not queries:
            return
        from spaseq.cli.path_answers import GraphQuestion

        asked = GraphQuestion(graph, list(parsed.values()), limit, time_limit, most_edges)
        with open_output(output) as out:
            if ends:
                outcome, found = asked.write_ends(out, "count" if count else choose_format(format, out), most_nodes)
            elif count:
                outcome, found = asked.write_counts(out)
            else:
                outcome, found = asked.write_paths(out, choose_format(format, out), most_nodes)
    _sum_up(ctx, outcome, found, quiet, strict, limit)


_OF_GRAPHS = ("ends", "columns", "separator", "time_limit", "most_edges", "most_nodes", "save")
_OF_STREAMS = ("window", "labels", "lateness", "late", "idle", "follow", "on_error", "time_properties", "time_unit")


def check_source(ctx: click.Context) -> None:
    """OptionError: there is no graph and no stream, or both, or an option of the other one."""
    given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if ("file" in given) == ("stream" in given):
        raise OptionError("paths are those of a graph (--graph PATH) or of a stream of edges (--stream PATH), of one")
    strange = given.intersection(_OF_STREAMS if "file" in given else _OF_GRAPHS)
    if strange:
        options = {option.name: option.opts[0] for option in ctx.command.params}
        names = ", ".join(sorted(options[name] for name in strange))
        raise OptionError(f"{names}: {'only with --stream' if 'file' in given else 'not with --stream'}")
    if "stream" in given and "window" not in given:
        raise OptionError("--stream needs --window: how long an edge stays, as in --window 1h")
    if "stream" in given and ctx.params["format"] in PICTURES:
        raise OptionError(f"--format {ctx.params['format']}: not with --stream, whose paths come one after the other")


def wire_options(time_properties: Sequence[str], time_unit: str, on_error: str) -> WireOptions:
    """How events are read."""
    properties = tuple(one.removeprefix("<").removesuffix(">") for one in time_properties) or TIME_PROPERTIES
    return WireOptions(properties, UNITS[time_unit], on_error == "skip")


def _run_stream(ctx: click.Context, streamed: StreamedPaths, quiet: bool, strict: bool) -> None:
    """Run, and say what was dropped, also after an error or Ctrl-C."""
    try:
        with handled({signal.SIGTERM: signal.default_int_handler}):
            streamed.run(ctx)
    finally:
        losses = streamed.losses()
        tell_losses(losses, quiet, strict)
    if not streamed.found and not quiet:
        tell_why((), losses)
    if losses and strict:
        ctx.exit(FAILED)


def opened_graph(file: str, columns: str | None, separator: str | None, label_property: str | None) -> Graph:
    """The graph of these options.  OptionError, StreamError."""
    from spaseq.paths import Graph

    names = None if columns is None else _columns(columns)
    delimiter = "\t" if separator == "tab" else separator
    if label_property is not None and (names or delimiter):
        raise OptionError("--label-property is about RDF; nodes of a table of edges are called by what they are")
    return Graph.load(file, label_property, names, delimiter)


def _read(path: str) -> ParsedPathQueries:
    return parse(*read_text(path))


def _columns(text: str) -> tuple[str, str, str]:
    match next(csv.reader([text]), []):
        case [subject, relation, object_] if subject and relation and object_:
            return subject.strip(), relation.strip(), object_.strip()
    raise OptionError(f"--columns {text}: write three names, as in subject,relation,object")


def _sum_up(ctx: click.Context, run: SearchOutcome, found: int, quiet: bool, strict: bool, limit: int | None) -> None:
    """Say what the graph does not have, and whether there may be more paths."""
    cut = [] if run.complete or found == limit else ["not all paths: the search ended early, as its limit says"]
    losses: Sequence[str] = [*run.warnings, *cut]
    tell_losses(losses, quiet, strict)
    if not found and not quiet and limit != 0:
        tell_why((), run.warnings)
    if losses and strict:
        ctx.exit(FAILED)
