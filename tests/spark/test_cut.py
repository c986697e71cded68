"""Laws of a job, no Java needed: into how many parts a query is cut changes nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pytest

import spaseq
from spaseq.errors import StreamError
from spaseq.graphs.background import BackgroundSources
from spaseq.results.match import Match
from spaseq.sources.rdf.events import Event
from tests.agreement.any_order import random_case, refusal
from tests.agreement.test_metamorphic import arriving, plain
from tests.cases.loader import Case, Word, cases
from tests.cases.runner import as_event
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.partitions import partitioned_pair
from tests.oracle.text import to_text
from tests.slices import one_of
from tests.spark.cutting import FOREVER, Engines, Queries, Seen, seen

CASES = list(cases())
BUCKETS = (1, 3, 8)
Background = BackgroundSources | None
SIZE = Size(operators=4, events=7, least_events=3)


def whole(queries: Queries, words: Sequence[Event | int], background: Background = None) -> Seen:
    """What one engine finds; a number is a promise."""
    engine = spaseq.Engine(background, lateness=FOREVER)
    for name, query in queries.items():
        engine.register(query, name)
    found: list[Match] = []
    for word in words:
        tables = engine.advance_tables(word) if isinstance(word, int) else engine.push_events([word])
        found += [match for table in tables for match in table]
    return seen([*found, *engine.close()])


def cut(
    queries: Queries,
    words: Sequence[Event | int],
    buckets: int,
    background: Background = None,
    kept: Iterable[str] = (),
) -> Seen:
    """What the engines of a job find together."""
    job = Engines(queries, buckets, background, kept)
    found: list[Match] = []
    for word in words:
        found += job.advance(word) if isinstance(word, int) else job.push([word])
    return seen([*found, *job.close()])


def said(word: Word) -> Event | int:
    return as_event(word) if word.name else word.time


def compared(queries: Queries, words: Sequence[Event | int], buckets: int, background: Background = None) -> str:
    """Cut or kept whole, the engines of a job find what one engine finds; how it was."""
    wanted = whole(queries, words, background)
    try:
        assert cut(queries, words, buckets, background) == wanted
    except StreamError as error:
        assert "has several ?" in str(error) and buckets > 1
        assert cut(queries, words, buckets, background, kept=queries) == wanted
        return "several keys"
    return "cut" if any(part.split.keys for part in Engines(queries, buckets, background).job.parts) else "whole"


@pytest.mark.parametrize("case", one_of(2, CASES), ids=lambda case: case.label)
def test_cases(case: Case) -> None:
    queries = {name: spaseq.prepare(text) for name, text in case.queries.items()}
    compared(queries, [said(word) for word in case.words], 3, case.background)


def pair_of(seed: int) -> Pair:
    """Every other one with PARTITION BY."""
    return partitioned_pair(seed, SIZE) if seed % 2 else random_pair(seed, SIZE)


def of_pair(pair: Pair, buckets: int, chance: random.Random) -> str:
    """A random query on its events, with some promises in between."""
    events = sorted(arriving(plain(pair)), key=lambda event: event.timestamp)
    words = [word for event in events for word in ([event.timestamp] if chance.random() < 0.3 else []) + [event]]
    return compared({"query": spaseq.prepare(to_text(pair.query))}, words, buckets)


@pytest.mark.parametrize("buckets", BUCKETS)
def test_random_queries(buckets: int) -> None:
    ways = Counter(of_pair(pair_of(seed), buckets, random.Random(seed)) for seed in range(60))
    assert ways["cut"] >= 10 and ways["whole"] >= 10


def in_any_order(count: int) -> Iterator[tuple[int, Pair]]:
    """Random pairs with `&&` that the planner takes, with their numbers; one of five with PARTITION BY."""
    found = ((seed, random_case(seed)) for seed in range(count))
    return ((seed, pair) for seed, pair in found if not refusal(to_text(pair.query)))


@pytest.mark.parametrize("buckets", BUCKETS)
def test_random_queries_in_any_order(buckets: int) -> None:
    ways = Counter(of_pair(pair, buckets, random.Random(seed)) for seed, pair in in_any_order(60))
    assert ways["cut"] >= 10 and ways["whole"] >= 10


A, B, C = (f"DEFINE GPM {name} ON s {{ ?{name} <urn:of> ?k ; <urn:{name}> ?{name.lower()} }}" for name in "ABC")
LOOSE = "DEFINE GPM B ON s { ?B <urn:B> ?b FILTER(?b > 1) }"
ACROSS = "DEFINE GPM B ON s { ?B <urn:of> ?k ; <urn:B> ?b FILTER(?b > ?c) }"


@pytest.mark.parametrize(
    ("sequence", "gpms", "keys"),
    [
        ("A && B", (A, B), ("k",)),
        ("A && B", (A, LOOSE), ()),  # which any A may meet
        ("A ; (B && C)", (A, ACROSS, C), ("k",)),
        ("A ; (B && C)", (A, LOOSE, C), ()),
        ("(A ; B) && (B ; C)", (A, B, C), ("k",)),
        ("(A:+ && B) ; C!", (A, B, C), ("k",)),  # B is outside of the repetition, so what it repeats is joined
        ("A ; (B && C | A)", (A, B, C), ("k",)),
        ("A , (B && C)", (A, B, C), ()),  # of all events
        ("(A , B) && C", (A, B, C), ()),
    ],
)
def test_where_sides_are_cut(sequence: str, gpms: Sequence[str], keys: Sequence[str]) -> None:
    query = f"SELECT * WITHIN 9 SECONDS FROM STREAM s <urn:s> WHERE {{ SEQ({sequence}) {' '.join(gpms)} }}"
    assert [part.split.keys for part in Engines({"query": query}, 3).job.parts] == [keys]


@pytest.mark.deep
@pytest.mark.parametrize("buckets", BUCKETS)
def test_many_random_queries_in_any_order(buckets: int) -> None:
    for seed, pair in in_any_order(800):
        of_pair(pair, buckets, random.Random(seed))


@pytest.mark.deep
@pytest.mark.parametrize("buckets", BUCKETS)
def test_many_random_queries(buckets: int) -> None:
    for seed in range(60, 800):
        of_pair(pair_of(seed), buckets, random.Random(seed))
