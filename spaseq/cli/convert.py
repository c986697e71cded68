"""``spaseq convert``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from spaseq.cli import execution, mappings, options, output, sources, terminal
from spaseq.errors import OptionError
from spaseq.graphs.conversion import converted, write_in_order, written_in_order
from spaseq.graphs.mapped import Mapped
from spaseq.memory import keep_freed_blocks
from spaseq.sources.conversion.grouping import StatementGrouping
from spaseq.sources.conversion.inputs import RdfInput, rdf_inputs
from spaseq.sources.conversion.keyed_texts import KeyedTexts
from spaseq.sources.conversion.statements import ApartError
from spaseq.sources.files import GRAPHS, TABLE_ENDINGS, ending_of
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions, WireReport, unread
from spaseq.streams.timestamps import UNITS

LEAST_MEMORY = 1 << 20
N_QUADS = (".nq", ".nquads")


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option(
    "--map", "mapping", metavar="FILE.map",
    help="The inputs are tables (CSV, JSON lines, Parquet or Arrow IPC), and this mapping says what a row means.",
)  # fmt: skip
@options.csv_options
@click.option(
    "--output", required=True, metavar="FILE.nq", help="The N-Quads to write, maybe .gz; - for standard output.",
)  # fmt: skip
@click.option(
    "--stream", metavar="IRI", default="urn:spaseq:stream", show_default=True,
    help="The stream whose events these are: those without a name get the names that they would have in it.",
)  # fmt: skip
@click.option(
    "--memory", type=options.Size(), default="256m", show_default=True,
    help="How much of the events is in memory while they are sorted; others are on the disk of the output.",
)  # fmt: skip
@options.on_error_option
@options.time_property_option
@options.time_unit_option
@options.notes_options
@click.pass_context
def convert(ctx: click.Context, /, **given: Any) -> None:
    """Write streams or tables as one stream in N-Quads, in order of time.

    INPUT is a file, a folder, a glob, or - for standard input.  Events of one time stay in the order of the inputs.
    """
    asked = ConversionOptions(**given)
    if losses := asked.run():
        execution.tell_losses(losses, asked.quiet, asked.strict)
        if asked.strict:
            ctx.exit(terminal.FAILED)


@dataclass(frozen=True, kw_only=True)
class ConversionOptions:
    """What ``spaseq convert`` is asked."""

    inputs: Sequence[str]
    mapping: str | None
    columns: str | None
    separator: str | None
    nulls: tuple[str, ...]
    output: str
    stream: str
    memory: int
    on_error: str
    time_properties: tuple[str, ...]
    time_unit: str
    quiet: bool
    strict: bool

    def run(self) -> list[str]:
        """Convert all, and say what was dropped."""
        if self.memory < LEAST_MEMORY:
            raise OptionError("--memory: 1m is the least")
        keep_freed_blocks()
        with options.hints_with_options(mapping="--map FILE.map"), self._folder() as folder:
            opened = self._opened(folder)
            try:
                report = WireReport()
                self._write((text for one in opened for text in self._texts(one, report)), self.memory, folder)
            except ApartError:
                report = WireReport()
                inputs = [one for one in opened if isinstance(one, RdfInput)]
                apart = StatementGrouping(inputs, self.stream, self._wire, report)
                half = self.memory // 2  # once for statements, once for events
                self._write(apart.events(half, folder), half, folder)
        return [loss.line("--{}") for loss in unread(self.stream, report)]

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """Where there is room for what is not in memory."""
        if self.output == "-":
            with tempfile.TemporaryDirectory() as folder:
                yield Path(folder)
        else:
            yield Path(self.output).resolve().parent

    def _opened(self, folder: Path) -> list[RdfInput] | list[Mapped]:
        """The inputs.  OptionError: an option does not fit them, or one of them is written."""
        form = sources.csv_format(self.columns, self.separator, self.nulls)
        paths = [file for path in self.inputs for file in sources.files_at(path, self.mapping is not None)]
        if paths.count("-") > 1:
            raise OptionError("only one input can be standard input")
        if self.output != "-":
            output.check_not_read({"--output": Path(self.output)}, paths)
            self._check_ending()
        if self.mapping is None:
            mappings.check_csv_options(self.columns, self.separator, self.nulls)
            with self._disk_errors():
                return [one for path in self.inputs for one in rdf_inputs(path, folder)]
        parsed = mappings.read_mapping(self.mapping)
        return [Mapped(path, parsed, csv=form) for path in self.inputs]

    def _check_ending(self) -> None:
        """OptionError: the output has the name of something else than N-Quads."""
        ending = ending_of(self.output)
        if self.output.lower().endswith(".zst") or (ending in (*GRAPHS, *TABLE_ENDINGS) and ending not in N_QUADS):
            raise OptionError(f"--output {self.output}: N-Quads are written: {', '.join(N_QUADS)}, maybe with .gz")

    @property
    def _wire(self) -> WireOptions:
        properties = tuple(one.removeprefix("<").removesuffix(">") for one in self.time_properties)
        return WireOptions(properties or TIME_PROPERTIES, UNITS[self.time_unit], self.on_error == "skip")

    def _texts(self, source: RdfInput | Mapped, report: WireReport) -> Iterator[KeyedTexts]:
        return converted(source, self.stream, self._wire, report, report.events + 1)

    def _write(self, texts: Iterator[KeyedTexts], memory: int, folder: Path) -> None:
        if self.output == "-":
            sys.stdout.buffer.writelines(written_in_order(texts, memory, folder))
            sys.stdout.buffer.flush()
        else:
            with self._disk_errors():
                write_in_order(texts, Path(self.output), memory)

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        """OptionError: the output, or what is beside it, cannot be written."""
        try:
            yield
        except OSError as error:
            raise OptionError(f"cannot write to {self.output}: {error.strerror or error}") from None
