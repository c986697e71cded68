"""Random N-Quads streams cut into blocks anywhere: the events, counters and errors of a plain Python model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from unittest.mock import patch

from hypothesis import HealthCheck, example, given, settings, strategies as st
from pyoxigraph import Triple

from gpm.native.assembly import Encoder
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import read_nquads
from spaseq.sources.rdf.wire import LISTED, PROV_TIME, SOSA_TIME, WireOptions, WireReport
from tests.streams.assembly_model import Found, Model, as_error

EXAMPLES = int(os.environ.get("SPASEQ_EXAMPLES", "400"))
XSD = "http://www.w3.org/2001/XMLSchema#"
NODES = ["<urn:g1>", "<urn:g\\u0031>", "<urn:g2>", "<urn:g3>", "<urn:g4>", "_:b", "_:g1"]
TIMES = [
    f'"5"^^<{XSD}integer>', f'"05"^^<{XSD}long>', f'"\\u0035"^^<{XSD}integer>', f'"7"^^<{XSD}integer>',
    f'"1970-01-01T00:00:00.000005Z"^^<{XSD}dateTime>', f'"1970-01-01T01:00:00.000005+01:00"^^<{XSD}dateTime>',
    f'"1970-13-01T00:00:00"^^<{XSD}dateTime>', f'"x"^^<{XSD}integer>', '"5"', "<urn:five>", "_:five",
]  # fmt: skip
SUBJECTS = ["<urn:s>", "<urn:\\u0073>", "<urn:t>", "_:b", "_:c", "<urn:g1>"]
OBJECTS = [
    "<urn:s>", "_:b", '"a\\nb"', '"a"@EN-us', f'"01"^^<{XSD}integer>', f'"1.00"^^<{XSD}float>',
    f'"1.50"^^<{XSD}decimal>',
    "<<( _:b <urn:p> _:c )>>", '"é"', f'"2020-01-01T24:00:00Z"^^<{XSD}dateTime>',
]  # fmt: skip

nodes = st.sampled_from(NODES)
statements = st.builds(
    "{} {} {} {} .".format,
    st.sampled_from(SUBJECTS),
    st.sampled_from(["<urn:p>", "<urn:q>", f"<{PROV_TIME}>"]),
    st.sampled_from(OBJECTS),
    nodes,
)
PROPERTIES = [PROV_TIME, SOSA_TIME, PROV_TIME.replace("d", "\\u0064")]
times = st.builds("{} <{}> {} .".format, nodes, st.sampled_from(PROPERTIES), st.sampled_from(TIMES))
good_times = st.builds("{} <{}> {} .".format, nodes, st.just(PROV_TIME), st.sampled_from(TIMES[:2]))
others = st.one_of(
    st.builds("{} <urn:p> <urn:o> .".format, nodes),
    st.sampled_from(["", "  \t", "# a comment", "# <urn:s> <urn:p> <urn:o> <urn:g1> ."]),
)
bad_lines = st.one_of(
    st.builds("<urn:s> <urn:p> nonsense {} .".format, st.sampled_from([n for n in NODES if "\\" not in n])),
    st.builds("<urn:s> <urn:p> <urn:o> {}".format, nodes),
    st.sampled_from(
        ["nonsense", "<urn:s> <urn:p> .", '<urn:s> <urn:p> "no end .', "<urn:s> <urn:p> <urn:\0> <urn:g1> ."]
    ),
)
lines = st.one_of(statements, statements, statements, good_times, good_times, times, others, bad_lines)
line_ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def sources(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """A stream, and the sizes of the pieces in which it comes."""
    parts = [line + draw(line_ends) for line in draw(st.lists(lines, max_size=25))]
    if parts and draw(st.booleans()):
        parts[-1] = parts[-1].rstrip("\r\n")
    data = "".join(parts).encode()
    pieces = draw(st.one_of(st.just([1 << 20]), st.lists(st.integers(1, 120), min_size=1, max_size=6)))
    return data, pieces


class Pieces:
    """A source that gives its bytes in pieces of some sizes, again and again."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data, self.sizes, self.at, self.turn = data, sizes, 0, 0

    def read1(self, _size: int) -> bytes:
        piece = self.data[self.at : self.at + self.sizes[self.turn % len(self.sizes)]]
        self.at, self.turn = self.at + len(piece), self.turn + 1
        return piece


def read(
    data: bytes, sizes: list[int], skip: bool, bounds: tuple[int, int], encoder: Encoder
) -> tuple[list[Events], Found]:
    """What the reader gives, once as it is and once in the model's form without events."""
    report, found, columns = WireReport(), Found(), []
    names = ("REMEMBERED", "MOST_NAMED")
    with patch.multiple("spaseq.sources.rdf.assembler", **dict(zip(names, bounds, strict=True))):
        assembler = Recorder(report, skip, encoder)
        source: Iterator[Events] = read_nquads(Pieces(data, sizes), "f", assembler)  # type: ignore[arg-type]
        try:
            columns.extend(source)
        except StreamError as error:
            assert as_error(error) == assembler.errors[-1]
    found.errors, found.ignored, found.unused_times = assembler.errors, report.ignored, report.unused_times
    assert report.events == sum(map(len, columns))
    assert report.errors == len(found.errors)
    return columns, found


class Recorder(EventAssembler):
    """An assembler that keeps its errors in the model's form."""

    def __init__(self, report: WireReport, skip: bool, encoder: Encoder) -> None:
        super().__init__("urn:s", WireOptions(skip=skip), report, encoder)
        self.errors: list[tuple[str, int, int, str]] = []

    def _error(self, error: StreamError) -> None:
        self.errors.append(as_error(error))
        super()._error(error)


def words(triple: Triple, terms: Terms, scope: int) -> tuple[int, ...]:
    return tuple(encode(terms, term, scope) for term in (triple.subject, triple.predicate, triple.object))


def columns_of(events: Events, number: int) -> set[tuple[int, ...]]:
    """The encoded triples of an event."""
    start, stop = events.graphs.offsets[number : number + 2].tolist()
    return set(map(tuple, events.graphs.triples[:, start:stop].T.tolist()))


G1, G2 = (f"<urn:s> <urn:p> <urn:o> <urn:g{n}> .\n" for n in (1, 2))
G3, G4 = (f"<urn:s> <urn:p> <urn:o> <urn:g{n}> .\n" for n in (3, 4))
T1, T2, T3, T4 = (f"<urn:g{n}> <{PROV_TIME}> {TIMES[0]} .\n" for n in (1, 2, 3, 4))
AGAIN = T1 + G1 + T2 + G2 + T3 + G3 + T4 + T1 + T2 + G1 + G2 + G4


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(sources(), st.booleans(), st.tuples(st.sampled_from([1, 2, 3, 100]), st.sampled_from([1, 17, 25, 1000])))
@example((AGAIN.encode(), [1 << 20]), True, (2, 99))  # a graph waits again whose name was forgotten
@example((AGAIN.encode(), [1 << 20]), True, (100, 17))  # of two names of eight bytes
@example((f"{T1}{G1}{G2}\n\n".encode(), [len(T1 + G1 + G2), 1]), True, (100, 999))  # the end, after empty blocks
@example((b"nonsense\r", [100]), True, (100, 999))  # the last line has an end
@example(
    ((T1.replace("d", "\\u0064") + G1).encode(), [1 << 20]), True, (100, 999)
)  # an escape in the property of a time
def test_equals_reading_line_by_line(source: tuple[bytes, list[int]], skip: bool, bounds: tuple[int, int]) -> None:
    data, sizes = source
    terms = Terms()
    encoder = Encoder(terms)
    encoder.want([(0, 0, 0)])
    expected = Model(skip, *bounds).read(data)
    columns, found = read(data, sizes, skip, bounds, encoder)
    # Where errors lie is worked out as long as it is listed.
    shown = [error if n < LISTED else (error[0], 0, 0, error[3]) for n, error in enumerate(expected.errors)]
    assert [error if n < LISTED else (error[0], 0, 0, error[3]) for n, error in enumerate(found.errors)] == shown
    assert found.ignored == expected.ignored
    if skip or not expected.errors:  # else reading stopped somewhere
        assert found.unused_times == expected.unused_times
    events = [(events, number) for events in columns for number in range(len(events))]
    assert [(some[n].name, some[n].timestamp) for some, n in events] == [(e.name, e.time) for e in expected.events]
    for (some, number), event in zip(events, expected.events, strict=True):
        assert {str(quad.triple) for quad in some[number].triples} == set(map(str, event.triples))
        scope = int(some.graphs.scopes[number])
        assert columns_of(some, number) == {words(triple, terms, scope) for triple in event.triples}
