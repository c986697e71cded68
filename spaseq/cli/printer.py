"""What becomes of results: they are counted, or printed in a format, up to a limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any, Generic, TextIO, TypeVar

from spaseq.cli.options import GraphOptions, RunOptions, declared_types
from spaseq.errors import OptionError
from spaseq.languages.spaseq import ParsedQuery
from spaseq.languages.spaseq.tree import Prefix
from spaseq.pattern.sequences import Query, Selection
from spaseq.results import formats
from spaseq.results.formats.writer import BlockWriter, Layout, ResultBlock, Writer
from spaseq.results.table import MatchTable, MergedTables
from spaseq.text import on_one_line

T = TypeVar("T", bound=Sized)


class ResultCounter(ABC, Generic[T]):
    """Counts results that come in pieces, up to a limit (None: there is none)."""

    def __init__(self, limit: int | None) -> None:
        self.results = 0
        self._limit = limit

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self._limit is not None and self.results >= self._limit

    def take(self, some: T) -> None:
        """Count what the limit allows, and show it."""
        if self._limit is not None:
            some = self._first(some, self._limit - self.results)
        self.results += len(some)
        self.show(some)

    def show(self, some: T) -> None:
        """Nothing to show."""

    def close(self) -> None:
        """Nothing to end."""

    @abstractmethod
    def _first(self, some: T, most: int) -> T:
        """At most so many of them, the first ones."""


# ── matches of queries in SPAseq ─────────────────────────────────────────────────────────────────────────
class TableCounter(ResultCounter[MergedTables]):
    """Counts matches."""

    def counted(self, counts: Callable[[], Mapping[str, int]]) -> int:
        """The number of results so far; without a limit, those that nobody made (``counts``) count as well."""
        return self.results if self._limit is not None else sum(counts().values())

    def _first(self, some: MergedTables, most: int) -> MergedTables:
        return some.first(most)


class TablePrinter(TableCounter):
    """Writes matches and hands them on at once."""

    def __init__(self, limit: int | None, writer: Writer, flush: Callable[[], None], shown: frozenset[str]) -> None:
        super().__init__(limit)
        self._writer = writer
        self._flush = flush
        self._shown = shown

    def counted(self, counts: Callable[[], Mapping[str, int]]) -> int:
        """The number of results that were written."""
        return self.results

    def take(self, some: MergedTables) -> None:
        """Write the results of the queries that are shown."""
        super().take(some.only(self._shown))

    def show(self, some: MergedTables) -> None:
        """Write and flush."""
        formats.write_merged(self._writer, some)
        self._flush()

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()
        self._flush()


def open_counter(
    asked: GraphOptions, parsed: Sequence[ParsedQuery], output: TextIO, empty: Callable[[str], MatchTable]
) -> TableCounter:
    """What counts the results of queries, or prints them, as it was asked; ``empty`` is a table of a query without any.

    OptionError: the format cannot show them, or does not go with the times or types.
    """
    if asked.count:
        return TableCounter(asked.limit)
    format, times, types = choose_format(asked.wanted, output), asked.times, declared_types(asked.declared)
    check_times(format, times)
    check_declared(format, types)
    shown = shown_queries(format, [each.query for each in parsed])
    layout = Layout(columns_for(format, shown), len(parsed) > 1, _prefixes(parsed), times, types)
    writer = formats.open_writer(format, output, layout)
    if format in formats.FRAMES:
        writer.write(empty(shown[0].name))  # which columns there are, should there be no match
    return TablePrinter(asked.limit, writer, output.flush, frozenset(query.name for query in shown))


def _prefixes(parsed: Sequence[ParsedQuery]) -> dict[str, str]:
    """The prefixes that the queries declare with absolute IRIs; of two with one name the first counts."""
    found: dict[str, str] = {}
    for declared in (part for each in parsed for part in each.tree.prologue if isinstance(part, Prefix)):
        iri = declared.iri.text.removeprefix("<").removesuffix(">")
        if ":" in iri:
            found.setdefault(declared.name, iri)
    return found


# ── results of any queries, as blocks of one query each ──────────────────────────────────────────────────
class BlockCounter(ResultCounter[ResultBlock]):
    """Counts results by query; ``counts`` begins with the names of all."""

    def __init__(self, limit: int | None, names: Sequence[str]) -> None:
        super().__init__(limit)
        self.counts = dict.fromkeys(names, 0)

    def show(self, some: ResultBlock) -> None:
        """Count them."""
        self.counts[some.query] += len(some)

    def _first(self, some: ResultBlock, most: int) -> ResultBlock:
        return some[:most]


class BlockPrinter(BlockCounter):
    """Writes blocks and hands them on at once."""

    def __init__(self, limit: int | None, names: Sequence[str], writer: BlockWriter, flush: Callable[[], None]) -> None:
        super().__init__(limit, names)
        self._writer = writer
        self._flush = flush

    def show(self, some: ResultBlock) -> None:
        """Write and flush."""
        super().show(some)
        self._writer.write(some)
        self._flush()

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()


def open_block_printer(
    asked: RunOptions, output: TextIO, names: Sequence[str], empty: ResultBlock, limited: bool = False, **layout: Any
) -> BlockPrinter:
    """What prints the results of queries of these names as it was asked; ``empty`` has none, and their columns.

    ``limited``: there are no more than were asked for.  ``layout`` is what else a ``Layout`` has.
    OptionError: there are several queries, and the format is of one.
    """
    format = choose_format(asked.wanted, output)
    check_block_format(format, names)
    heads = Layout(tuple(empty.heads), len(names) > 1, bold=False, **layout)
    writer = formats.open_block_writer(format, output, heads)
    if format in formats.FRAMES:
        writer.write(empty)  # which columns there are, should there be no result
    return BlockPrinter(None if limited else asked.limit, names, writer, output.flush)


def counted_lines(counts: Mapping[str, int]) -> str:
    """How many results there are of each query, a line each; of one without its name."""
    if len(counts) == 1:
        return "".join(f"{count}\n" for count in counts.values())
    return "".join(f"{on_one_line(name)} {count}\n" for name, count in counts.items())


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────────
def choose_format(wanted: str | None, output: TextIO) -> str:
    """The format asked for; else a table for a terminal and jsonl for anything else."""
    return wanted or ("table" if output.isatty() else "jsonl")


def shown_queries(format: str, queries: Sequence[Query]) -> tuple[Query, ...]:
    """The queries whose results the format shows; OptionError if it cannot show the results of these queries."""
    selections = tuple(query for query in queries if isinstance(query.form, Selection))
    if format in formats.STREAMS:
        if len(selections) == len(queries):
            raise OptionError(f"{format} shows the events of CONSTRUCT queries, but there is only SELECT; try jsonl")
        return tuple(query for query in queries if query not in selections)
    if format in formats.FRAMES and len(queries) == 1:
        return tuple(queries)
    if format not in formats.SOLUTIONS | formats.FRAMES:
        return tuple(queries)
    check_one_query(format, "SELECT query", [query.name for query in selections])
    return selections


def check_block_format(format: str, names: Sequence[str]) -> None:
    """OptionError: the format is of one query, and there are several of these names."""
    if format in formats.SOLUTIONS | formats.FRAMES:
        check_one_query(format, "query", names)


def check_one_query(format: str, kind: str, names: Sequence[str]) -> None:
    """OptionError: the format is of one query of this kind, and there are others, or none."""
    if len(names) != 1:
        have = ", ".join(names) or "none"
        raise OptionError(f"{format} holds the results of one {kind}, here are {have}; use jsonl or table")


def columns_for(format: str, shown: Sequence[Query]) -> tuple[str, ...]:
    """The variables that the head of a SPARQL result names; none for other formats."""
    form = shown[0].form
    if format not in formats.SOLUTIONS or not isinstance(form, Selection):
        return ()
    return tuple(item.name for item in form.projections)


def check_times(format: str, times: bool) -> None:
    """OptionError if the times of matches are asked for in a format that always, or never, shows them."""
    if times and format not in formats.SOLUTIONS:
        others = "events have their times" if format in formats.STREAMS else f"{format} shows the times anyway"
        raise OptionError(f"--times is for csv, tsv, json and xml; {others}")


def check_declared(format: str, types: Mapping[str, str]) -> None:
    """OptionError if types of columns are given for a format whose columns have none."""
    if types and format not in formats.FRAMES:
        raise OptionError(f"--declare is for parquet: in {format} columns have no types")
