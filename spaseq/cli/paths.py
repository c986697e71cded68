"""``spaseq paths``."""

from __future__ import annotations

import csv
import signal
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from spaseq.cli.allocator import give_back_large_blocks
from spaseq.cli.failures import FAILED
from spaseq.cli.notes import notes_options, tell_losses, tell_why
from spaseq.cli.options import Duration, format_option, limit_option, output_option
from spaseq.cli.output import check_not_read, check_one_query, choose_format, open_output
from spaseq.cli.queries import each_query, read_text, show_warnings
from spaseq.cli.signals import handled
from spaseq.errors import OptionError
from spaseq.languages.paths import ParsedPathQueries, parse
from spaseq.results.formats import BLOCKS, FRAMES, SOLUTIONS, Layout, open_block_writer

if TYPE_CHECKING:
    from spaseq.paths import Graph, PathRun

PICTURES = ("svg", "mermaid", "dot")


@click.command()
@click.argument("queries", metavar="QUERY.paths...", nargs=-1)
@click.option(
    "--graph", "file", metavar="PATH", required=True,
    help="The graph: RDF (.nt, .ttl, .nq, .trig, .rdf …), a table of edges (.csv, .tsv, .txt, .parquet), maybe .gz, or "
    "what --save wrote.",
)  # fmt: skip
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
@notes_options
@click.pass_context
def paths(
    ctx: click.Context,
    queries: tuple[str, ...],
    file: str,
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
    quiet: bool,
    strict: bool,
) -> None:
    """Print the paths that path queries find in a graph.

    What a limit leaves out is told on standard error.
    """
    give_back_large_blocks()
    if not queries and save is None:
        raise click.UsageError("Missing argument 'QUERY.paths...'.")
    parsed = each_query(queries, _read)
    check_not_read({"--output": output, "--save": save}, [*queries, file])
    for each in parsed.values() if not quiet else ():
        show_warnings(each, err=True)
    with handled({signal.SIGTERM: signal.default_int_handler}):  # SIGTERM is what Ctrl-C is
        graph = opened_graph(file, columns, separator, label_property)
        if save is not None:
            graph.save(save)
        if not queries:
            return
        run = graph.search(list(parsed.values()), None, limit, time_limit, most_edges)
        with open_output(output) as out:
            found = _count(run, out) if count else _write(run, out, choose_format(format, out), most_nodes)
    _sum_up(ctx, run, found, quiet, strict, limit)


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


def _write(run: PathRun, output: TextIO, format: str, most_nodes: int | None) -> int:
    """Write all paths; how many there were."""
    if format in PICTURES:
        return _draw(run, output, format, most_nodes)
    if most_nodes is not None:
        raise OptionError(f"--most-nodes is about pictures: {', '.join(PICTURES)}")
    from spaseq.cli.path_block import HEADS, PathBlock

    if format in SOLUTIONS | FRAMES:
        check_one_query(format, "query", run.names)
    writer = open_block_writer(format, output, Layout(HEADS, len(run.names) > 1, bold=False))
    found = 0
    try:
        if format in FRAMES:
            writer.write(PathBlock(run.none(), run.names[0]))  # which columns there are
        for some in run.tables():
            found += len(some)
            writer.write(PathBlock(some, some[0].query))
            output.flush()
    finally:
        writer.close()
    return found


def _draw(run: PathRun, output: TextIO, form: str, most_nodes: int | None) -> int:
    """Write a picture of all paths; how many there were."""
    from spaseq.paths.pictures import MOST_NODES

    found = run.all()
    output.write(found.picture(form, most_nodes or MOST_NODES))
    return len(found)


def _count(run: PathRun, output: TextIO) -> int:
    """Write how many paths each query has."""
    counts = dict.fromkeys(run.names, 0)
    for some in run.tables():
        counts[some[0].query] += len(some)
    several = len(counts) > 1
    output.writelines(f"{name} {count}\n" if several else f"{count}\n" for name, count in counts.items())
    return sum(counts.values())


def _sum_up(ctx: click.Context, run: PathRun, found: int, quiet: bool, strict: bool, limit: int | None) -> None:
    """Say what the graph does not have, and whether there may be more paths."""
    cut = [] if run.complete or found == limit else ["not all paths: the search ended early, as its limit says"]
    losses: Sequence[str] = [*run.warnings, *cut]
    tell_losses(losses, quiet, strict)
    if not found and not quiet and limit != 0:
        tell_why((), run.warnings)
    if losses and strict:
        ctx.exit(FAILED)
