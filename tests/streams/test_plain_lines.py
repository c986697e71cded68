"""The quick look at N-Quads: what it calls plain, the strict parser accepts, and its runs are right."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse

from gpm.lines import QuadLines
from gpm.rows import EventGraph
from gpm.staging import stage
from nfa_native.lines import plain_runs

IRIS = ["<http://ex.org/a>", "<urn:s:1>", "<https://ex.org:80/a/b#c>", "<a:b?x=1&y=2>", "<a://h>", "<x+y.z-1:~>"]
IRI = st.sampled_from(IRIS)
LABEL = st.sampled_from(["_:a", "_:b1", "_:_x"])
LITERAL = st.sampled_from(
    ['"x"', '""', '"a < b > c . #"', '"é\t"', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"x"@en', '"x"@de-at']
)
SPACE = st.sampled_from([" ", "\t", "  "])
NOISE = st.text(alphabet='<>"\\_:@^. \t#/?%{}|`[]aZ09\n\r\0é\u2028', max_size=3)


@st.composite
def lines(draw: st.DrawFn) -> str:
    parts = [draw(IRI | LABEL), draw(IRI), draw(IRI | LABEL | LITERAL)]
    parts += [draw(IRI | LABEL)] if draw(st.booleans()) else []
    text = "".join(part + draw(SPACE) for part in parts) + "." + draw(st.sampled_from(["", " ", " \t"]))
    if draw(st.integers(0, 3)) == 0:  # damage it somewhere
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(NOISE) + text[at + draw(st.integers(0, 2)) :]
    return text


@settings(max_examples=1500, deadline=None)
@given(st.lists(lines() | st.sampled_from(["", "# comment", "  "]), max_size=6), st.booleans())
@example(["<a://h:80x> <a:b> <a:c> ."], True)
@example(["<a:b##c> <a:b> <a:c> ."], True)
@example(["<a:> <a:b> <a://> ."], True)
def test_plain_blocks_are_valid(texts: list[str], newline: bool) -> None:
    block = ("\n".join(texts) + ("\n" if newline else "")).encode()
    found = plain_runs(block)
    if found is None:
        return
    quads: list[Quad] = list(parse(block, RdfFormat.N_QUADS))  # raises SyntaxError if the look was too quick
    assert quads == list(parse(block, RdfFormat.N_QUADS, lenient=True))
    runs = [(name, list(run)) for name, run in groupby(quads, key=lambda quad: quad.graph_name)]
    assert [count for _, count, _ in found] == [len(run) for _, run in runs]
    assert [list(QuadLines(text, count)) for _, count, text in found] == [run for _, run in runs]
    assert [name.decode() for name, _, _ in found] == [
        "" if isinstance(name, DefaultGraph) else str(name) for name, _ in runs
    ]


@settings(max_examples=500, deadline=None)
@given(st.lists(lines(), min_size=1, max_size=6), st.sampled_from([None, ["a:b?x=1&y=2", "urn:s:1", "a://h"]]))
def test_staged_lines(texts: list[str], wanted: list[str] | None) -> None:
    """The text that goes into a store says the same as the quads one by one."""
    runs = plain_runs("\n".join(texts).encode())
    if runs is None:
        return
    plain = [EventGraph(QuadLines(text, count), 0, 7 + n) for n, (_, count, text) in enumerate(runs)]
    parsed = [EventGraph(list(event.triples), 0, event.scope) for event in plain]
    assert set(stage(plain, wanted)) == set(stage(parsed, wanted))


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ('<urn:a> <urn:b> "x" <urn:g> .', True),
        ("<urn:a> <urn:b> _:c .", True),
        ("<urn:a>\t<urn:b>  <urn:c>  <urn:g>\t.  ", True),
        ('<urn:a> <urn:b> "x\\n" .', False),
        ("<urn:a> <urn:b> <urn:c d> .", False),
        ("<urn:a> <urn:b> <rel> .", False),
        ("<urn:a> <urn:b> <urn:%zz> .", False),
        ("<urn:a> <urn:b> <urn:é> .", False),
        ('"a" <urn:b> <urn:c> .', False),
        ("<urn:a> _:b <urn:c> .", False),
        ("<urn:a> <urn:b> <urn:c>", False),
        ("<urn:a> <urn:b> <urn:c> . # comment", False),
        ("<urn:a> <urn:b", False),
    ],
)
def test_what_is_plain(line: str, plain: bool) -> None:
    assert (plain_runs(line.encode()) is not None) == plain
