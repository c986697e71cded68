"""From a path to bytes: files, folders, globs, standard input and pipes; compression is recognised."""

from __future__ import annotations

import glob
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias, cast

from spaseq.errors import Location, OptionError, StreamError, require
from spaseq.sources.incoming import GZIP, NOT_FOLLOWED, ZSTD, Incoming
from spaseq.sources.source import GrowingFile, Pipe, check_scheme, is_regular, is_url, opened_url

Opened: TypeAlias = io.BufferedReader | gzip.GzipFile | Incoming  # with ``peek`` and ``read1``
SNIFFED = 1 << 16  # bytes at the beginning of a file that may tell its format
CSV = (".csv", ".tsv")
JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
IPC = (".arrow", ".feather", ".ipc")
GRAPHS = (".nq", ".nquads", ".trig", ".nt", ".ttl", ".jsonld", ".ndjsonld", ".jelly")
TABLE_ENDINGS = (*CSV, *JSON_LINES, *PARQUET, *IPC)
PACKED = (".gz", ".zst")  # of text
_TABLES = (
    "CSV (.csv, .tsv)", "JSON lines (.jsonl, .ndjson)", "both with .gz or .zst", "Parquet (.parquet, .pq)",
    "Arrow IPC (.arrow, .feather, .ipc)",
)  # fmt: skip
Chooser: TypeAlias = Callable[[str], bool]  # whether a file of a folder is one of its stream, by its name


def files_of(path: str | Path, is_one: Chooser, expected: tuple[str, ...] = ()) -> list[str]:
    """The files that ``path`` means, sorted: itself, those of a folder that are ``is_one``, of a glob, ``-``, or a URL.

    StreamError if there is none; ``expected`` are formats that there might be.
    """
    text = str(path)
    if text == "-" or is_url(text):
        return [text]
    with as_stream_errors(text):
        return _files(text, is_one, expected)


def ending_of(path: str | Path) -> str:
    """The ending of a file's name, in small letters; of what is packed that of its content."""
    name = str(path).lower()
    return Path(name.removesuffix(next((end for end in PACKED if name.endswith(end)), ""))).suffix


def table_files(path: str | Path) -> list[str]:
    """The tables that ``path`` means, as of ``files_of``.  StreamError if there is none."""
    return files_of(path, _is_table, _TABLES)


def _is_table(name: str) -> bool:
    """Whether a file of a folder is a table; hidden ones are notes of those who write the others."""
    return not name.startswith((".", "_")) and ending_of(name) in TABLE_ENDINGS


def check_path(path: str) -> None:
    """StreamError if no file can have the name."""
    try:
        wrong = "a null character" if b"\0" in os.fsencode(path) else ""
    except UnicodeEncodeError:
        wrong = "a character without an encoding"
    if wrong:
        raise StreamError(f"cannot read: its name has {wrong}", Location(path))


def check_followed(path: str | Path) -> None:
    """OptionError: it is a folder or a pattern, whose files may change, and neither one file, nor a pipe or ``-``."""
    if is_several(path):
        raise OptionError(f"{path}: only single files can be followed as they grow, no folder and no pattern")


def is_several(path: str | Path) -> bool:
    """Whether it is a folder, or a pattern of names."""
    text = str(path)
    if text == "-" or is_url(text):
        return False
    return Path(text).is_dir() or (glob.has_magic(text) and not Path(text).exists())


def _files(text: str, is_one: Chooser, expected: tuple[str, ...]) -> list[str]:
    if "\0" in text:
        raise OSError("a name cannot have a null character")
    place = Path(text)
    if place.is_dir():
        found = sorted(str(file) for file in place.iterdir() if is_one(file.name) and file.is_file())
        return _some(found, text, "the folder has no file with the ending of a stream", expected=expected)
    if not place.exists():
        check_scheme(text)
    if place.exists() or not glob.has_magic(text):
        return [text]
    names = glob.glob(text, recursive=True)  # noqa: PTH207  (Path.glob takes no absolute patterns)
    return _some(sorted(name for name in names if Path(name).is_file()), text, "no file fits this pattern")


def _some(files: list[str], path: str, message: str, expected: tuple[str, ...] = ()) -> list[str]:
    if not files:
        raise StreamError(message, Location(path), expected=expected)
    return files


def live_source(path: str, follow: bool) -> Incoming | None:
    """The bytes of what may fall silent: a pipe, a URL, or (``follow``) a file that is read as it grows; None: none.

    StreamError: there is nothing of this name, or it is compressed and cannot be followed.
    """
    with as_stream_errors(path):
        if source := opened_url(path):
            return Incoming(source, path)
        kept = _is_file(path)
        if kept and not follow:
            return None
        if kept and path != "-":
            _check_not_compressed(path)
        return Incoming(GrowingFile(path) if kept else Pipe(path, follow), shown(path))


def may_fall_silent(path: str) -> bool:
    """Whether a path leads to a pipe, a terminal, a source by its URL or the like."""
    if is_url(path) or path == "-":
        return is_url(path) or not _is_file(path)
    return Path(path).exists() and not (Path(path).is_dir() or _is_file(path))


def _is_file(path: str) -> bool:
    """Whether a path leads to a file on a disk, or to what only Python knows."""
    if path != "-":
        return is_regular(path)
    try:
        return is_regular(sys.stdin.buffer.fileno())
    except (OSError, ValueError, AttributeError):  # replaced, or closed
        return True


def _check_not_compressed(path: str) -> None:
    with Path(path).open("rb") as file:
        if file.read(len(ZSTD)).startswith((GZIP, ZSTD)):
            raise StreamError(NOT_FOLLOWED, Location(path), hint="decompress it first, or read it without follow")


def shown(path: str) -> str:
    """``path`` as errors name it."""
    return "<standard input>" if path == "-" else path


@contextmanager
def as_stream_errors(path: str) -> Iterator[None]:
    """Within, what goes wrong in reading ``path`` is a StreamError."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StreamError(f"the gzip data is damaged or cut off: {error}", Location(shown(path))) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise StreamError(f"cannot read: {reason[:1].lower()}{reason[1:]}", Location(shown(path))) from None


@contextmanager
def open_bytes(path: str) -> Iterator[Opened]:
    """The bytes of ``path``, decompressed, with ``peek`` and ``read1``."""
    if incoming := live_source(path, follow=False):
        with incoming:
            yield incoming
        return
    if path == "-":
        yield unpacked(cast(io.BufferedReader, sys.stdin.buffer))
        return
    with Path(path).open("rb", buffering=SNIFFED) as file:
        yield unpacked(cast(io.BufferedReader, file))


def unpacked(file: io.BufferedReader) -> io.BufferedReader | gzip.GzipFile:
    """The same, with gzip or zstd taken out if it begins so."""
    beginning = file.peek(len(ZSTD))
    if beginning.startswith(GZIP):
        return gzip.GzipFile(fileobj=file)
    return OfZstd(file) if beginning.startswith(ZSTD) else file


class OfZstd(io.BufferedReader):
    """What a file has that is packed by zstd, which Arrow unpacks.  OptionError: it is not installed."""

    def __init__(self, file: io.BufferedReader) -> None:
        require("pyarrow")
        import pyarrow

        super().__init__(pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd"))
