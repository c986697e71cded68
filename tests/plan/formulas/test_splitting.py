"""Where queries over tuples may be cut, with the reason."""

from __future__ import annotations

import pytest

from spaseq.plan.description import Partitioning
from spaseq.plan.formulas.automaton import split
from spaseq.tuples.queries import prepare


def found(text: str) -> Partitioning:
    prepared = prepare(text)
    return split(prepared.query, prepared.plan)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("SELECT * FROM S WHERE A : B PARTITION BY x, y WITHIN 3 EVENTS", ("x", "y")),
        ("SELECT STRICT * FROM S WHERE A ; B PARTITION BY x CONSUME BY PARTITION", ("x",)),
        ("SELECT * FROM S WHERE A AS a ; B AS b FILTER a[x = b.x] WITHIN 3 SECONDS", ("x",)),
        ("SELECT COUNT(*) FROM S WHERE A AS a ; B+ AS b FILTER a[x = b.x]", ("x",)),
    ],
)
def test_cut(text: str, keys: tuple[str, ...]) -> None:
    assert found(text).keys == keys


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SELECT * FROM S WHERE A ; B", "no attribute"),
        ("SELECT * FROM S WHERE A AS a : B AS b FILTER a[x = b.x]", "no attribute"),
        ("SELECT * FROM S WHERE A AS a ; B AS b FILTER a[x = b.x] WITHIN 3 EVENTS", "counts all events"),
        ("SELECT STRICT * FROM S WHERE A AS a ; B AS b FILTER a[x = b.x]", "STRICT"),
        ("SELECT * FROM S WHERE A AS a ; B AS b FILTER a[x = b.x] CONSUME BY ANY", "consumes all partial matches"),
        ("SELECT * FROM S WHERE A ; B PARTITION BY x CONSUME BY ANY", "partial matches of all partitions"),
    ],
)
def test_nowhere(text: str, why: str) -> None:
    assert not found(text).keys and why in found(text).why
