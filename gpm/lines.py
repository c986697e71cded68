"""Triples that are still text: N-Quads lines, parsed only if somebody looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from pyoxigraph import DefaultGraph, Quad, RdfFormat

from gpm.parsing import parse


class QuadLines(Sequence[Quad]):
    """The statements of ``data``, N-Quads lines that are known to be valid; if some name a graph, those alone."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.quads)

    @overload
    def __getitem__(self, index: int) -> Quad: ...
    @overload
    def __getitem__(self, index: slice) -> list[Quad]: ...
    def __getitem__(self, index: int | slice) -> Quad | list[Quad]:
        return self.quads[index]

    @cached_property
    def quads(self) -> list[Quad]:
        """The parsed statements."""
        quads = list(parse(self.data, RdfFormat.N_QUADS, lenient=True))
        return [quad for quad in quads if not isinstance(quad.graph_name, DefaultGraph)] or quads
