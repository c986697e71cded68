"""Options that several commands have."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import click

from gpm.evaluator import Mode
from spaseq.errors import LocatedError, OptionError
from spaseq.sinks.sink import is_folder
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions
from spaseq.streams.timestamps import UNITS, parse_duration

Command = Callable[..., None]
PICTURES = ("svg", "mermaid", "dot")  # formats that draw paths
_DECLARATION = re.compile(r'\{"(.*?)": "(.+?)"\}')  # as hints write it for Python
_SIZE = re.compile(r"(\d{1,6})([kmg])", re.IGNORECASE)
_ARGUMENTS = (
    (re.compile(r'totals="(\w+)"'), r"--totals \1"),
    (re.compile(r'time_format="([^"]*)"'), r'--time-format "\1"'),
    (re.compile(r'\bunit="(\w+)"'), r"--time-unit \1"),
    (re.compile(r'on_error="(\w+)"'), r"--on-error \1"),
)
_MAPPED = re.compile(r"spaseq\.Mapped\(.*, mapping\)")

Asked = TypeVar("Asked", bound="RunOptions")


def asked(ctx: click.Context, options: type[Asked]) -> Asked:
    """What was asked of a command, as its options: they are called as the parameters of click are."""
    return options(**ctx.params)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What every command that runs queries is asked; one that has no ``late`` or ``checkpoint`` leaves it out."""

    queries: tuple[str, ...]
    format: str | None
    output: Path | str | None
    limit: int | None
    count: bool
    on_error: str
    quiet: bool
    strict: bool
    late: Path | None = None
    checkpoint: Path | None = None
    checkpoint_every: timedelta = timedelta(0)
    spool: Path | None = None
    follow: bool = False
    stats: bool = False

    @property
    def wanted(self) -> str | None:
        """The format that is asked for; what is gone on with is jsonl, unless another one is."""
        if self.sink is not None and is_folder(self.sink):
            return self.format or "parquet"
        return self.format or ("jsonl" if self.checkpoint or self.sink else None)

    @property
    def output_file(self) -> Path | None:
        """The file to which results go."""
        return self.output if isinstance(self.output, Path) else None

    @property
    def sink(self) -> str | None:
        """The URL or the folder to which they go instead."""
        return self.output if isinstance(self.output, str) else None

    @property
    def unresumable(self) -> dict[str, bool]:
        """Whether those are given that a run that goes on cannot have."""
        return {"--limit": self.limit is not None, "--count": self.count}


@dataclass(frozen=True, kw_only=True)
class StreamOptions(RunOptions):
    """Those of commands that read streams of RDF."""

    lateness: timedelta
    time_properties: tuple[str, ...]
    time_unit: str

    @property
    def wire(self) -> WireOptions:
        """How events are read."""
        properties = tuple(one.removeprefix("<").removesuffix(">") for one in self.time_properties)
        return WireOptions(properties or TIME_PROPERTIES, UNITS[self.time_unit], self.on_error != "stop")


@dataclass(frozen=True, kw_only=True)
class GraphOptions(StreamOptions):
    """Those of commands for queries in SPAseq."""

    streams: tuple[str, ...]
    background: tuple[str, ...]
    entail: tuple[str, ...]
    times: bool
    declared: tuple[str, ...]
    given: tuple[str, ...] = ()
    sharing: bool = True

    @property
    def unresumable(self) -> dict[str, bool]:
        """See ``RunOptions``."""
        return {**super().unresumable, "--times": self.times, "--declare": bool(self.declared)}


gpm_option = click.option(
    "--gpm",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.AUTO.value,
    show_default=True,
    help="How graph patterns are evaluated: natively where that is possible (auto), natively or not at all (native), "
    "by pyoxigraph alone (pyoxigraph), or both ways and compared (verify).",
)

output_option = click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the results to this file."
)
limit_option = click.option("--limit", type=click.IntRange(min=0), help="Stop after this many results.")


def format_option(formats: Iterable[str]) -> Callable[[Command], Command]:
    """The option ``format``, of results in one of these."""
    said = "Format of the results.  [default: table on a terminal, else jsonl]"
    return click.option("--format", type=click.Choice(list(formats)), help=said)


def checkpoint_options(function: Command) -> Command:
    """The options ``checkpoint`` and ``checkpoint_every``."""
    file = click.option(
        "--checkpoint", type=click.Path(dir_okay=False, path_type=Path),
        help="Keep the state in this file, now and then and at the end, and go on from it if it is there.",
    )  # fmt: skip
    every = click.option(
        "--checkpoint-every", type=Duration(), default="10s", show_default=True,
        help="How often the state is kept while the run goes on.",
    )  # fmt: skip
    return file(every(function))


def spool_option(function: Command) -> Command:
    """The option ``spool``."""
    return click.option(
        "--spool", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
        help="With --checkpoint: keep what comes from pipes, MQTT, WebSockets and the like in this folder until the "
        "checkpoint has it, as it cannot be read again.",
    )(function)  # fmt: skip


def declared_types(declared: Sequence[str]) -> dict[str, str]:
    """Types by column from ``COLUMN=TYPE``; OptionError if one is written otherwise."""
    found = {}
    for one in declared:
        column, sign, type_ = one.rpartition("=")
        if not (sign and column and type_):
            raise OptionError(f"--declare {one}: write COLUMN=TYPE, as in price=double")
        found[column] = type_
    return found


MAP_OPTION = "--map NAME=FILE.map"


def as_options(hint: str, mapping: str = MAP_OPTION) -> str:
    """A hint of an error with options such as ``--declare`` instead of what Python has for them."""
    hint = _DECLARATION.sub(lambda found: "--declare " + shlex.quote(f"{found[1]}={found[2]}"), hint)
    for pattern, option in _ARGUMENTS:
        hint = pattern.sub(option, hint)
    return _MAPPED.sub(mapping, hint)


@contextmanager
def hints_with_options(mapping: str = MAP_OPTION) -> Iterator[None]:
    """Within, hints of errors are as of ``as_options``."""
    try:
        yield
    except LocatedError as error:
        error.hint = as_options(error.hint, mapping)
        raise


class Duration(click.ParamType[timedelta]):
    """``5s``, ``500ms``, ``2m``, ``1h``."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The duration as a timedelta."""
        if isinstance(value, timedelta):
            return value
        try:
            return parse_duration(value)
        except OptionError as error:
            self.fail(str(error), param, ctx)


class Size(click.ParamType[int]):
    """``256m``, ``4g``: bytes, by powers of 1024."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(value)
        if found is None:
            self.fail(f"{value} is no size: write 256m or 4g", param, ctx)
        return int(found[1]) << {"k": 10, "m": 20, "g": 30}[found[2].lower()]


def _stream_option(places: str) -> Callable[[Command], Command]:
    """``--stream``, which may be any of these places."""
    return click.option(
        "--stream", "streams", metavar="NAME_OR_IRI=PATH", multiple=True,
        help=f"Where a stream of FROM STREAM comes from: a file (N-Quads or TriG, maybe .gz), {places}.  Repeat it for "
        "every stream.",
    )  # fmt: skip


map_option = click.option(
    "--map", "mappings", metavar="NAME_OR_IRI=FILE.map", multiple=True,
    help="The stream comes from tables (CSV, JSON lines, Parquet, Arrow IPC) or messages with rows; this mapping says "
    "what a row means.  Repeat it for every such stream.",
)  # fmt: skip


def csv_options(function: Command) -> Command:
    """The options ``columns``, ``separator`` and ``nulls``: how CSV is written."""
    columns = click.option(
        "--columns", metavar="NAME,NAME,…", help="The columns of a CSV file; its first line is an event, too.",
    )  # fmt: skip
    separator = click.option(
        "--separator", metavar="CHARACTER",
        help="What separates the values of a CSV file: tab, or a character.  [default: ,]",
    )  # fmt: skip
    nulls = click.option(
        "--null", "nulls", metavar="TEXT", multiple=True,
        help="An unquoted value of a CSV file that is NULL.  Repeatable.  [default: the empty one]",
    )  # fmt: skip
    return columns(separator(nulls(function)))


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


def notes_options(function: Command) -> Command:
    """The options ``quiet`` and ``strict``."""
    quiet = click.option(
        "--quiet", "-q", is_flag=True,
        help="Errors alone on standard error: no warnings, no notes of what was dropped, no progress.",
    )  # fmt: skip
    strict = click.option("--strict", is_flag=True, help="What is dropped is an error: exit code 1, after all results.")
    return quiet(strict(function))
