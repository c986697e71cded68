"""Sorting more texts than fit into memory: sorted runs on disk, merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

import numpy as np

from spaseq.sources.conversion.keyed_texts import KeyedTexts, Rank, ends_of

MOST_RUNS = 64  # that are merged at once
_PARTS = 8  # of the memory, one of which has what waits: it is joined, sorted and copied, and the heap has holes


@dataclass(slots=True, eq=False)
class _Run:
    """Texts in order, on disk: ``index`` has key, number and length of each."""

    text: BinaryIO
    index: BinaryIO
    count: int = 0
    bytes: int = 0
    last: Rank = (0, 0)

    def write(self, texts: KeyedTexts) -> None:
        assert texts.numbers is not None
        self.text.write(texts.text)
        self.index.write(np.stack([texts.keys, texts.numbers, np.diff(texts.lines[0])], axis=1).tobytes())
        self.count += len(texts)
        self.bytes += texts.size
        self.last = texts.last

    def read(self, size: int) -> Iterator[KeyedTexts]:
        """The texts, not more than so many bytes at a time, or one."""
        self.text.seek(0)
        self.index.seek(0)
        some = max(1, size * self.count // max(self.bytes, 1))
        while data := self.index.read(24 * some):
            keys, numbers, lengths = np.frombuffer(data, np.int64).reshape(-1, 3).T
            ends, start = ends_of(lengths), 0
            while start < len(keys):  # texts of one run may be of different lengths in different places
                stop = max(start + 1, int(np.searchsorted(ends, ends[start] + size, "right")) - 1)
                text = self.text.read(int(ends[stop] - ends[start]))
                yield KeyedTexts(keys[start:stop], (ends[start : stop + 1] - ends[start], text), numbers[start:stop])
                start = stop

    def close(self) -> None:
        self.text.close()
        self.index.close()


class _Head:
    """What has been read of a run and not been given on."""

    def __init__(self, read: Iterator[KeyedTexts]) -> None:
        self._read = read
        self.texts: KeyedTexts | None = next(read, None)

    def pop(self, rank: Rank) -> KeyedTexts:
        """What there is up to this rank and at it."""
        assert self.texts is not None
        count = self.texts.until(rank)
        popped, rest = self.texts.part(0, count), self.texts.part(count, len(self.texts))
        self.texts = rest if len(rest) else next(self._read, None)
        return popped


def _merged(runs: Sequence[_Run], memory: int) -> Iterator[KeyedTexts]:
    """The texts of runs in order, about so many bytes at once."""
    heads = [_Head(run.read(memory // len(runs))) for run in runs]
    while waiting := [(head, head.texts) for head in heads if head.texts is not None]:
        bound = min(texts.last for _, texts in waiting)  # whatever else a run has comes behind it
        first, *others = [head.pop(bound) for head, texts in waiting if texts.first <= bound]
        yield first.joined(others).sorted()


class ExternalSort:
    """Takes texts in any order and gives them in that of their keys, those of one key as ``KeyedTexts`` says.

    No more than about ``memory`` bytes of them are in memory, the others in files without a name in ``folder``.  What
    comes in order is written to ``output`` at once, which is a file to be read, too.
    """

    def __init__(self, memory: int, folder: Path, output: BinaryIO | None = None) -> None:
        self._memory = memory
        self._folder = folder
        self._output = output
        self._waiting: list[KeyedTexts] = []
        self._size = 0
        self._runs: list[_Run] = []
        self._added = 0

    @property
    def is_in_output(self) -> bool:
        """Whether all texts are in the output, in order, once all waiting ones are written."""
        return self._output is not None and len(self._runs) < 2

    def add(self, texts: KeyedTexts) -> None:
        """Take some more.  OSError: the disk is full."""
        if not len(texts):
            return
        texts = texts.numbered(self._added)
        self._added += len(texts)
        if not self._waiting and texts.in_order and self._continues(texts):
            self._write(texts)
            return
        self._waiting.append(texts)
        self._size += _room(texts)
        if self._size * _PARTS > self._memory:
            self._spill()

    def finish(self) -> None:
        """Write what still waits."""
        while self._waiting:
            self._spill()

    def batches(self) -> Iterator[KeyedTexts]:
        """All texts in order, once; ``finish`` comes before."""
        while len(self._runs) > MOST_RUNS:
            self._merge_smallest()
        yield from _merged(self._runs, 2 * self._memory // _PARTS)

    def close(self) -> None:
        """Give the files back."""
        for run in self._runs:
            run.close()
        self._runs = []

    def _continues(self, texts: KeyedTexts) -> bool:
        return not self._runs or self._runs[-1].last <= texts.first

    def _spill(self) -> None:
        """Write the earlier half of what waits, or all if it is little: slight disorder makes no further run."""
        first, *others = self._waiting
        texts = first.joined(others).sorted()
        count = len(texts) if len(texts) < 2 or self._size * _PARTS <= self._memory else len(texts) // 2
        rest = texts.part(count, len(texts))
        self._waiting, self._size = [rest.joined([])] if len(rest) else [], _room(rest)
        self._write(texts.part(0, count))

    def _write(self, texts: KeyedTexts) -> None:
        """Write texts in order, behind what is there already if that is earlier."""
        if not self._continues(texts) or not self._runs:
            if len(self._runs) > 2 * MOST_RUNS:  # a process may have a thousand files or so
                self._merge_smallest()
            is_first = not self._runs and self._output is not None
            self._runs.append(self._new_run(self._output if is_first and self._output is not None else self._file()))
        self._runs[-1].write(texts)

    def _merge_smallest(self) -> None:
        """Let one run be what were many."""
        small = sorted(self._runs, key=lambda run: run.bytes)[:MOST_RUNS]
        merged = self._new_run(self._file())
        for texts in _merged(small, self._memory // _PARTS):
            merged.write(texts)
        self._runs = [run for run in self._runs if run not in small]
        for run in small:
            run.close()
        self._runs.append(merged)

    def _new_run(self, text: BinaryIO) -> _Run:
        return _Run(text, self._file())

    def _file(self) -> BinaryIO:
        return cast(BinaryIO, TemporaryFile(dir=self._folder))


def _room(texts: KeyedTexts) -> int:
    """The memory that texts take."""
    return texts.size + 3 * texts.keys.nbytes
