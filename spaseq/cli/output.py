"""Files that a command writes: results, also to standard output, and late events."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO

import pyoxigraph

from spaseq.cli.locks import is_of_the_shell
from spaseq.errors import OptionError
from spaseq.results.formats.rdf import TimedGraph, event_quads, serialized
from spaseq.results.formats.writer import Utf8Output

if TYPE_CHECKING:
    from typing_extensions import Buffer


@contextmanager
def opened_to_write(path: Path, goes_on: bool) -> Iterator[BinaryIO]:
    """A file to be written anew, or at its end.  OptionError: it cannot be written."""
    try:
        file = io.BufferedWriter(_NamedFile(path, "ab" if goes_on else "wb"))
    except OSError as error:
        raise OptionError(f"cannot write to {path}: {error.strerror}") from None
    with file:
        yield file


class _NamedFile(io.FileIO):
    """A file that its errors name."""

    def write(self, data: Buffer) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = os.fspath(self.name)
            raise


@contextmanager
def open_output(path: Path | None, goes_on: bool = False) -> Iterator[TextIO]:
    """UTF-8 text to a file, or to standard output, whose line ends are those of the format.  OptionError.

    ``goes_on``: what is in the file stays.
    """
    if path is not None:
        with opened_to_write(path, goes_on) as opened, Utf8Output(opened) as file:
            yield file
        return
    sys.stdout.flush()
    output = Utf8Output(sys.stdout.buffer)
    try:
        yield output
        output.flush()
    finally:
        output.detach()


@contextmanager
def late_file(path: Path | None, goes_on: bool = False) -> Iterator[LateFile | None]:
    """What appends late events to the file as N-Quads; None without a file.  OptionError.

    ``goes_on``: what is in the file stays.
    """
    if path is None:
        yield None
        return
    with opened_to_write(path, goes_on) as file:
        yield LateFile(file)


@dataclass(frozen=True, slots=True)
class LateFile:
    """A function of a late event, which is written to ``file``."""

    file: BinaryIO

    def __call__(self, event: TimedGraph) -> None:
        """Write an event."""
        self.file.write(serialized(event_quads(event), pyoxigraph.RdfFormat.N_QUADS))


def kept_bytes(file: IO[Any]) -> int:
    """The bytes of a file that is written, all of which survive the machine; 0 of a device or a pipe."""
    file.flush()
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode):
        return 0
    os.fsync(file.fileno())
    return found.st_size


def cut(file: IO[Any], length: int, option: str) -> None:
    """Leave only the first bytes of a file, which is written at its end.  OptionError: it is shorter."""
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode):
        return
    if found.st_size < length:
        had = f"it had {length:,} bytes when the checkpoint was written"
        raise OptionError(f"{option}: {had}, and has {found.st_size:,}")
    os.ftruncate(file.fileno(), length)


def check_not_read(written: Mapping[str, Path | None], read: Iterable[str]) -> None:
    """OptionError if a file to be written (by its option) is read in the same run, or written twice."""
    inputs = [Path(path) for path in read]
    taken: dict[str, Path] = {}
    for option, path in written.items():
        if path is None or str(path) == os.devnull:
            continue
        if any(_is_same(path, other) for other in inputs):
            raise OptionError(f"{option} {path}: this file is read in the same run")
        for first, other in taken.items():
            if _is_one(path, other):
                raise OptionError(f"{first} and {option} cannot both write {path}")
        taken[option] = path


def _is_one(path: Path, other: Path) -> bool:
    """Whether two files that may not be there yet are one; those that the shell opened may be."""
    if path.absolute() == other.absolute():
        return True
    if is_of_the_shell(path) or is_of_the_shell(other):
        return False
    return path.resolve() == other.resolve() or _is_same(path, other)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there
        return False
