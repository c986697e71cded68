"""From the messages of a transport to events, whatever format of RDF each of them is in.

A message has whole events.  How far messages are worked out is told to where they wait, event by event as they are
given on: so a run that stopped, by an error too, goes on behind the last of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from gpm.native.assembly import Encoder
from spaseq.errors import OptionError
from spaseq.sources.files import as_stream_errors
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import KINDS
from spaseq.sources.rdf.values import ValueReader
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.transports.transport import Arrivals, MessageBatch


def read_arrivals(
    arrivals: Arrivals, stream: str, options: WireOptions, report: WireReport, encoder: Encoder
) -> Iterator[Events]:
    """The events of messages as they come, those of some messages together.  OptionError: the format is not of RDF.

    StreamError after the events before it: a message cannot be read, or is no event; with ``options.skip`` it is noted
    in ``report``, and lost alone.
    """
    reader = ValueReader(stream, options, report, encoder, _asked_format(arrivals.source.format))
    return _read(arrivals, reader, report, Events.of(stream, [], encoder))


def _read(arrivals: Arrivals, reader: ValueReader, report: WireReport, nothing: Events) -> Iterator[Events]:
    dropped = 0
    with closing(arrivals):
        while (messages := _taken(arrivals)) is not None:
            yield from _together(_decoded(reader, arrivals, messages))
            report.dropped += arrivals.source.dropped - dropped
            dropped = arrivals.source.dropped
            if arrivals.pauses():
                yield nothing


def _taken(arrivals: Arrivals) -> MessageBatch | None:
    with as_stream_errors(arrivals.source.url):
        return arrivals.take()


def _decoded(reader: ValueReader, arrivals: Arrivals, messages: MessageBatch) -> Iterator[Events]:
    """The events of messages, which count as worked out when they are asked to go on."""
    source = arrivals.source
    for done, events in reader.read_each(messages.data, lambda at: source.place(messages[at])):
        if done:
            arrivals.done(messages[done - 1])
        if events is not None:
            yield events


def _together(decoded: Iterator[Events]) -> Iterator[Events]:
    """All of it at once; before an error, what came before it."""
    found: list[Events] = []
    try:
        found += decoded
    finally:
        if found:
            yield Events.join(found)


def _asked_format(name: str) -> str | None:
    """The format that a URL asks for; None: each message tells.  OptionError: it is none of RDF."""
    if name and name not in KINDS:
        known = ", ".join(KINDS)
        raise OptionError(f"format={name}: events of streams of graphs are in {known}; rows need a mapping")
    return name or None
