"""The event: one RDF graph of one stream at one time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyoxigraph import Quad, Triple

GraphTriples = Sequence[Triple | Quad]


class Event(NamedTuple):
    """An event as SEMANTICS 1 has it.

    ``stream`` and ``name`` are IRIs (``name`` is empty where the event has none), ``timestamp`` counts microseconds
    since 1970 (UTC), ``triples`` has at least one element; the graph name of a quad in it means nothing.
    """

    stream: str
    timestamp: int
    name: str
    triples: GraphTriples
