"""Events of rows are what pyoxigraph's CONSTRUCT makes of each row (``tests.oracle.mappings``): 20,000 random rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from pyoxigraph import Quad, Triple

from gpm.encoder import renewed, text_column
from gpm.lines import QuadLines
from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.sources.mapped.graphs import MadeEvents
from tests.mapped.compared import disagreement, events_of, expected, made_of, random_parts, random_rows, shown


@pytest.mark.parametrize("seed", range(0, 400, 10))
def test_random_mappings(seed: int) -> None:
    for number in range(seed, seed + 10):
        assert disagreement(number) is None


def texts_of(made: MadeEvents) -> list[str]:
    """All triples of each event, as lines of N-Quads have them."""
    ends, text = text_column(made.graphs, pruned=False)
    lines = [text[begin:end] for begin, end in pairwise(ends.tolist())]
    return [shown([[Triple(*quad) for quad in map(terms_of, QuadLines(one))]]) for one in lines]


def terms_of(quad: Quad) -> tuple[Any, Any, Any]:
    return quad.subject, quad.predicate, quad.object


@pytest.mark.parametrize("seed", range(100))
def test_all_triples_are_made_when_somebody_asks(seed: int) -> None:
    draw = Random(seed)
    parts, rows = random_parts(draw), random_rows(draw)
    encoder = Encoder(Terms())
    made = made_of(parts, rows, encoder)  # no query wants anything
    assert made.graphs.triples.shape == (3, 0)
    graphs = [graph for *_, graph in expected(parts, rows)[0]]
    assert texts_of(made) == graphs
    assert [shown([one.triples]) for one in made.graphs.graphs()] == graphs
    encoder.want([(0, 0, 0)])
    again = MadeEvents(made.row, renewed(encoder, made.graphs), made.names, [], made.solved, made.end)
    assert [graph for *_, graph in events_of(again, encoder.terms)] == graphs
    some = made.graphs.take(np.arange(0, len(made.row), 2)).compact()
    assert [shown([one.triples]) for one in some.graphs()] == graphs[::2]


SUBJECTS = [f"<http://e/s{{?{name}}}>" for name in "itdfwb"]  # of one column


@pytest.mark.parametrize("subject", [*SUBJECTS, "<http://e/e{?i}>", "<http://e/{?t}/e/{?i}>", "?x"])
def test_subjects_that_are_only_compared_in_their_event(subject: str) -> None:
    """Other words may stand for them, as long as the same ones are the same; all else is equal."""
    terms, differ = Terms(), 0
    for draw in map(Random, range(60)):
        objects = " , ".join(draw.choice(["?t", "?d", "5", "<http://e/c>", "<http://e/o{?i}>"]) for _ in range(2))
        parts = replace(random_parts(draw), construct=f"{subject} <http://e/p> {objects} ; <http://e/q> ?f")
        rows, exact, local = random_rows(draw), Encoder(terms), Encoder(terms)
        exact.want([(0, 0, 0)])
        local.want([(0, 0, 0)], subjects=False)
        one, other = made_of(parts, rows, exact), made_of(parts, rows, local)
        assert (one.row.tolist(), one.malformed) == (other.row.tolist(), other.malformed)
        assert list(one.names or ()) == list(other.names or ())
        assert one.graphs.offsets.tolist() == other.graphs.offsets.tolist()
        assert one.graphs.triples[1:].tolist() == other.graphs.triples[1:].tolist()
        pairs = set(zip(one.graphs.triples[0].tolist(), other.graphs.triples[0].tolist(), strict=True))
        assert len(pairs) == len({iri for iri, _ in pairs}) == len({word for _, word in pairs})
        differ += any(iri != word for iri, word in pairs)
        local.want([(0, 0, 0)])
        assert renewed(local, other.graphs).triples.tolist() == one.graphs.triples.tolist()
    assert bool(differ) == ("{?t}/e/" not in subject)  # of two columns different values may make the same


@pytest.mark.parametrize("seed", range(100))
def test_triples_that_no_query_uses_are_not_made(seed: int) -> None:
    draw = Random(seed)
    parts, rows = random_parts(draw), random_rows(draw)
    encoder = Encoder(Terms())
    used = encoder.terms.intern(b"Ihttp://e/p")
    encoder.want([(0, used, 0)])
    made = made_of(parts, rows, encoder)
    events, malformed, _ = expected(parts, rows)
    assert made.row.tolist() == [row for row, *_ in events] and [row for row, _ in made.malformed] == malformed
    wanted = [
        [line for line in graph.split("\n") if " <http://e/p> " in line and "_:" not in line] for *_, graph in events
    ]
    found = [
        [line for line in graph.split("\n") if " <http://e/p> " in line and "_:" not in line]
        for *_, graph in events_of(made, encoder.terms)
    ]
    assert found == wanted
    if "?x <" not in parts.construct and " ?x " not in parts.construct:
        assert (made.graphs.triples[1] == used).all()
