"""Sources of RDF that are read more than once; what comes but once is kept on disk first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from spaseq.sources.files import Opened, as_stream_errors, may_fall_silent, open_bytes
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import expand, read_with

_COPIED = 1 << 20  # bytes at once


@dataclass(frozen=True, slots=True)
class RdfInput:
    """One file, or what came through a pipe: ``kept`` has a copy of it."""

    path: str
    kept: BinaryIO | None

    def read(self, assembler: EventAssembler) -> Iterator[Events]:
        """Its events from the beginning, as an assembler makes them; errors as of ``read_source``."""
        return read_with(assembler, self.path, open_bytes(self.path) if self.kept is None else _again(self.kept))


def rdf_inputs(path: str, folder: Path) -> list[RdfInput]:
    """The inputs that a path means, in order; copies are files without a name in ``folder``.

    StreamError: there is none, or one cannot be read.  OSError: the disk is full.
    """
    return [RdfInput(file, _copy(file, folder) if _comes_once(file) else None) for file in expand(path)]


def _comes_once(path: str) -> bool:
    return path == "-" or may_fall_silent(path)


def _copy(path: str, folder: Path) -> BinaryIO:
    copy = cast(BinaryIO, TemporaryFile(dir=folder))  # noqa: SIM115  (it is closed when nobody needs it)
    with as_stream_errors(path), open_bytes(path) as source:
        while data := source.read1(_COPIED):
            copy.write(data)
    copy.flush()
    return copy


@contextmanager
def _again(kept: BinaryIO) -> Iterator[Opened]:
    """The bytes of a file that stays open, from its beginning."""
    kept.seek(0)
    with os.fdopen(os.dup(kept.fileno()), "rb") as file:
        yield file
