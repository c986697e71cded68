"""``Bound(sample=…)``: an estimate of which part of all results is found, from Python."""

from __future__ import annotations

from typing import Any

import pytest

import spaseq
from spaseq import Bound, Engine, OptionError
from tests.graphs.test_work_bound import ONE, STREAM, TWO, engine, found, items, parts
from tests.kernel.bounded import text_of

EVENTS, BOUND = 9000, Bound(40, sample=0.2)


def recall(made: Engine, name: str = "two") -> Any:
    return made.statistics()["queries"][name]["bound"]["recall"]


def ran(bound: Bound | None, size: int = EVENTS, snapshots: int = 0) -> tuple[Engine, list[spaseq.Match]]:
    """One over all events in parts of a size, from snapshots behind every so many."""
    made, matches = engine({"two": TWO}, bound), list[spaseq.Match]()
    for number, part in enumerate(parts(items(EVENTS), size)):
        matches += made.push_batch(STREAM, list(part))
        if snapshots and number % snapshots == 1:
            made = Engine.restore(made.snapshot(), {"two": TWO}, bound=bound)
    return made, matches + made.close()


def test_recall_is_estimated() -> None:
    made, matches = ran(BOUND)
    told, truth = recall(made), len(matches) / len(ran(None)[1])
    assert told["ticks"] > 100
    assert told["low"] < told["estimate"] < told["high"] < told["low"] + 0.25
    assert told["low"] <= truth <= told["high"] < 1
    assert made.statistics()["queries"]["two"]["bound"]["work"] < 1.1 * 40 * EVENTS
    with pytest.warns(spaseq.SpaseqWarning, match=r"of the results about [\d.]+ % were found \([\d.]+ to "):
        list(spaseq.run({"two": TWO}, {STREAM: items(EVENTS)}, bound=BOUND))


@pytest.mark.parametrize("size", [1, 1000])
def test_cuts_and_snapshots_change_nothing(size: int) -> None:
    whole, wanted = ran(BOUND)
    cut, matches = ran(BOUND, size, 3000 // size)
    assert matches == wanted
    assert recall(cut) == recall(whole)


def test_nothing_is_known_of_few_ticks() -> None:
    assert recall(ran(Bound(60, sample=0.001))[0]) is None
    assert "recall" not in ran(Bound(60))[0].statistics()["queries"]["two"]["bound"]


def test_everything_is_found() -> None:
    assert recall(ran(Bound(1e9, sample=0.1))[0])["low"] == 1


def test_a_sample_that_takes_too_much_becomes_smaller() -> None:
    shed = next(iter(ran(Bound(30, sample=1))[0].core.at_work)).shed
    assert shed.since > 1_000_000
    assert shed.work < 1.5 * 30 * EVENTS


def test_a_restored_engine_may_have_another_sample() -> None:
    made = engine({"one": ONE}, Bound(60, sample=0.1))
    made.push_batch(STREAM, items())
    data = made.snapshot()
    for bound in (None, Bound(60), Bound(60, sample=0.2)):
        again = Engine.restore(data, {"one": ONE}, bound=bound)
        assert again.push_batch(STREAM, items(EVENTS)[3000:])
        told = again.statistics()["queries"]["one"].get("bound", {})
        assert ("recall" in told) == (bound is not None and bound.sample > 0)
    plain = engine({"one": ONE}, Bound(60))
    plain.push_batch(STREAM, items())
    again = Engine.restore(plain.snapshot(), {"one": ONE}, bound=Bound(60, sample=0.2))
    again.push_batch(STREAM, items(EVENTS)[3000:])
    assert recall(again, "one")["since"].startswith("1970-01-01T00:00:02.999")


def test_rows_of_parameters_draw_ticks_of_their_own() -> None:
    text = TWO.replace("SELECT *", "SELECT ?ax ?bx").replace("WHERE {", "GIVEN ?key WHERE {", 1).replace("?id", "?key")
    made = Engine(bound=Bound(25, sample=0.2))
    made.register(text, "keys", given=[{"key": key} for key in range(25)])
    matches = found(made, iter([items(EVENTS)]))
    told, truth = recall(made, "keys"), len(matches) / len(ran(None)[1])
    assert told["ticks"] > 60
    assert told["low"] <= truth <= told["high"]


def test_rows_that_are_gone_count_on() -> None:
    text = TWO.replace("SELECT *", "SELECT ?ax ?bx").replace("WHERE {", "GIVEN ?key WHERE {", 1).replace("?id", "?key")
    made = Engine(bound=Bound(25, sample=0.2))
    made.register(text, "keys", given=[{"key": key} for key in range(25)])
    made.push_batch(STREAM, items(EVENTS))
    before = recall(made, "keys")
    made.given("keys").remove([{"key": key} for key in range(20)])
    again = Engine.restore(
        made.snapshot(),
        {"keys": text},
        bound=Bound(25, sample=0.2),
        given={"keys": [{"key": key} for key in range(20, 25)]},
    )
    assert recall(made, "keys") == recall(again, "keys") == before


def test_sides_beside_each_other_have_no_sample() -> None:
    made = engine({"both": text_of(("(A : B) && (C : D)", {}), 50)}, Bound(5, sample=0.1))
    assert found(made, iter([items()[:500]]))
    assert "recall" not in made.statistics()["queries"]["both"]["bound"]


@pytest.mark.parametrize("sample", [2, -0.1, 1e-9, "0.1", True])
def test_wrong_samples(sample: Any) -> None:
    with pytest.raises(OptionError, match=r"a sample is a part of the ticks, from 0\.0001 to 1, not"):
        Bound(60, sample=sample)
