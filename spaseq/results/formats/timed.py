"""The times of matches as two more variables, for formats that know variables alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import XSD_DATETIME
from nfa_native.terms.words import Terms
from spaseq.pattern.times import iso
from spaseq.results.formats.writer import Layout, Writer
from spaseq.results.table import MatchTable
from spaseq.results.terms import native

_TIMES = ("first", "last")


class TimedWriter:
    """Gives another writer matches whose first two variables are their times."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        terms, words = native(table.terms, table.words)
        times = [_words(terms, getattr(table, name)) for name in _TIMES]
        words = np.column_stack([*times, words])
        self._writer.write(replace(table, columns=_timed(table.columns), words=words, terms=terms))

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()


def timed_layout(layout: Layout) -> Layout:
    """The layout with two more columns, called ``first`` and ``last``, with an underscore if these are taken."""
    return replace(layout, columns=_timed(layout.columns))


def _timed(columns: Sequence[str]) -> tuple[str, ...]:
    return (*(name + "_" if name in columns else name for name in _TIMES), *columns)


def _words(terms: Terms, times: NDArray[np.int64]) -> NDArray[np.uint64]:
    used, places = np.unique(times, return_inverse=True)
    texts = [f"T{XSD_DATETIME}\0{iso(time)}".encode() for time in used.tolist()]
    return terms.intern_many_transient(texts)[places]
