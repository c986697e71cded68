"""From sources of messages to events as columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from gpm.native.assembly import Encoder
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.delimited import DELIMITED_FORMATS, read_delimited
from spaseq.streams.event import Events
from spaseq.streams.jelly import read_jelly
from spaseq.streams.jsonld import read_jsonld
from spaseq.streams.wire import WireOptions, WireReport

KINDS = (*DELIMITED_FORMATS, "jsonld", "jelly")


def read_wholes(
    kind: str,
    source: BinaryIO,
    path: str,
    stream: str,
    options: WireOptions,
    report: WireReport,
    encoder: Encoder | None = None,
) -> Iterator[Events]:
    """Give the events of a source of messages as they come; ``kind`` is one of KINDS.

    ``source`` has ``read1`` and ``peek``.  A wire error is raised as StreamError after the events before
    it, or, with ``options.skip``, noted in ``report``.
    """
    assembler = EventAssembler(stream, options, report, encoder)
    if kind in DELIMITED_FORMATS:
        yield from read_delimited(source, path, kind, assembler)
    elif kind == "jsonld":
        yield from read_jsonld(source, path, assembler)
    else:
        yield from read_jelly(source, path, assembler)
