"""Paths, as formats of any results need them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from spaseq.paths import Appeared, Path, Paths
from spaseq.paths.found import in_turn
from spaseq.results.formats.block import Shortening
from spaseq.results.times import iso

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.formats.columns import TextCell

HEADS = ("length", "path")


@dataclass(frozen=True)
class PathBlock:
    """Paths of one query, by its name."""

    paths: Paths
    query: str

    @property
    def heads(self) -> Sequence[str]:
        """What stands above the columns."""
        return HEADS

    @property
    def shortenings(self) -> Sequence[Shortening]:
        """There is one way to show them."""
        return (Shortening(),)

    @property
    def widest(self) -> int | None:
        """As wide as they are; a terminal cuts them."""
        return None

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, some: slice) -> PathBlock:
        return PathBlock(self.paths.part(*some.indices(len(self))[:2]), self.query)

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """A path as it is shown in a table."""
        from spaseq.results.formats.columns import TextCell

        path = self.paths[index]
        return [TextCell(str(len(path))), TextCell(str(path))]

    def csv_lines(self) -> Iterator[bytes]:
        """One line after the other; the path is nodes and steps in the syntax of N-Triples."""
        for path in self.paths:
            line = io.StringIO()
            csv.writer(line).writerow([len(path), in_ntriples(path)])
            yield line.getvalue().encode()

    def json_lines(self, start: str) -> Iterator[bytes]:
        """One line after the other: the query, nodes and edges."""
        for path in self.paths:
            yield f"{json.dumps(path.to_dict(), ensure_ascii=False)}\n".encode()

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[PathBlock]], pyarrow.Table]:
        """The columns of ``Paths.to_arrow``."""
        return lambda blocks: together([block.paths.to_arrow() for block in blocks])


@dataclass(frozen=True)
class AppearedBlock(PathBlock):
    """Paths that appeared in a stream, with their times."""

    HEADS: ClassVar = ("time", *HEADS)
    paths: Appeared

    @property
    def heads(self) -> Sequence[str]:
        """What stands above the columns."""
        return self.HEADS

    def __getitem__(self, some: slice) -> AppearedBlock:
        return AppearedBlock(self.paths.part(*some.indices(len(self))[:2]), self.query)

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """A path as it is shown in a table."""
        from spaseq.results.formats.columns import TextCell

        time = TextCell(iso(int(self.paths.times[index])))
        return [time, *PathBlock.cells(self, index, shortening)]

    def csv_lines(self) -> Iterator[bytes]:
        """As of ``PathBlock``, each behind its time."""
        for time, line in zip(self.paths.times.tolist(), PathBlock.csv_lines(self), strict=True):
            yield f"{iso(time)},".encode() + line


def in_ntriples(path: Path) -> str:
    """Nodes and steps in turn, each in the syntax of N-Triples, ``^`` before a step against its edge."""
    steps = [f"{'^' * inverse}<{iri}>" for iri, inverse in path.steps()]
    return " ".join(in_turn([value.to_ntriples() for value in path.values()], steps))


def together(tables: list[Any]) -> Any:
    """Tables of Arrow as one."""
    import pyarrow

    return pyarrow.concat_tables(tables)
