"""Where results go: a file or standard output, in one of the formats."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from spaseq.cli.checkpoint import opened_to_write
from spaseq.cli.locks import is_of_the_shell
from spaseq.errors import OptionError
from spaseq.pattern.sequences import Query, Selection
from spaseq.results.formats import FRAMES, SOLUTIONS, STREAMS
from spaseq.results.formats.writer import Utf8Output


@contextmanager
def open_output(path: Path | None, goes_on: bool = False) -> Iterator[TextIO]:
    """UTF-8 text to a file, or to standard output, whose line ends are those of the format.  OptionError.

    ``goes_on``: what is in the file stays.
    """
    if path is not None:
        with opened_to_write(path, goes_on) as opened, Utf8Output(opened) as file:
            yield file
        return
    sys.stdout.flush()
    output = Utf8Output(sys.stdout.buffer)
    try:
        yield output
        output.flush()
    finally:
        output.detach()


def check_not_read(written: Mapping[str, Path | None], read: Iterable[str]) -> None:
    """OptionError if a file to be written (by its option) is read in the same run, or written twice."""
    inputs = [Path(path) for path in read]
    taken: dict[str, Path] = {}
    for option, path in written.items():
        if path is None or str(path) == os.devnull:
            continue
        if any(_is_same(path, other) for other in inputs):
            raise OptionError(f"{option} {path}: this file is read in the same run")
        for first, other in taken.items():
            if _is_one(path, other):
                raise OptionError(f"{first} and {option} cannot both write {path}")
        taken[option] = path


def _is_one(path: Path, other: Path) -> bool:
    """Whether two files that may not be there yet are one; those that the shell opened may be."""
    if path.absolute() == other.absolute():
        return True
    if is_of_the_shell(path) or is_of_the_shell(other):
        return False
    return path.resolve() == other.resolve() or _is_same(path, other)


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there
        return False


def choose_format(wanted: str | None, output: TextIO) -> str:
    """The format asked for; else a table for a terminal and jsonl for anything else."""
    return wanted or ("table" if output.isatty() else "jsonl")


def shown_queries(format: str, queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries whose results the format shows; OptionError if it cannot show the results of these queries."""
    selections = tuple(query for query in queries if isinstance(query.form, Selection))
    if format in STREAMS:
        if len(selections) == len(queries):
            raise OptionError(f"{format} shows the events of CONSTRUCT queries, but there is only SELECT; try jsonl")
        return tuple(query for query in queries if query not in selections)
    if format in FRAMES and len(queries) == 1:
        return tuple(queries)
    if format not in SOLUTIONS | FRAMES:
        return tuple(queries)
    check_one_query(format, "SELECT query", [query.name for query in selections])
    return selections


def check_one_query(format: str, kind: str, names: Sequence[str]) -> None:
    """OptionError: the format is of one query of this kind, and there are others, or none."""
    if len(names) != 1:
        have = ", ".join(names) or "none"
        raise OptionError(f"{format} holds the results of one {kind}, here are {have}; use jsonl or table")


def columns_for(format: str, shown: Sequence[Query]) -> tuple[str, ...]:
    """The variables that the head of a SPARQL result names; none for other formats."""
    form = shown[0].form
    if format not in SOLUTIONS or not isinstance(form, Selection):
        return ()
    return tuple(item.name for item in form.projections)


def check_times(format: str, times: bool) -> None:
    """OptionError if the times of matches are asked for in a format that always, or never, shows them."""
    if times and format not in SOLUTIONS:
        others = "events have their times" if format in STREAMS else f"{format} shows the times anyway"
        raise OptionError(f"--times is for csv, tsv, json and xml; {others}")


def check_declared(format: str, types: Mapping[str, str]) -> None:
    """OptionError if types of columns are given for a format whose columns have none."""
    if types and format not in FRAMES:
        raise OptionError(f"--declare is for parquet: in {format} columns have no types")
