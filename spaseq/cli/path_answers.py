"""What ``spaseq paths --graph`` writes: paths, pictures of them, pairs of nodes, or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TextIO

from spaseq.cli.options import PICTURES
from spaseq.cli.output import check_one_query
from spaseq.cli.path_block import PathBlock
from spaseq.cli.path_ends import EndBlock
from spaseq.errors import OptionError
from spaseq.languages.paths import ParsedPathQueries
from spaseq.paths import Graph, PathRun
from spaseq.results.formats import FRAMES, SOLUTIONS, Layout, open_block_writer
from spaseq.text import on_one_line


class SearchOutcome(Protocol):
    """How a search ended."""

    @property
    def complete(self) -> bool:
        """Whether all was found."""

    @property
    def warnings(self) -> Sequence[str]:
        """What the graph does not have."""


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """Queries on a graph, and how far to search; what is written is told, and how much it was."""

    graph: Graph
    queries: Sequence[ParsedPathQueries]
    limit: int | None
    time_limit: timedelta | None
    most_edges: int | None

    def write_paths(self, output: TextIO, format: str, most_nodes: int | None) -> tuple[SearchOutcome, int]:
        """Paths as they are found, or a picture of all of them."""
        run = self._run()
        if format in PICTURES:
            return run, _draw(run, output, format, most_nodes)
        _check_no_picture(most_nodes)
        return run, _write(run, output, format)

    def write_ends(self, output: TextIO, format: str, most_nodes: int | None) -> tuple[SearchOutcome, int]:
        """All pairs, those of one query after the other, or how many each has (``count``)."""
        if format in PICTURES:
            raise OptionError(f"--format {format}: not with --ends, which finds no paths")
        _check_no_picture(most_nodes)
        if format in SOLUTIONS | FRAMES:
            check_one_query(format, "query", [one.name for each in self.queries for one in each.queries])
        found = self.graph.ends(self.queries, None, self.limit, self.time_limit, self.most_edges)
        pairs = found.by_query()
        if format == "count":
            _write_counts({name: len(some) for name, some in pairs.items()}, output)
            return found, len(found)
        writer = open_block_writer(format, output, Layout(EndBlock.HEADS, len(pairs) > 1, bold=False))
        try:
            for name, some in pairs.items():
                if len(some) or format in FRAMES:
                    writer.write(EndBlock(some, name))
        finally:
            writer.close()
        return found, len(found)

    def write_counts(self, output: TextIO) -> tuple[SearchOutcome, int]:
        """How many paths each query has, up to the limit."""
        if self.limit is None:
            counts = self.graph.counts(self.queries, None, self.time_limit, self.most_edges)
            _write_counts(counts, output)
            return counts, counts.total
        run = self._run()
        found = dict.fromkeys(run.names, 0)
        for some in run.tables():
            found[some[0].query] += len(some)
        _write_counts(found, output)
        return run, sum(found.values())

    def _run(self) -> PathRun:
        return self.graph.search(self.queries, None, self.limit, self.time_limit, self.most_edges)


def _check_no_picture(most_nodes: int | None) -> None:
    if most_nodes is not None:
        raise OptionError(f"--most-nodes is about pictures: {', '.join(PICTURES)}")


def _write(run: PathRun, output: TextIO, format: str) -> int:
    """Write all paths; how many there were."""
    if format in SOLUTIONS | FRAMES:
        check_one_query(format, "query", run.names)
    writer = open_block_writer(format, output, Layout(PathBlock.HEADS, len(run.names) > 1, bold=False))
    found = 0
    try:
        if format in FRAMES:
            writer.write(PathBlock(run.none(), run.names[0]))  # which columns there are
        for some in run.tables():
            found += len(some)
            writer.write(PathBlock(some, some[0].query))
            output.flush()
    finally:
        writer.close()
    return found


def _draw(run: PathRun, output: TextIO, form: str, most_nodes: int | None) -> int:
    """Write a picture of all paths; how many there were."""
    from spaseq.paths.pictures import MOST_NODES

    found = run.all()
    output.write(found.picture(form, most_nodes or MOST_NODES))
    return len(found)


def _write_counts(counts: Mapping[str, int], output: TextIO) -> None:
    """Write how many there are of each query."""
    several = len(counts) > 1
    output.writelines(f"{on_one_line(name)} {count}\n" if several else f"{count}\n" for name, count in counts.items())
