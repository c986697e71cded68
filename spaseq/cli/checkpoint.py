"""``--checkpoint FILE``: the state of a run, written so that after any end there is a whole one, and read again."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Protocol

from spaseq.cli import delivery, locks, output, terminal
from spaseq.errors import OptionError, SnapshotError, StreamError
from spaseq.results.formats import RESUMABLE
from spaseq.runtime.message_sources import PartitionState
from spaseq.runtime.run import RunState
from spaseq.runtime.snapshot.container import GRAPHS
from spaseq.runtime.snapshot.validation import COUNT, TIME, AnyNames, Shape, misfits
from spaseq.sinks.outbox import Delivered, Outbox
from spaseq.sources.source import is_regular, is_url, resumes
from spaseq.sources.transports.transport import UNKNOWN
from spaseq.whole_file import remove_leftovers, write_whole

_SIGN = 1 << 12  # bytes that tell whether a file may be a checkpoint
BEGINNING = 1 << 16  # bytes of a file that tell whether it is the same
_SPOOL = "with --spool DIR it is kept until the checkpoint has it"
FILE: Shape = {"path": str, "size": COUNT, "length": COUNT, "digest": str}
PARTITION: Shape = {"position": str, "watermark": TIME, "newest": TIME, "scope": COUNT}
HEADER: Shape = {
    "checkpoint": COUNT, "options": AnyNames(str), "files": AnyNames([FILE]), "positions": AnyNames(COUNT),
    "origins": COUNT, "time": TIME, "ended": bool, "outputs": AnyNames(COUNT),
    "partitions": AnyNames(AnyNames(PARTITION)), "types": AnyNames(AnyNames(str)), "delivered": AnyNames(str),
}  # fmt: skip
VERSION = 1


def read_state_file(path: Path, magic: bytes = b"") -> bytes | None:
    """What a file has, or its beginning if that is not ``magic``; None: there is no file.  OptionError."""
    check_is_file(path)
    try:
        with path.open("rb") as file:
            start = file.read(_SIGN)
            size = os.fstat(file.fileno()).st_size
            return start + file.read(max(0, size - len(start))) if start.startswith(magic) else start
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OptionError(f"--checkpoint: cannot read {path}: {error.strerror}") from None


def check_is_file(path: Path) -> None:
    """OptionError: there is something with this path that is no file on a disk."""
    try:
        mode = path.stat().st_mode
    except OSError:  # there is nothing, or to read it says why not
        return
    if not stat.S_ISREG(mode):
        kind = "folder" if stat.S_ISDIR(mode) else "pipe" if stat.S_ISFIFO(mode) else "device"
        raise OptionError(f"--checkpoint {path}: this is a {kind}, and a checkpoint is a file")


@contextmanager
def checkpoint_held(path: Path) -> Iterator[None]:
    """Within, the checkpoint in this file is that of this run alone.

    What a run left beside it when it was killed is removed.  OptionError: another run has it, or it is no file.
    """
    check_is_file(path)
    with locks.held(lock_of(path), f"--checkpoint {path}"):
        remove_leftovers(path)
        yield


def lock_of(path: Path) -> Path:
    """The lock of the checkpoint in a file, beside it; links to a file share one."""
    real = path.resolve() if os.path.islink(path) else path  # noqa: PTH114  (as long as it likes)
    return real.with_name(real.name + ".lock")


def checkpoint_files(path: Path | None) -> dict[str, Path]:
    """What a run with this checkpoint writes for it, as ``check_not_read`` wants it."""
    return {} if path is None else {"--checkpoint": path, "the lock of --checkpoint": lock_of(path)}


def write_state_file(path: Path, data: bytes) -> None:
    """Write a checkpoint such that after any end there is a whole one.  OptionError: it cannot be written."""
    try:
        write_whole(path, [data])
    except OSError as error:
        raise OptionError(f"--checkpoint: cannot write {path}: {error.strerror}") from None


class Checkpointed(Protocol):
    """What runs, and can go on in another process."""

    def done(self) -> tuple[int, int]:
        """How many events it has read or left out, and how many results it has found."""

    @property
    def can_tell_state(self) -> bool:
        """Whether it is between two steps."""

    def state(self) -> RunState:
        """Where it is."""

    def release(self) -> None:
        """That state is in a checkpoint: what was read until then need not come again."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that is read: so many bytes, of which the first ``length`` have this digest."""

    path: str
    size: int
    length: int
    digest: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint has; ``outputs`` are the bytes that had been written to files, by option.

    ``delivered``: what became of results that go to a sink.
    """

    options: Mapping[str, str]
    files: Mapping[str, Sequence[KnownFile]]
    outputs: Mapping[str, int]
    state: RunState
    delivered: Delivered | None = None


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint in a file; None if there is no file.  OptionError: it is no checkpoint, or cannot be read."""
    data = read_state_file(path, GRAPHS.magic)
    if data is None:
        return None
    try:
        header, sections = GRAPHS.unpack(data)
        header.setdefault("partitions", {})  # there were none
        header.setdefault("delivered", {})  # nor sinks
        header.setdefault("types", {})  # which were inferred anew
        for problem in misfits(header, HEADER, "header"):
            raise SnapshotError(f"it is no checkpoint of a run, or damaged: {problem}")
        engine = sections["engine"]
        delivered = delivery.read(header["delivered"], sections.get("results", b""))
        types = {iri: {name: b64decode(one) for name, one in some.items()} for iri, some in header["types"].items()}
    except (SnapshotError, KeyError, ValueError) as error:
        raise OptionError(f"--checkpoint {path}: {error}") from None
    if header["checkpoint"] != VERSION:
        raise OptionError(f"--checkpoint {path}: it has version {header['checkpoint']}; this program reads {VERSION}")
    partitions = {
        iri: {name: _partition(one) for name, one in some.items()} for iri, some in header["partitions"].items()
    }
    state = RunState(engine, header["positions"], header["origins"], header["time"], header["ended"], partitions, types)
    files = {iri: [KnownFile(**one) for one in some] for iri, some in header["files"].items()}
    return Checkpoint(header["options"], files, header["outputs"], state, delivered)


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write it so that whatever happens the file has the old one or the new one.  OptionError: that cannot be done."""
    state = checkpoint.state
    header = {
        "checkpoint": VERSION, "options": dict(checkpoint.options), "outputs": dict(checkpoint.outputs),
        "files": {iri: [asdict(one) for one in some] for iri, some in checkpoint.files.items()},
        "positions": dict(state.positions), "origins": state.origins, "time": state.time, "ended": state.ended,
        "partitions": {
            iri: {name: asdict(one) | {"position": json.dumps(one.position)} for name, one in some.items()}
            for iri, some in state.partitions.items()
        },
        "types": {
            iri: {name: b64encode(one).decode() for name, one in some.items()} for iri, some in state.types.items()
        },
    }  # fmt: skip
    sections = {"engine": state.engine}
    if checkpoint.delivered is not None:
        header["delivered"], sections["results"] = delivery.written(checkpoint.delivered)
    write_state_file(path, GRAPHS.pack(header, sections))


def _partition(written: Mapping[str, Any]) -> PartitionState:
    """How far a partition was read.  SnapshotError: its position is none."""
    try:
        position = json.loads(written["position"])
    except ValueError as error:
        raise SnapshotError(f"the position of a partition is damaged: {error}") from None
    return PartitionState(position, written["watermark"], written["newest"], written["scope"])


class Checkpoints:
    """Reads the checkpoint of a run at its beginning, and writes new ones, at most ``every`` so often.

    ``options`` are those that have to be the same, as they are written; ``files`` are read, by the IRI of their stream,
    and those of streams that are ``spooled``, by way of the spool of this identity, need not be files.
    What options are ``free`` to change, and from what.
    OptionError: a source that cannot be read again, or the checkpoint is of something else.
    """

    def __init__(
        self,
        path: Path,
        every: timedelta,
        options: Mapping[str, object],
        files: Mapping[str, Sequence[str]],
        spooled: Mapping[str, str] = MappingProxyType({}),
        free: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._path = path
        self._every = every.total_seconds()
        self._options = {name: _shown(value) for name, value in options.items()}
        self._sources = {iri: list(names) if iri in spooled else _readable_again(names) for iri, names in files.items()}
        self._spooled = spooled
        self._places = {name: _place(name) for names in self._sources.values() for name in names}
        self._written = -1.0, (-1, -1)  # when, and what the run had done
        self._writing = False  # one was begun, and not written to its end
        self._gaps = set[str]()  # the streams of which it was said that they may have some
        self._run: Checkpointed | None = None
        self._outputs: Mapping[str, IO[Any]] = {}
        self.outbox: Outbox | None = None  # of the sink of results
        self.found = read_checkpoint(path)
        if self.found is not None:
            before = self.found.options
            may_change = {one: value for one, value in free.items() if before.get(one, "") == value}
            _compare(self.found, self._options | may_change, self._sources, spooled, path)

    @property
    def state(self) -> RunState | None:
        """Where to go on; None: at the beginning."""
        return None if self.found is None else self.found.state

    def begin(
        self, run: Checkpointed, outputs: Mapping[str, IO[Any]], before: Callable[[], object] = lambda: None
    ) -> None:
        """The run is about to begin: write the first checkpoint, to see that it can be done.

        What was written after the checkpoint found is cut off, for it comes again; ``before`` is called between both.
        OptionError: an output is shorter.
        """
        self._run = run
        self._outputs = outputs
        for option, file in self._outputs.items():
            if self.found is not None:
                output.cut(file, self.found.outputs.get(option, 0), option)
        if self.outbox is not None:
            self.outbox.resume()
        before()
        self.write()

    def step(self) -> float:
        """Between two steps: write a checkpoint if it is time; the seconds until it is, inf: nothing is new."""
        if self._run is None or self._run.done() == self._written[1]:
            return float("inf")
        left = self._written[0] + self._every - time.monotonic()
        if left > 0 and not (self.outbox is not None and self.outbox.is_full):
            return left
        self.write()
        return float("inf")

    def finish(self) -> None:
        """The run has ended: write the last one; if it ended in the midst of a step, say that the one before counts."""
        if self._run is None or self._writing or not self._run.can_tell_state:
            terminal.say("note: stopped in the midst of its work: the checkpoint is the one before")
        else:
            self.write()

    def write(self) -> None:
        """Write one: first what was written to the outputs is kept."""
        assert self._run is not None
        self._writing = True
        self._check_places()
        outputs = {option: output.kept_bytes(file) for option, file in self._outputs.items()}
        files = {iri: [self._known(iri, path) for path in paths] for iri, paths in self._sources.items()}
        delivered = None if self.outbox is None else self.outbox.sealed()
        state = self._run.state()
        write_checkpoint(self._path, Checkpoint(self._options, files, outputs, state, delivered))
        self._tell_of_gaps(state)
        if self.outbox is not None:
            self.outbox.commit()
        self._run.release()
        self._written = time.monotonic(), self._run.done()
        self._writing = False

    def _tell_of_gaps(self, state: RunState) -> None:
        """Say, once, where another run cannot go on."""
        for iri, some in state.partitions.items():
            if iri not in self._gaps and any(one.position == UNKNOWN for one in some.values()):
                self._gaps.add(iri)
                what = ", ".join(self._sources.get(iri, [iri]))
                terminal.say(f"note: events of {what} have no ids: those that come while no run reads are lost")

    def _known(self, iri: str, path: str) -> KnownFile:
        return KnownFile(path, 0, 0, self._spooled[iri]) if iri in self._spooled else _known(path)

    def _check_places(self) -> None:
        """StreamError: a file was replaced while it was read."""
        for path, place in self._places.items():
            if _place(path) != place:
                raise StreamError(
                    f"{path} was replaced while it was read: no checkpoint can tell where the run is in it"
                )


@contextmanager
def restoring() -> Iterator[None]:
    """Errors of the state in a checkpoint as those of the option."""
    try:
        yield
    except SnapshotError as error:
        raise OptionError(f"--checkpoint: {error}") from None


def check_format(format: str, formats: Iterable[str]) -> None:
    """OptionError: a file of this format cannot be gone on with; ``formats`` are those that there are."""
    fitting = [one for one in formats if one in RESUMABLE]
    if format not in fitting:
        raise OptionError(
            f"--checkpoint goes with {', '.join(fitting)}: what is written as {format} cannot be gone on with"
        )


def check_without(options: Mapping[str, bool]) -> None:
    """OptionError: one of these is given, which do not go with --checkpoint."""
    for option, is_given in options.items():
        if is_given:
            raise OptionError(f"--checkpoint and {option} do not go together: a run that goes on has no such end")


def _shown(value: object) -> str:
    """An option as it is written, or nearly."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g}s"
    return "" if value is None or value is False else "given" if value is True else str(value)


def _readable_again(names: Sequence[str]) -> list[str]:
    """The files of a stream, in their order.  OptionError: one cannot be read again."""
    for name in names:
        if resumes(name):
            continue
        if name == "-" or is_url(name) or (Path(name).exists() and not is_regular(name)):
            shown = "standard input" if name == "-" else name
            raise OptionError(f"--checkpoint needs files, which can be read again: {shown} cannot; {_SPOOL}")
    return list(names)


def _place(path: str) -> tuple[int, int]:
    """Where on the disk a file is."""
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _known(path: str, length: int | None = None) -> KnownFile:
    """A file as it is now; the digest is of its first ``length`` bytes, by default of BEGINNING.  StreamError.

    Of what is named by a URL nothing but that is known.
    """
    if is_url(path):
        return KnownFile(path, 0, 0, "")
    try:
        with Path(path).open("rb") as file:
            beginning = file.read(BEGINNING if length is None else length)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise StreamError(f"cannot read {path}: {error.strerror}") from None
    return KnownFile(path, size, len(beginning), hashlib.sha256(beginning).hexdigest())


def _compare(
    found: Checkpoint,
    options: Mapping[str, str],
    sources: Mapping[str, list[str]],
    spooled: Mapping[str, str],
    path: Path,
) -> None:
    """OptionError: the checkpoint is of a run with other options or sources."""
    for option in sorted({*found.options, *options}):
        before, now = found.options.get(option, ""), options.get(option, "")
        if before != now:
            raise _other(path, f"{option} {before or '(not given)'}, here it is {now or '(not given)'}")
    if found.files.keys() != sources.keys():
        raise _other(path, f"the streams {_listed(found.files)}, here they are {_listed(sources)}")
    for iri, files in found.files.items():
        names = [one.path for one in files]
        if names != sources[iri]:
            raise _other(path, f"the stream <{iri}> from {', '.join(names)}, here it is {', '.join(sources[iri])}")
        for one in files:
            if iri not in spooled:
                _compare_file(one, path)
            elif one.digest != spooled[iri]:
                raise _other(path, f"another spool of {one.path}")


def _compare_file(before: KnownFile, path: Path) -> None:
    now = _known(before.path, min(before.length, BEGINNING))
    if now.size < before.size:
        raise _other(path, f"{before.path} of {before.size:,} bytes, and now it has {now.size:,}")
    if now.digest != before.digest:
        raise _other(path, f"{before.path} with another beginning")


def _other(path: Path, what: str) -> OptionError:
    hint = "go on with the same, or begin anew without this file"
    return OptionError(f"--checkpoint {path}: it was written with {what}; {hint}")


def _listed(iris: Mapping[str, object]) -> str:
    return ", ".join(f"<{iri}>" for iri in sorted(iris)) or "none"
