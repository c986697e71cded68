"""Events whose statements lie apart: these are sorted by event on disk, and read as if they had lain together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from gpm.rows import Numbers
from spaseq.sources.conversion.as_written import texts_as_written
from spaseq.sources.conversion.external_sort import ExternalSort
from spaseq.sources.conversion.inputs import RdfInput
from spaseq.sources.conversion.keyed_texts import KeyedTexts
from spaseq.sources.conversion.places import Sorted, SortedPlaces
from spaseq.sources.conversion.statements import StatementCollector, label_in_source
from spaseq.sources.rdf.assembler import EventAssembler, StatementPlaces
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import LARGEST_EVENT, WireOptions, WireReport
from spaseq.streams.clock import StreamClock


@dataclass(frozen=True, slots=True)
class StatementGrouping:
    """How the statements of inputs become events of a stream; errors are those of ``EventAssembler``."""

    inputs: Sequence[RdfInput]
    stream: str
    options: WireOptions
    report: WireReport

    def events(self, memory: int, folder: Path) -> Iterator[KeyedTexts]:
        """The events as texts, with numbers in order of their first statement; those of messages as they come.

        About ``memory`` bytes of the statements are in memory, others in ``folder``.
        """
        statements, begins = ExternalSort(memory, folder), list[int]()
        number = 0
        for source, one in enumerate(self.inputs):
            begins.append(number)
            several = source if len(self.inputs) > 1 else None
            collector = StatementCollector(self.stream, self.options, self.report, number, several)
            for events in one.read(collector):
                if len(events):
                    yield self._texts(events, np.arange(collector.next, collector.next + len(events)))
                    collector.next += len(events)
                if some := collector.collected():
                    statements.add(some)
            if some := collector.collected():
                statements.add(some)
            number = collector.next
        statements.finish()
        yield from self._grouped(statements.batches(), SortedPlaces(self.inputs, begins, self.options))
        statements.close()

    def _grouped(self, batches: Iterable[KeyedTexts], places: SortedPlaces) -> Iterator[KeyedTexts]:
        """The events of sorted statements."""
        assembler = _GroupAssembler(self.stream, self.options, self.report)
        assembler.several = len(self.inputs) > 1
        for statements, is_whole in _whole_events(batches):
            text, place = bytes(statements.text), Sorted(statements, places)
            assembler.read(text, place)
            if is_whole:
                assembler.finish(partial(place.locate, len(text), ""))
            if events := assembler.take():
                yield self._texts(events, _first_statements(events, statements))

    def _texts(self, events: Events, numbers: Numbers) -> KeyedTexts:
        name = StreamClock(self.stream).event_name
        named = events.named(lambda one: name(int(numbers[one]) + 1))
        return replace(texts_as_written(named), numbers=numbers)


class _GroupAssembler(EventAssembler):
    """Names blank nodes in errors as their source does."""

    several = False  # sources

    def _wire_error(self, kind: int, graph: str, text: bytes, line: int, place: StatementPlaces) -> None:
        super()._wire_error(kind, label_in_source(graph, self.several), text, line, place)


def _whole_events(batches: Iterable[KeyedTexts]) -> Iterator[tuple[KeyedTexts, bool]]:
    """The statements in parts that end where an event ends, and whether one does: those of one too large are cut."""
    rest: KeyedTexts | None = None
    for batch in batches:
        statements = batch if rest is None else rest.joined([batch])
        begin = int(np.searchsorted(statements.keys, statements.keys[-1], "left"))
        if begin:
            yield statements.part(0, begin), True
        rest = statements.part(begin, len(statements))
        if rest.size > LARGEST_EVENT:
            yield rest, False
            rest = None
    if rest is not None:
        yield rest, True


def _first_statements(events: Events, statements: KeyedTexts) -> Numbers:
    """The number of the first statement in the graph of each event."""
    assert statements.numbers is not None
    in_graphs = np.flatnonzero(statements.numbers & 1 == 0)
    keys, ends = statements.keys[in_graphs], statements.lines[0]
    firsts = in_graphs[np.append(True, keys[1:] != keys[:-1])]
    texts = events.graphs.texts
    # The text of the last event of a block is a copy, in a block of its own.
    first = np.where(texts.block == 0, np.searchsorted(ends[firsts] - ends[0], texts.starts), len(firsts) - 1)
    numbers: Numbers = statements.numbers[firsts[first]] >> 1
    return numbers
