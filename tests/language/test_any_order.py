"""``X && Y``: what is refused is what the oracle refuses, and what warnings say of it, and do not say."""

from __future__ import annotations

import pytest

from spaseq.errors import QueryError
from spaseq.languages.spaseq import format_query, parse
from tests.oracle.generate import Size, random_pair
from tests.oracle.model import Node
from tests.oracle.test_any_order import ALLOWED, REFUSED
from tests.oracle.text import sequence_text, to_text

SIZE = Size(4, 7, 1, 3, any_order=True)


def query(sequence: str, gpms: str = "", partition: str = "") -> str:
    defined = "".join(f"DEFINE GPM {name} ON S {{ ?s <http://e/{name}> ?{name.lower()} }}\n" for name in "ABCDN")
    return f"SELECT ?s WITHIN 1 DAY FROM STREAM S <http://e/s> {partition} WHERE {{ SEQ({sequence})\n{defined}{gpms}}}"


@pytest.mark.parametrize("node", [node for node in REFUSED if len(sequence_text(node)) > 1], ids=sequence_text)
def test_refused(node: Node) -> None:
    with pytest.raises(QueryError, match="&&"):
        parse(query(sequence_text(node)))


@pytest.mark.parametrize("node", ALLOWED, ids=sequence_text)
def test_allowed(node: Node) -> None:
    parse(query(sequence_text(node)))


def test_random_queries_are_read() -> None:
    for seed in range(100):
        parsed = parse(to_text(random_pair(seed, SIZE).query))
        assert parse(format_query(parsed.tree)).query == parsed.query


def warned(sequence: str, gpms: str = "", partition: str = "") -> list[str]:
    """The warnings about what is in SEQ and in filters."""
    found = parse(query(sequence, gpms, partition)).warnings
    return [one.message for one in found if "&&" in one.message or "never be true" in one.message]


NEXT_TIME, ALONE = "under , all sides", "under ; each side"


@pytest.mark.parametrize(
    ("sequence", "beginnings"),
    [
        ("A && B", []),
        ("A , B && C", [NEXT_TIME]),
        ("A , (B && C) && D", [NEXT_TIME]),
        ("A , (B && C ; D | D)+", [NEXT_TIME]),
        ("A , ((B , C && D) && A)", [NEXT_TIME, NEXT_TIME]),
        ("A? , B && C", []),
        ("N! , B && C", []),
        ("N! , A? , B && C , A && B", [NEXT_TIME]),
        ("A : N! , B && C", [NEXT_TIME]),
        ("A : N? , B && C", [NEXT_TIME]),
        ("A ; B && C", []),
        ("A && B ; C && D", []),
    ],
)
def test_next_time(sequence: str, beginnings: list[str]) -> None:
    assert [message[: len(NEXT_TIME)] for message in warned(sequence)] == beginnings


X, Y, Z = (f"DEFINE GPM {name} ON S {{ ?{name.lower()} <http://e/{name}> ?k }}\n" for name in "XYZ")


@pytest.mark.parametrize(
    ("sequence", "beginnings"),
    [
        ("X && Y", []),
        ("A ; X && Y", [ALONE]),
        ("A : X && Y", []),
        ("Z ; X && Y", []),
        ("Z? ; A ; X && Y", []),
        ("Z! ; A ; X && Y", [ALONE]),
        ("A ; (X && Y ; Z)+", [ALONE]),
        ("A ; (X && Y) && B", [ALONE]),
        ("A ; (X && Y) && Z", [ALONE]),
        ("A ; (X ; Y) && B", []),
        ("A ; (X ; Y && Z) && B", []),
        ("A ; (B ; Y && Z) && X", [ALONE]),
        ("A ; X && Y | B", [ALONE]),
        ("X && B ; Y && Z", []),
    ],
)
def test_next_alone(sequence: str, beginnings: list[str]) -> None:
    assert [message[: len(ALONE)] for message in warned(sequence, X + Y + Z)] == beginnings


def test_keys_are_bound() -> None:
    assert warned("A ; X && Y", X + Y, "PARTITION BY ?k USING { ?any <http://e/key> ?k }") == []


@pytest.mark.parametrize(
    ("sequence", "condition", "is_warned"),
    [
        ("F && B", "?b > 1", False),
        ("B && F", "?b > 1", False),
        ("F ; B", "?b > 1", True),
        ("F && A ; B", "?b > 1", True),
        ("(F ; A) && B", "?a > 1", True),
        ("(F ; A) && B", "?a > ?b", False),
        ("(F ; (A ; B)) && A", "?b > 1", True),
        ("(F && A) && B", "?b > ?a", False),
        ("(F && A ; C) && B", "?c > ?a", True),
        ("(F && A ; C) && B", "?c > ?b", False),
        ("F+ && B", "?b > 1", False),
        ("(F | B) && A", "?b > 1", True),
        ("(A ; F! ; C) && B", "?b > 1", False),
        ("(F ; A)+ && B", "SUM(?a) > ?b", False),
    ],
)
def test_filters_across(sequence: str, condition: str, is_warned: bool) -> None:
    gpm = f"DEFINE GPM F ON S {{ ?s <http://e/f> ?f FILTER({condition}) }}"
    assert bool(warned(sequence, gpm)) == is_warned


def test_aggregates_of_expressions_look_at_their_own_side() -> None:
    gpm = "DEFINE GPM F ON S { ?s <http://e/f> ?f FILTER(SUM(?f * ?b) > 1) }"
    with pytest.raises(QueryError, match=r"nothing has bound \?b when an iteration with \?f ends"):
        parse(query("F+ && B", gpm))
    parse(query("B ; F+ && A", gpm))
