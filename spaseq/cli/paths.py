"""``spaseq paths``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from spaseq.cli import options
from spaseq.cli.path_execution import EdgeExecution, PathOptions, SearchExecution
from spaseq.errors import OptionError
from spaseq.results.formats import BLOCKS

_OF_GRAPHS = ("ends", "columns", "separator", "time_limit", "most_edges", "most_nodes", "save")
_OF_STREAMS = ("window", "labels", "lateness", "late", "idle", "follow", "on_error", "time_properties", "time_unit")


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
    execution = SearchExecution if asked.stream is None else EdgeExecution
    execution(ctx, asked).run()


def check_source(ctx: click.Context) -> None:
    """OptionError: there is no graph and no stream, or both, or an option of the other one."""
    given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
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
