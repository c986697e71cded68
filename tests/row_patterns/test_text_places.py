"""Texts at places that are in their order, however they come."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pyarrow
import pytest

from spaseq import tuples
from spaseq.tuples.row_patterns import row_stream
from spaseq.tuples.row_patterns.text_places import NoRoomError, TextPlaces

ORDERS: dict[str, Callable[[list[str]], list[str]]] = {
    "rising": lambda texts: texts,
    "falling": lambda texts: texts[::-1],
    "any": lambda texts: Random(1).sample(texts, len(texts)),
}
TEXTS = sorted({f"{number * 7919 % 3000:x}" for number in range(3000)})


@pytest.mark.parametrize("order", ORDERS)
def test_places_are_in_the_order_of_texts(order: str) -> None:
    places = TextPlaces(["0", "zz"])
    for text in ORDERS[order](TEXTS):
        places.of(pyarrow.array([text, None]))
    found = places.of(pyarrow.array(TEXTS))
    assert (np.diff(found) > 0).all()
    assert places.of(pyarrow.array(["0", "zz"])).tolist() == [found[0], places.place("zz")]
    assert len(places) == len({*TEXTS, "0", "zz"})


def test_there_may_be_no_room() -> None:
    """Each text comes between two that lie side by side, and then another one elsewhere."""
    places, low, high = TextPlaces(["a", "b"]), "a", "b"
    with pytest.raises(NoRoomError):
        for number in range(200):
            text = low + "m"
            places.place(text)
            places.place(f"z{number:03}")
            low, high = (text, high) if number % 2 else (low, text)


@pytest.mark.parametrize("size", [1, 50])
def test_all_get_places_anew_where_there_is_none(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is undecided is looked at again: nothing else changes."""
    query = (
        "SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY k ORDER BY t MEASURES COUNT(*) AS n, MAX(A.name) AS m "
        "PATTERN (A{2,} B) DEFINE A AS A.name >= FIRST(A.name), B AS LOWER(B.name) < MIN(A.name))"
    )
    draw = Random(3)
    rows = [{"t": at, "k": at % 3, "name": draw.choice("abAB") * draw.randint(1, 5)} for at in range(400)]
    wanted = tuples.match(query, rows).to_arrow().sort_by("n").to_pylist()

    class Narrow(TextPlaces):
        def _between(self, low: int, high: int) -> int:
            if draw.random() < 0.3:
                raise NoRoomError
            return super()._between(low, high)

    monkeypatch.setattr("spaseq.tuples.row_patterns.stream_reading.TextPlaces", Narrow)
    assert row_stream.NoRoomError is NoRoomError
    engine = tuples.Engine(time="t")
    engine.register(query)
    found = [table for begin in range(0, 400, size) for _, table in engine.push(rows[begin : begin + size])]
    found += [table for _, table in engine.close()]
    assert sorted(map(repr, pyarrow.concat_tables(found).to_pylist())) == sorted(map(repr, wanted))
