"""``--output TARGET``: a file, or a sink that is a URL or a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TextIO

import click

from spaseq.cli import checkpoint, delivery, locks
from spaseq.cli.options import RunOptions
from spaseq.errors import OptionError, StreamError
from spaseq.results.formats.writer import MessageOutput
from spaseq.sinks.outbox import Outbox
from spaseq.sinks.sink import is_folder, names_sink, opened_sink


class OutputTarget(click.ParamType[Path | str]):
    """A path of a file, or a text that names a sink."""

    name = "target"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """A path as one."""
        if isinstance(value, Path):
            return value
        if names_sink(value):
            return str(value)
        path: Path = click.Path(dir_okay=False, path_type=Path).convert(value, param, ctx)
        return path


target_option = click.option(
    "--output", type=OutputTarget(), metavar="TARGET",
    help="Write the results to this file, to files of Parquet in this folder (FOLDER/), or to this URL: "
    "kafka://HOST:PORT/TOPIC, mqtt://HOST/TOPIC, https://… (each is a POST), wss://….",
)  # fmt: skip


def target_held(target: str) -> AbstractContextManager[None]:
    """Within, no other run of this machine writes to the same folder.  OptionError: one does."""
    if not is_folder(target):
        return nullcontext()
    with suppress(OSError):  # the sink tells
        Path(target).mkdir(parents=True, exist_ok=True)
    return locks.held(Path(target) / ".lock", f"--output {target}")


@contextmanager
def open_target(asked: RunOptions, checkpoints: checkpoint.Checkpoints | None) -> Iterator[TextIO]:
    """The sink as a file of text, whose lines are results.

    OptionError: it takes no such format, or nothing but a count is asked for.  StreamError: it cannot be reached, in
    the end, too.
    """
    assert asked.sink is not None
    if asked.count:
        raise OptionError("--count prints a number: it goes with no --output but a file")
    sink = opened_sink(asked.sink)
    if asked.wanted not in sink.formats:
        known = ", ".join(sink.formats)
        raise OptionError(f"--format {asked.wanted}: to {asked.sink} results go as {known}")
    known_before = None if checkpoints is None or checkpoints.found is None else checkpoints.found.delivered
    outbox = Outbox(sink, known_before or delivery.begun(), checkpoints is not None and sink.is_transactional)
    if checkpoints is not None:
        checkpoints.outbox = outbox
    text = MessageOutput(outbox)
    try:
        if not outbox.waits:
            sink.open()
        yield text
    except BaseException:
        if checkpoints is None:
            with suppress(StreamError):
                outbox.finish()
        raise
    else:
        if checkpoints is None:
            outbox.finish()
    finally:
        text.detach()
        sink.close()
