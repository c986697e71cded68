"""``--late FILE``: the events that came too late, as an RDF stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph

from spaseq.errors import OptionError
from spaseq.results.formats.rdf import event_quads
from spaseq.streams.event import Event


@contextmanager
def late_file(path: Path | None) -> Iterator[Callable[[Event], None] | None]:
    """A function that appends a late event to the file as N-Quads; None without a file.  OptionError."""
    if path is None:
        yield None
        return
    try:
        file = path.open("wb")
    except OSError as error:
        raise OptionError(f"cannot write to {path}: {error.strerror}") from None
    with file:
        yield lambda event: _write(event, file.write)


def _write(event: Event, write: Callable[[bytes], object]) -> None:
    data = pyoxigraph.serialize(event_quads(event), format=pyoxigraph.RdfFormat.N_QUADS)
    assert data is not None
    write(data)
