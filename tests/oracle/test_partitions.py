"""PARTITION BY in the oracle, against results derived by hand from semantics.md 3.5."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from tests.oracle import Event, Query, columns, evaluate, to_text
from tests.oracle.exhaustive_partitions import pairs, streams as small_streams
from tests.oracle.expressions import Aggregate, Binary, Const, Iri, Var
from tests.oracle.generate import Size
from tests.oracle.model import And, Column, Gpm, Maybe, Node, Not, Partition, Select, Window
from tests.oracle.partition import keys_of
from tests.oracle.partitions import partitioned_pair
from tests.oracle.test_oracle import (
    BASE,
    INTEGER,
    OTHER,
    SECOND,
    STREAM,
    A,
    B,
    C,
    N,
    events,
    expect,
    gpm,
    integer,
    iri,
    plus,
    query as plain,
    seq,
    star,
)

BY_KEY = Partition(("k",))
USING_KEY = Partition(("k",), "[] :key ?k")
COUNT = Column(Aggregate("COUNT", None), "n")
OF_X = Binary("=", Var("k"), Const(Iri(BASE + "x")))


def query(sequence: Node, *special: Gpm, by: Partition = BY_KEY, **clauses: object) -> Query:
    """A partitioned query; without USING all GPMs bind ?k, with it none."""
    made = plain(sequence, *special, keyed=by.using is None, **clauses)  # type: ignore[arg-type]
    return replace(made, partition=by)


def stream(text: str) -> list[Event]:
    """Events as in test_oracle; `a1@x+y` has two keys."""
    return [replace(one, triples=tuple(t for whole in one.triples for t in split(*whole))) for one in events(text)]


def split(subject: str, predicate: str, value: str) -> list[tuple[str, str, str]]:
    keys = value.removeprefix(f"<{BASE}").removesuffix(">").split("+")
    return (
        [(subject, predicate, iri(key)) for key in keys] if predicate == iri("key") else [(subject, predicate, value)]
    )


def matches(asked: Query, text: str) -> set[str]:
    """The key (if it is selected) and the events of every result, as `x: a1 b1`."""
    return {shown(result.picks, dict(result.row).get("k")) for result in evaluate(asked, stream(text))}


def shown(picks: tuple[tuple[str, tuple[str, ...]], ...], key: str | None) -> str:
    names = " ".join(sorted({name for _, names in picks for name in names}))
    return f"{key.removeprefix(f'<{BASE}').removesuffix('>')}: {names}" if key else names


SEQUENCES: list[tuple[Node, str, str]] = [
    # Contiguity is that of the substream.
    (seq(A, ",", B), "a1@x a2@y b1@x b2@y", "x: a1 b1, y: a2 b2"),
    (seq(A, ",", B), "a1@x c1@y b1@x", "x: a1 b1"),
    (seq(A, ",", B), "a1@x c1@x b1@x", ""),
    (seq(A, ",", B), "a1@x c1 b1@x", "x: a1 b1"),
    (seq(A, ",", B, ",", C), "a1@x a2@y b2@y b1@x c2@y c1@x", "x: a1 b1 c1, y: a2 b2 c2"),
    # The keys of a sequence are equal.
    (seq(A, ";", B), "a1@x b1@y b2@x b3@x", "x: a1 b2"),
    (seq(A, ":", B), "a1@x b1@y b2@x b3@x", "x: a1 b2, x: a1 b3"),
    (And((A, B)), "a1@x/b1@y/b2@x", "x: a1 b2"),
    # … and those of the iterations.
    (plus(A), "a1@x a2@y a3@x", "x: a1, y: a2, x: a3, x: a1 a3"),
    (seq(plus(A), ",", B), "a1@x a2@y a3@x b1@x", "x: a3 b1, x: a1 a3 b1"),
    (seq(plus(A), ",", B), "a1@x c1@x a3@x b1@x", "x: a3 b1"),
    (plus(seq(A, ",", B), ","), "a1@x a2@y b1@x b2@y a3@x b3@x", "x: a1 b1, y: a2 b2, x: a3 b3, x: a1 a3 b1 b3"),
    # What is negated or absent is so in the substream.
    (seq(A, ";", Not(N), ";", B), "a1@x n1@y b1@x", "x: a1 b1"),
    (seq(A, ";", Not(N), ";", B), "a1@x n1@x b1@x", ""),
    (seq(A, ";", Not(N)), "a1@x a2@y n1@y", "x: a1"),
    (seq(Not(N), ";", A), "n1@x a1@x a2@y", "y: a2"),
    (seq(A, ",", Maybe(B), ",", C), "a1@x b1@y c1@x", "x: a1 c1"),
    (seq(A, ";", star(B), ";", C), "a1@x b1@x c1@x", "x: a1 b1 c1"),
    # An event of two keys is in both substreams, and in each at its own place.
    (seq(A, ",", B), "a1@x+y b1@y b2@x", "x: a1 b2, y: a1 b1"),
    (seq(A, ";", B), "a1@x+y b1@x+y", "x: a1 b1, y: a1 b1"),
    (seq(A, ";", Not(N), ";", B), "a1@x+y n1@y b1@x+y", "x: a1 b1"),
    # An event without a key is in none.
    (A, "a1 a2@x", "x: a2"),
]


@pytest.mark.parametrize(("sequence", "text", "expected"), SEQUENCES)
@pytest.mark.parametrize("by", [BY_KEY, USING_KEY])
def test_substreams(sequence: Node, text: str, expected: str, by: Partition) -> None:
    """USING gives the same keys as GPMs that bind ?k, also where no GPM mentions it."""
    assert matches(query(sequence, by=by), text) == expect(expected)


def test_windows_count_the_events_of_the_substream() -> None:
    two, sliding = Window(2, "EVENTS"), Window(2, "EVENTS", sliding=True)
    assert matches(query(seq(A, ":", B), window=sliding), "a1@x a2@y b1@x b2@y") == {"x: a1 b1", "y: a2 b2"}
    # x: c1 a1 | b1; y: a2 b2.
    assert matches(query(seq(A, ":", B), window=two), "c1@x a1@x a2@y b1@x b2@y") == {"y: a2 b2"}
    # x: a1 n2; y: a2 n1; all four together: a1 a2 | n1 n2.
    assert matches(query(seq(A, ";", Not(N)), window=two), "a1@x a2@y n1@y n2@x") == set()
    assert matches(query(seq(A, ";", Not(N)), window=two), "a1@x a2@y c1@y n2@x") == {"y: a2"}


def test_decision_time() -> None:
    asked = query(seq(A, ";", Not(N)), window=Window(2, "EVENTS"))
    found = evaluate(asked, stream("a1@x a2@y c1@y c2@x a3@x"))
    assert [(shown(one.picks, None), one.decided) for one in found] == [
        ("a2", 2 * SECOND),
        ("a1", 3 * SECOND),
        ("a3", float("inf")),
    ]


def test_local_filters_count_for_keys_and_stateful_ones_do_not() -> None:
    positive = Binary(">", Var("va"), Const(0))
    assert matches(query(seq(A, ",", B), gpm("A", positive, keyed=True)), "a1@x=1 a2@x b1@x") == {"x: a1 b1"}
    greater = Binary(">", Var("vb"), Var("va"))
    assert matches(query(seq(A, ",", B), gpm("B", greater, keyed=True)), "a1@x=1 b1@x b2@x=2") == set()


def test_keys_come_from_all_gpms_of_the_query() -> None:
    asked = query(seq(A, ",", B))
    assert matches(asked, "a1@x c1@x b1@x") == set()
    fewer = replace(asked, gpms=tuple(one for one in asked.gpms if one.name in "AB"))
    assert matches(fewer, "a1@x c1@x b1@x") == {"x: a1 b1"}


def test_filters_may_read_a_key_that_their_gpm_does_not_mention() -> None:
    text = "a1@x n1@x b1@x a2@y n2@y b2@y"
    assert matches(query(A, gpm("A", OF_X), by=USING_KEY), text) == {"x: a1"}
    asked = query(seq(A, ";", Not(N), ";", B), gpm("N", OF_X), by=USING_KEY)
    assert matches(asked, text) == {"y: a2 b2"}


def test_using_shares_nothing_but_the_keys() -> None:
    # ?a of USING is not the ?a of the GPM.
    asked = query(A, by=Partition(("k",), "?a :of ?k"))
    other = Event(STREAM, 0, "a1", ((iri("a1"), iri("A"), integer(0)), (iri("z"), iri("of"), iri("x"))))
    assert [dict(one.row) for one in evaluate(asked, [other])] == [{"k": iri("x"), "a": iri("a1"), "va": integer(0)}]


def test_a_gpm_may_bind_a_key_only_perhaps() -> None:
    perhaps = gpm("A", pattern="?a :A ?va OPTIONAL { ?a :key ?k }", keyed=True)
    asked = query(seq(A, ",", B), perhaps)
    alone = Event(STREAM, 0, "a1", ((iri("a1"), iri("A"), integer(0)),))
    beside = replace(alone, triples=(*alone.triples, *stream("b0@x")[0].triples))
    after = stream("- b1@x/b2@y")
    # Of itself a1 has no key; beside b0 of key x it has that, and A joins it.
    assert evaluate(asked, [alone, *after]) == []
    assert [one.picks for one in evaluate(asked, [beside, *after])] == [(("A", ("a1",)), ("B", ("b1",)))]
    # Where A binds ?k, it is an A of that key only.
    own = replace(beside, triples=(*beside.triples, (iri("a1"), iri("key"), iri("y"))))
    assert keys_of(asked, own) == {frozenset({("k", iri("x"))}), frozenset({("k", iri("y"))})}
    assert [one.picks for one in evaluate(asked, [own, *after])] == [(("A", ("a1",)), ("B", ("b2",)))]


def test_two_keys() -> None:
    by = Partition(("k", "va"))
    assert matches(query(plus(A), by=by), "a1@x=1 a2@x=2 a3@y=1 a4@x=1") == {
        *("x: a1", "x: a2", "y: a3", "x: a4", "x: a1 a4"),
    }
    # A solution without one of them gives no key.
    both = Partition(("k", "z"), "?s :key ?k OPTIONAL { ?s :zone ?z }")
    zoned = [
        replace(one, triples=(*one.triples, (iri(one.name), iri("zone"), iri("z")))) for one in stream("a1@x a2@y")
    ]
    asked = query(A, by=both)
    assert [dict(one.row)["k"] for one in evaluate(asked, [*zoned, *stream("- - a3@x")])] == [iri("x"), iri("y")]


def test_keys_are_canonical_terms() -> None:
    numbered = Gpm("A", "s", "[] :A ?v", ("v",))
    padded = Event(STREAM, 0, "a1", ((iri("a1"), iri("A"), f'"01"^^<{INTEGER}>'),))
    asked = query(seq(A, ",", A), numbered, by=Partition(("v",)))
    asked = replace(asked, gpms=(numbered,))
    assert [one.picks for one in evaluate(asked, [padded, *stream("- a2=2 a3=1")])] == [(("A", ("a1", "a3")),)]


def test_streams_are_partitioned_together() -> None:
    two = (("s", STREAM), ("t", OTHER))
    asked = query(seq(A, ",", B), gpm("B", stream="t", keyed=True), streams=two)
    assert matches(asked, "a1@x ~b1@y a2@x ~b2@x ~b3@x") == {"x: a2 b2"}
    # The GPMs of t give keys to events of t only: a1 is no event of a key on s where only t has GPMs for it.
    only_b = replace(asked, sequence=B, gpms=asked.gpms[1:2])
    assert matches(only_b, "b0@x ~b1@x") == {"x: b1"}


def test_the_union_is_a_set() -> None:
    both = query(A, select=Select(("a",)))
    assert len(evaluate(both, stream("a1@x+y"))) == 1
    assert len(evaluate(query(A), stream("a1@x+y"))) == 2
    distinct = query(A, select=Select(("va",), distinct=True))
    assert [dict(one.row) for one in evaluate(distinct, stream("a1@x=1/a2@y=1"))] == [{"va": integer(1)}]


def rows(asked: Query, text: str) -> list[tuple[float, dict[str, str]]]:
    return [(one.decided // SECOND, dict(one.row)) for one in evaluate(asked, stream(text))]


def test_aggregates_range_over_the_matches_of_a_substream() -> None:
    text = "a1@x=1 a2@x=2 a3@y=5 b1@x/b2@y"
    one, two = {"n": integer(1)}, {"n": integer(2)}
    assert rows(query(seq(A, ":", B), select=Select((COUNT,))), text) == [(3, one), (3, two)]
    # ?k counts as grouped.
    keyed = rows(query(seq(A, ":", B), select=Select(("k", COUNT))), text)
    assert keyed == [(3, {"k": iri("x")} | two), (3, {"k": iri("y")} | one)]
    # Substreams with equal rows have a row each.
    assert rows(query(A, select=Select((COUNT,))), "a1@x/a2@y") == [(0, one), (0, one)]
    # GROUP BY ?va: groups within a substream.
    grouped = Select(("va", COUNT), group_by=("va",))
    assert rows(query(seq(A, ":", B), select=grouped), "a1@x=1 a2@y=1 a3@x=1 b1@x/b2@y") == [
        (3, {"va": integer(1)} | one),
        (3, {"va": integer(1)} | two),
    ]


def test_a_key_is_no_group_variable() -> None:
    total = Select((Column(Aggregate("COUNT", "k"), "n"),))
    # Over matches: at a2 those are a2, and a1 a2.
    assert rows(query(plus(A), select=total), "a1@x a2@x") == [(0, {"n": integer(1)}), (1, {"n": integer(2)})]


def test_all_variables_are_shown() -> None:
    assert columns(query(seq(A, ";", Not(N)), by=USING_KEY)) == ["k", "a", "va"]


def test_text() -> None:
    text = to_text(query(A, by=Partition(("k", "z"), "[] :key ?k ; :zone ?z")))
    assert (
        "\nFROM STREAM s <http://example.org/stream/s>\nPARTITION BY ?k ?z USING { [] :key ?k ; :zone ?z }\nWHERE {\n"
        in text
    )


def test_random_pairs_cover_partitions() -> None:
    counts: Counter[str] = Counter()
    for seed in range(600):
        pair = partitioned_pair(seed, Size(4, 7, 1, 3))
        found = evaluate(pair.query, pair.events)
        counts.update(pair.labels)
        counts["matches"] += bool(found)
        counts["matches of two substreams"] += len({dict(one.row).get(pair.query.keys[0]) for one in found}) > 1
    rare = {"select GROUP BY", "partition substreams 0"}
    wanted = {label for label in counts if label.startswith(("partition", "window", "operator", "negation", "matches"))}
    assert {label for label in wanted - rare if counts[label] < 20} == set()
    assert counts["matches"] > 200
    assert partitioned_pair(7) == partitioned_pair(7)


def test_exhaustive_worlds() -> None:
    # One event of key 0 or of both; two simultaneous ones, 4; one after the other, 5.
    assert len(list(small_streams("A", 2))) == len(list(small_streams("A", 2, using=True))) == 2 + 4 + 5
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in islice(pairs(), 0, None, 400)) > 150
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in islice(pairs(using=True), 0, None, 400)) > 150
