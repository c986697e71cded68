"""Callbacks that raise: all are called, and neither results nor events are lost by it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import spaseq
from spaseq.sources.rdf.events import Event

EACH = """
    SELECT ?v FROM STREAM s <urn:s>
    WHERE { SEQ(A) DEFINE GPM A ON s { <urn:s> <urn:p> ?v } }"""


def graph(*values: int) -> bytes:
    return b"".join(b"<urn:s> <urn:p> %d .\n" % value for value in values)


def shown(matches: list[spaseq.Match]) -> list[tuple[str, int]]:
    return [(match.query, int(match.bindings["v"])) for match in matches]


def fails_at(value: int, told: list[tuple[str, int]]) -> Callable[[spaseq.Match], None]:
    def tell(match: spaseq.Match) -> None:
        told.extend(shown([match]))
        if told[-1][1] == value:
            raise ValueError(f"not {value}")

    return tell


def test_all_are_called_and_the_results_come_with_the_next_call() -> None:
    engine, told = spaseq.Engine(), list[tuple[str, int]]()
    engine.register(EACH, "one", fails_at(1, told))
    engine.register(EACH, "two", fails_at(2, told))
    with pytest.raises(ExceptionGroup, match=r"callbacks \(on_match\) raised") as raised:
        engine.push_batch("s", [(n, graph(n)) for n in (1, 2, 3)])
    assert [str(error) for error in raised.value.exceptions] == ["not 1", "not 2"]
    assert told == [(query, n) for n in (1, 2, 3) for query in ("one", "two")]
    assert shown(engine.push("s", graph(4), 4)) == told == [(q, n) for n in (1, 2, 3, 4) for q in ("one", "two")]
    assert engine.push_batch("s", []) == []


def test_an_interrupt_ends_the_calls_and_loses_none() -> None:
    engine, told = spaseq.Engine(), list[int]()

    def tell(match: spaseq.Match) -> None:
        told.append(int(match.bindings["v"]))
        if told == [1]:
            raise KeyboardInterrupt

    engine.register(EACH, "q", tell)
    with pytest.raises(KeyboardInterrupt):
        engine.push_batch("s", [(n, graph(n)) for n in (1, 2, 3)])
    assert told == [1]
    assert [value for _, value in shown(engine.advance(3))] == told == [1, 2, 3]


def test_what_waits_is_in_no_snapshot_and_due_at_once() -> None:
    engine = spaseq.Engine()
    engine.register(EACH, "q", fails_at(1, []))
    with pytest.raises(ExceptionGroup):
        engine.push("s", graph(1), 1)
    with pytest.raises(spaseq.OptionError, match=r"results wait: .* after an error of a callback, before"):
        engine.snapshot()
    with pytest.raises(spaseq.OptionError, match="results wait"):
        engine.needed_since()
    due = engine.due()
    assert due is not None
    assert shown(engine.advance(due)) == [("q", 1)]
    assert engine.due() is None
    engine.snapshot()


def test_what_a_query_found_is_given_though_it_was_unregistered() -> None:
    engine = spaseq.Engine()
    engine.register(EACH, "q", fails_at(1, []))
    with pytest.raises(ExceptionGroup):
        engine.push("s", graph(1), 1)
    engine.unregister("q")
    assert shown(engine.close()) == [("q", 1)]


@pytest.mark.parametrize("way", ["one by one", "few", "many", "columns"])
def test_late_events_cost_no_event_that_is_in_time(way: str) -> None:
    late = list[int]()

    def tell(event: Event) -> None:
        late.append(event.timestamp)
        raise ValueError(event.timestamp)

    engine = spaseq.Engine(on_late=tell)
    engine.register(EACH, "q")
    engine.push("s", graph(9), 50)
    times = [*range(10), *range(60, 160 if way == "many" else 70)]
    found = list[spaseq.Match]()
    raised = list[str]()
    pushes = [[time] for time in times] if way == "one by one" else [times]
    for push in pushes:
        try:
            if way == "columns":
                found += [m for t in engine.push_events([event(time) for time in push]) for m in t]
            else:
                found += engine.push_batch("s", [(time, graph(time)) for time in push])
        except ExceptionGroup as group:
            raised += map(str, group.exceptions)
    found += engine.advance(200)
    assert late == list(range(10)) == [int(text) for text in raised]
    assert [int(match.bindings["v"]) for match in found] == times[10:]


def event(time: int) -> Event:
    import pyoxigraph

    return Event("urn:s", time, f"urn:e:{time}", list(pyoxigraph.parse(graph(time), pyoxigraph.RdfFormat.TURTLE)))
