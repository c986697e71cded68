"""``spaseq tuples``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from spaseq.cli import (
    bounds,
    checkpoint,
    config,
    dead_letters,
    execution,
    interrupts,
    options,
    parameters,
    printer,
    progress,
    queries,
    sources,
    spools,
    targets,
)
from spaseq.errors import LocatedError, OptionError, QuerySyntaxError, StreamError
from spaseq.languages import ceql, spaseq
from spaseq.plan.description import EVALUATIONS
from spaseq.results.formats import BLOCKS
from spaseq.runtime.run import RunState
from spaseq.sources.files import may_fall_silent, table_files

if TYPE_CHECKING:
    from spaseq.cli.tuple_block import TupleBlock
    from spaseq.tuples import ManyMatches
    from spaseq.tuples.queries import AnyParsed, ReadingOptions
    from spaseq.tuples.row_patterns.prepared import StreamAdvice

SAME = (  # options of which a run that goes on must have those of before
    "type_", "relation", "columns", "separator", "nulls", "stream", "time", "time_unit", "time_format", "declared",
    "on_error", "dead_letters", "follow", "totals", "output", "work_bound", "latency_bound", "priorities",
    "recall_sample",
)  # fmt: skip


@click.command(cls=config.ConfiguredCommand)
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@click.option(
    "--events", metavar="[STREAM=]PATH", required=True, multiple=True,
    help="The events in their order: a file of CSV with a header, JSON lines (both maybe .gz or .zst), Parquet or "
    "Arrow IPC, a folder or a glob, or - for CSV or JSON lines from standard input.  Repeat it for every stream of "
    "FROM, with its name; they are merged by time.",
)  # fmt: skip
@click.option("--type", "type_", metavar="COLUMN", help="The column with the types of the events.  [default: type]")
@click.option("--relation", metavar="TYPE", help="All events are of this type; there is no such column.")
@options.csv_options
@click.option("--stream", metavar="COLUMN", help="The column with the streams of the events.")
@click.option("--time", metavar="COLUMN", help="The column with their times, for windows of time.")
@click.option(
    "--time-unit", type=click.Choice(["us", "ms", "s"]), help="Unit of times that are numbers.  [default: us]",
)  # fmt: skip
@click.option(
    "--time-format", metavar="FORM",
    help='The form of times that are texts, as Python\'s strptime has it: "%d.%m.%Y %H:%M".',
)  # fmt: skip
@click.option(
    "--declare", "declared", metavar="COLUMN=TYPE", multiple=True,
    help="The type of a column: int64, double, decimal(10,2), string, bool, date or timestamp.  Repeatable.  "
    "[default: that of its first rows]",
)  # fmt: skip
@parameters.given_option
@parameters.sharing_option
@click.option(
    "--evaluation", type=click.Choice(list(EVALUATIONS)), default="auto", show_default=True,
    help="When steps are made that combine several events: at once (eager), when a later event asks for them (lazy), "
    "or as it takes less (auto).",
)  # fmt: skip
@click.option(
    "--max-steps", type=click.IntRange(1), metavar="NUMBER",
    help="Of a query in SQL: the steps that a search from one row may take, else the run ends.  [default: any number]",
)  # fmt: skip
@options.format_option(BLOCKS)
@click.option(
    "--totals", type=click.Choice(["int64", "decimal", "double"]), default="int64", show_default=True,
    help="The type of COUNT, and of SUM of integers: decimal has 38 digits, double is not exact.",
)  # fmt: skip
@targets.target_option
@options.limit_option
@click.option("--count", is_flag=True, help="Print the number of results alone; of several queries a line each.")
@dead_letters.letters_options
@options.follow_option
@bounds.work_bound_options
@bounds.latency_option
@bounds.sample_option
@options.checkpoint_options
@options.spool_option
@options.notes_options
@click.pass_context
def tuples(ctx: click.Context, /, **given: Any) -> None:
    """Run queries in CEQL, or in SQL with MATCH_RECOGNIZE, on a table of events and print their results.

    CEQL gives every match, or its aggregates; its positions count the events of the table from 0.  SQL sorts the table
    and gives the columns of SELECT.  Several queries read the events once.
    """
    TupleExecution(ctx, options.asked(ctx, TupleOptions)).run()


@dataclass(frozen=True, kw_only=True)
class TupleOptions(options.RunOptions):
    """What ``spaseq tuples`` is asked."""

    events: tuple[str, ...]
    type_: str | None
    relation: str | None
    columns: str | None
    separator: str | None
    nulls: tuple[str, ...]
    stream: str | None
    time: str | None
    time_unit: str | None
    time_format: str | None
    declared: tuple[str, ...]
    totals: str
    given: tuple[str, ...] = ()
    sharing: bool = True
    evaluation: str = "auto"
    max_steps: int | None = None
    work_bound: float | None = None
    latency_bound: timedelta | None = None
    priorities: tuple[str, ...] = ()
    recall_sample: float | None = None
    dead_letters: Path | str | None = None

    def check_times(self) -> None:
        """OptionError: what is said of times does not go together."""
        for option, value in (("--time-unit", self.time_unit), ("--time-format", self.time_format)):
            if value is not None and self.time is None:
                raise OptionError(f"{option} {value} is about times: --time says which column has them")
        if self.time_unit is not None and self.time_format is not None:
            raise OptionError("times are integers (--time-unit) or texts (--time-format), not both")

    def reading(self) -> ReadingOptions:
        """How tables are read.  OptionError: --declare, --separator or --columns is written otherwise."""
        from spaseq.tuples.queries import ReadingOptions

        return ReadingOptions(
            self.type_, self.relation, self.time, self.time_unit or "us", options.declared_types(self.declared),
            sources.csv_format(self.columns, self.separator, self.nulls), self.on_error != "stop", self.time_format,
            self.stream, self.totals,
        )  # fmt: skip


class TupleExecution(execution.Execution[TupleOptions]):
    """Queries in CEQL or SQL on tables."""

    matches: ManyMatches
    letters: dead_letters.DeadLetters | None = None

    def __init__(self, ctx: click.Context, options: TupleOptions) -> None:
        super().__init__(ctx, options)
        self._early: list[tuple[str, StreamError]] = []  # dead letters of the time before there was their file
        self._takers: dict[str, Callable[[StreamError, bytes], None]] = {}  # of dead letters, by stream

    def prepare(self) -> None:
        """See ``Execution``."""
        asked = self.options
        asked.check_times()
        dead_letters.check_letters(asked.on_error, asked.dead_letters)
        spools.check_spool(asked.spool, asked.checkpoint)
        self.bound = bounds.bound_of(asked.work_bound, asked.latency_bound, asked.priorities, asked.recall_sample)
        self.parsed = queries.each_query(asked.queries, _read)
        names = [stream for each in self.parsed.values() for stream in each.query.streams]
        self.sources = sources.event_sources(asked.events, names)
        self.by_stream = {"": self.sources} if isinstance(self.sources, str) else self.sources
        self.paths = list(self.by_stream.values())
        tables = parameters.given_tables(asked.given, {name: each.query.given for name, each in self.parsed.items()})
        read = [*asked.queries, *(file for path in self.paths for file in table_files(path)), *tables.values()]
        if "-" in tables.values() and read.count("-") > 1:
            raise OptionError("the rows of --given come from standard input, so nothing else can")
        if read.count("-") > 1:
            raise OptionError("the query and the events cannot both come from standard input, nor can several streams")
        letters = asked.dead_letters if isinstance(asked.dead_letters, Path) else None
        self.check_files(read, {"--dead-letters": letters, **checkpoint.checkpoint_files(asked.checkpoint)})
        self.prepared = parameters.prepared(tables, self.parsed)
        self.reading = asked.reading()
        self.warn([*self.parsed.values(), *self._advice()])
        for option in ("checkpoint", "follow"):
            if getattr(asked, option):
                self._check_decides(f"--{option}")
        if asked.checkpoint is not None:
            checkpoint.check_without(asked.unresumable)
            if asked.sink is None:
                checkpoint.check_format(asked.wanted or "", BLOCKS)
            files = {name: table_files(path) for name, path in self.by_stream.items()}
            self.keep_checkpoints(asked.checkpoint, self.given(SAME), files)
            self.interrupts = interrupts.StepInterrupts()
        self.hold_files({"--dead-letters": letters})

    def _advice(self) -> Iterator[StreamAdvice]:
        """On queries in SQL whose rows come in their order."""
        if self.reading.time is None or all(isinstance(each, ceql.ParsedFormulaQuery) for each in self.parsed.values()):
            return
        from spaseq.tuples.row_patterns.prepared import PreparedRowPattern, stream_advice

        for each in self.prepared.values():
            if isinstance(each, PreparedRowPattern):
                yield stream_advice(each)

    def _check_decides(self, option: str) -> None:
        """OptionError: with this option, a query finds nothing before its table has ended."""
        for name, each in self.parsed.items():
            if not isinstance(each, ceql.ParsedFormulaQuery) and self.reading.time is None:
                message = f"{option}: {name} is in SQL, and finds nothing before its table has ended"
                raise OptionError(f"{message}, unless rows come in the order of a time (--time)")

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Errors about queries name their files, and their hints have options instead of arguments."""
        paths = zip(self.parsed, self.options.queries, strict=True)
        files = {name: queries.STDIN if path == "-" else path for name, path in paths}
        (first, *others) = files.values()
        alone = nullcontext() if others else queries.about(first)
        with options.hints_with_options(), _about_files(files), alone, checkpoint.restoring():
            yield

    def open(self) -> None:
        """See ``Execution``."""
        from spaseq.tuples.matching import resumed

        state = None if self.checkpoints is None else self.checkpoints.state
        asked = self.options
        self.matches = resumed(
            self.prepared, self._spooled(), self.reading, None if self.checkpoints is None else self._step,
            None if state is None else state.engine, asked.sharing, asked.evaluation, self.bound, asked.max_steps,
            asked.follow, {} if state is None else state.partitions,
            None if asked.dead_letters is None else self._keep,
        )  # fmt: skip
        self._passed = self.matches.untimely
        self.ctx.call_on_close(self.matches.close)
        if self._is_live:
            self.interrupts = interrupts.RunInterrupts(self.matches)

    def _spooled(self) -> Any:
        """The tables, those that cannot be read again by way of the spool."""
        tables = {**self.by_stream, **self.spools}
        return tables[""] if isinstance(self.sources, str) else tables

    @property
    def _is_live(self) -> bool:
        """Whether it may have to wait for events."""
        return self.options.follow or any(map(may_fall_silent, self.paths))

    def _step(self, feed: object) -> float:
        """Between two steps of the feed; the seconds until the next checkpoint."""
        left = math.inf if self.checkpoints is None else self.checkpoints.step()
        if self.interrupts.came and not self._is_live:
            raise KeyboardInterrupt
        return left

    def _keep(self, stream: str, error: StreamError) -> None:
        """What is left out of a stream."""
        if self.letters is None:
            self._early.append((stream, error))
            return
        if stream not in self._takers:
            name = stream or next(iter(self.by_stream))  # an only one is told without its name
            is_read_again = self.goes_on and spools.read_again(name, self.by_stream[name], self.spools)
            self._takers[stream] = self.letters.of(stream, is_read_again, self._passed.get(stream, 0))
        self._takers[stream](error, error.location.data)

    def _keep_early(self) -> None:
        """What was left out while tables were opened."""
        for stream, error in self._early:
            self._keep(stream, error)
        self._early.clear()

    def begin(self) -> None:
        """See ``Execution``."""
        self.letters = self.ctx.with_resource(dead_letters.open_letters(self.options.dead_letters, self.goes_on))
        self.begin_checkpoints(self, self._keep_early)

    def write(self) -> None:
        """See ``Execution``."""
        matches = self.matches
        with self.progress(lambda: progress.Reached(matches.events, matches.found, matches.time)):
            if self.options.count:
                self.text.write(printer.counted_lines(self._counts()))
            else:
                self.take(self._blocks(), self._printer())

    def _counts(self) -> Mapping[str, int]:
        """The number of results by query; without a limit none is made."""
        limit = self.options.limit
        if limit is None:
            found = dict.fromkeys(self.matches.forms, 0)
            with self.interrupts.handled():
                self.matches.counts(found)
            return found
        counter = printer.BlockCounter(limit, list(self.matches.forms))
        self.take(self._blocks(), counter)
        return counter.counts

    def _blocks(self) -> Iterator[TupleBlock]:
        from spaseq.cli.tuple_block import TupleBlock

        forms = self.matches.forms
        return (TupleBlock(name, batch, forms[name]) for name, batch in self.matches)

    def _printer(self) -> printer.BlockPrinter:
        """What prints results; of a table on which events may pause, each row as it comes."""
        from spaseq.cli.tuple_block import empty_block
        from spaseq.results.formats.writer import FIRST_ROWS

        forms, asked = self.matches.forms, self.options
        empty = empty_block(*next(iter(forms.items())))
        rows = 1 if self._is_live else FIRST_ROWS
        return printer.open_block_printer(asked, self.text, list(forms), empty, first_rows=rows, awaited=True)

    @property
    def files(self) -> dict[str, IO[Any]]:
        """See ``Execution``."""
        letters = None if self.letters is None else self.letters.file
        return super().files | ({} if letters is None else {"--dead-letters": letters})

    def losses(self) -> list[str]:
        """See ``Execution``."""
        matches = self.matches
        return list(dict.fromkeys(loss.line("--{}") for name in matches.forms for loss in matches.losses(name)))

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self.options.limit == 0 or bool(self.matches.found)

    def reasons(self) -> Iterator[str]:
        """The types and variables for which there was no event."""
        missing = [self.matches.unmatched(name) for name in self.matches.forms]
        return (f"no event fits {' or '.join(names)}" for names in missing if names)

    # ── what a checkpoint asks for ───────────────────────────────────────────────────────────────────────────
    def done(self) -> tuple[int, int]:
        """See ``Checkpointed``."""
        left_out = 0 if self.letters is None else self.letters.count
        return self.matches.events + left_out, self.matches.found

    @property
    def can_tell_state(self) -> bool:
        """See ``Checkpointed``."""
        return self.matches.can_tell_state

    def state(self) -> RunState:
        """See ``Checkpointed``."""
        if self.letters is not None:
            self.letters.flush()
        return RunState(self.matches.state(), {}, 0, self.matches.time or 0, partitions=self.matches.partitions)

    def release(self) -> None:
        """See ``Checkpointed``."""
        self.matches.release()


def _read(path: str) -> AnyParsed:
    text, name = queries.read_text(path)
    if queries.is_sql(text, name):
        return queries.checked_row_pattern(text, name)
    try:
        return ceql.parse(text, name)
    except QuerySyntaxError:
        if queries.reads_as(spaseq.parse, text):
            raise OptionError(f"{name} is a query in SPAseq, for streams of graphs: try spaseq run") from None
        raise


@contextmanager
def _about_files(files: Mapping[str, str]) -> Iterator[None]:
    """Within, errors about queries by name are about their files."""
    try:
        yield
    except LocatedError as error:
        if error.location.path in files:
            error.location = replace(error.location, path=files[error.location.path])
        raise
