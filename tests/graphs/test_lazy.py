"""Graph patterns outside the native subset are evaluated only on events where they can matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

import spaseq
from gpm.evaluator import Evaluator
from spaseq import Engine
from spaseq.graphs.pattern_costs import TRIAL
from spaseq.plan.sequences import compile_plan

S, T = "http://example.org/s", "http://example.org/t"
HEAD = "PREFIX : <http://example.org/> SELECT *"
STREAMS = f"FROM STREAM s <{S}> FROM STREAM t <{T}>"
GPMS = {
    "A": "DEFINE GPM A ON s { ?a :a ?k }",
    "N": "DEFINE GPM N ON s { ?n :n ?k }",
    "B": 'DEFINE GPM B ON s { ?b :b ?k . ?b :name ?x FILTER(REGEX(?x, "^x")) }',
    "P": "DEFINE GPM P ON s { ?p :b/:none* ?k }",
    "O": "DEFINE GPM O ON s { ?o :o ?w OPTIONAL { ?o :a ?k } }",
    "U": 'DEFINE GPM U ON t { ?u :b ?l FILTER(REGEX(STR(?l), "1")) }',
    "E": 'DEFINE GPM E ON s { ?e :a ?m FILTER(REGEX(STR(?m), "[12]")) }',
}
Item = tuple[int, str]


def query(sequence: str, window: str = "") -> str:
    """A query over the GPMs above."""
    used = [text for name, text in GPMS.items() if name in sequence]
    return "\n".join([HEAD, window, STREAMS, f"WHERE {{ SEQ({sequence})", *used, "}"])


def graph(kinds: str) -> bytes:
    """An event: `a1 b2` has the value 1 for A and 2 for B."""
    lines = [
        f'<urn:{kind}> <http://example.org/{kind[0]}> "{kind[1:]}" .\n<urn:{kind}> <http://example.org/name> "x" .\n'
        for kind in kinds.split()
    ]
    return "".join(lines).encode()


@contextmanager
def asked() -> Iterator[list[int]]:
    """The timestamps of the events on which pyoxigraph is asked, in order."""
    times: list[int] = []
    plain = Evaluator._by_pyoxigraph

    def counting(self: Evaluator, shapes: object, batch: object, store: object) -> object:
        if shapes:
            times.extend(batch.times.tolist())  # type: ignore[attr-defined]
        return plain(self, shapes, batch, store)  # type: ignore[arg-type]

    with patch.object(Evaluator, "_by_pyoxigraph", counting):
        yield times


def push(engine: Engine, items: Iterable[Item], stream: str = S) -> int:
    return len(engine.push_batch(stream, [(time, graph(kinds)) for time, kinds in items]))


def started(text: str, name: str = "", gpm: str = "auto") -> Engine:
    """An engine with a query; nothing will come on stream t."""
    engine = Engine(gpm=gpm)
    engine.register(text, name or None)
    engine.close("t")
    return engine


def asked_for(text: str, *batches: list[Item], gpm: str = "auto") -> tuple[list[int], int]:
    """Which events of stream s pyoxigraph sees, and how many matches there are."""
    engine = started(text, gpm=gpm)
    with asked() as times:
        found = sum(push(engine, batch) for batch in batches)
        found += len(engine.close())
    return times, found


# ── who waits ────────────────────────────────────────────────────────────────────────────────────────────
def test_only_after_something_that_comes_before() -> None:
    """P has no native part, so it is asked about every event after the first A, but not about those at its time.

    A timestamp that goes on in the next batch is not looked at so closely.
    """
    batch = [(1, "b1"), (2, "b1"), (3, "a1"), (3, "b1"), (4, "n1"), (5, "b1")]
    assert asked_for(query("A : P"), batch) == ([4, 5], 1)
    assert asked_for(query("A : P"), *[[one] for one in batch]) == ([3, 4, 5], 1)


def test_nothing_is_left_out_when_everything_is_asked_of_pyoxigraph() -> None:
    times, matches = asked_for(query("A : P"), [(1, "b1"), (2, "a1"), (3, "b1")], gpm="pyoxigraph")
    assert (times, matches) == ([1, 2, 3], 1)


def test_only_as_long_as_the_window() -> None:
    batch = [(0, "a1"), (1_000_000, "b1"), (2_000_001, "b1"), (5_000_000, "b1")]
    for window, wanted in [("WITHIN 2 SECONDS SLIDING", [1_000_000]), ("WITHIN 2 EVENTS SLIDING", [1_000_000])]:
        assert asked_for(query("A : P", window), batch) == (wanted, 1)
        assert asked_for(query("A : P", window), batch[:1], batch[1:]) == (wanted, 1)


def test_strict_contiguity_looks_at_the_next_tick_only() -> None:
    batch = [(1, "a1"), (2, "b1"), (3, "b1"), (4, "a2"), (5, "n1"), (6, "b2")]
    assert asked_for(query("A , P"), batch) == ([2, 5], 1)


def test_the_rest_of_a_sequence_must_have_come() -> None:
    batch = [(1, "a1"), (2, "b1"), (3, "n1"), (4, "b1")]
    assert asked_for(query("A : N : P"), batch) == ([4], 1)


def test_a_pattern_that_waits_for_another_one_that_waits() -> None:
    """U on the other stream is asked first, for it is nearer to the beginning."""
    engine = Engine()
    engine.register(query("A : U : P"))
    with asked() as times:
        push(engine, [(1, "a1"), (2, "b1"), (4, "b1")])
        push(engine, [(0, "b1"), (3, "b1")], T)
        assert len(engine.close()) == 1
    assert times == [3, 4]


# ── what joins ───────────────────────────────────────────────────────────────────────────────────────────
def test_only_with_a_key_that_came() -> None:
    """B's plain triples tell its ?k, and only rows that join an A are of use."""
    batch = [(1, "a1"), (2, "b2"), (3, "b1"), (4, "a2"), (5, "b2")]
    assert asked_for(query("A : B"), batch) == ([2, 3, 5], 2)  # in one batch an A at any time counts
    assert asked_for(query("A : B"), *[[one] for one in batch]) == ([3, 5], 2)


def test_a_key_that_is_carried_on() -> None:
    batch = [(1, "a1"), (2, "n1"), (3, "b2"), (4, "b1")]
    for cut in range(5):
        assert asked_for(query("A : N : B"), batch[:cut], batch[cut:]) == ([4], 1)


def test_a_key_that_may_be_unbound_joins_everything() -> None:
    for cut in range(3):
        batch = [(1, "o1"), (2, "b2")]
        assert asked_for(query("O : B"), batch[:cut], batch[cut:]) == ([2], 1)


def test_disjunctions_follow_both_sides() -> None:
    batch = [(1, "n1"), (2, "b3"), (3, "b1"), (4, "a2"), (5, "b2")]
    times, matches = asked_for(query("(A | N) : B"), *[[one] for one in batch])
    assert (times, matches) == ([3, 5], 2)


def test_kleenes_go_on_from_their_own_iterations() -> None:
    batch = [(0, "b1"), (1, "a1"), (2, "b1"), (3, "b2"), (4, "b1")]
    times, matches = asked_for(query("A : B:+"), *[[one] for one in batch])
    assert (times, matches) == ([2, 4], 3)


# ── conjunctions ─────────────────────────────────────────────────────────────────────────────────────────
def test_a_conjunction_waits_for_its_other_part() -> None:
    """The last timestamp of a batch may go on, so it is not decided."""
    batch = [(1, "b1"), (2, "a1"), (2, "b1"), (3, "b1 a1"), (4, "n1"), (5, "b1"), (6, "n1")]
    assert asked_for(query("A & P"), batch) == ([2, 2, 3, 6], 2)


def test_a_conjunction_across_batches() -> None:
    for items in ([(1, "a1"), (1, "b1")], [(1, "b1"), (1, "a1")]):
        assert asked_for(query("A & P"), items[:1], items[1:])[1] == 1


def test_two_dear_parts_wait_for_events_of_their_streams() -> None:
    engine = Engine()
    engine.register(query("P & U"))
    with asked() as times:
        push(engine, [(1, "b1"), (2, "b1"), (3, "b1"), (9, "n1")])
        assert push(engine, [(2, "b1"), (4, "b1"), (10, "n1")], T) == 1
        engine.close()
    assert sorted(times) == [2, 2, 9]


def test_a_timestamp_that_goes_on_in_the_next_batch() -> None:
    """The other part came in the batch before, and the batch does not end with the timestamp."""
    assert asked_for(query("A & P"), [(1, "a1")], [(1, "b1"), (2, "n1"), (3, "n1")]) == ([1, 1, 3], 1)
    assert asked_for(query("A & N : B"), [(1, "a1")], [(1, "n1"), (2, "b1"), (2, "b2"), (3, "n1")])[1] == 1


def test_strict_contiguity_across_batches() -> None:
    """A's tick goes on in the next batch, so P's is the second one there."""
    assert asked_for(query("A , P"), [(1, "a1")], [(1, "n1"), (2, "b1"), (3, "b1")]) == ([1, 2], 1)


# ── what does not wait ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("sequence", ["P", "P : A", "A : P! : N", "A : P? : N", "A : P:* : N", "A | P"])
def test_what_may_begin_or_must_be_absent_does_not_wait(sequence: str) -> None:
    batch = [(1, "b1"), (2, "n1"), (3, "b1")]
    assert asked_for(query(sequence), batch)[0] == [1, 2, 3]


def test_what_another_query_needs_at_once_does_not_wait() -> None:
    engine = started(query("A : P"), "later")
    with asked() as times:
        push(engine, [(1, "b1")])
        engine.register(query("P"), "now")
        push(engine, [(2, "b1")])
        engine.unregister("now")
        push(engine, [(3, "b1")])
    assert times == [2]


def test_queries_that_let_the_same_pattern_wait_share_it() -> None:
    engine = started(query("A : P"), "first")
    engine.register(query("N : P"), "second")
    with asked() as times:
        assert push(engine, [(1, "b1"), (2, "a1"), (3, "b1"), (4, "n1"), (5, "b1")]) == 3
    assert times == [3, 4, 5]


# ── the rest ─────────────────────────────────────────────────────────────────────────────────────────────
def test_a_snapshot_remembers_who_waits() -> None:
    engine = started(query("A : B"), "q")
    push(engine, [(1, "a1"), (2, "a2")])
    engine = Engine.restore(engine.snapshot(), {"q": query("A : B")})
    with asked() as times:
        assert push(engine, [(3, "b1"), (4, "b3"), (5, "b2")]) == 2
    assert times == [3, 5]


def test_what_is_needed_on_most_events_does_not_wait_for_a_while() -> None:
    engine = started(query("E : P"), "q")
    push(engine, [(time, "a1") for time in range(TRIAL + 1)])
    with asked() as times:
        push(engine, [(TRIAL + 2, "b1")])
    assert times == [TRIAL + 2]  # both patterns at once
    assert engine.statistics()["queries"]["q"]["gpms"]["P"]["evaluated"] == TRIAL + 1


def test_statistics_say_on_how_many_events_a_pattern_was_evaluated() -> None:
    engine = started(query("A : B"), "q")
    push(engine, [(1, "b1"), (2, "b2")])
    engine.close()
    found = engine.statistics()["queries"]["q"]
    assert found["gpms"]["B"] == {"stream": S, "events": 2, "matched": 0, "evaluated": 0}
    assert found["why"] == [
        f"A matched none of the 2 events of <{S}>",
        f"none of the 2 events of <{S}> came when B could have mattered",
    ]


def test_explain_says_where() -> None:
    plan = compile_plan(spaseq.parse(query("A : (B & U)")).query)
    lines = [line for line in plan.explain().splitlines() if "evaluated" in line]
    assert lines[1].endswith("only where a partial match waits with an equal ?k and U may match at that time")
