"""From triples and text to encoded events (see ``gpm.native.assembly``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from pyoxigraph import Quad

from gpm.lines import QuadLines
from gpm.native.assembly import Assembler, Encoder, written_lines
from gpm.native.single import SingleEvent
from gpm.rows import EventBatch, EventGraph, TextColumn, Texts, Triples
from gpm.terms import term_bytes
from nfa_native.terms.words import Terms


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


def single_batch(encoder: Encoder, event: SingleEvent) -> EventBatch:
    """One event as a batch."""
    text = event.text
    stop = len(text) if isinstance(text, bytes) else 0
    texts = Texts((text,), np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([stop], np.int64))
    times, scopes = np.array([event.time], np.int64), np.array([event.scope], np.uint64)
    offsets, knowledge = np.array([0, event.size], np.uint32), np.array([event.knowledge], np.int64)
    return EventBatch(times, scopes, offsets, event.triples, texts, knowledge, event.version, encoder.batches)


def text_column(batch: EventBatch, pruned: bool) -> TextColumn:
    """The lines of each event; ``pruned``: without those that no pattern can use, if the batch's encoder is there."""
    texts, encoder = _written(batch.texts), batch.home.encoder()
    keeper, pruned = (encoder, pruned) if encoder is not None else (Encoder(Terms()), False)
    return written_lines(keeper, texts.blocks, texts.block, texts.starts, texts.stops, pruned)


def _written(texts: Texts) -> Texts:
    """The same texts, those that are triples as lines."""
    are_triples = np.array([not isinstance(block, bytes | memoryview) for block in texts.blocks], np.bool_)
    if not are_triples.any():
        return texts
    blocks = tuple(block if isinstance(block, bytes | memoryview) else _lines(block) for block in texts.blocks)
    sizes = np.array([len(block) for block in blocks], np.int64)
    return replace(texts, blocks=blocks, stops=np.where(are_triples[texts.block], sizes[texts.block], texts.stops))


def _lines(triples: Triples) -> bytes:
    """N-Quads lines of triples, their graph names left out where that is possible for free."""
    if isinstance(triples, QuadLines):
        return triples.data
    return "".join(f"{part.triple if isinstance(part, Quad) else part} .\n" for part in triples).encode()
