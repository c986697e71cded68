"""Many events given whole as columns of texts: as the same events one by one, and without a trace of bad ones."""

from __future__ import annotations

import os
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pyoxigraph import NamedNode

from gpm.encoder import event_batch
from gpm.native.assembly import Assembler, Encoder
from gpm.native.single import SingleEvent
from gpm.rows import TextRows
from nfa_native.terms.dictionary import Terms

EXAMPLES = int(os.environ.get("SPASEQ_EXAMPLES", "300"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
TRIPLES = [
    b"<urn:s> <urn:p> <urn:o> .", b'<urn:s> <urn:q> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    b"_:b <urn:p> _:c .", b"<urn:s> <urn:p> <urn:o> <urn:g> .", b"<urn:s> <urn:q> <urn:x> <urn:g> .",
    b"<urn:s> <urn:p> <urn:o> <urn:\\u0067> .", b"<urn:s> <urn:p> <urn:o> _:g .", b"# a comment", b"",
    b"<urn:s> <urn:p> <urn:o>", b"<urn:s> <urn:p> <urn:o> .\r", b"<urn:s> <urn:other> <urn:o> .", b"\xff\xfe",
    b"@prefix : <urn:> .", "<urn:é> <urn:p> \"é\"@en .".encode(), b"<urn:a b> <urn:p> <urn:o> .",
    b"<urn:s> <urn:p> <<( <urn:a> <urn:b> \"c\" )>> .", b"<urn:s> <urn:p> \"a\0b\" .",
]  # fmt: skip
NAMES = ["", "", "urn:event", "http://example.org/é", "urn:a b", "urn:x>", "relative", "urn:\\u0065", "a:", "urn:\0"]
graphs = st.builds(
    lambda lines, ended: b"\n".join(lines) + b"\n" * ended,
    st.lists(st.sampled_from(TRIPLES[:4]) | st.sampled_from(TRIPLES), max_size=4), st.booleans(),
)  # fmt: skip
rows = st.lists(st.tuples(st.integers(-5, 5), graphs, st.sampled_from(NAMES)), max_size=8)


def column(texts: list[bytes], wide: bool = True, before: bytes = b"", behind: bytes = b"") -> TextRows:
    """A column as Arrow has it, maybe a slice of a longer one."""
    starts = np.array(list(accumulate(map(len, texts), initial=len(before))), np.int64 if wide else np.int32)
    data = before + b"".join(texts) + behind
    return starts, memoryview(data) if wide else data


def encoder(terms: Terms, everything: bool = True) -> Encoder:
    made = Encoder(terms)
    made.want([(0, 0, 0)] if everything else [(0, terms.intern(b"Iurn:p"), 0)])
    return made


def facts(event: SingleEvent) -> tuple[Any, ...]:
    return event.time, event.scope, event.name, bytes(event.text), event.triples.tolist()  # type: ignore[arg-type]


def one_by_one(assembler: Assembler, some: list[tuple[int, bytes, str]]) -> dict[int, tuple[Any, ...]]:
    """The events among rows, by number."""
    found = {}
    for number, (time, graph, name) in enumerate(some):
        if name:
            try:
                NamedNode(name)
            except ValueError:
                continue
            if "\\" in name:
                continue  # left to a closer look
        event = assembler.single(time, graph)
        if event is not None:
            event.name = name or event.name
            found[number] = facts(event)
    return found


def at_once(assembler: Assembler, some: list[tuple[int, bytes, str]], wide: bool) -> dict[int, tuple[Any, ...]]:
    """The same from columns; behind each bad row it goes on."""
    numbers, at, good = np.arange(len(some)), 0, []
    times = np.array([time for time, _, _ in some], np.int64)
    texts = column([graph for _, graph, _ in some], wide, b"<urn:s> <urn:", b"> .\n" if wide else b"")
    names = column([name.encode() for _, _, name in some], not wide, behind=b">")
    while at < len(some):
        taken = assembler.add_many(numbers[at:], times, texts, names)
        good += numbers[at : at + taken].tolist()
        at += taken + 1
    columns = assembler.take()
    batch = event_batch(assembler, columns)
    starts = [0, *columns["name_ends"].tolist()]
    return {
        number: (
            int(batch.times[n]), int(batch.scopes[n]), columns["names"][starts[n] : starts[n + 1]].decode(),
            batch.texts[n].data, batch.triples[:, batch.offsets[n] : batch.offsets[n + 1]].tolist(),  # type: ignore[attr-defined]
        )
        for n, number in enumerate(good)
    }  # fmt: skip


@QUICK
@given(rows, st.booleans(), st.booleans())
def test_rows_are_events_as_single_ones(some: list[tuple[int, bytes, str]], wide: bool, everything: bool) -> None:
    terms = Terms()
    wanted = one_by_one(Assembler(encoder(terms, everything), ()), some)
    assert at_once(Assembler(encoder(terms, everything), ()), some, wide) == wanted


def test_chosen_rows_in_their_order() -> None:
    assembler = Assembler(encoder(Terms()), ())
    texts = column([b"<urn:s> <urn:p> <urn:%d> .\n" % n for n in range(5)])
    assert assembler.add_many(np.array([3, 0, 4]), np.arange(5), texts) == 3
    batch = event_batch(assembler, assembler.take())
    assert batch.times.tolist() == [3, 0, 4]
    assert [str(graph.triples[0].object) for graph in batch.graphs()] == ["<urn:3>", "<urn:0>", "<urn:4>"]
    assert batch.texts.blocks[0] == texts[1]
    assert len(batch.take(np.array([1])).compact().texts.blocks[0]) == len(b"<urn:s> <urn:p> <urn:0> .\n")


def test_a_graph_that_is_too_large() -> None:
    assembler = Assembler(encoder(Terms()), (), largest=30)
    texts = column([b"<urn:s> <urn:p> <urn:o> .\n", b"<urn:s> <urn:p> <urn:longer> .\n"])
    assert assembler.add_many(np.arange(2), np.arange(2), texts) == 1


LINE = b"<urn:s> <urn:p> <urn:o> .\n"
WRONG: list[tuple[list[int], list[int], list[int]]] = [
    ([0, 26], [1], [0]), ([0, 27], [0], [0]), ([-1, 26], [0], [0]), ([5, 4], [0], [0]), ([0, 26], [0], [0, 1]),
    ([0, 26], [-1], [0]), ([0, 26, 26], [0], [0]), ([], [0], []),
]  # fmt: skip


@pytest.mark.parametrize(("starts", "chosen", "times"), WRONG)
def test_columns_that_do_not_fit(starts: list[int], chosen: list[int], times: list[int]) -> None:
    assembler = Assembler(encoder(Terms()), ())
    for kind in (np.int32, np.int64):
        texts = np.array(starts, kind), LINE
        with pytest.raises(ValueError, match=r"row|times"):
            assembler.add_many(np.array(chosen), np.array(times, np.int64), texts)
    assert assembler.add_many(np.array([0]), np.array([0]), (np.array([0, len(LINE)]), LINE)) == 1


@pytest.mark.parametrize("starts", [[0, 27], [-1, 26], [5, 4], [0, 26, 26], [0], []])
def test_names_that_do_not_fit(starts: list[int]) -> None:
    assembler = Assembler(encoder(Terms()), ())
    good = np.array([0, len(LINE)]), LINE
    with pytest.raises(ValueError, match=r"row|names"):
        assembler.add_many(np.array([0]), np.array([0]), good, (np.array(starts, np.int32), LINE))
