"""Files of N-Quads that are cut between events give the events of the whole file, wherever they are cut."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.nquads import event_start, last_event_start, lines_in, read_part
from spaseq.streams import TIME_PROPERTIES, WireOptions, WireReport

TIME = '<urn:e{0}> <http://www.w3.org/ns/prov#generatedAtTime> "2026-01-01T00:00:{0:02}Z"^^<{1}dateTime> .'
XSD = "http://www.w3.org/2001/XMLSchema#"
QUAD = '<urn:s> <urn:p> "{1} <urn:e9> . # \\" é"@en <urn:e{0}> .  # <urn:other> .'
BLANK = "_:b{1} <urn:p> <<( _:b{1} <urn:p> <urn:o> )>> <urn:e{0}> ."
NEUTRAL = ["# <urn:a> <urn:b> <urn:c> <urn:e7> .", "", "<urn:x> <urn:label> <urn:y> .", "   "]
Row = tuple[int, str, str]


def events_of(path: Path, cuts: list[int], skip: bool = False) -> list[Row]:
    """The events of a file that is cut at these bytes: time, name, lines."""
    found: list[Row] = []
    for start, stop in pairwise(cuts):
        options = WireOptions(skip=skip)
        assembler = EventAssembler("s", options, WireReport(), Encoder(Terms()), elsewhere="elsewhere")
        for events in read_part(str(path), start, stop, assembler):
            rows = events.to_arrow(pruned=False).to_pydict()
            found += zip(map(str, rows["time"]), rows["event"], map(bytes.decode, rows["graph"]), strict=True)
    return found


def starts(path: Path, at: int) -> int:
    with path.open("rb") as file:
        return event_start(file, at, path.stat().st_size, TIME_PROPERTIES)


def event(number: int, lines: int, where: str, neutral: int | None = None) -> list[str]:
    """An event of some lines, with its time before, behind or between them."""
    quads = [(QUAD if line % 2 else BLANK).format(number, line) for line in range(lines)]
    at = {"before": 0, "between": lines // 2, "behind": lines}[where]
    found = [*quads[:at], TIME.format(number, XSD), *quads[at:]]
    return found if neutral is None else [*found[:1], NEUTRAL[neutral], *found[1:]]


@pytest.mark.parametrize("where", ["before", "between", "behind"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_cut_at_every_byte(tmp_path: Path, where: str, end: str) -> None:
    lines = [line for number in range(4) for line in event(number, 2 + number, where, number)]
    path = tmp_path / "some.nq"
    path.write_bytes(end.join([*lines, ""]).encode())
    size = path.stat().st_size
    whole = events_of(path, [0, size])
    assert len(whole) == 4
    found = {starts(path, at) for at in range(size + 1)}
    assert len(found) == 5  # the events, and the end
    for cut in found:
        assert events_of(path, [0, cut, size]) == whole
    assert events_of(path, sorted(found)) == whole


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from(["before", "between", "behind"]), st.none() | st.integers(0, 3)),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.integers(0, 3000), max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_any_file_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory,
    shapes: list[tuple[int, str, int | None]],
    cuts: list[int],
    end: str,
    ended: bool,
) -> None:
    lines = [line for number, shape in enumerate(shapes) for line in event(number, *shape)]
    path = tmp_path_factory.getbasetemp() / "any.nq"
    path.write_bytes((end.join(lines) + (end if ended else "")).encode())
    size = path.stat().st_size
    found = sorted({0, size} | {starts(path, min(at, size)) for at in cuts})
    assert events_of(path, found) == events_of(path, [0, size])


def test_the_last_event_is_open(tmp_path: Path) -> None:
    lines = [line for number in range(3) for line in event(number, 900, "behind")]
    text = "\n".join([*lines, ""]).encode()
    path = tmp_path / "growing.nq"
    for size in range(0, len(text), 7919):
        path.write_bytes(text[:size])
        with path.open("rb") as file:
            at = last_event_start(file, 0, size, TIME_PROPERTIES)
            assert at <= size
            if at:
                numbers = [name for _, name, _ in events_of(path, [0, at])]
                assert numbers == [f"urn:e{number}" for number in range(len(numbers))] and numbers
                assert b"<urn:e%d>" % len(numbers) in text[at : at + 400]
                assert last_event_start(file, at, size, TIME_PROPERTIES) == at


def test_times_that_stand_apart_are_no_silent_loss(tmp_path: Path) -> None:
    """All times first: the part that has only graphs says so, also where errors are skipped."""
    path = tmp_path / "apart.nq"
    path.write_text("\n".join([*(TIME.format(n, XSD) for n in range(4)), *(QUAD.format(n, 0) for n in range(4)), ""]))
    size = path.stat().st_size
    cut = starts(path, size // 2)
    assert len(events_of(path, [0, size])) == 4
    for skip in (False, True):
        with pytest.raises(StreamError, match="hint: elsewhere") as caught:
            events_of(path, [0, cut, size], skip)
        assert caught.value.line > 4


def test_errors_have_the_lines_of_the_file(tmp_path: Path) -> None:
    lines = [line for number in range(4) for line in event(number, 3, "before")]
    lines.insert(10, "<urn:s> no <urn:e2> .")
    path = tmp_path / "bad.nq"
    path.write_text("\n".join([*lines, ""]))
    size = path.stat().st_size
    cut = starts(path, size // 3)
    assert 0 < cut < size
    for cuts in ([0, size], [0, cut, size]):
        with pytest.raises(StreamError) as caught:
            events_of(path, cuts)
        assert (caught.value.line, caught.value.column) == (11, 9)


@pytest.mark.parametrize("text", [b"", b"\n", b"a\r\nb\rc\n", b"a\r", b"\r\n" * 700_000, b"\r" * 9])
def test_lines_are_counted(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(text)
    assert lines_in(str(path), len(text)) == text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
