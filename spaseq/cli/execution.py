"""What is the same whenever a command runs queries, whatever they read.

Files are opened and held, checkpoints are kept, Ctrl-C is obeyed, progress is shown, results are counted up to a limit,
and in the end it is said what was dropped, and why there is no result.
"""

from __future__ import annotations

import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any, ClassVar, Generic, TextIO

import click

from spaseq.cli import checkpoint, interrupts, locks, output, queries, spools, targets, terminal
from spaseq.cli.options import Asked
from spaseq.cli.printer import ResultCounter, T
from spaseq.cli.progress import HowFar, Progress, pace_of
from spaseq.memory import give_back_large_blocks
from spaseq.text import json_text

_REASONS = 3  # that are shown; --stats has all


class Execution(ABC, Generic[Asked]):
    """A command at work on what was asked; ``run`` is the same for all, and calls what each one says of itself.

    ``text`` is where results go, and ``late`` where late events do, from ``begin`` on.
    """

    as_interrupts: ClassVar[tuple[signal.Signals, ...]] = (signal.SIGTERM,)  # signals that are what Ctrl-C is
    tells_after_errors: ClassVar[bool] = False  # what was dropped until then
    more_reasons: ClassVar[str] = ""  # where there are more of them than are shown
    text: TextIO
    late: output.LateFile | None

    free: ClassVar[Mapping[str, str]] = {}  # options that a run that goes on may change, and from what

    def __init__(self, ctx: click.Context, options: Asked) -> None:
        self.ctx = ctx
        self.options = options
        self.interrupts = interrupts.Interrupts()
        self.checkpoints: checkpoint.Checkpoints | None = None
        self.spools: Mapping[str, spools.AnySpool] = {}  # what is read by way of --spool, by stream

    def run(self) -> None:
        """All of it; gives the exit code by ``click.Context.exit``."""
        give_back_large_blocks()
        self.prepare()
        handled = interrupts.handled(dict.fromkeys(self.as_interrupts, signal.default_int_handler))
        with self.errors(), handled, terminal.outages_said(self.options.quiet):
            self.open()
            if not self.options.queries:
                return
            losses = self._done()
        if not (self.options.quiet or self.options.stats or self.has_results()):
            tell_why(self.reasons(), losses, self.more_reasons)
        if self.interrupts.came:
            self.ctx.exit(terminal.INTERRUPTED)
        if losses and self.options.strict:
            self.ctx.exit(terminal.FAILED)

    # ── what each says of itself, in the order in which it is asked ──────────────────────────────────────────
    @abstractmethod
    def prepare(self) -> None:
        """Read the queries, and see whether the options go together: before any file is written."""

    def errors(self) -> AbstractContextManager[None]:
        """Within, errors are told as those of the command line."""
        return nullcontext()

    def open(self) -> None:
        """Open what is read, before files that are written are open."""

    def begin(self) -> None:
        """Open what is read, if it needs the files that are written."""

    @abstractmethod
    def write(self) -> None:
        """Write all results."""

    @abstractmethod
    def losses(self) -> list[str]:
        """What was dropped."""

    def statistics(self) -> Mapping[str, Any]:
        """What ``--stats`` shows."""
        raise NotImplementedError

    def end(self) -> None:
        """Write what comes after all that is told."""

    @abstractmethod
    def has_results(self) -> bool:
        """Whether there are results, or none were asked for."""

    def reasons(self) -> Iterable[str]:
        """Why there are none."""
        return ()

    # ── what they may ask for ────────────────────────────────────────────────────────────────────────────────
    @property
    def goes_on(self) -> bool:
        """Whether there is a checkpoint from which to go on."""
        return self.checkpoints is not None and self.checkpoints.found is not None

    def check_files(self, read: Iterable[str], others: Mapping[str, Path | None]) -> None:
        """OptionError: a file that is written is read, or written twice; ``others`` (by option) are written, too."""
        output.check_not_read({"--output": self.options.output_file, "--late": self.options.late, **others}, read)

    def hold_files(self, others: Mapping[str, Path | None] = {}) -> None:
        """Let no other run write the files that this one writes, ``others`` (by option) too.  OptionError: one does."""
        files = {"--output": self.options.output_file, "--late": self.options.late, **others}
        self.ctx.with_resource(locks.outputs_held(files))

    def warn(self, parsed: Iterable[queries.Warned], more: Iterable[str] = ()) -> None:
        """Say what the authors of queries should know, and more."""
        if not self.options.quiet:
            for each in parsed:
                queries.show_warnings(each, err=True)
            for text in more:
                terminal.say(f"warning: {text}")

    def keep_checkpoints(self, path: Path, same: Mapping[str, object], files: Mapping[str, Sequence[str]]) -> None:
        """Hold the file of the checkpoint, and read it.

        ``same`` are the options that have to be as before, ``files`` those that are read, by stream.  OptionError:
        another run has it, or it is of something else.
        """
        self.ctx.with_resource(checkpoint.checkpoint_held(path))
        self.spools = spools.opened(self.ctx, self.options.spool, files, self.options.follow)
        same = dict(same) | {"--spool": self.options.spool is not None}
        spooled = {stream: one.identity for stream, one in self.spools.items()}
        self.checkpoints = checkpoint.Checkpoints(path, self.options.checkpoint_every, same, files, spooled, self.free)

    def begin_checkpoints(self, run: checkpoint.Checkpointed, before: Callable[[], object] = lambda: None) -> None:
        """``run`` is about to begin, when ``before`` was called.  OptionError: as of ``Checkpoints.begin``."""
        if self.checkpoints is None:
            before()
        else:
            self.checkpoints.begin(run, self.files, before)

    @property
    def files(self) -> dict[str, IO[Any]]:
        """The files that are written, by option, but for standard output."""
        files: dict[str, IO[Any]] = {} if self.late is None else {"--late": self.late.file}
        return files | ({} if self.options.output_file is None else {"--output": self.text})

    def given(self, names: Iterable[str]) -> dict[str, object]:
        """Options as the user writes them, by the names of their parameters."""
        written = {param.name: param.opts[0] for param in self.ctx.command.params}
        return {written[name]: getattr(self.options, name) for name in names}

    def progress(self, reached: Callable[[], HowFar]) -> Progress:
        """Within, a line tells how far the run is, where results do not tell that."""
        hidden = self.options.quiet or (self.text.isatty() and not self.options.count)
        return Progress(reached, hidden, pace_of(self.ctx))

    def take(self, results: Iterable[T], counter: ResultCounter[T]) -> None:
        """Take results until there are no more, or enough.  What is decided gets out, whatever ends it."""
        asked = self.interrupts
        try:
            with asked.handled():
                for some in results if not counter.full else ():
                    with asked.writing():
                        counter.take(some)
                    if counter.full or asked.late:
                        break
        finally:
            if asked.torn:
                terminal.silence_output()  # its reader does not take it
            else:
                counter.close()

    # ── what is the same for all ─────────────────────────────────────────────────────────────────────────────
    def _done(self) -> list[str]:
        """Write results; what was dropped, which is told."""
        options, goes_on = self.options, self.goes_on
        with output.late_file(options.late, goes_on) as late, self._results() as text:
            self.late, self.text = late, text
            self.begin()
            try:
                self.write()
                text.flush()
            except BaseException:
                self._finish()
                if self.tells_after_errors:
                    with suppress(OSError):
                        text.flush()
                    self._tell()
                raise
            self._finish()
            losses = self._tell()
            self.end()
        return losses

    def _results(self) -> AbstractContextManager[TextIO]:
        """Where results go."""
        if self.options.sink is None:
            return output.open_output(self.options.output_file, self.goes_on)
        self.ctx.with_resource(targets.target_held(self.options.sink))
        return targets.open_target(self.options, self.checkpoints)

    def _finish(self) -> None:
        if self.checkpoints is not None:
            self.checkpoints.finish()

    def _tell(self) -> list[str]:
        losses = self.losses()
        tell_losses(losses, self.options.quiet, self.options.strict)
        if self.options.stats:
            terminal.say(json_text(self.statistics(), indent=2))
        return losses


def tell_losses(lines: Sequence[str], quiet: bool, strict: bool) -> None:
    """Say what was dropped, a line each; errors with ``strict``."""
    if strict or not quiet:
        kind = "error" if strict else "warning"
        for line in lines:
            terminal.say(f"{kind}: {line}")


def tell_why(reasons: Iterable[str], losses: Sequence[str] = (), more: str = "") -> None:
    """Say that there is no result, and the first reasons besides the losses; ``more`` says where there are others."""
    listed = [reason for reason in dict.fromkeys(reasons) if not any(line.startswith(reason) for line in losses)]
    shown = "; ".join(listed[:_REASONS]) + (f"; {more}" if more and len(listed) > _REASONS else "")
    terminal.say(f"no results: {shown}" if shown else "no results")
