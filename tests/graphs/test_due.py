"""The least promise that decides something or lets an event go (``Engine.due``)."""

from __future__ import annotations

import random

import pytest

import spaseq
from tests.cases.loader import SECOND, cases, query_text, stream_iri
from tests.graphs.replaying import check_dues, take
from tests.graphs.stories import Told, case_story, compact_story, generated, random_story

S, T = stream_iri("S"), stream_iri("T")
A = b"<urn:a> <http://example.org/A> 1 ."
CASES = list(cases())


def engine_of(seq: str, within: str, lateness: int = 0, **more: object) -> spaseq.Engine:
    engine = spaseq.Engine(lateness=lateness)
    engine.register(query_text({"seq": seq, "within": within, **more}))
    return engine


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_cases(case: object) -> None:
    check_dues(case_story(case))


def test_random_stories() -> None:
    told = Told()
    for seed in range(30):
        told += check_dues(random_story(seed)) + check_dues(generated(random.Random(seed)))
    assert told.due > 150
    assert told.results > 150


@pytest.mark.deep
def test_many_random_stories() -> None:
    for seed in range(30, 1000):
        check_dues(random_story(seed))
        check_dues(generated(random.Random(seed)))


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────
def test_an_event_that_waits_is_let_go_at_its_time() -> None:
    engine = engine_of("A", "5 SECONDS", lateness=100)
    assert engine.due() is None
    engine.push(S, A, 500)
    engine.push(S, A, 470)
    assert engine.due() == 470
    assert engine.advance(469) == []
    assert len(engine.advance(470)) == 1
    assert engine.due() == 500


def test_windows_of_events_wait_until_nothing_comes_beside_an_event() -> None:
    engine = engine_of("A", "5 EVENTS", lateness=100)
    engine.push(S, A, 500)
    assert engine.due() == 501
    assert len(engine.advance(501)) == 1
    assert engine.due() is None


def test_an_edge_has_to_pass() -> None:
    engine = engine_of("A ; B!", "5 SECONDS SLIDING")
    engine.push(S, A, 500)
    engine.advance(501)
    assert engine.due() == 5 * SECOND + 501
    assert engine.advance(5 * SECOND + 500) == []
    assert len(engine.advance(5 * SECOND + 501)) == 1
    assert engine.due() is None


def test_a_count_waits_for_what_is_simultaneous() -> None:
    engine = engine_of("A", "5 SECONDS", select="(COUNT(*) AS ?n)")
    engine.push(S, A, 500)
    assert engine.due() == 501
    assert len(engine.advance(501)) == 1


def test_a_silent_stream_is_promised_too() -> None:
    engine = engine_of("A ; B", "5 SECONDS", streams=["S", "T"], on={"B": "T"})
    engine.push(S, A, 500)
    assert engine.due() == 500
    engine.advance(400)
    assert engine.due() == 500


def test_without_a_window_the_end_of_a_negation_never_comes() -> None:
    engine = spaseq.Engine()
    engine.register(query_text({"seq": "A ; B!"}))
    engine.push(S, A, 500)
    engine.advance(501)
    assert engine.due() is None
    assert len(engine.close()) == 1


def test_derived_streams_go_on_with_their_producers() -> None:
    engine = engine_of("A ; B!", "5 SECONDS SLIDING", construct="?a :P ?va", into="D")
    reader = {"seq": "P ; C!", "within": "2 SECONDS SLIDING", "streams": ["D", "S"], "on": {"C": "S"}}
    engine.register(query_text(reader), "reader")
    engine.push(S, A, 500)
    engine.advance(501)
    assert engine.due() == 5 * SECOND + 501
    assert [match.query for match in engine.advance(5 * SECOND + 501)] == ["query1"]
    assert engine.due() == 7 * SECOND + 501
    assert [match.query for match in engine.advance(7 * SECOND + 501)] == ["reader"]
    assert engine.due() is None


def test_what_is_not_taken_comes_with_any_promise() -> None:
    engine = engine_of("A", "5 SECONDS", lateness=100)
    engine.register(query_text({"seq": "A", "within": "1 SECOND"}))
    engine.push(S, A, 500)
    taken = engine.advance_tables(500)
    next(taken)
    with pytest.raises(spaseq.errors.BusyError):
        engine.due()
    taken.close()
    least = engine.due()
    assert least == 1 - 2**63
    assert [match.query for match in engine.advance(least)] == ["query2"]
    assert engine.due() is None


def test_what_is_not_even_begun_comes_with_any_promise() -> None:
    engine = engine_of("A", "5 SECONDS", lateness=100, construct="?a :P ?va", into="D")
    engine.register(query_text({"seq": "P", "within": "2 SECONDS", "streams": ["D"]}), "reader")
    engine.push(S, A, 500)
    engine.advance_tables(500)
    assert engine.due() == 1 - 2**63
    assert [match.query for match in engine.advance(0)] == ["query1", "reader"]


def test_the_end_leaves_nothing_due() -> None:
    story = compact_story({"seq": "A ; B!", "within": "5 SECONDS"}, "a1 b2 a3")
    engine = story.engine()
    for step in story.steps:
        take(engine, step)
    engine.close()
    assert engine.due() is None


def test_times_at_the_end_of_the_range() -> None:
    engine = engine_of("A", "5 EVENTS", lateness=100)
    engine.push(S, A, 2**63 - 2)
    assert engine.due() is None  # no promise can be greater
    assert len(engine.close()) == 1
