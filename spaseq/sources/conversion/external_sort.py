"""Sorting more events than fit into memory: sorted runs on disk, merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

import numpy as np

from spaseq.sources.conversion.timed_texts import TimedTexts, ends_of
from spaseq.sources.merge import merge

MOST_RUNS = 64  # that are merged at once
_COPIES = 4  # of the events in memory, while they are sorted and merged


@dataclass(slots=True)
class _Run:
    """Events in order of time, on disk: ``index`` has time and length of each."""

    text: BinaryIO
    index: BinaryIO
    count: int = 0
    bytes: int = 0
    last: int = 0

    def write(self, events: TimedTexts) -> None:
        self.text.write(events.text)
        self.index.write(np.stack([events.times, np.diff(events.lines[0])], axis=1).tobytes())
        self.count += len(events)
        self.bytes += events.size
        self.last = int(events.times[-1])

    def read(self, size: int) -> Iterator[TimedTexts]:
        """The events, about so many bytes at a time."""
        self.text.seek(0)
        self.index.seek(0)
        some = max(1, size * self.count // max(self.bytes, 1))
        while data := self.index.read(16 * some):
            times, lengths = np.frombuffer(data, np.int64).reshape(-1, 2).T
            yield TimedTexts(times, (ends_of(lengths), self.text.read(int(lengths.sum()))))

    def close(self) -> None:
        self.text.close()
        self.index.close()


class ExternalSort:
    """Takes events in any order and gives them in that of time; those of one time in the order in which they came.

    No more than about ``memory`` bytes of them are in memory, the others in files without a name in ``folder``.  What
    comes in order is written to ``output`` at once, which is a file to be read, too.
    """

    def __init__(self, memory: int, folder: Path, output: BinaryIO | None = None) -> None:
        self._memory = memory
        self._folder = folder
        self._output = output
        self._waiting: list[TimedTexts] = []
        self._size = 0
        self._runs: list[_Run] = []

    @property
    def is_in_output(self) -> bool:
        """Whether all events are in the output, in order, once all waiting ones are written."""
        return self._output is not None and len(self._runs) < 2

    def add(self, events: TimedTexts) -> None:
        """Take some more.  OSError: the disk is full."""
        if not len(events):
            return
        if not self._waiting and events.in_order and self._continues(events):
            self._write(events)
            return
        self._waiting.append(events)
        self._size += events.size + 2 * events.times.nbytes
        if self._size * _COPIES > self._memory:
            self._spill()

    def finish(self) -> None:
        """Write what still waits."""
        while self._waiting:
            self._spill()

    def batches(self) -> Iterator[TimedTexts]:
        """All events in order, once; ``finish`` comes before."""
        while len(self._runs) > MOST_RUNS:
            first, self._runs = self._runs[:MOST_RUNS], self._runs[MOST_RUNS:]
            merged = self._new_run(self._file())
            for events in self._merged(first):
                merged.write(events)
            self._runs.insert(0, merged)
        yield from self._merged(self._runs)

    def close(self) -> None:
        """Give the files back."""
        for run in self._runs:
            run.close()
        self._runs = []

    def _continues(self, events: TimedTexts) -> bool:
        return not self._runs or self._runs[-1].last <= int(events.times[0])

    def _spill(self) -> None:
        """Write the earlier half of what waits, or all if it is little: slight disorder makes no further run."""
        first, *others = self._waiting
        events = first.joined(others).sorted()
        count = len(events) if len(events) < 2 or self._size * _COPIES <= self._memory else len(events) // 2
        rest = events.part(count, len(events))
        self._waiting, self._size = [rest.joined([])] if len(rest) else [], rest.size + 2 * rest.times.nbytes
        self._write(events.part(0, count))

    def _write(self, events: TimedTexts) -> None:
        """Write events in order, behind what is there already if that is earlier."""
        if not self._continues(events) or not self._runs:
            is_first = not self._runs and self._output is not None
            self._runs.append(self._new_run(self._output if is_first and self._output is not None else self._file()))
        self._runs[-1].write(events)

    def _merged(self, runs: list[_Run]) -> Iterator[TimedTexts]:
        if not runs:
            return
        size = self._memory // (_COPIES * len(runs))
        for some in merge([run.read(size) for run in runs], eager=True):
            yield from some

    def _new_run(self, text: BinaryIO) -> _Run:
        return _Run(text, self._file())

    def _file(self) -> BinaryIO:
        return cast(BinaryIO, TemporaryFile(dir=self._folder))
