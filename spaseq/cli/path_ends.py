"""Pairs of nodes that have paths, as formats of any results need them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spaseq.cli.path_block import together
from spaseq.paths import EndPoints
from spaseq.paths.ends import shown_node
from spaseq.results.formats.block import Shortening

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.formats.columns import TextCell

HEADS = ("start", "end")


@dataclass(frozen=True)
class EndBlock:
    """Pairs of nodes of one query, by its name."""

    pairs: EndPoints
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
        return len(self.pairs)

    def __getitem__(self, some: slice) -> EndBlock:
        return EndBlock(self.pairs.part(*some.indices(len(self))[:2]), self.query)

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """A pair as it is shown in a table."""
        from spaseq.results.formats.columns import TextCell

        return [TextCell(shown_node(value)) for value in self.pairs[index].values()]

    def csv_lines(self) -> Iterator[bytes]:
        """One line after the other, the nodes in the syntax of N-Triples."""
        for pair in self.pairs:
            line = io.StringIO()
            csv.writer(line).writerow([value.to_ntriples() for value in pair.values()])
            yield line.getvalue().encode()

    def json_lines(self, start: str) -> Iterator[bytes]:
        """One line after the other: the query and the nodes."""
        for pair in self.pairs:
            yield f"{json.dumps(pair.to_dict(), ensure_ascii=False)}\n".encode()

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[EndBlock]], pyarrow.Table]:
        """The columns of ``EndPoints.to_arrow``."""
        return lambda blocks: together([block.pairs.to_arrow() for block in blocks])
