"""Triples that are still text: plain N-Quads lines, parsed only if somebody looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from pyoxigraph import Quad, RdfFormat, parse


class QuadLines(Sequence[Quad]):
    """The statements of ``data``, N-Quads lines that are known to be valid; ``count`` is their number."""

    def __init__(self, data: bytes, count: int) -> None:
        self.data = data
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Quad: ...
    @overload
    def __getitem__(self, index: slice) -> list[Quad]: ...
    def __getitem__(self, index: int | slice) -> Quad | list[Quad]:
        return self.quads[index]

    def __add__(self, other: QuadLines) -> QuadLines:
        return QuadLines(self.data + other.data, self._count + len(other))

    @cached_property
    def quads(self) -> list[Quad]:
        """The parsed statements."""
        return list(parse(self.data, RdfFormat.N_QUADS, lenient=True))
