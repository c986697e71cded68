"""Writes what queries in CEQL find."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from spaseq.cli.output import check_one_query
from spaseq.cli.tuple_block import TupleBlock, empty_block, heads_of
from spaseq.results.formats import FRAMES, SOLUTIONS, Layout, open_block_writer
from spaseq.results.formats.writer import FIRST_ROWS

if TYPE_CHECKING:
    import pyarrow

    from spaseq.tuples import ManyMatches


def limited(matches: ManyMatches, limit: int | None) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
    """The results, at most so many."""
    left = limit
    while left != 0 and (found := next(matches, None)) is not None:
        name, batch = found
        some = batch if left is None else batch.slice(0, left)
        yield name, some
        left = None if left is None else left - some.num_rows


def write_results(format: str, output: TextIO, matches: ManyMatches, limit: int | None, live: bool) -> None:
    """Write the results, at most so many, in one of BLOCKS; what is written gets out before more is read.

    ``live``: events may pause.  OptionError: there are several queries, and the format is of one.
    """
    if format in SOLUTIONS | FRAMES:
        check_one_query(format, "query", list(matches.forms))
    name, form = next(iter(matches.forms.items()))
    first_rows = 1 if live else FIRST_ROWS
    several = len(matches.forms) > 1
    layout = Layout(tuple(heads_of(form)), several, first_rows=first_rows, awaited=True, bold=False)
    writer = open_block_writer(format, output, layout)
    try:
        if format in FRAMES:
            writer.write(empty_block(name, form))  # which columns there are
        for name, batch in limited(matches, limit):
            writer.write(TupleBlock(name, batch, matches.forms[name]))
            output.flush()
    finally:
        writer.close()
