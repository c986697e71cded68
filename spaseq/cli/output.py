"""Where results go: a file or standard output, in one of the formats."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from spaseq.errors import OptionError
from spaseq.pattern import Query, Selection
from spaseq.results.formats import SOLUTIONS, STREAMS


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """UTF-8 text to a file, or to standard output, whose line ends are those of the format.  OptionError."""
    if path is not None:
        try:
            file = path.open("w", encoding="utf-8", newline="")
        except OSError as error:
            raise OptionError(f"cannot write to {path}: {error.strerror}") from None
        with file:
            yield file
        return
    sys.stdout.flush()
    output = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    try:
        yield output
        output.flush()
    finally:
        output.detach()


def choose_format(wanted: str | None, output: TextIO) -> str:
    """The format asked for; else a table for a terminal and jsonl for anything else."""
    return wanted or ("table" if output.isatty() else "jsonl")


def columns_for(format: str, queries: Sequence[Query]) -> tuple[str, ...]:
    """The variables that the head of a SPARQL result names; none for other formats.

    OptionError if the format cannot show the results of these queries.
    """
    selections = [query for query in queries if isinstance(query.form, Selection)]
    if format in STREAMS and len(selections) == len(queries):
        raise OptionError(f"{format} shows the events of CONSTRUCT queries, but there is only SELECT; try jsonl")
    if format not in SOLUTIONS:
        return ()
    if len(selections) != 1:
        have = ", ".join(query.name for query in selections) or "none"
        raise OptionError(f"{format} holds the results of one SELECT query, here are {have}; use jsonl or table")
    form = selections[0].form
    assert isinstance(form, Selection)
    return tuple(item.name for item in form.projections)


def is_shown(format: str, query: Query) -> bool:
    """Whether results of this query belong into the output."""
    if format in SOLUTIONS:
        return isinstance(query.form, Selection)
    return format not in STREAMS or not isinstance(query.form, Selection)
