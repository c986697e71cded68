"""Options of the commands that run queries on streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from spaseq.cli.options import Duration
from spaseq.streams.timestamps import UNITS

Command = TypeVar("Command", bound="Callable[..., Any] | click.Command")


def _stream_option(places: str) -> Callable[[Command], Command]:
    """``--stream``, which may be any of these places."""
    return click.option(
        "--stream", "streams", metavar="NAME_OR_IRI=PATH", multiple=True,
        help=f"Where a stream of FROM STREAM comes from: a file (N-Quads or TriG, maybe .gz), {places}.  Repeat it for "
        "every stream.",
    )  # fmt: skip


stream_option = _stream_option("a folder, a glob, or - for standard input")
files_option = _stream_option("a folder or a glob")
kb_option = click.option(
    "--kb", "background", metavar="IRI=PATH", multiple=True,
    help="A knowledge graph (RDF in any syntax) that GRAPH <IRI> reads.  Repeat it for every graph.",
)  # fmt: skip
entail_option = click.option(
    "--entail", metavar="rdfs[=IRI]", multiple=True,
    help="Events and knowledge graphs have what the knowledge graph IRI (repeatable; without it: all of them) entails "
    "by RDFS: classes, properties, domains and ranges.",
)  # fmt: skip
times_option = click.option("--times", is_flag=True, help="csv, tsv, json and xml begin with the times of each match.")
declare_option = click.option(
    "--declare", "declared", metavar="VARIABLE=TYPE", multiple=True,
    help="The type of a column of parquet: string, dictionary, int64, double, decimal(p,s), boolean, timestamp or "
    "date.  Repeatable.  [default: one that fits its first 65,536 values]",
)  # fmt: skip
lateness_option = click.option(
    "--lateness", type=Duration(), default="0s", show_default=True,
    help="How much older than the newest event of its stream an event may be: 500ms, 5s, 2m, 1h.",
)  # fmt: skip
late_option = click.option(
    "--late", type=click.Path(dir_okay=False, path_type=Path),
    help="Write events that came too late to this N-Quads file.",
)  # fmt: skip
follow_option = click.option(
    "--follow", is_flag=True, help="Read files on as they grow, and those that replace them, until Ctrl-C."
)
follow_files_option = click.option(
    "--follow", is_flag=True, help="Read N-Quads on as they grow, and files that come into folders, until Ctrl-C."
)


def idle_option(default: str) -> Callable[[Command], Command]:
    """``--idle``; ``default`` says when events are complete without it."""
    return click.option(
        "--idle", type=Duration(),
        help="An event of a pipe, or of a file that is followed, is complete when nothing came for so long.  "
        f"[default: {default}]",
    )  # fmt: skip


count_option = click.option("--count", is_flag=True, help="Print the number of results alone.")
stats_option = click.option(
    "--stats", is_flag=True, help="Print statistics as JSON on standard error: also why nothing matched."
)
on_error_option = click.option(
    "--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
    help="What a malformed event does: stop the run, or be skipped and counted.",
)  # fmt: skip
time_property_option = click.option(
    "--time-property", "time_properties", metavar="IRI", multiple=True,
    help="Property that gives an event its time.  Repeatable.  [default: prov:generatedAtTime, sosa:resultTime, "
    "as:published]",
)  # fmt: skip
time_unit_option = click.option(
    "--time-unit", type=click.Choice(list(UNITS)), default="us", show_default=True,
    help="Unit of times that are integers.",
)  # fmt: skip
