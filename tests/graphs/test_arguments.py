"""Every argument of the Python interface with values of every wrong type: an error of ours, or it is taken."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq import SpaseqError
from spaseq.languages import ceql
from spaseq.tuples import Atom, CsvFormat, Roles, encode, match, open_source
from tests.graphs.arrow_rows import table

QUERY = """SELECT ?a WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {
  SEQ(A) DEFINE GPM A ON s { ?x <urn:p> ?a } }"""
EVENTS = "SELECT * FROM S WHERE A AS x WITHIN 10 EVENTS"
TWO = "SELECT * FROM S, R WHERE A AS x WITHIN 10 EVENTS"
GRAPH = b'<urn:x> <urn:p> "1" .'
TABLE = pyarrow.table({"type": ["A"], "t": [1]})
WRONG: list[Any] = [
    None, 5, 1.5, True, b"x", [], "\ud800", "a\0b", object(), 2**70, [5], {5: 5}, {"a": 5}, ("a",),
    datetime.datetime.max,
]  # fmt: skip


def engine() -> spaseq.Engine:
    found = spaseq.Engine()
    found.register(QUERY, "q")
    return found


def run(**options: Any) -> spaseq.Run:
    return spaseq.run(QUERY, {"s": [(1, GRAPH)]}, **options)


def options_of(names: str, call: Callable[..., object]) -> dict[str, Callable[[Any], object]]:
    """The call with each of its options by itself."""
    label = getattr(call, "__name__", "")
    return {f"{label} {name}": lambda wrong, name=name: call(**{name: wrong}) for name in names.split()}


def match_with(**options: Any) -> object:
    return match(EVENTS, TABLE, **options).count()


def encode_with(**options: Any) -> object:
    return list(encode(TABLE, [Atom("A")], Roles(**options)))


def all_of(**options: Any) -> object:
    return list(run(**options))


SNAPSHOT = engine().snapshot()
CALLS: dict[str, Callable[[Any], object]] = {
    **options_of("type relation time unit time_format types csv stream on_error", match_with),
    **options_of("type relation stream time unit partition measure keep stream_column streams", encode_with),
    **options_of("delimiter names nulls", CsvFormat),
    **options_of("background lateness on_late gpm entail", spaseq.Engine),
    **options_of("background lateness on_late options gpm entail idle idle_advance follow", all_of),
    "match query": lambda wrong: match(wrong, TABLE).count(),
    "match source": lambda wrong: match(EVENTS, wrong, type="type").count(),
    "match sources": lambda wrong: match(TWO, {"S": wrong, "R": TABLE}, time="t").count(),
    "open_source": open_source,
    "open_source types": lambda wrong: open_source(TABLE, wrong),
    "open_source csv": lambda wrong: open_source(TABLE, None, wrong),
    "encode atoms": lambda wrong: list(encode(TABLE, wrong)),
    "encode roles": lambda wrong: list(encode(TABLE, [Atom("A")], wrong)),
    "register": lambda wrong: engine().register(wrong),
    "register name": lambda wrong: engine().register(QUERY, wrong),
    "register on_match": lambda wrong: engine().register(QUERY, "r", wrong),
    "unregister": lambda wrong: engine().unregister(wrong),
    "push stream": lambda wrong: engine().push(wrong, GRAPH, 1),
    "push graph": lambda wrong: engine().push("s", wrong, 1),
    "push time": lambda wrong: engine().push("s", GRAPH, wrong),
    "push event": lambda wrong: engine().push("s", GRAPH, 1, wrong),
    "push_batch": lambda wrong: engine().push_batch("s", wrong),
    "push_batch item": lambda wrong: engine().push_batch("s", [(1, GRAPH), wrong]),
    "push_batch time": lambda wrong: engine().push_batch("s", [(1, GRAPH), (wrong, GRAPH)]),
    "push_events": lambda wrong: list(engine().push_events(wrong)),
    "push_events event": lambda wrong: list(engine().push_events([wrong])),
    "push_events promise": lambda wrong: list(engine().push_events([], wrong)),
    "push_columns": lambda wrong: list(engine().push_columns(wrong)),
    "push_columns events": lambda wrong: list(engine().push_columns([wrong])),
    "push_arrow": lambda wrong: list(engine().push_arrow(wrong)),
    "push_arrow promise": lambda wrong: list(engine().push_arrow(table([]), wrong)),
    "push_arrow skip": lambda wrong: list(engine().push_arrow(table([]), None, wrong)),
    "advance": lambda wrong: engine().advance(wrong),
    "advance stream": lambda wrong: engine().advance(1, wrong),
    "close": lambda wrong: engine().close(wrong),
    "update_background": lambda wrong: engine().update_background(wrong),
    "update_background graph": lambda wrong: engine().update_background({"urn:k": wrong}),
    "restore": lambda wrong: spaseq.Engine.restore(wrong, [QUERY]),
    "restore queries": lambda wrong: spaseq.Engine.restore(SNAPSHOT, wrong),
    "run query": lambda wrong: list(spaseq.run(wrong, {"s": [(1, GRAPH)]})),
    "run streams": lambda wrong: list(spaseq.run(QUERY, wrong)),
    "run stream": lambda wrong: list(spaseq.run(QUERY, {"s": wrong})),
    "to_arrow types": lambda wrong: run().to_arrow(wrong),
    "to_arrow query": lambda wrong: run().to_arrow(None, wrong),
    "empty": lambda wrong: run().empty(wrong),
    "parse": spaseq.parse,
    "parse CEQL": ceql.parse,
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments(name: str) -> None:
    """Nothing else than an error of ours; what is refused as a rule is refused at least once."""
    refused = 0
    for wrong in WRONG:
        try:
            CALLS[name](wrong)
        except SpaseqError as error:
            assert str(error)
            refused += 1
    assert refused or name == "all_of follow"
