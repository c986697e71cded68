"""From triples and text to encoded events (see ``gpm.native.assembly``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from pyoxigraph import Quad

from gpm.lines import QuadLines
from gpm.native.assembly import Assembler, Encoder, written_lines
from gpm.native.single import SingleEvent
from gpm.rows import EventBatch, EventGraph, EventTexts, GraphMaker, Numbers, TextColumn, Texts, Triples, Words
from gpm.terms import term_bytes, written_badly
from nfa_native.terms.dictionary import Terms

if TYPE_CHECKING:
    from typing_extensions import TypeIs

AT_ONCE = 1 << 12  # texts that are read at once; their places are looked at again behind each that is read by itself


def forget_terms(encoder: Encoder, held: Iterable[Words]) -> None:
    """Free all terms but those of ``held`` and of the batches and the events under way of this encoder."""
    assemblers = list(encoder.assemblers)
    for assembler in assemblers:
        assembler.forget_words()
    batches = [batch.words() for batch in encoder.batches]
    encoder.terms.collect([*held, *batches, *(assembler.pending() for assembler in assemblers)])


def encode_graphs(encoder: Encoder, graphs: Iterable[EventGraph]) -> EventBatch:
    """Whole events as a batch."""
    assembler = Assembler(encoder, ())
    next_scope = encoder.next_scope
    for graph in graphs:
        encoder.next_scope = next_scope if graph.scope is None else graph.scope
        add_graph(assembler, graph.triples, graph.timestamp, b"")
        if graph.scope is None:
            next_scope = encoder.next_scope
    encoder.next_scope = next_scope
    return event_batch(assembler, assembler.take())


def add_graph(assembler: Assembler, triples: Triples, time: int, name: bytes) -> None:
    """Add a whole event; ``name`` is its IRI or empty."""
    if assembler.add(time, name, _lines(triples)):
        return
    # A term that is none by the book, such as an IRI with a space that a lenient parser let pass.
    scope, terms = assembler.scope(), assembler.encoder.terms
    words = [
        [terms.intern_transient(term_bytes(term, scope)) for term in (part.subject, part.predicate, part.object)]
        for part in triples
    ]
    assembler.add_words(time, name, words, list(triples))


def add_texts(assembler: Assembler, rows: Numbers, events: EventTexts, alone: Callable[[int], bool]) -> None:
    """Add the events in these rows; ``alone`` is asked to add each that is no plain lines: False ends it."""
    columns = events.times, events.graphs, events.names, events.scopes
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        while len(some):
            taken = assembler.add_many(some, *columns)
            if taken < len(some) and not alone(int(some[taken])):
                return
            some = some[taken + 1 :]


def encode_texts(encoder: Encoder, events: EventTexts) -> EventBatch:
    """Whole events that are N-Quads lines and have scopes.  ValueError, SyntaxError: a line is no statement."""
    assert events.scopes is not None
    assembler, next_scope, scopes = Assembler(encoder, ()), encoder.next_scope, events.scopes

    def alone(row: int) -> bool:  # it has no statement, or a graph that is written in two ways
        encoder.next_scope = int(scopes[row])
        graph, time = events.graph(row), int(events.times[row])
        if not assembler.add(time, b"", graph):  # a term that only a lenient parser lets pass
            quads = QuadLines(graph).quads
            if not quads:
                raise ValueError("the graph of an event has no statement")
            if any(written_badly(part) for quad in quads for part in (quad.subject, quad.predicate, quad.object)):
                raise ValueError("an IRI of an event has a character that no line has")
            add_graph(assembler, quads, time, b"")
        return True

    try:
        add_texts(assembler, np.arange(len(events.times)), events, alone)
    finally:
        encoder.next_scope = next_scope
    return event_batch(assembler, assembler.take())


def event_batch(assembler: Assembler, columns: dict[str, Any]) -> EventBatch:
    """The columns that an assembler gave as a batch."""
    offsets = np.zeros(len(columns["ends"]) + 1, np.uint32)
    offsets[1:] = columns["ends"]
    blocks, block = columns["blocks"], columns["block"]
    # Texts that the assembler had to piece together come last; it numbers them −1, −2, …
    carried = int(-block.min(initial=0))
    block[block < 0] = len(blocks) - carried - 1 - block[block < 0]
    texts = Texts(tuple(blocks), block, columns["starts"], columns["stops"])
    home = assembler.encoder.batches
    times, knowledge = columns["times"], np.zeros(len(columns["times"]), np.int64)
    return EventBatch(times, columns["scopes"], offsets, columns["triples"], texts, knowledge, columns["version"], home)


def renewed(encoder: Encoder, batch: EventBatch) -> EventBatch:
    """The batch with the triples that are wanted now."""
    if batch.version == encoder.version:
        return batch
    return replace(encode_graphs(encoder, batch.graphs()), knowledge=batch.knowledge)


def encode_single(assembler: Assembler, triples: Triples, time: int) -> SingleEvent:
    """One event by itself; the assembler has no other."""
    add_graph(assembler, triples, time, b"")
    return assembler.take_single()


def renewed_single(encoder: Encoder, event: SingleEvent) -> SingleEvent:
    """One event with the triples that are wanted now."""
    if event.version == encoder.version:
        return event
    triples = QuadLines(event.text) if isinstance(event.text, bytes) else event.text
    assembler, next_scope = Assembler(encoder, ()), encoder.next_scope
    encoder.next_scope = event.scope
    again = encode_single(assembler, triples, event.time)
    encoder.next_scope = next_scope
    again.name, again.knowledge = event.name, event.knowledge
    return again


def single_batch(encoder: Encoder, *events: SingleEvent) -> EventBatch:
    """Some events as a batch, one at least."""
    count, blocks = len(events), tuple(event.text for event in events)
    stops = np.array([len(text) if isinstance(text, bytes) else 0 for text in blocks], np.int64)
    texts = Texts(blocks, np.arange(count), np.zeros(count, np.int64), stops)
    times = np.array([event.time for event in events], np.int64)
    scopes = np.array([event.scope for event in events], np.uint64)
    knowledge = np.array([event.knowledge for event in events], np.int64)
    offsets = np.array([0, *accumulate(event.size for event in events)], np.uint32)
    triples = events[0].triples if count == 1 else np.concatenate([event.triples for event in events], axis=1)
    version = min(event.version for event in events)
    return EventBatch(times, scopes, offsets, triples, texts, knowledge, version, encoder.batches)


def text_column(batch: EventBatch, pruned: bool) -> TextColumn:
    """The lines of each event; ``pruned``: without those that no pattern can use, if the batch's encoder is there."""
    texts, encoder = _written(batch.texts), batch.home.encoder()
    keeper, pruned = (encoder, pruned) if encoder is not None else (Encoder(Terms()), False)
    return written_lines(keeper, texts.blocks, texts.block, texts.starts, texts.stops, pruned)


def _written(texts: Texts) -> Texts:
    """The same texts, those that are triples, or would be made, as lines."""

    for maker in [block for block in texts.blocks if isinstance(block, GraphMaker)]:
        texts = _with_lines(texts, maker)
    are_triples = np.array(list(map(_are_triples, texts.blocks)), np.bool_)
    if not are_triples.any():
        return texts
    blocks = tuple(_lines(block) if _are_triples(block) else block for block in texts.blocks)
    sizes = np.array([0 if isinstance(block, GraphMaker) else len(block) for block in blocks], np.int64)
    return replace(texts, blocks=blocks, stops=np.where(are_triples[texts.block], sizes[texts.block], texts.stops))


def _with_lines(texts: Texts, maker: GraphMaker) -> Texts:
    """The same texts, those that this block would make as lines."""
    made = np.flatnonzero(texts.block == texts.blocks.index(maker))
    made = made[np.argsort(texts.starts[made])]
    ends, text = maker.lines(texts.starts[made])
    return texts.moved(made, np.diff(ends), text)


def _are_triples(block: bytes | memoryview | GraphMaker | Triples) -> TypeIs[Triples]:
    return not isinstance(block, bytes | memoryview | GraphMaker)


def _lines(triples: Triples) -> bytes:
    """N-Quads lines of triples, their graph names left out where that is possible for free."""
    if isinstance(triples, QuadLines):
        return triples.data
    return "".join(f"{part.triple if isinstance(part, Quad) else part} .\n" for part in triples).encode()
