"""``spaseq spark``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spaseq.cli.locks import outputs_held
from spaseq.cli.notes import notes_options
from spaseq.cli.on_spark.checkpoint import folder_held, kept_files
from spaseq.cli.options import (
    Duration,
    count_option,
    declare_option,
    entail_option,
    files_option,
    follow_files_option,
    format_option,
    kb_option,
    late_option,
    lateness_option,
    limit_option,
    on_error_option,
    output_option,
    stats_option,
    time_property_option,
    time_unit_option,
    times_option,
)
from spaseq.cli.output import check_not_read
from spaseq.cli.progress import pace_of
from spaseq.cli.queries import read_queries, show_warnings
from spaseq.cli.sources import background_sources, background_warnings, entailed_graphs, stream_sources
from spaseq.cli.terminal import say
from spaseq.errors import OptionError
from spaseq.graphs.background import read_background
from spaseq.results.formats import WRITERS
from spaseq.sources.rdf.files import expand

if TYPE_CHECKING:
    from spaseq.cli.on_spark.options import SparkOptions


@click.command()
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@files_option
@kb_option
@entail_option
@format_option(WRITERS)
@output_option
@times_option
@declare_option
@lateness_option
@late_option
@follow_files_option
@click.option(
    "--checkpoint", type=click.Path(file_okay=False, path_type=Path),
    help="Keep the state in this folder after each batch, and go on from it if it is there.",
)  # fmt: skip
@click.option(
    "--checkpoint-every", type=Duration(), default="1s", show_default=True,
    help="How long a batch waits for the next one with --follow.",
)  # fmt: skip
@limit_option
@count_option
@stats_option
@on_error_option
@time_property_option
@time_unit_option
@click.option("--master", default="local[*]", show_default=True, help="The cluster: local[4], spark://HOST:PORT, yarn.")
@click.option(
    "--conf", "settings", metavar="KEY=VALUE", multiple=True,
    help="A setting of Spark, as in spark.driver.memory=4g.  Repeatable.",
)  # fmt: skip
@click.option(
    "--buckets", type=click.IntRange(min=1),
    help="Engines of a query that is cut.  [default: four for each shuffle partition]",
)  # fmt: skip
@click.option("--whole", metavar="QUERY", multiple=True, help="Do not cut the query of this name.  Repeatable.")
@notes_options
@click.pass_context
def spark(ctx: click.Context, /, queries: tuple[str, ...], **options: Any) -> None:
    """Run queries on streams by Spark, as run does in one process.

    It needs Java 17 or later.  What is there is worked out as a whole; with --checkpoint or --follow in batches.
    """
    from spaseq.cli.on_spark.command import Command
    from spaseq.cli.on_spark.options import SparkOptions
    from spaseq.spark.machine import check_java

    asked, parsed = SparkOptions(**options), read_queries(queries)
    checked = [each.query for each in parsed]
    graphs, ontologies = background_sources(asked.background, checked), entailed_graphs(asked.entail)
    sources = stream_sources(asked.streams, checked)
    _check_files(sources, [*queries, *graphs.values()], asked)
    asked.check()
    if asked.checkpoint is not None:
        ctx.with_resource(folder_held(asked.checkpoint))
    kept = asked.kept(sources)
    ctx.with_resource(outputs_held({"--output": asked.output, "--late": asked.late}))
    check_java()
    if not asked.quiet:
        for each in parsed:
            show_warnings(each, err=True)
        for text in background_warnings(graphs, checked, ontologies):
            say(f"warning: {text}")
    command = Command(asked, parsed, sources, read_background(graphs, ontologies), kept, pace_of(ctx))
    if code := command.run():
        ctx.exit(code)


def _check_files(sources: Mapping[str, str], read: Sequence[str], asked: SparkOptions) -> None:
    """OptionError: what is to be read is no file, or is written in the same run."""
    files = [file for path in sources.values() for file in expand(path)]
    for file in files:
        if file == "-" or not Path(file).is_file():
            raise OptionError(f"--stream: Spark reads files, not {'standard input' if file == '-' else file}")
    kept = {} if asked.checkpoint is None else kept_files(asked.checkpoint)
    check_not_read({"--output": asked.output, "--late": asked.late, **kept}, [*read, *files])
