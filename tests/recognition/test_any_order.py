"""``φ ALL ψ``: from a table to matches against the oracle, in all strategies; and what it costs in places."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from spaseq.errors import QueryError
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import planned
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.exhaustive import correlated, formulas, queries, streams
from tests.oracle.ceql.generate import Size, random_pair
from tests.oracle.ceql.text import to_text
from tests.recognition.deep import KINDS
from tests.recognition.harness import run
from tests.tuples.tables import answers

ANY_ORDER = Size(any_order=True)


@pytest.mark.parametrize("kind", KINDS)
def test_random_pairs(kind: str) -> None:
    for seed in range(25):
        pair, chance = random_pair(seed, ANY_ORDER), Random(f"{kind} {seed}")
        query = KINDS[kind](pair.query, chance)
        pair = type(pair)(query, pair.events, pair.labels)
        assert disagreement(query, pair.events, answers(pair, chance.randrange(1, 9), ())) is None, to_text(query)


def test_small_worlds() -> None:
    """All formulas of two operators on streams of a few events, some of the pairs."""
    worlds = [tuple(stream) for stream in streams()]
    some = ((query, stream) for query in queries(formulas(2, any_order=True)) for stream in worlds)
    for query, stream in islice(some, 0, None, 600):
        assert disagreement(query, stream, run(to_text(query), stream)) is None, (to_text(query), stream)


def test_small_worlds_of_filters() -> None:
    worlds = [tuple(stream) for stream in islice(streams(values=(0, 1)), 0, None, 7)]
    asked = queries(correlated(2, any_order=True))
    for query, stream in islice(((query, stream) for query in asked for stream in worlds), 0, None, 4000):
        pair = random_pair(0, ANY_ORDER)
        pair = type(pair)(query, stream, pair.labels)
        assert disagreement(query, stream, answers(pair, 3, ())) is None, (to_text(query), stream)


def states(formula: str) -> int:
    parsed = parse(f"SELECT * FROM S WHERE {formula}")
    return len(planned(parsed.query, parsed.normal_form).automaton.states)


def test_places() -> None:
    """A side of its own for each set of types that came, told apart by the last of them."""
    assert states("A ALL B") == 4
    assert states("A ALL B ALL C") == 12
    assert states("A ALL A") == 5
    assert states(" ALL ".join("ABCDEFGH")) == 8 * 2**7


def test_too_many_orders() -> None:
    with pytest.raises(QueryError, match="ALL stands for more than 4,096 picks"):
        states(" ALL ".join("ABCDEFGHIJK"))
