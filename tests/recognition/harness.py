"""Runs CEQL texts on the oracle's events through language, plan and recognizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from nfa_native.events.recognizer import Recognizer
from spaseq.languages.ceql import parse
from spaseq.pattern.formulas.query import (
    Alternation,
    AttributeWindow,
    EventWindow,
    Filtered,
    Formula,
    FormulaQuery,
    Iteration,
    Sequencing,
    TimeWindow,
    Unordered,
)
from spaseq.plan.formulas.automaton import planned
from tests.oracle.ceql import model as oracle
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.model import Event
from tests.oracle.ceql.text import to_text
from tests.recognition.truth import truth

NEVER = -(2**63)
FOREVER = 2**63 - 1
SCALE = 1000  # of attributes that windows measure, so that halves stay whole


def measures(query: FormulaQuery, events: Sequence[Event]) -> tuple[list[int], list[int]]:
    """What windows measure of each event, and the least start of a match that ends with it."""
    match query.window:
        case TimeWindow(length):
            return [event.time for event in events], [event.time - length for event in events]
        case EventWindow(length):
            return list(range(len(events))), [number - length for number in range(len(events))]
        case AttributeWindow(length, attribute):
            found = [event.attributes.get(attribute) for event in events]
            numbers = [None if isinstance(value, str) or value is None else round(value * SCALE) for value in found]
            return (
                [NEVER if number is None else number for number in numbers],
                [FOREVER if number is None else number - round(length * SCALE) for number in numbers],
            )
    return list(range(len(events))), [NEVER + 1] * len(events)


def run(
    text: str, events: Sequence[Event], cuts: Sequence[int] = (), most: int = 1000, moves: bool = False
) -> Iterator[ComplexEvent]:
    """What the recognizer finds; ``moves``: at each cut a snapshot of it goes on in another one."""
    parsed = parse(text)
    query = parsed.query
    plan = planned(query, parsed.normal_form)
    starts, least = measures(query, events)
    grows = all(a <= b for a, b in pairwise(starts))
    grows = grows and all(a <= b for a, b in pairwise(least))
    window = query.window.positions if isinstance(query.window, EventWindow) and query.partition else None

    def started() -> Recognizer:
        return Recognizer(
            plan.automaton,
            strategy=query.strategy.value,
            consume=query.consumption.value,
            limit=query.limit,
            partitioned=bool(plan.partition),
            forgets=grows,
            events=window,
        )

    recognizer = started()
    symbols: dict[int, int] = {0: 0}
    numbers: list[int] = []
    for event in events:
        atoms = 0
        for number, kind in enumerate(plan.atoms):
            if kind.type == event.type and truth(kind.predicate, event.attributes):
                atoms |= 1 << number
        if atoms not in symbols:
            symbols[atoms] = len(symbols)
            recognizer.know_symbols([atoms])
        numbers.append(symbols[atoms])
    parts: list[int] = []
    known: dict[object, int] = {}
    for event in events:
        key = tuple(event.attributes.get(name) for name in plan.partition)
        parts.append(2**32 - 1 if None in key else known.setdefault(key, len(known)))
    columns = (np.array(numbers, np.uint32), np.array(starts, np.int64), np.array(least, np.int64))
    partitions = np.array(parts, np.uint32) if plan.partition else None
    edges = [0, *sorted({cut for cut in cuts if cut < len(events)}), len(events)]
    for begin, end in pairwise(edges):
        at = 0
        some = [column[begin:end] for column in columns]
        while at < end - begin:
            at = recognizer.feed(*some, None if partitions is None else partitions[begin:end], at, most)
            yield from results(recognizer)
        if moves:
            recognizer = moved(recognizer, started(), list(symbols)[1:], least[end - 1], max(starts[:end]))


def moved(recognizer: Recognizer, other: Recognizer, symbols: Sequence[int], least: int, latest: int) -> Recognizer:
    """The other one, which goes on where the first one is."""
    data = recognizer.snapshot(least)
    other.know_symbols(symbols)
    other.restore(data, latest)
    assert other.snapshot(least) == data
    return other


def is_recognized(query: oracle.Query) -> bool:
    """Whether the recognizer alone evaluates it: nothing correlates events, and matches are not aggregated."""
    if query.aggregates:
        return False
    return not has_filters(parse(to_text(query)).normal_form)


def has_filters(formula: Formula) -> bool:
    match formula:
        case Filtered():
            return True
        case Sequencing(left, right) | Unordered(left, right) | Alternation(left, right):
            return has_filters(left) or has_filters(right)
        case Iteration(body):
            return has_filters(body)
    return False


def results(recognizer: Recognizer) -> Iterator[ComplexEvent]:
    found = recognizer.take()
    offsets, positions = found.offsets.tolist(), found.positions.tolist()
    for number, (start, end) in enumerate(zip(found.starts.tolist(), found.ends.tolist(), strict=True)):
        yield ComplexEvent(start, end, frozenset(positions[offsets[number] : offsets[number + 1]]))
