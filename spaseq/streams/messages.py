"""Messages: datasets that come as wholes, each of them one event (RDF Messages, JSON-LD documents, Jelly frames)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from spaseq.errors import Location, StreamError
from spaseq.streams.event import Event
from spaseq.streams.timestamps import from_literal
from spaseq.streams.untimed import untimed_hint
from spaseq.streams.wire import WireOptions, WireReport

Locate = Callable[[str], Location]  # a text of the message ("": the message itself) -> its place
Node: TypeAlias = NamedNode | BlankNode


class Message(NamedTuple):
    """The statements of one message, in their order; ``locate`` finds a text of it in the source."""

    quads: list[Quad]
    locate: Locate


Received: TypeAlias = Message | StreamError  # a message, or what is wrong with it
BATCH = 1024  # events that are handed on together


def batches(
    messages: Iterable[Received | None], stream: str, options: WireOptions, report: WireReport
) -> Iterator[list[Event]]:
    """The events of ``stream`` that messages are, in lists; None among them says that more has to be waited for: then
    what is there is given, be it nothing.

    A wire error is raised as StreamError after the events before it, or, with ``options.skip``, noted in ``report``:
    its message is lost.
    """
    batch: list[Event] = []
    for message in messages:
        try:
            event = None if message is None else to_event(message, stream, options, report)
        except StreamError as error:
            report.note(error, options.skip)
            if options.skip:
                continue
            if batch:
                yield batch
            raise
        if event is not None:
            report.events += 1
            batch.append(event)
        if message is None or len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def to_event(message: Received, stream: str, options: WireOptions, report: WireReport) -> Event | None:
    """The event that a message is; None if it has no statements.  StreamError: it is none.

    Its graph is the message's named graph, whose time stands in the default graph, or else the default graph, with the
    time statement in it.
    """
    if isinstance(message, StreamError):
        raise message
    default = [quad.triple for quad in message.quads if isinstance(quad.graph_name, DefaultGraph)]
    named = [quad for quad in message.quads if not isinstance(quad.graph_name, DefaultGraph)]
    times = [triple for triple in default if triple.predicate.value in options.time_properties]
    if named:
        node = _only_graph(named, message.locate)
        own = [triple for triple in times if triple.subject == node]
        _count_left_out(node, default, times, message.locate, report)
        hint = "" if own else untimed_hint(str(node), message.quads, options.time_properties)
        return _event(stream, node, own, [quad.triple for quad in named], options, message.locate, hint)
    if not default:
        return None
    subject = _main_subject(times, default, message.locate)
    own = [triple for triple in times if triple.subject == subject]
    return _event(stream, subject, own, default, options, message.locate, "")


def _count_left_out(node: Node, default: list[Triple], times: list[Triple], locate: Locate, report: WireReport) -> None:
    """The statements in the default graph that say nothing of use about the named graph."""
    ignored = [triple for triple in default if triple not in times]
    unused = [triple for triple in times if triple.subject != node]
    report.ignored += len(ignored)
    report.unused_times += len(unused)
    if ignored:
        report.first.setdefault("ignored", f"at {locate(_text(ignored[0].subject))}")
    if unused:
        report.first.setdefault("unused_times", f"at {locate(_text(unused[0].subject))}")


def _event(
    stream: str,
    node: object,
    times: list[Triple],
    triples: list[Triple],
    options: WireOptions,
    locate: Locate,
    hint: str,
) -> Event:
    if not times:
        about = "message" if node is None else f"graph {node}"
        raise StreamError(f"the {about} has no time", locate(""), hint=hint)
    found = [_microseconds(triple.object, options.time_unit, locate) for triple in times]
    for triple, time in zip(times, found, strict=True):
        if time != found[0]:
            raise StreamError(f"a second time for {node}", locate(_text(triple.object)))
    return Event(stream, found[0], node.value if isinstance(node, NamedNode) else "", triples)


def _only_graph(named: list[Quad], locate: Locate) -> Node:
    """The graph of a message."""
    first = named[0].graph_name
    for quad in named:
        if quad.graph_name != first:
            other = quad.graph_name
            raise StreamError(f"a message has one named graph, this one has {first} and {other}", locate(_text(other)))
    assert isinstance(first, Node)
    return first


def _main_subject(times: list[Triple], statements: list[Triple], locate: Locate) -> object:
    """What a message without named graph is about: the subject with a time to which no statement refers."""
    subjects = list(dict.fromkeys(triple.subject for triple in times))
    if len(subjects) > 1:
        objects = {triple.object for triple in statements}
        subjects = [subject for subject in subjects if subject not in objects] or subjects
    if len(subjects) > 1:
        message = f"{subjects[0]} and {subjects[1]} have times: which is the message's?"
        hint = "a message is one event; several make a message each, or a named graph with its own time"
        raise StreamError(message, locate(_text(subjects[1])), hint=hint)
    return subjects[0] if subjects else None


def _microseconds(value: object, unit: int, locate: Locate) -> int:
    if not isinstance(value, Literal):
        raise StreamError(f"the time {value} is no literal", locate(_text(value)))
    try:
        return from_literal(value, unit)
    except ValueError as error:
        raise StreamError(str(error), locate(value.value)) from None


def _text(term: object) -> str:
    """A term as it is likely to stand in the source."""
    return term.value if isinstance(term, NamedNode | Literal) else str(term)
