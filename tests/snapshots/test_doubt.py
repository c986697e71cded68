"""What is wrong with a snapshot is a SnapshotError; what is wrong with what is given beside it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import spaseq
from spaseq import errors
from spaseq.runtime.snapshot.container import TUPLES, Container
from spaseq.runtime.snapshot.validation import validated
from spaseq.tuples import Engine

GRAPH_QUERY = "SELECT ?a WITHIN 9 SECONDS FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?x <urn:p> ?a } }"
TUPLE_QUERY = "SELECT * FROM S WHERE A ; B WITHIN 9 SECONDS"


@pytest.mark.parametrize(
    "raised", [ValueError("x"), RecursionError("x"), errors.StreamError("x"), errors.OptionError("x"), KeyError("x")]
)
def test_all_that_is_raised_becomes_one(raised: Exception) -> None:
    with pytest.raises(errors.SnapshotError, match=r"the snapshot is damaged: .*x") as found, validated():
        raise raised
    assert found.value.__cause__ is raised


@pytest.mark.parametrize(
    "raised", [errors.SnapshotError("of its own"), errors.OutOfMemoryError("x"), MemoryError(), KeyboardInterrupt()]
)
def test_what_passes(raised: BaseException) -> None:
    with pytest.raises(type(raised)) as found, validated():
        raise raised
    assert found.value is raised


def graphs() -> bytes:
    engine = spaseq.Engine(lateness=1_000_000)
    engine.register(GRAPH_QUERY, "q")
    engine.push("s", b"<urn:x> <urn:p> 1 .", 1)
    return engine.snapshot()


def tuples() -> bytes:
    engine = Engine(time="time", lateness=1_000_000)
    engine.register(TUPLE_QUERY, "q")
    engine.push([{"type": "A", "time": 1}])
    return engine.snapshot()


def changed(data: bytes, kind: Container, change: Callable[[Any], object]) -> bytes:
    """The snapshot with another header, under a digest that fits."""
    header, sections = kind.unpack(data)
    change(header)
    return kind.pack(header, sections)


def test_options_that_make_no_sense() -> None:
    def change(header: Any) -> None:
        header["engine"]["reading"]["unit"] = "years"

    with pytest.raises(errors.SnapshotError, match="damaged: the unit of time is"):
        Engine.restore(changed(tuples(), TUPLES, change), {"q": TUPLE_QUERY})


@pytest.mark.parametrize("given", [{"on_late": 5}, {"on_match": 5}], ids=str)
def test_functions_that_are_none(given: Any) -> None:
    with pytest.raises(errors.OptionError, match="is a function of"):
        spaseq.Engine.restore(graphs(), {"q": GRAPH_QUERY}, **given)
    if "on_late" in given:
        with pytest.raises(errors.OptionError, match="is a function of"):
            Engine.restore(tuples(), {"q": TUPLE_QUERY}, **given)


def test_queries_that_are_wrong() -> None:
    with pytest.raises(errors.QueryError, match="B"):
        spaseq.Engine.restore(graphs(), {"q": GRAPH_QUERY.replace("SEQ(A)", "SEQ(B)")})
    with pytest.raises(errors.QuerySyntaxError, match="FRM"):
        Engine.restore(tuples(), {"q": TUPLE_QUERY.replace("FROM", "FRM")})
