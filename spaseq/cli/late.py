"""``--late FILE``: the events that came too late, as an RDF stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyoxigraph

from spaseq.cli.checkpoint import opened_to_write
from spaseq.results.formats.rdf import TimedGraph, event_quads, serialized


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
        _write(event, self.file.write)


def _write(event: TimedGraph, write: Callable[[bytes], object]) -> None:
    write(serialized(event_quads(event), pyoxigraph.RdfFormat.N_QUADS))
