"""How many paths there are, without making them."""

from __future__ import annotations

import pytest

from spaseq.errors import QueryError
from tests.paths.test_search import LADDER, PREFIX, graph_of


def test_counts() -> None:
    graph = graph_of("a p b", "b p c", "c p a", "b q c")
    found = graph.counts(
        PREFIX + "QUERY walks FROM ex:a ALL WALK (ex:p|ex:q){1,4} QUERY pairs FROM ex:a ex:p+ "
        "QUERY least FROM ex:a ALL SHORTEST (ex:p|ex:q)+ QUERY trails FROM ex:b TRAIL ex:p+ "
        "QUERY none FROM ex:d ex:p"
    )
    assert dict(found) == {"walks": 7, "pairs": 3, "least": 5, "trails": 3, "none": 0}
    assert (found.total, found.complete, len(found)) == (18, True, 5)
    assert found.warnings == ("none: no node of the graph is <http://ex.org/d>",)


def test_more_walks_than_anybody_could_make() -> None:
    assert LADDER.counts(f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r){{60}}")["q"] == 2**60
    found = LADDER.counts(f"{PREFIX}QUERY q FROM ex:0, ex:1 ALL WALK (ex:l|ex:r|^ex:l|^ex:r){{62}}")["q"]
    assert 2**64 < found < 2**126
    with pytest.raises(QueryError, match="q: there are more than 10"):
        LADDER.counts(f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r|^ex:l|^ex:r){{100}}")


def test_not_back() -> None:
    graph = graph_of("a p b", "b p a", "b p c", "c p b")
    for text, walks in [("ex:p{4}", 4), ("ex:p{4} NOT BACK TO START", 1)]:
        assert graph.counts(f"{PREFIX}QUERY q FROM ex:a ALL WALK {text}")["q"] == walks
        assert len(graph.match(f"{PREFIX}QUERY q FROM ex:a ALL WALK {text}")) == walks


def test_budgets() -> None:
    query = f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r){{,40}}"
    some = LADDER.counts(query, most_edges=30)
    assert not some.complete and 0 < some["q"] < LADDER.counts(query)["q"] == 2**41 - 1
    assert repr(some).endswith(", not all>")
    assert not LADDER.counts(f"{PREFIX}QUERY q FROM ex:0 TRAIL (ex:l|ex:r)+", most_edges=1000).complete
