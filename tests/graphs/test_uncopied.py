"""What has a state is neither copied nor pickled: the error says in one line what to do instead."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import spaseq
import spaseq.tuples
from spaseq.paths import EdgeStream

SPASEQ = """SELECT ?a WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {
  SEQ(A) DEFINE GPM A ON s { ?x <urn:p> ?a } }"""
CEQL = "SELECT * WHERE A AS a ; B AS b WITHIN 10 EVENTS"
WALKS = "QUERY q FROM <urn:a> ANY SHORTEST <urn:p>+"
ROWS = [{"type": "A"}, {"type": "B"}]
STATEFUL: dict[str, Callable[[], Any]] = {
    "Engine": spaseq.Engine,
    "Engine of tuples": spaseq.tuples.Engine,
    "Run": lambda: spaseq.run(SPASEQ, {"s": []}),
    "EdgeStream": lambda: EdgeStream(WALKS, 10),
    "Matches": lambda: spaseq.tuples.match(CEQL, ROWS),
    "ManyMatches": lambda: spaseq.tuples.match({"q": CEQL}, ROWS),
    "Aggregates": lambda: spaseq.tuples.match("SELECT COUNT(*) AS n WHERE A", ROWS),
    "Tables": lambda: spaseq.tuples.Engine().push_tables(ROWS),
}


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("name", STATEFUL)
def test_no_copies(name: str, way: Callable[[Any], object]) -> None:
    with pytest.raises(spaseq.OptionError, match="is neither copied nor pickled") as caught:
        way(STATEFUL[name]())
    message = str(caught.value)
    assert message.startswith(name.split()[0]) and "\n" not in message
    assert "snapshot()" in message or name == "Tables"


def test_what_never_changes_is_copied_and_pickled() -> None:
    for prepared in (spaseq.prepare(SPASEQ), spaseq.tuples.prepare(CEQL)):
        assert copy.copy(prepared) is copy.deepcopy(prepared) is prepared
        assert pickle.loads(pickle.dumps(prepared)) is prepared


def test_an_engine_that_was_not_copied_goes_on() -> None:
    engine = spaseq.tuples.Engine()
    engine.register(CEQL, "q")
    engine.push(ROWS[:1])
    with pytest.raises(spaseq.OptionError):
        copy.copy(engine)
    other = spaseq.tuples.Engine.restore(engine.snapshot(), {"q": CEQL})
    for one in (engine, other):
        ((_, table),) = one.push(ROWS[1:])
        assert table["positions"].to_pylist() == [[0, 1]]
