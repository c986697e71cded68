"""One engine belongs to one thread at a time: a second call is refused, and the first one is none the worse for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from pyoxigraph import RdfFormat, parse

import spaseq
from spaseq import BusyError
from spaseq.runtime.guards import Tables
from spaseq.sources.rdf.events import Event
from tests.graphs.arrow_rows import table

QUERY = """SELECT ?a ?b WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {
  SEQ(A ; B) DEFINE GPM A ON s { ?x <urn:p> ?a } DEFINE GPM B ON s { ?x <urn:q> ?b } }"""
INTEGER = b"^^<http://www.w3.org/2001/XMLSchema#integer> ."
A, B = b'<urn:x> <urn:p> "1"' + INTEGER, b'<urn:x> <urn:q> "2"' + INTEGER


@pytest.fixture
def often() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def engine_of(query: str = QUERY, **options: Any) -> spaseq.Engine:
    engine = spaseq.Engine(**options)
    engine.register(query, "q")
    return engine


def at_once(*jobs: Callable[[], object]) -> list[BaseException]:
    """Do jobs side by side; what went wrong but for refused calls."""
    wrong: list[BaseException] = []
    begin = threading.Barrier(len(jobs))

    def work(job: Callable[[], object]) -> None:
        begin.wait(60)
        try:
            job()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


CALLS: dict[str, Callable[[spaseq.Engine], object]] = {
    "push": lambda engine: engine.push("s", B, 2),
    "push_batch": lambda engine: engine.push_batch("s", [(2, A), (2, B)]),
    "push_events": lambda engine: list(engine.push_events([])),
    "push_columns": lambda engine: list(engine.push_columns([])),
    "push_arrow": lambda engine: list(engine.push_arrow(table([]))),
    "advance": lambda engine: engine.advance(2),
    "advance_tables": lambda engine: list(engine.advance_tables(2)),
    "close": lambda engine: engine.close(),
    "close_tables": lambda engine: list(engine.close_tables()),
    "snapshot": lambda engine: engine.snapshot(),
    "register": lambda engine: engine.register(QUERY, "another"),
    "unregister": lambda engine: engine.unregister("q"),
    "update_background": lambda engine: engine.update_background({}),
    "statistics": lambda engine: engine.statistics(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_from_another_thread_is_refused(name: str) -> None:
    """What the first thread has begun goes on as if nothing had been."""
    errors: list[BaseException] = []

    def events() -> Iterator[tuple[int, bytes]]:
        yield 0, A
        errors.extend(at_once(lambda: CALLS[name](engine)))
        yield 1, B

    engine = engine_of()
    assert len(engine.push_batch("s", events())) == 1
    (error,) = errors
    assert type(error) is BusyError
    assert str(error) == (
        f"{name}: push_batch of this engine is under way in another thread; one engine belongs to one thread at a time"
    )
    CALLS[name](engine)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_from_a_callback_is_refused(name: str) -> None:
    """Only statistics can be asked for in there."""
    errors: list[BaseException] = []

    def call(_: object) -> None:
        try:
            CALLS[name](engine)
        except BusyError as error:
            errors.append(error)

    engine = spaseq.Engine(on_late=call)
    engine.register(QUERY, "q", on_match=call)
    engine.push("s", A, 5)
    engine.push("s", A, 0)
    assert len(engine.push("s", B, 6)) == 1
    assert len(errors) == (0 if name == "statistics" else 2)
    assert all("do that after it has returned" in str(error) for error in errors)
    CALLS[name](engine)


def half_consumed() -> tuple[spaseq.Engine, Tables[object]]:
    """An engine, and the rest of the tables of two events that two queries match."""
    engine = engine_of()
    engine.register(QUERY, "r")
    engine.push("s", A, 1)
    tables = engine.push_events([Event("urn:s", 2, "urn:b", list(parse(B, RdfFormat.N_QUADS)))])
    next(tables)
    assert isinstance(tables, Tables)
    return engine, tables


@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"statistics"}))
def test_tables_that_are_half_consumed(name: str) -> None:
    """Nothing is done before they are all taken, or given up."""
    engine, tables = half_consumed()
    with pytest.raises(BusyError, match=f"{name}: not all tables of push_events are taken"):
        CALLS[name](engine)
    engine.statistics()
    assert len(list(tables)) == 1
    CALLS[name](engine)


def test_tables_that_are_given_up() -> None:
    """Who closes or drops the iterator gets no more of them, and the engine goes on."""
    for give_up in (Tables.close, lambda _: None):
        engine, tables = half_consumed()
        give_up(tables)
        del tables
        engine.push("s", A, 3)
        assert {match.query for match in engine.push("s", B, 4)} == {"q", "r"}


def test_tables_of_which_none_was_taken_come_with_the_next_ones() -> None:
    engine = engine_of()
    engine.push_events([Event("urn:s", 1, "urn:a", list(parse(A, RdfFormat.N_QUADS)))])
    assert len(engine.push("s", B, 2)) == 1


@pytest.mark.usefixtures("often")
def test_threads_that_hammer_an_engine() -> None:
    """Each call does all that it should, or nothing."""
    engine = engine_of()
    pushed: list[int] = []

    def push() -> None:
        for _ in range(300):
            try:
                engine.push("s", b"<urn:x> <urn:z> <urn:y> .", 5)
                pushed.append(1)
            except BusyError:
                pass

    def others() -> None:
        for _ in range(100):
            for name in ("advance_tables", "snapshot", "push_events", "statistics"):
                with suppress(BusyError):
                    engine.advance(5) if name == "advance_tables" else CALLS[name](engine)

    assert at_once(push, push, others) == []
    assert engine.statistics()["streams"]["urn:s"]["events"] == len(pushed)
    assert engine.push("s", A, 6) == []
    assert len(engine.push("s", B, 7)) == 1


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("iterate", [iter, spaseq.Run.tables], ids=["matches", "tables"])
def test_threads_that_share_a_run(iterate: Callable[[spaseq.Run], Iterator[Any]]) -> None:
    """Each match comes once, to one of them; the engine is of nobody else until then."""
    run = spaseq.run(QUERY, {"s": [(time, A if time % 2 else B) for time in range(600)]})
    results, found = iterate(run), []

    def take() -> None:
        while True:
            try:
                found.append(next(results))
            except BusyError:
                continue
            except StopIteration:
                return

    found.append(next(results))
    with pytest.raises(BusyError, match="not all tables of Run"):
        run.engine.push("s", A, 1000)
    assert at_once(take, take, take) == []
    assert sum(len(each) if isinstance(each, spaseq.MatchTable) else 1 for each in found) == 299
