# ruff: noqa: N802  (names of methods are Spark's interface)
"""Unbounded reading: new files of a folder, or files that grow; an offset says how far each has been read."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.rdf.files import is_plain_nquads
from spaseq.sources.rdf.nquads import event_around, event_start, last_event_start
from spaseq.sources.source import is_url
from spaseq.spark.sources.files import Piece, PiecesPartition, check_is_file, gathered, pieces, ranges, read_pieces
from spaseq.spark.sources.options import ReadOptions


@dataclass(frozen=True, slots=True)
class FilesOffset:
    """The bytes of each file that have been read; without ``follow`` it is all of them."""

    follow: bool
    files: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As Spark keeps it."""
        return {"follow": self.follow, "files": dict(self.files)}

    @staticmethod
    def from_json(data: Mapping[str, Any], options: ReadOptions) -> FilesOffset:
        """What ``to_json`` gave; OptionError: with another value of ``follow``."""
        if data["follow"] != options.follow:
            raise OptionError(f"the checkpoint is of a source with follow={str(data['follow']).lower()}")
        return FilesOffset(data["follow"], data["files"])


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a microbatch reads at most; None: all that is there."""

    files: int | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file as it was when the folder was looked at: its bytes, and when it was written last (ns)."""

    path: str
    size: int
    written: int


class GrowingFiles:
    """The files of a stream; after ``close`` they count as ended with what is there then."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._closed: dict[str, SeenFile] | None = None
        self._complete: dict[str, tuple[int, int, int]] = {}  # of a file: start, size, where its last event begins

    def close(self) -> None:
        """Nothing that comes later is read."""
        self._closed = self._listed()

    def next(self, start: FilesOffset, bounds: Bounds) -> FilesOffset:
        """How far to read next.  StreamError: a file has changed that was read, or cannot be read."""
        listed = self._listed() if self._closed is None else self._closed
        found = self._grown(listed, start, bounds) if self._options.follow else _new(listed, start, bounds)
        # Names of files that have gone are forgotten, but not all at once: a folder may be out of reach.
        known = {path: size for path, size in start.files.items() if path in listed or not listed}
        return replace(start, files={**known, **found})

    def between(self, start: FilesOffset, end: FilesOffset) -> Iterator[Piece]:
        """What to read from one offset to another, always the same; StreamError: it is not there any more."""
        for path, stop in end.files.items():
            begin = start.files.get(path, 0)
            if begin == stop:
                continue
            size = _seen(path).size
            if size < stop or (not self._options.follow and size != stop):
                raise _changed(path, size, stop)
            yield from ranges(path, begin, stop, self._options) if self._options.follow else pieces(path, self._options)

    def _listed(self) -> dict[str, SeenFile]:
        """All files that are there; StreamError: there is nothing of a name."""
        paths = (path for given in self._options.paths for path in _expanded(given, self._options))
        return {path: _seen(path) for path in paths}

    # ── files that grow ──────────────────────────────────────────────────────────────────────────────────
    def _grown(self, listed: Mapping[str, SeenFile], start: FilesOffset, bounds: Bounds) -> dict[str, int]:
        """How far each file is to be read: events that are complete, of each file an equal share of the bytes."""
        news = [seen for path, seen in listed.items() if seen.size != start.files.get(path, 0)]
        share = None if bounds.size is None else max(1, bounds.size // max(1, len(news)))
        return {seen.path: self._end(seen, start.files.get(seen.path, 0), share) for seen in news}

    def _end(self, seen: SeenFile, begin: int, share: int | None) -> int:
        if seen.size < begin:
            raise _changed(seen.path, seen.size, begin)
        if begin == 0 and not is_plain_nquads(seen.path):
            raise OptionError(f"{seen.path:.200}: only N-Quads can be followed, neither packed ones nor messages")
        properties = self._options.wire.time_properties
        with Path(seen.path).open("rb") as file:
            if begin and (event := event_around(file, begin, seen.size, properties)):
                message = f"the graph {event} goes on after it counted as complete: the input had ended"
                raise StreamError(message, Location(seen.path))
            end = self._complete_end(seen, begin)
            return end if share is None or end - begin <= share else event_start(file, begin + share, end, properties)

    def _complete_end(self, seen: SeenFile, begin: int) -> int:
        """Behind the last event that is complete; at the end of all files the last one is."""
        if self._closed is not None:
            return seen.size
        known = self._complete.get(seen.path)
        if known is None or known[:2] != (begin, seen.size):
            with Path(seen.path).open("rb") as file:
                found = last_event_start(file, begin, seen.size, self._options.wire.time_properties)
            self._complete[seen.path] = known = begin, seen.size, found
        return known[2]


def _new(listed: Mapping[str, SeenFile], start: FilesOffset, bounds: Bounds) -> dict[str, int]:
    """The files that are read next, those first that were written first, with all their bytes."""
    for path, size in start.files.items():
        if path in listed and listed[path].size != size:
            raise _changed(path, listed[path].size, size)
    found: dict[str, int] = {}
    for seen in sorted(listed.values(), key=lambda one: (one.written, one.path)):
        if seen.path in start.files:
            continue
        is_much = bounds.size is not None and sum(found.values()) + seen.size > bounds.size
        if found and (is_much or len(found) == bounds.files):
            break
        found[seen.path] = seen.size
    return found


def _expanded(given: str, options: ReadOptions) -> list[str]:
    """The files of a path; of folders and patterns those with a plain name, maybe none."""
    if not (Path(given).is_dir() or (glob.has_magic(given) and not Path(given).exists())):
        return options.files(given)
    try:
        return [path for path in options.files(given) if not Path(path).name.startswith((".", "_"))]
    except StreamError:
        return []


def _seen(path: str) -> SeenFile:
    if is_url(path):
        raise OptionError(f"{path:.200}: Spark reads a source as a whole: it has no position to go on from")
    check_is_file(path)
    try:
        found = Path(path).stat()
    except OSError as error:
        raise StreamError(f"cannot read: {error.strerror}", Location(path)) from None
    return SeenFile(path, found.st_size, found.st_mtime_ns)


def _changed(path: str, size: int, known: int) -> StreamError:
    message = f"the file has {size:,} bytes, and {known:,} of it were read"
    hint = "put files there when they are complete, or have files that grow read so: follow=true"
    return StreamError(message, Location(path), hint=hint if size > known else "")


class FilesStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads files as they come or grow; an offset says how many bytes of each have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.files = GrowingFiles(options)

    def initialOffset(self) -> dict[str, Any]:
        """Nothing has been read."""
        return FilesOffset(self.options.follow).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """What the options say."""
        if self.options.most_files is not None:
            return ReadMaxFiles(self.options.most_files)
        return ReadAllAvailable() if self.options.most_bytes is None else ReadMaxBytes(self.options.most_bytes)

    def prepareForTriggerAvailableNow(self) -> None:
        """The files end with what is there now."""
        self.files.close()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """How far to read next."""
        bounds = Bounds(getattr(limit, "max_files", None), getattr(limit, "max_bytes", None))
        return self.files.next(FilesOffset.from_json(start, self.options), bounds).to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """What tasks read of a microbatch."""
        offsets = (FilesOffset.from_json(one, self.options) for one in (start, end))
        return list(map(PiecesPartition, gathered(self.files.between(*offsets))))

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """The rows of a partition."""
        assert isinstance(partition, PiecesPartition)
        return read_pieces(partition.pieces, self.options)
