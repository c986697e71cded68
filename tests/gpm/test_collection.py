"""Terms of events are collectable; knowledge and compiled patterns outlive collections."""

from __future__ import annotations

import numpy as np
import pytest

from gpm.algebra import Group
from gpm.background import BackgroundGraphs
from gpm.evaluator import Evaluator
from gpm.external import ExternalEvaluator
from gpm.scope import in_scope
from gpm.tables import CellEncoder
from nfa_native.terms.dictionary import Terms
from tests.gpm.cases import EVENTS, KNOWLEDGE, PLAIN, WITH_KNOWLEDGE
from tests.gpm.worlds import NS, Row, call, plain, sets

ALL = PLAIN | WITH_KNOWLEDGE
KB = BackgroundGraphs({NS + "kb": KNOWLEDGE})
CELLS = [b"<urn:a>", b"", b'"a"', b"5", b"4611686018427387904"]


def as_bytes(found: list[set[Row]], terms: Terms) -> list[set[tuple[bytes | None, ...]]]:
    """Rows of words as rows of terms."""
    return [{tuple(terms.bytes(word) if word else None for word in row) for row in rows} for rows in found]


@pytest.mark.parametrize(("text", "pattern"), ALL.values(), ids=ALL)
def test_patterns_give_the_same_after_a_collection(text: str, pattern: Group) -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    variables = tuple(sorted(in_scope(pattern)))
    compiled = evaluator.compile(pattern, variables)
    others = Terms()
    expected = as_bytes(plain(text, EVENTS, variables, others, KB), others)
    for _ in range(2):
        (rows,) = evaluator.evaluate_graphs(EVENTS, [compiled])
        assert as_bytes(sets(rows, len(EVENTS)), terms) == expected
        terms.collect([])
        terms.intern_many_transient([b"Iurn:other:%d" % n for n in range(50)])  # they take the numbers of the others


def test_what_an_event_brought_is_freed() -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    patterns = [evaluator.compile(pattern, tuple(sorted(in_scope(pattern)))) for _, pattern in PLAIN.values()]
    evaluator.evaluate_graphs(EVENTS, patterns)
    terms.collect([])
    pinned = len(terms)
    for round_ in range(3):
        shifted = [event._replace(scope=100 + round_) for event in EVENTS]
        evaluator.evaluate_graphs(shifted, patterns)
        assert len(terms) > pinned
        terms.collect([])
        assert len(terms) == pinned


def test_cells_are_forgotten_when_words_were_freed() -> None:
    terms = Terms()
    cells = CellEncoder(terms)
    cells.column(CELLS)
    terms.collect([])
    terms.intern_many_transient([b"Iurn:other:%d" % n for n in range(10)])
    words = cells.column(CELLS)
    assert terms.bytes(int(words[0])) == b"Iurn:a"
    assert terms.bytes(int(words[2])) == b"Sa"
    assert words[1] == 0


def test_cells_of_knowledge_are_pinned() -> None:
    terms = Terms()
    cells = CellEncoder(terms)
    words = cells.column(CELLS)
    terms.pin(words)
    assert terms.collect([]) == 0
    assert cells.column(CELLS).tolist() == words.tolist()


def test_forgetting_keeps_the_unbound_cell() -> None:
    cells = CellEncoder(Terms())
    cells.column(CELLS)
    cells.forget()
    assert dict(cells) == {b"": 0}


def test_answers_of_pyoxigraph_are_not_remembered_too_long() -> None:
    terms = Terms()
    external = ExternalEvaluator(terms)
    now = np.zeros(1, np.int64)
    for round_ in range(3):
        row = np.array([[terms.intern_transient(b"Surn:a")]], np.uint64)
        found = external.compute(call("CONCAT", "?a", "?a"), ["a"], row, now)
        assert terms.bytes(int(found[0])) == b"Surn:aurn:a", round_
        assert terms.collect([]) == 2
        terms.intern_many_transient([b"Iurn:other:%d:%d" % (round_, n) for n in range(4)])
        terms.collect([])
