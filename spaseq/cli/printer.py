"""What becomes of results: they are counted, or printed in a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TextIO

from spaseq.cli.output import check_declared, check_times, choose_format, columns_for, shown_queries
from spaseq.languages.spaseq import ParsedQuery
from spaseq.languages.spaseq.tree import Prefix
from spaseq.results.formats import FRAMES, Layout, Writer, open_writer, write_merged
from spaseq.results.table import MatchTable, MergedTables


class ResultCounter:
    """Counts results, up to a limit."""

    def __init__(self, limit: int | None) -> None:
        self.results = 0
        self._limit = limit

    def counted(self, counts: Callable[[], Mapping[str, int]]) -> int:
        """The number of results so far; without a limit, those that nobody made (``counts``) count as well."""
        return self.results if self._limit is not None else sum(counts().values())

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self._limit is not None and self.results >= self._limit

    def take(self, some: MergedTables) -> None:
        """Count what the limit allows, and show it."""
        if self._limit is not None:
            some = some.first(self._limit - self.results)
        self.results += len(some)
        self.show(some)

    def show(self, some: MergedTables) -> None:
        """Nothing to show."""

    def close(self) -> None:
        """Nothing to end."""


class Printer(ResultCounter):
    """Writes results and hands them on at once."""

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
        write_merged(self._writer, some)
        self._flush()

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()
        self._flush()


def open_printer(
    parsed: list[ParsedQuery], wanted: str | None, output: TextIO, limit: int | None,
    times: bool, types: dict[str, str], empty: Callable[[str], MatchTable],
) -> Printer:  # fmt: skip
    """What prints the results of queries in the format that is wanted; ``empty`` is a table of a query without any.

    OptionError: the format cannot show them, or does not go with the times or types.
    """
    format = choose_format(wanted, output)
    check_times(format, times)
    check_declared(format, types)
    shown = shown_queries(format, [each.query for each in parsed])
    layout = Layout(columns_for(format, shown), len(parsed) > 1, _prefixes(parsed), times, types)
    writer = open_writer(format, output, layout)
    if format in FRAMES:
        writer.write(empty(shown[0].name))  # which columns there are, should there be no match
    return Printer(limit, writer, output.flush, frozenset(query.name for query in shown))


def _prefixes(parsed: list[ParsedQuery]) -> dict[str, str]:
    """The prefixes that the queries declare with absolute IRIs; of two with one name the first counts."""
    found: dict[str, str] = {}
    for declared in (part for each in parsed for part in each.tree.prologue if isinstance(part, Prefix)):
        iri = declared.iri.text.removeprefix("<").removesuffix(">")
        if ":" in iri:
            found.setdefault(declared.name, iri)
    return found
