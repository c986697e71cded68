"""Since when events matter for results to come: the events since then rebuild an engine (``Engine.needed_since``)."""

from __future__ import annotations

import pytest

import spaseq
from spaseq.errors import OptionError
from tests.cases.loader import SECOND, cases, query_text, stream_iri
from tests.graphs.replaying import check_replay, take
from tests.graphs.stories import Step, Story, Told, case_story, compact_story, random_story
from tests.slices import first

S = stream_iri("S")
ALL, NONE = -(2**63), 2**63 - 1
CASES = list(cases())


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_cases(case: object) -> None:
    check_replay(case_story(case))


@pytest.mark.parametrize("hundred", first(3, range(5)))
def test_random_stories(hundred: int) -> None:
    told = Told()
    for seed in range(100 * hundred, 100 * hundred + 100):
        told += check_replay(random_story(seed), seed)
    assert told.engines == told.steps > 900
    assert told.forgotten > 600
    assert told.results > 150


@pytest.mark.deep
def test_many_random_stories() -> None:
    for seed in range(500, 1500):
        check_replay(random_story(seed), seed)


# ── the bound is no greater than it may be ───────────────────────────────────────────────────────────────
def test_negation_before_a_match_that_waits_reaches_two_windows_back() -> None:
    story = compact_story({"seq": "N! ; A ; B*", "within": "5 SECONDS SLIDING"}, "1: n1 5: a2 9.5: x3 10.5: x4")
    check_replay(story)
    assert since(story) == int(0.5 * SECOND)


def test_distinct_remembers_rows_of_matches_that_began_before() -> None:
    spec = {"seq": "A ; B ; N!", "select": "DISTINCT (1 AS ?one)"}
    sliding = compact_story(spec | {"within": "5 SECONDS SLIDING"}, "1: a1 2: a2 3: b3 ^6.5 ^6.7 ^8")
    tumbling = compact_story(spec | {"seq": "A ; B? ; N!", "within": "5 SECONDS"}, "4: a1 5: a2b2 ^5.5 ^6 ^11")
    for story in (sliding, tumbling):
        assert check_replay(story).results == 1


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"seq": "A ; B", "within": "5 SECONDS SLIDING"}, 95),
        ({"seq": "N! ; A ; B", "within": "5 SECONDS SLIDING"}, 95),
        ({"seq": "A ; B!", "within": "5 SECONDS SLIDING"}, 95),
        ({"seq": "N! ; A ; B!", "within": "5 SECONDS SLIDING"}, 90),
        ({"seq": "A? ; B ; C*", "within": "5 SECONDS SLIDING"}, 90),
        ({"seq": "A ; B!", "within": "5 SECONDS SLIDING", "select": "DISTINCT ?va"}, 90),
        ({"seq": "A ; B", "within": "5 SECONDS SLIDING", "select": "DISTINCT ?va"}, 95),
        ({"seq": "A ; B", "within": "7 SECONDS"}, 98),
        ({"seq": "N! ; A ; B!", "within": "7 SECONDS"}, 98),
        ({"seq": "N! ; A ; B!", "within": "7 SECONDS", "select": "DISTINCT ?va"}, 91),
        ({"seq": "A ; B", "within": "10 SECONDS"}, 90),
        ({"seq": "A ; B"}, None),
        ({"seq": "A ; B", "within": "5 EVENTS"}, None),
        ({"seq": "A ; B", "within": "5 EVENTS SLIDING"}, None),
    ],
)
def test_so_far_back(spec: dict[str, str], wanted: int | None) -> None:
    engine = spaseq.Engine()
    engine.register(query_text(spec))
    assert engine.needed_since() == (None if wanted is None else ALL)
    engine.advance(100 * SECOND)
    assert engine.needed_since() == (None if wanted is None else wanted * SECOND)


def test_along_derived_streams_windows_add_up() -> None:
    engine = spaseq.Engine()
    engine.register(query_text({"seq": "A ; B", "within": "5 SECONDS SLIDING", "construct": "?a :P 1", "into": "D"}))
    engine.advance(100 * SECOND)
    assert engine.needed_since() == 95 * SECOND
    read = {"streams": ["D", "S"], "on": {"C": "S"}, "within": "3 SECONDS SLIDING", "construct": "?p :Q 1", "into": "E"}
    engine.register(query_text({"seq": "P ; C", **read}), "between")
    assert engine.needed_since() == 92 * SECOND
    engine.register(query_text({"seq": "P ; P!", "streams": ["E"], "within": "1 SECOND SLIDING"}), "last")
    assert engine.needed_since() == 91 * SECOND
    engine.register(query_text({"seq": "P ; P", "streams": ["E"]}), "unbounded")
    assert engine.needed_since() is None


def test_the_slowest_stream_counts() -> None:
    engine = spaseq.Engine()
    engine.register(
        query_text({"seq": "A ; B", "within": "5 SECONDS SLIDING", "streams": ["S", "T"], "on": {"B": "T"}})
    )
    engine.advance(100 * SECOND, S)
    assert engine.needed_since() == ALL
    engine.advance(50 * SECOND)
    assert engine.needed_since() == 45 * SECOND
    engine.close(S)
    assert engine.needed_since() == 45 * SECOND
    engine.close()
    assert engine.needed_since() == NONE


def test_an_ended_producer_is_asked_as_long_as_its_reader_goes_on() -> None:
    engine = spaseq.Engine()
    engine.register(query_text({"seq": "A", "within": "5 SECONDS SLIDING", "construct": "?a :P 1", "into": "D"}))
    read = {"streams": ["D", "T"], "on": {"C": "T"}, "within": "3 SECONDS SLIDING"}
    engine.register(query_text({"seq": "P ; C", **read}), "reader")
    engine.advance(100 * SECOND)
    engine.close(S)
    assert engine.needed_since() == 92 * SECOND


def test_a_number_of_results_cannot_be_rebuilt() -> None:
    engine = spaseq.Engine()
    engine.register(query_text({"seq": "A", "within": "5 SECONDS"}), max_results=3)
    engine.advance(100 * SECOND)
    assert engine.needed_since() is None
    engine.close()
    assert engine.needed_since() == NONE


def test_without_queries_nothing_matters() -> None:
    assert spaseq.Engine().needed_since() == NONE


def test_windows_may_reach_back_beyond_all_times() -> None:
    engine = spaseq.Engine()
    engine.register(query_text({"seq": "A", "within": "200000 DAYS SLIDING"}))
    engine.advance(2 - 2**63)
    assert engine.needed_since() == ALL


def test_results_that_wait_are_to_be_taken_first() -> None:
    engine = spaseq.Engine(lateness=100)
    engine.register(query_text({"seq": "A", "within": "5 SECONDS"}))
    engine.push(S, b"<urn:a> <http://example.org/A> 1 .", 500)
    engine.advance_tables(500)
    with pytest.raises(OptionError, match="results wait"):
        engine.needed_since()
    engine.advance(0)
    assert engine.needed_since() == 0


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────
def test_derived_events_have_their_names_and_nodes_again() -> None:
    spec = {"seq": "A ; B", "within": "5 SECONDS SLIDING", "construct": "_:new :of ?a ; :at _:new2", "into": "D"}
    story = compact_story(spec, "1: a1 2: b2 20: a3 21: b4")
    assert check_replay(story).forgotten >= 2  # it compares the triples


def test_events_without_an_iri_are_named_by_their_number_which_the_log_has_to_know() -> None:
    text = query_text({"seq": "A", "within": "5 SECONDS SLIDING"})
    steps = [Step(S, time * SECOND, "", b"<urn:a> <http://example.org/A> 1 .") for time in (1, 20)]
    story = Story({"query": text}, steps)
    whole, rebuilt = story.engine(), story.engine()
    first, second = (whole.push(one.stream, one.graph, one.time)[0].events["A"] for one in steps)
    again = rebuilt.push(S, steps[1].graph, steps[1].time)[0].events["A"]
    assert again == first != second
    named = story.engine().push(S, steps[1].graph, steps[1].time, second[0])[0].events["A"]
    assert named == second


def since(story: Story) -> int | None:
    engine = story.engine()
    for step in story.steps:
        take(engine, step)
    return engine.needed_since()
