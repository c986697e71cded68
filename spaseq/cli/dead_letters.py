"""``--on-error dead-letter --dead-letters TARGET``: what is skipped is kept, with its place and what is wrong."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

import click

from spaseq.cli import delivery, output
from spaseq.cli.targets import OutputTarget
from spaseq.errors import OptionError, StreamError
from spaseq.sinks.sink import Outgoing, Sink, opened_sink
from spaseq.text import json_text

Command = TypeVar("Command", bound=Callable[..., Any])


def letters_options(function: Command) -> Command:
    """The options ``on_error`` and ``dead_letters``."""
    choice = click.option(
        "--on-error", type=click.Choice(["stop", "skip", "dead-letter"]), default="stop", show_default=True,
        help="What a malformed event does: stop the run, be skipped and counted, or be kept in --dead-letters, too.",
    )  # fmt: skip
    target = click.option(
        "--dead-letters", type=OutputTarget(), metavar="TARGET",
        help="Where malformed events are kept: a file of JSON lines, or a URL of a broker or server.",
    )  # fmt: skip
    return choice(target(function))


def check_letters(on_error: str, target: Path | str | None) -> None:
    """OptionError: one of both is asked for without the other."""
    if on_error == "dead-letter" and target is None:
        raise OptionError("--on-error dead-letter: say where they go, as in --dead-letters letters.jsonl")
    if on_error != "dead-letter" and target is not None:
        raise OptionError("--dead-letters goes with --on-error dead-letter")


class DeadLetters:
    """Takes malformed events; ``file`` is the one that is written, if it is one."""

    def __init__(self, file: BinaryIO | None, sink: Sink | None) -> None:
        self.file: IO[Any] | None = file
        self._sink = sink
        self._run = delivery.begun().run
        self.count = 0
        self._known: Counter[str] | None = None  # letters of a run before this one, by stream

    def of(self, stream: str, is_read_again: bool, passed: int = 0) -> Callable[[StreamError, bytes], None]:
        """What takes those of a stream, by its IRI; ``is_read_again``: by a run that goes on, from its beginning.

        So many letters of it are ``passed`` over and do not come again.
        """

        def take(error: StreamError, data: bytes) -> None:
            if self._known is None:
                self._known = self._kept()
            if is_read_again and self._known[stream] > passed:
                self._known[stream] -= 1
            else:
                self._take(stream, str(error.location), error.message, data)

        return take

    def _kept(self) -> Counter[str]:
        """How many letters there are of each stream already, as far as a file has them."""
        if self.file is None or not self.file.seekable():
            return Counter()
        with Path(self.file.name).open("rb") as file:
            return Counter(json.loads(line)["stream"] for line in file)

    def flush(self) -> None:
        """All have arrived."""
        if self._sink is not None:
            self._sink.flush()

    def _take(self, stream: str, place: str, reason: str, data: bytes) -> None:
        self.count += 1
        said = {"stream": stream, "position": place, "reason": reason}
        if self._sink is not None:
            headers = tuple((name, text.encode()) for name, text in said.items())
            self._sink.send([Outgoing(data, self._run, self.count, headers)])
        elif self.file is not None:
            self.file.write(f"{json_text(said | _written(data))}\n".encode())


def _written(data: bytes) -> dict[str, str]:
    """Bytes as text, or if they are none in base64."""
    try:
        return {"data": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


@contextmanager
def open_letters(target: Path | str | None, goes_on: bool) -> Iterator[DeadLetters | None]:
    """What takes them; None: nobody asked.  OptionError: they cannot be written there.  StreamError: nor arrive."""
    if target is None:
        yield None
    elif isinstance(target, Path):
        with output.opened_to_write(target, goes_on) as file:
            yield DeadLetters(file, None)
    else:
        sink = opened_sink(target)
        if not sink.has_headers:
            raise OptionError(f"--dead-letters {target}: they go to files, Kafka, MQTT and HTTP")
        sink.open()
        letters = DeadLetters(None, sink)
        try:
            yield letters
            letters.flush()
        finally:
            sink.close()
