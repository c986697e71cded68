"""How RDF streams lie on the wire: the options of reading, and the account of what went wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pyoxigraph import Literal

from spaseq.errors import OptionError, StreamError
from spaseq.streams.losses import Loss, counted, were
from spaseq.streams.timestamps import GREATEST, LEAST, from_xsd

# All was read; the end of the rest is not there; pyoxigraph has to read on; it goes on with the next call.
TAKEN, CUT_OFF, UNSURE, PAUSED = range(4)
DELIMITER = b"MESSAGE\n"  # the line behind a message


PROV_TIME = "http://www.w3.org/ns/prov#generatedAtTime"
SOSA_TIME = "http://www.w3.org/ns/sosa/resultTime"
AS_TIME = "https://www.w3.org/ns/activitystreams#published"
TIME_PROPERTIES = (PROV_TIME, SOSA_TIME, AS_TIME)

_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATETIMES = frozenset({_XSD + "dateTime", _XSD + "dateTimeStamp"})
_INTEGER_NAMES = (
    "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger",
    "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
)  # fmt: skip
_INTEGERS = frozenset(_XSD + name for name in _INTEGER_NAMES)
_INTEGER = re.compile(r"[+-]?\d{1,30}", re.ASCII)

REMEMBERED = 65_536  # graph names and waiting times that a source remembers (semantics.md 3.4)
MOST_NAMED = 1 << 26  # bytes of these names, and of those of the times
LARGEST_EVENT = 1 << 26  # bytes of the lines of an event
LISTED = 10  # positions of errors kept
REST_IS_LOST = "the rest of this source is not read"


@dataclass(frozen=True, slots=True)
class WireOptions:
    """``time_properties``: predicates in the default graph that give an event its time.

    ``time_unit``: microseconds that an integer time counts.  ``skip``: go on after an error, losing its event.
    """

    time_properties: tuple[str, ...] = TIME_PROPERTIES
    time_unit: int = 1
    skip: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.time_properties, str) or not self.time_properties:
            raise OptionError("time_properties is a tuple with at least one IRI")
        if not isinstance(self.time_unit, int) or self.time_unit < 1:
            raise OptionError("the time unit must be at least a microsecond")


OnSkip: TypeAlias = Callable[[StreamError, bytes], object]  # what is wrong, and with which bytes


@dataclass(slots=True)
class WireReport:
    """What reading met, summed over the sources that share the report.

    ``errors`` counts wire errors (only with ``skip`` can it exceed one), ``positions`` lists the first ten as
    ``path:line:column: message``; ``ignored`` counts default-graph statements that are no times, ``unused_times`` the
    times whose graph never came, ``cut`` the sources whose rest could not be read.  ``first`` says where each of these
    three was first met.
    """

    events: int = 0
    errors: int = 0
    ignored: int = 0
    unused_times: int = 0
    cut: int = 0
    skipped: int = 0  # of the errors, those after which reading went on
    dropped: int = 0  # messages of a transport that nobody got, because reading was too slow
    positions: list[str] = field(default_factory=list)
    first: dict[str, str] = field(default_factory=dict)
    on_skip: OnSkip | None = None  # is given what is skipped
    whole: bytes | None = None  # the message that is read

    def note(self, error: StreamError, skipped: bool = False) -> None:
        """Count ``error`` and list it if it is among the first ten; ``skipped``: reading goes on after it.

        What is skipped is the message that is read, or else what the error says: a line of a file, say.
        """
        self.errors += 1
        self.skipped += skipped
        if skipped and self.on_skip is not None:
            self.on_skip(error, error.location.data if self.whole is None else self.whole)
        if skipped and error.hint == REST_IS_LOST:
            self.cut += 1
            self.first.setdefault("cut", f"at {error.location}")
        if len(self.positions) < LISTED:
            self.positions.append(f"{error.location}: {error.message}")

    def wants_position(self) -> bool:
        """Whether the position of one more error would be listed."""
        return len(self.positions) < LISTED or self.on_skip is not None

    def to_dict(self) -> dict[str, object]:
        """The same as a dictionary fit for JSON."""
        return {
            "events": self.events,
            "errors": self.errors,
            "first_errors": list(self.positions),
            "ignored_statements": self.ignored,
            "unused_times": self.unused_times,
            "cut_sources": self.cut,
            **({"dropped_messages": self.dropped} if self.dropped else {}),
            "first": dict(self.first),
        }


def unread(iri: str, report: WireReport) -> Iterator[Loss]:
    """What reading a stream dropped."""
    first = dict(report.first)
    of = f"of <{iri}>"
    if report.skipped:
        number = f"{counted(report.skipped, 'malformed event')} {of}"
        yield Loss(f"{number} {were(report.skipped)} skipped", "mend the source", f"at {report.positions[0]}")
    if report.cut:
        number = f"the rest of {counted(report.cut, 'source')} {of}"
        yield Loss(f"{number} was not read after an error", "mend the source", first.get("cut", ""))
    if report.dropped:
        number = f"{counted(report.dropped, 'message')} {of}"
        yield Loss(f"{number} {were(report.dropped)} dropped", "reading was too slow; leave overflow=drop out")
    if report.unused_times:
        number = f"{counted(report.unused_times, 'time')} {of}"
        remedy = "the name of the graph is the subject of its time"
        yield Loss(f"{number} {_have(report.unused_times)} no graph", remedy, first.get("unused_times", ""))
    if report.ignored:
        number = f"{counted(report.ignored, 'statement')} {of}"
        outside = f"outside of named graphs {were(report.ignored)} ignored"
        yield Loss(f"{number} {outside}", "an event is a named graph", first.get("ignored", ""))


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def from_literal(literal: Literal, unit: int = 1) -> int:
    """Microseconds of a time on the wire; ``unit`` is the worth of an integer.  ValueError says what is wrong."""
    datatype, text = literal.datatype.value, literal.value
    if datatype in _DATETIMES:
        return from_xsd(text)
    if datatype not in _INTEGERS:
        raise ValueError(f'the time "{text}" is neither an xsd:dateTime nor an integer')
    if not _INTEGER.fullmatch(text):
        raise ValueError(f'"{text}" is not an integer')
    microseconds = int(text) * unit
    if not LEAST < microseconds < GREATEST:
        raise ValueError(f'the time "{text}" is outside the range of 64-bit microseconds')
    return microseconds
