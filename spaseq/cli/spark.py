"""``spaseq spark``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from spaseq.cli import bounds, config, options, parameters
from spaseq.results.formats import WRITERS


@click.command(cls=config.ConfiguredCommand)
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@options.files_option
@options.map_option
@options.csv_options
@options.kb_option
@options.entail_option
@parameters.given_option
@parameters.sharing_option
@options.format_option(WRITERS)
@options.output_option
@options.times_option
@options.declare_option
@options.lateness_option
@options.late_option
@options.follow_files_option
@click.option(
    "--checkpoint", type=click.Path(file_okay=False, path_type=Path),
    help="Keep the state in this folder after each batch, and go on from it if it is there.",
)  # fmt: skip
@click.option(
    "--checkpoint-every", type=options.Duration(), default="1s", show_default=True,
    help="How long a batch waits for the next one with --follow.",
)  # fmt: skip
@options.limit_option
@options.count_option
@options.stats_option
@options.on_error_option
@options.time_property_option
@options.time_unit_option
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
@bounds.work_bound_options
@options.notes_options
@click.pass_context
def spark(ctx: click.Context, /, **given: Any) -> None:
    """Run queries on streams by Spark, as run does in one process.

    It needs Java 17 or later.  What is there is worked out as a whole; with --checkpoint or --follow in batches.
    """
    from spaseq.cli.on_spark.execution import SparkExecution, SparkOptions

    SparkExecution(ctx, options.asked(ctx, SparkOptions)).run()
