"""``Bound``: engines whose work has one, from Python; what they find is part of what there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

import spaseq
from spaseq import Bound, Engine, OptionError, SpaseqWarning
from tests.cases.loader import query_text
from tests.graphs.bounded_stories import BOUNDS, NEVER_MET, RECKLESS, check_part, may_be_bounded
from tests.graphs.stories import random_story
from tests.kernel.bounded import KINDS, SUM, SUM_OF_TWO, stream, text_of
from tests.slices import first

STREAM, WINDOW, EVENTS = "urn:s", 400, 3000
ONE, TWO = text_of(SUM, WINDOW), text_of(SUM_OF_TWO, WINDOW)
Item = tuple[int, bytes]


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("start", first(2, range(0, 1000, 25)))
def test_part_of_what_there_is(start: int) -> None:
    for seed in range(start, start + 25):
        story = random_story(seed)
        for bound in BOUNDS if may_be_bounded(story) else ():
            check_part(story, bound, seed)


def test_laws_are_about_much() -> None:
    stories = [story for story in map(random_story, range(40)) if may_be_bounded(story)]
    assert len(stories) > 15
    assert sum(not check_part(story, RECKLESS).complete for story in stories) > 5
    assert all(check_part(story, NEVER_MET).complete for story in stories)


# ── much work ────────────────────────────────────────────────────────────────────────────────────────────
@cache
def items(events: int = EVENTS) -> list[Item]:
    columns = (column.tolist() for column in stream(events))
    return [
        (1000 * number, f"<urn:e> <urn:{KINDS[kind]}> {value} . <urn:e> <urn:id> {key} .".encode())
        for number, (kind, key, value) in enumerate(zip(*columns, strict=True))
    ]


def engine(queries: Mapping[str, str], bound: Bound | None, **options: Any) -> Engine:
    made = Engine(bound=bound, **options)
    for name, text in queries.items():
        made.register(text, name)
    return made


def found(made: Engine, cut: Iterator[Sequence[Item]] | None = None) -> list[spaseq.Match]:
    """All matches; the engine is at its end then."""
    each = iter([items()]) if cut is None else cut
    return [match for part in each for match in made.push_batch(STREAM, list(part))] + made.close()


def parts(some: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (some[start : start + size] for start in range(0, len(some), size))


@cache
def exact() -> Counter[spaseq.Match]:
    return Counter(found(engine({"one": ONE, "two": TWO}, None)))


def work(made: Engine) -> dict[str, int]:
    return {name: query["bound"]["work"] for name, query in made.statistics()["queries"].items()}


def test_two_queries_share_a_bound() -> None:
    made = engine({"one": ONE, "two": TWO}, Bound(60))
    matches = Counter(found(made))
    assert not matches - exact()
    assert 0.7 * exact().total() < matches.total() < exact().total()
    assert sum(work(made).values()) < 1.1 * 60 * EVENTS
    assert not made.complete
    told = made.statistics()["queries"]["two"]["bound"]
    assert not told["complete"]
    assert told["events_over"] > 100
    assert {state["state"] for state in told["dropped"]} <= {1, 2, 3, 4}
    assert sum(state["worth_too_little"] for state in told["dropped"]) > 1000


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_cuts_and_snapshots_change_nothing(size: int) -> None:
    queries, bound, some = {"one": ONE, "two": TWO}, Bound(60, {"two": 2}), items()[:2500]
    whole = engine(queries, bound)
    wanted = whole.push_batch(STREAM, some) + whole.close()
    cut, matches = engine(queries, bound), list[spaseq.Match]()
    for number, part in enumerate(parts(some, size)):
        matches += cut.push_batch(STREAM, list(part))
        if number % 300 == 1:
            cut = Engine.restore(cut.snapshot(), queries, bound=bound)
    assert matches + cut.close() == wanted
    assert work(cut) == work(whole)


def test_a_bound_that_is_never_met() -> None:
    made = engine({"one": ONE, "two": TWO}, Bound(NEVER_MET))
    assert found(made) == found(engine({"one": ONE, "two": TWO}, None, evaluation="eager"))
    assert made.complete


def test_priorities() -> None:
    queries = {"first": TWO, "second": TWO.replace("SELECT *", "SELECT ?ax")}
    made = engine(queries, Bound(60, {"first": 9}))
    counts = Counter(match.query for match in found(made))
    assert counts["first"] > 1.2 * counts["second"]
    assert work(made)["first"] > 4 * work(made)["second"]


def test_a_limit_is_reached_in_the_same_way_however_results_are_taken() -> None:
    def limited(size: int) -> list[spaseq.Match]:
        made = engine({"two": TWO}, Bound(60))
        made.register(ONE, "few", max_results=5)
        return found(made, parts(items()[:2500], size))

    assert limited(2500) == limited(10)


def test_results_of_an_event_that_are_too_many_are_left_out() -> None:
    """An event has so many results that nobody could list them: so many are found as it may have units."""
    text = text_of(("A : B:+ : C", {}), 400).replace("?id", "<urn:one>")
    kinds = [*"ABBBBBBBBBBBBC", "C", *"B" * 40, "C"]
    some = [
        (number, f"<urn:e> <urn:{kind}> {number} ; <urn:id> <urn:one> .".encode()) for number, kind in enumerate(kinds)
    ]
    listed, counted = (engine({"all": text}, Bound(10)) for _ in range(2))
    counted.kind.count_only()
    matches = [match for item in some for match in listed.push_batch(STREAM, [item])] + listed.close()
    assert not counted.push_batch(STREAM, some) + counted.close()
    assert Counter(match.last for match in matches) == Counter({match.last: 640 for match in matches})
    told = listed.statistics()["queries"]["all"]
    assert told["results"] == counted.statistics()["queries"]["all"]["results"] == len(matches) == 3 * 640
    assert told["bound"]["events_curtailed"] == 3
    assert not listed.complete
    assert set(matches[: 2 * 640]) < set(found(engine({"all": text}, None), iter([some[:15]])))


def test_rows_of_parameters() -> None:
    text = TWO.replace("SELECT *", "SELECT ?ax ?bx").replace("WHERE {", "GIVEN ?key WHERE {", 1).replace("?id", "?key")
    rows: list[dict[str, object]] = [{"key": key} for key in range(10)]
    bound, free = Engine(bound=Bound(20)), Engine()
    for made in (bound, free):
        made.register(text, "keys", given=rows)
    matches, wanted = Counter(found(bound)), Counter(found(free))
    assert not matches - wanted
    assert 0 < matches.total() < wanted.total()
    told = bound.statistics()["queries"]["keys"]
    assert told["rows"] == 10
    assert not told["bound"]["complete"]


def test_rows_that_come_and_go() -> None:
    text = TWO.replace("WHERE {", "GIVEN ?key WHERE {", 1).replace("?id", "?key")
    made = Engine(bound=Bound(20))
    made.register(text, "keys", given=[{"key": 1}, {"key": 2}])
    made.push_batch(STREAM, items()[:1500])
    lost = made.statistics()["queries"]["keys"]["bound"]["work"]
    made.given("keys").add([{"key": 3}])
    made.given("keys").remove([{"key": 1}])
    made.push_batch(STREAM, items()[1500:])
    assert made.statistics()["queries"]["keys"]["bound"]["work"] > lost > 0


# ── snapshots of one kind, restored as the other ─────────────────────────────────────────────────────────
@pytest.mark.parametrize(("before", "after"), [(None, Bound(30)), (Bound(30), None), (Bound(30), Bound(90))])
def test_another_bound_from_a_snapshot_on(before: Bound | None, after: Bound | None) -> None:
    queries = {"one": ONE, "two": TWO}
    made = engine(queries, before)
    matches = made.push_batch(STREAM, items()[:2000])
    again = Engine.restore(made.snapshot(), queries, bound=after)
    assert again.complete == made.complete
    assert again.snapshot() == Engine.restore(again.snapshot(), queries, bound=after).snapshot()
    matches += again.push_batch(STREAM, items()[2000:]) + again.close()
    assert not Counter(matches) - exact()
    assert not again.complete


def test_steps_that_wait_are_made_when_a_bound_is_set() -> None:
    text = (
        "SELECT ?av ?bv ?cv WITHIN 1 MINUTE SLIDING FROM STREAM s <urn:s> WHERE { SEQ(A : B : C) "
        "DEFINE GPM A ON s { ?k <urn:A> ?av } DEFINE GPM B ON s { ?k <urn:B> ?bv } "
        "DEFINE GPM C ON s { ?k <urn:C> ?cv FILTER(?av + ?bv < ?cv) } }"
    )
    some = [(10_000 * n, f"<urn:k> <urn:{'ABC'[n % 3]}> {n % 7} .".encode()) for n in range(60)]
    lazy, eager = Engine(evaluation="lazy"), Engine()
    for made in (lazy, eager):
        made.register(text, "sums")
        made.push_batch(STREAM, some[:40])
    bounded = Engine.restore(lazy.snapshot(), {"sums": text}, bound=Bound(NEVER_MET))
    assert Counter(bounded.push_batch(STREAM, some[40:])) == Counter(eager.push_batch(STREAM, some[40:]))


def test_queries_that_run_together_in_a_snapshot() -> None:
    within = ONE.replace(f"{WINDOW} EVENTS", "1 SECOND")
    texts = {f"q{number}": within.replace("?id", f"{number}") for number in range(12)}
    made = engine(texts, None)
    made.push_batch(STREAM, items()[:10])
    with pytest.raises(OptionError, match="queries run together in the snapshot"):
        Engine.restore(made.snapshot(), texts, bound=Bound(5))


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("work", "priorities", "message"),
    [
        (0, {}, "a bound on work is a number above 0"),
        (float("nan"), {}, "a bound on work is a number above 0"),
        (True, {}, "a bound on work is a number above 0"),
        ("9", {}, "a bound on work is a number above 0"),
        (9, {"q": 0}, "the priority of q is a number"),
        (9, ["q"], "priorities are given by the names of queries"),
    ],
)
def test_no_bounds(work: Any, priorities: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Bound(work, priorities)


def test_no_bound_at_all() -> None:
    wrong: Any = 5
    with pytest.raises(OptionError, match="a bound is given as Bound"):
        Engine(bound=wrong)
    with pytest.raises(OptionError, match="evaluation cannot be lazy"):
        Engine(bound=Bound(5), evaluation="lazy")
    with pytest.raises(OptionError, match="there is no query tow to have a priority; did you mean two"):
        spaseq.run({"two": TWO}, {"s": items()}, bound=Bound(5, {"tow": 2}))


def test_aggregates_over_matches_are_refused() -> None:
    made = Engine(bound=Bound(5))
    with pytest.raises(OptionError, match="the work of sums may have no bound: it aggregates over matches"):
        made.register(ONE.replace("SELECT *", "SELECT (COUNT(*) AS ?n)"), "sums")
    assert not made.queries


def test_windows_that_count_events_of_partitions_are_refused() -> None:
    text = ONE.replace(" WHERE {", " PARTITION BY ?id WHERE {", 1)
    with pytest.raises(OptionError, match="its window counts the events of each partition"):
        Engine(bound=Bound(5)).register(text, "sums")


DERIVES: dict[str, Any] = {"seq": "A : B", "construct": "?a :P ?va", "into": "D", "within": "5 SECONDS"}
READS: dict[str, Any] = {"streams": ["D", "S"], "gpm": {"P": "?x :P ?p"}, "on": dict.fromkeys("ABCN", "S")}
REFUSED = [
    ("P ; C", {"within": "9 EVENTS"}, "its window counts events"),
    ("C : P! : C", {}, "a negation looks for its events"),
    ("C : P? : C", {}, "a part of it is there or absent"),
    ("C : P* : C", {}, "a part of it is there or absent"),
    ("P , C", {}, "“,” wants no event in between"),
    ("C ; P", {}, "“;” takes the next event"),
    ("C : P;+", {}, "“;” takes the next event"),
    ("P : C", {"gpm": {"P": "?x :P ?p FILTER NOT EXISTS { ?x :Q ?q }"}}, "asks whether something EXISTS"),
    ("P : C", {"gpm": {"P": "?x :P ?p MINUS { ?x :Q ?q }"}}, "has MINUS"),
    ("P : C", {"gpm": {"P": "?x :P ?p OPTIONAL { ?x :Q ?q }"}}, "has OPTIONAL"),
]


@pytest.mark.parametrize(("sequence", "more", "why"), REFUSED)
@pytest.mark.parametrize("order", [("derives", "reads"), ("reads", "derives")])
def test_readers_that_take_a_missing_event_for_an_absence(
    sequence: str, more: dict[str, Any], why: str, order: Sequence[str]
) -> None:
    texts = {
        "derives": query_text(DERIVES),
        "reads": query_text({**READS, "seq": sequence, "within": "5 SECONDS", **more}),
    }
    made = Engine(bound=Bound(5))
    made.register(texts[order[0]], order[0])
    with pytest.raises(OptionError, match=f"derives may have no bound, as reads reads what it derives: .*{why}"):
        made.register(texts[order[1]], order[1])


def test_readers_whose_partitions_ask_what_is_not_there() -> None:
    using = "?x USING { ?x :P ?p MINUS { ?x :Q ?q } }"
    made = Engine(bound=Bound(5))
    made.register(query_text(DERIVES), "derives")
    with pytest.raises(OptionError, match="a graph pattern has MINUS"):
        made.register(query_text({**READS, "seq": "P : P", "within": "5 SECONDS", "partition": using}), "reads")


@pytest.mark.parametrize("sequence", ["P ; C", "P : C", "C : P : P", "P & C", "(P | C) : C", "P:+ : C", "P : N! : C"])
def test_other_readers(sequence: str) -> None:
    made = Engine(bound=Bound(5))
    made.register(query_text(DERIVES), "derives")
    made.register(query_text({**READS, "seq": sequence, "within": "5 SECONDS"}), "reads")


def test_events_that_several_ways_lead_to_are_not_read() -> None:
    made = Engine(bound=Bound(5))
    made.register(query_text({**DERIVES, "keyed": True, "partition": "?k"}), "derives")
    with pytest.raises(OptionError, match="several ways or partitions lead to"):
        made.register(query_text({**READS, "seq": "P : C", "within": "5 SECONDS"}), "reads")


# ── a run ────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_run_says_what_it_left_out() -> None:
    run = spaseq.run({"two": TWO}, {"s": items()}, bound=Bound(20))
    with pytest.warns(SpaseqWarning, match="steps of two were left out to keep work within its bound: some results"):
        matches = Counter(run)
    assert 0 < matches.total() < sum(match.query == "two" for match in exact())
    assert not run.complete
    free = spaseq.run({"two": TWO}, {"s": items()})
    assert sum(1 for _ in free) > matches.total()
    assert free.complete


def test_why_nothing_was_found() -> None:
    made = engine({"one": text_of(("A : B:+ : C : D", {"C": "FILTER(SUM(?bx) > 100000000)"}), WINDOW)}, Bound(5))
    assert not found(made)
    assert any("left out to keep work within its bound" in why for why in made.statistics()["queries"]["one"]["why"])


def test_every_event_matters_for_what_is_left_out() -> None:
    made = engine({"one": ONE.replace(f"{WINDOW} EVENTS", "1 SECOND")}, Bound(20))
    made.push_batch(STREAM, items()[:100])
    assert made.needed_since() is None


def test_counted_alone() -> None:
    run = spaseq.Run({"two": TWO}, {"s": items()}, count_only=True, bound=Bound(NEVER_MET))
    assert not list(run.tables())
    assert run.counts() == {"two": sum(match.query == "two" for match in exact())}
