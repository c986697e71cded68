"""Quads and triples as N-Quads lines that say the same: pyoxigraph writes IRIs as they are, whatever is in them."""

from __future__ import annotations

from collections.abc import Sequence

from pyoxigraph import DefaultGraph, Quad, RdfFormat, Triple, serialize

from gpm.native.assembly import Assembler
from gpm.terms import written_badly
from spaseq.errors import OptionError


def quad_lines(graph: Sequence[Quad | Triple], assembler: Assembler) -> bytes | None:
    """The lines of statements, one at least.

    None: they are not of one graph, are none by the book, or an IRI that only a lenient parser let pass makes another
    statement of a line.
    """
    lines = serialize(graph, format=RdfFormat.N_QUADS)  # type: ignore[arg-type]
    assert lines is not None
    name = graph[0].graph_name if isinstance(graph[0], Quad) else DefaultGraph()
    named = name != DefaultGraph()
    if named and not all(isinstance(part, Quad) and part.graph_name == name for part in graph):
        return None
    return lines if assembler.are_lines_of(lines, len(graph), named) else None


def check_iris(triple: Quad | Triple) -> None:
    """OptionError: an IRI has a character with which it would be another one, or none, in a line."""
    bent = next(filter(None, map(written_badly, triple)), None)
    if bent is not None:
        raise OptionError(f"an IRI has the character {bent!a}, with which no line can be written: {triple!s:.80}")
