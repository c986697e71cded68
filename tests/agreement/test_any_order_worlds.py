"""The laws of semantics.md 3.6 on the engine, on all streams of a few events, one after the other in one stream.

Windows keep the streams apart.  ``test_any_order`` has the same laws on random queries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import pytest

import spaseq

FROM = "WITHIN 20 SECONDS SLIDING FROM STREAM s <urn:s>"
SECOND, APART = 1_000_000, 100_000_000
AT_ONCE = ("L", "A", "B", "AB")  # events, one of which fits two GPMs; some come at one time
LAWS = {
    "A && B": "(A : B) | (B : A) | (A & B)",
    "L : (A && B)": "L : ((A : B) | (B : A) | (A & B))",
    "L , (A && B)": "L , (A & B)",
    "L && A && B": "B && L && A",
    "(L && A) && B": "L && (A && B)",
    "L ; (A && B)": "L ; (B && A)",
}
WHERE_NONE_IS_AT_ONCE = {  # and none fits two GPMs
    "L ; (A && B)": "L ; ((A ; B) | (B ; A))",
    "L ; (A && B | C)": "L ; ((A ; B) | (B ; A) | C)",
    "L ; (A && B) ; C": "L ; ((A ; B) | (B ; A)) ; C",
    "L ; (A && B && C)": "L ; ((A ; ((B ; C) | (C ; B))) | (B ; ((A ; C) | (C ; A))) | (C ; ((A ; B) | (B ; A))))",
    "L ; (A && (B && C))": "L ; ((C && A) && B)",
}


def query(sequence: str) -> str:
    """Its filters read what was bound before the sides, so that the next one is not always that which comes first."""
    filters = {"A": "FILTER(?a != ?l)", "B": "FILTER(?b + 1 > ?l)"} if sequence.startswith("L ;") else {}
    names = [name for name in "LABC" if name in sequence]
    gpms = (
        f"DEFINE GPM {name} ON s {{ ?{name} <urn:{name}> ?{name.lower()} ; <urn:of> ?k {filters.get(name, '')} }}"
        for name in names
    )
    shown = " ".join(f"?{name.lower()}" for name in names)
    return f"SELECT ?k {shown} {FROM} WHERE {{ SEQ({sequence}) {' '.join(gpms)} }}"


def worlds(kinds: Sequence[str], most: int, ties: bool) -> Iterator[tuple[int, bytes]]:
    """All streams of at most so many events of these kinds, each perhaps at the time of the one before; time, graph."""
    begin = number = 0
    for count in range(2, most + 1):
        for chosen in product(kinds, repeat=count):
            for gaps in product((1, 0) if ties else (1,), repeat=count - 1):
                begin, time = begin + APART, begin
                for kind, gap in zip(chosen, (*gaps, 0), strict=True):
                    yield time, graph(kind, number)
                    time, number = time + gap * SECOND, number + 1


def graph(kind: str, number: int) -> bytes:
    """The triples of an event: most are of one key, and values repeat."""
    mixed = number * 0x9E3779B1 >> 7
    values = " ; ".join(f"<urn:{name}> {mixed % 5}" for name in kind)
    return f"<urn:e{number}> {values} ; <urn:of> <urn:k{mixed % 16 // 15}> .".encode()


@cache
def simultaneous() -> list[tuple[int, bytes]]:
    return list(worlds(AT_ONCE, 4, ties=True))


@cache
def one_by_one() -> list[tuple[int, bytes]]:
    return list(worlds("LABC", 6, ties=False))


def results(sequence: str, events: list[tuple[int, bytes]]) -> Counter[str]:
    """What the engine finds, with all that it shows."""
    engine = spaseq.Engine()
    engine.register(query(sequence), "query")
    found = [*engine.push_batch("s", events), *engine.close()]
    return Counter(f"{one.microseconds} {sorted(one.events.items())} {one.bindings}" for one in found)


@pytest.mark.parametrize("sequence", LAWS)
def test_on_all_small_worlds(sequence: str) -> None:
    found = results(sequence, simultaneous())
    assert found == results(LAWS[sequence], simultaneous())
    assert found.total() >= 100


@pytest.mark.parametrize("sequence", WHERE_NONE_IS_AT_ONCE)
def test_where_no_events_are_simultaneous(sequence: str) -> None:
    found = results(sequence, one_by_one())
    assert found == results(WHERE_NONE_IS_AT_ONCE[sequence], one_by_one())
    assert found.total() >= 100
