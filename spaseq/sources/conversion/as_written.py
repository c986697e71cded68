"""Events that were read as lines: these lines, as they were written, in the graph of their event."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gpm.encoder import text_column
from gpm.native.tokens import read_lines
from gpm.rows import TextColumn
from spaseq.sources.conversion.keyed_texts import KeyedTexts, ends_of
from spaseq.sources.conversion.timed_texts import time_lines
from spaseq.sources.rdf.events import Events

_STATEMENT = 1  # as the tokenizer numbers kinds of lines


def texts_as_written(events: Events) -> KeyedTexts:
    """The lines of events that all have names."""
    lines = _texts(text_column(events.graphs, pruned=False))
    names = _texts(events.names.column)
    times = _texts(time_lines(events.times, events.names.column))
    pieces = [time + _in_graph(own, name) for time, own, name in zip(times, lines, names, strict=True)]
    return KeyedTexts(events.times, (ends_of(np.array(list(map(len, pieces)), np.int64)), b"".join(pieces)))


def _texts(column: TextColumn) -> Iterator[bytes]:
    """The texts of a column."""
    ends, text = column
    return (text[start:stop] for start, stop in pairwise(ends.tolist()))


def _in_graph(lines: bytes, name: bytes) -> bytes:
    """The statements of an event in the graph of this name; either all lines name a graph, or none does."""
    graph = b" <" + name + b"> .\n"
    count = lines.count(b"\n")
    if lines.count(graph) == count and read_lines(lines[: lines.index(b"\n")])[0].graph:
        return lines  # it is what they say
    statements = (line for line in read_lines(lines) if line.kind == _STATEMENT)
    return b"".join(b"%b %b %b%b" % (line.subject, line.predicate, line.object, graph) for line in statements)
