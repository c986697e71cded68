"""Events that wait hold on to little more than themselves, and to keep them costs the same for each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Triple

import spaseq
from gpm.encoder import encode_single, event_batch
from gpm.native.assembly import Assembler, Encoder
from gpm.native.single import SingleEvent
from gpm.rows import Texts
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.kind import new_evaluator
from spaseq.graphs.names import EventNames
from spaseq.runtime.reorder import Released, ReorderBuffer
from spaseq.sources.rdf.events import Event, EventIris, Events
from spaseq.streams.clock import StreamClock

LONG = "^^<http://www.w3.org/2001/XMLSchema#long>"
LINES = f'<urn:e%(n)d> <urn:at> "%(n)d"{LONG} .\n_:x <urn:p> "%(text)s" <urn:e%(n)d> .\n'
QUERY = """
SELECT ?v FROM STREAM s <urn:s> FROM STREAM t <urn:t> WITHIN %s SLIDING
WHERE { SEQ(A ; B) DEFINE GPM A ON s { ?e <urn:p> ?v } DEFINE GPM B ON t { ?f <urn:q> ?v } }
"""


@pytest.fixture
def encoder() -> Encoder:
    made = Encoder(Terms())
    made.want([(0, 0, 0)])
    return made


def block_of(encoder: Encoder, count: int, text: str = "a text", first: int = 0) -> Events:
    """Events that were read from one block, as of a file: event n is at time n."""
    block = "".join(LINES % {"n": n, "text": f"{text} {n}"} for n in range(first, first + count)).encode()
    assembler = Assembler(encoder, ["urn:at"])
    assembler.read(block, 0, len(block))
    assembler.finish()
    columns = assembler.take()
    return Events("urn:s", event_batch(assembler, columns), EventIris.ending(columns["names"], columns["name_ends"]))


def one_by_one(encoder: Encoder, numbers: range) -> list[Events]:
    """Events that were pushed: each with a text of its own."""
    x, p = NamedNode("urn:x"), NamedNode("urn:p")
    return [Events.of("urn:s", [Event("urn:s", n, f"urn:e{n}", [Triple(x, p, Literal(n))])], encoder) for n in numbers]


def bases(*columns: np.ndarray) -> int:
    """Bytes of what the columns are parts of."""
    return sum(column.nbytes if column.base is None else memoryview(column.base).nbytes for column in columns)


def held(events: Events) -> int:
    """Bytes that cannot be freed as long as the events are there."""
    graphs, names = events.graphs, events.names
    text = sum(len(block) for block in graphs.texts.blocks)
    columns = (graphs.times, graphs.scopes, graphs.offsets, graphs.knowledge, graphs.texts.starts, names.ends)
    return text + len(names.text) + graphs.triples.nbytes + bases(*columns)


def seen(events: Events) -> list[tuple[str, int, str]]:
    return [(event.name, event.timestamp, str(event.triples[0].object)) for event in events]


def test_the_last_of_many_events_lets_go_of_their_block(encoder: Encoder) -> None:
    events = block_of(encoder, 1000)
    last = events.part(999, 1000)
    assert held(last) > 100_000
    assert held(last.compact()) < 500
    assert seen(last.compact()) == seen(last) == [("urn:e999", 999, '"a text 999"')]


def test_most_events_of_a_block_keep_it_as_it_is(encoder: Encoder) -> None:
    events = block_of(encoder, 1000, text="x" * 200)
    most = events.part(100, 1000)
    assert most.compact().graphs.texts.blocks[0] is events.graphs.texts.blocks[0]
    assert seen(most.compact()) == seen(events)[100:]


def test_each_block_is_judged_by_itself(encoder: Encoder) -> None:
    """The last event of one block, all of another one, and one whose triples were given as such."""
    (given,) = one_by_one(encoder, range(7, 8))
    triples = [Triple(NamedNode("urn:x"), NamedNode("urn:p"), Literal("given"))]
    texts = Texts((triples,), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))
    batch = block_of(encoder, 1000).part(999, 1000).graphs.texts
    whole = block_of(encoder, 50, "x" * 200, 2000).graphs.texts
    joined = Texts.join([batch, texts, whole, given.graphs.texts])
    compact = joined.compact()
    assert [str(compact[n][0].object) for n in range(53)] == [str(joined[n][0].object) for n in range(53)]
    assert sum(map(len, compact.blocks)) < 2 * len(whole.blocks[0])
    assert whole.blocks[0] in compact.blocks
    assert triples in compact.blocks


def test_a_large_block_does_not_wait_for_a_small_event(encoder: Encoder) -> None:
    buffer: ReorderBuffer[Events, Any] = ReorderBuffer(1)
    buffer.add(0, block_of(encoder, 2, text="x" * 10_000))
    buffer.release([0])
    buffer.add(0, block_of(encoder, 3, text="x" * 1_000_000, first=2).take(np.array([0])))
    ((_, events),) = buffer.waiting()
    buffer.release([0])
    ((_, compact),) = buffer.waiting()
    assert held(events) > 3_000_000
    assert held(compact) < 1_100_000
    assert seen(compact) == seen(events)


@pytest.mark.parametrize("size", [1, 30])
def test_what_waits_does_not_grow_with_what_has_passed(encoder: Encoder, size: int) -> None:
    """Batches of ``size`` events, of which ten wait at any time."""
    buffer: ReorderBuffer[Events, Any] = ReorderBuffer(1)
    sizes, released = [], 0
    for first in range(0, 3000, size):
        buffer.add(0, block_of(encoder, size, first=first))
        released += len(buffer.release([first + size - 11]) or ())
        sizes.append(sum(held(events) for _, events in buffer.waiting()))
    assert released == 2990
    assert max(sizes[-100:]) <= 1.5 * max(sizes[:50])
    assert max(len(run.events.graphs.texts.blocks) for run in buffer._queues[0].runs) <= 25


def test_to_keep_an_event_costs_the_same_however_many_came(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are looked at when events are joined: a few for each event, as one is moved seldom."""
    looked_at, join = [0], Texts.join

    def counting(parts: list[Texts]) -> Texts:
        looked_at[0] += sum(len(part.blocks) for part in parts)
        return join(parts)

    monkeypatch.setattr(Texts, "join", staticmethod(counting))
    buffer: ReorderBuffer[Events, Any] = ReorderBuffer(1)
    counts = []
    for number, events in enumerate(one_by_one(encoder, range(4000))):
        buffer.add(0, events)
        buffer.release([number - 20])
        counts.append(looked_at[0])
    at = [counts[n] for n in (999, 1999, 2999, 3999)]
    costs = [after - before for before, after in pairwise(at)]
    assert max(costs) <= 1.2 * min(costs)
    assert max(costs) < 1000 * 12


def test_words_of_what_has_passed_are_no_longer_held(encoder: Encoder) -> None:
    """A part of a batch needs the words of its own events, and the table can forget the others."""
    batch = block_of(encoder, 1000).graphs
    last = batch.part(999, 1000)
    assert last.words().tolist() == batch.triples[:, 999:].tolist()
    del batch
    encoder.terms.collect(one.words() for one in encoder.batches)
    assert encoder.terms.bytes(int(last.words()[2, 0])) == b"Sa text 999"
    assert len(encoder.terms) < 10


def test_names_of_few_events_let_go_of_the_others(encoder: Encoder) -> None:
    events = block_of(encoder, 1000)
    names = EventNames()
    for number in range(3):
        names.add(events.part(number, number + 1).names)
    assert [names(number) for number in range(3)] == ["urn:e0", "urn:e1", "urn:e2"]
    assert sum(len(part.text) for part, _ in names._parts) == len("urn:e0urn:e1urn:e2")


def test_events_that_wait_one_by_one_come_in_order(encoder: Encoder) -> None:
    """By time, then by stream, then as they came; there may be any number of them."""
    buffer: ReorderBuffer[Events, SingleEvent] = ReorderBuffer(2)
    assembler = Assembler(encoder, ())
    arrivals = [(n * 7919 % 97, n % 2, n) for n in range(20_000)]
    for time, stream, number in arrivals:
        event = encode_single(assembler, [], time)
        event.name = str(number)
        buffer.add_single(stream, event)
    assert len(buffer) == 20_000
    found = [(time, stream, int(event.name)) for time, stream, _, event in buffer.release_singles([50, 50])]
    assert found == [one for one in sorted(arrivals) if one[0] <= 50]
    assert buffer.waiting_of(0) + buffer.waiting_of(1) == 20_000 - len(found)


def test_a_batch_may_come_when_many_events_wait_one_by_one() -> None:
    """They are joined at once, not one after the other."""
    engine = spaseq.Engine()
    engine.register(QUERY % "1 HOUR")
    for number in range(3000):
        engine.push("s", f"_:x <urn:p> {number} .".encode(), number)
    joined: list[int] = []
    make = Events.of_single
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spaseq.graphs.graph_engine.FEW_EVENTS", 0)
        patch.setattr(Events, "of_single", staticmethod(lambda *args: joined.append(len(args) - 2) or make(*args)))
        patch.setattr(Events, "join", None)
        engine.push_batch("s", [(3000, b"_:x <urn:p> 3000 ."), (3001, b"_:x <urn:p> 3001 .")])
    assert joined == [3000]
    engine.push_batch("t", [(4000, b"_:y <urn:q> 17 ."), (4001, b"_:y <urn:q> 3001 .")])
    assert [str(match.bindings["v"]) for match in engine.close()] == ["17", "3001"]


class Unread(GraphInput):
    """An input whose events go nowhere."""

    def _route(self, stream: int, knowledge: int) -> None:
        return None

    def _feed(self, released: Released[Events]) -> dict[GraphQuery, None]:
        return {}


def test_the_oldest_background_that_somebody_sees_is_known_at_once(encoder: Encoder) -> None:
    """It is asked for after each push while two versions are there, so nothing may be joined for it."""
    clock, assembler = StreamClock("urn:s"), Assembler(encoder, ())
    merged = Unread([clock], False, new_evaluator("auto"))
    assert merged.oldest_knowledge() is None
    for time, knowledge in ((1, 3), (2, 4), (3, 4)):
        event = encode_single(assembler, [], time)
        event.name, event.knowledge = "urn:e", knowledge
        merged.add_single("urn:s", event)
    assert merged.oldest_knowledge() == 3
    clock.promise(1)
    merged.settle()
    assert merged.oldest_knowledge() == 4
    clock.promise(3)
    merged.settle()
    assert merged.oldest_knowledge() is None
    for first, knowledge in ((3, 5), (13, 6)):
        merged.add(block_of(encoder, 10, first=first).seeing(knowledge))
    assert merged.oldest_knowledge() == 5
    clock.promise(12)
    merged.settle()
    assert merged.oldest_knowledge() == 6
