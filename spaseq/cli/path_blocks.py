"""Answers of path queries, paths or pairs of nodes, as formats of any results need them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from spaseq.paths import Appeared, EndPoints, Path, Paths
from spaseq.paths.results import in_turn, shown_node
from spaseq.results.formats.writer import Shortening
from spaseq.streams.timestamps import iso
from spaseq.text import json_text

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.formats.writer import TextCell


class Answer(Protocol):
    """A path, or a pair of nodes."""

    def to_dict(self) -> dict[str, Any]:
        """All that it is."""


class Answers(Protocol):
    """Answers in columns, which share memory with a part of them."""

    def __len__(self) -> int:
        """How many there are."""

    def __iter__(self) -> Iterator[Answer]:
        """One after the other."""

    def part(self, start: int, stop: int, /) -> Self:
        """Some of them."""

    def to_arrow(self) -> pyarrow.Table:
        """Their columns."""


@dataclass(frozen=True)
class AnswerBlock:
    """Answers of one query, by its name."""

    HEADS: ClassVar[tuple[str, ...]]
    found: Answers
    query: str

    def shown(self, index: int) -> list[str]:
        """The cells of an answer in a table."""
        raise NotImplementedError

    def in_ntriples(self, index: int) -> list[str]:
        """The cells of an answer in CSV; nodes and steps are in the syntax of N-Triples."""
        raise NotImplementedError

    @property
    def heads(self) -> Sequence[str]:
        """What stands above the columns."""
        return self.HEADS

    @property
    def shortenings(self) -> Sequence[Shortening]:
        """There is one way to show them."""
        return (Shortening(),)

    @property
    def widest(self) -> int | None:
        """As wide as they are; a terminal cuts them."""
        return None

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, some: slice) -> Self:
        return replace(self, found=self.found.part(*some.indices(len(self))[:2]))

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """An answer as it is shown in a table."""
        from spaseq.results.formats.writer import TextCell

        return [TextCell(text) for text in self.shown(index)]

    def csv_lines(self) -> Iterator[bytes]:
        """One line after the other."""
        for index in range(len(self)):
            line = io.StringIO()
            csv.writer(line).writerow(self.in_ntriples(index))
            yield line.getvalue().encode()

    def json_lines(self, start: str) -> Iterator[bytes]:
        """One line after the other: the query, and all that an answer is."""
        for answer in self.found:
            yield f"{json_text(answer.to_dict())}\n".encode()

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[Self]], pyarrow.Table]:
        """The columns of ``to_arrow``."""
        import pyarrow

        return lambda blocks: pyarrow.concat_tables([block.found.to_arrow() for block in blocks])


@dataclass(frozen=True)
class PathBlock(AnswerBlock):
    """Paths of one query, by its name."""

    HEADS: ClassVar[tuple[str, ...]] = ("length", "path")
    found: Paths

    def shown(self, index: int) -> list[str]:
        """See ``AnswerBlock``."""
        path = self.found[index]
        return [str(len(path)), str(path)]

    def in_ntriples(self, index: int) -> list[str]:
        """See ``AnswerBlock``."""
        path = self.found[index]
        return [str(len(path)), in_ntriples(path)]


@dataclass(frozen=True)
class AppearedBlock(PathBlock):
    """Paths that appeared in a stream, with their times."""

    HEADS: ClassVar[tuple[str, ...]] = ("time", *PathBlock.HEADS)
    found: Appeared

    def shown(self, index: int) -> list[str]:
        """See ``AnswerBlock``."""
        return [self._time(index), *PathBlock.shown(self, index)]

    def in_ntriples(self, index: int) -> list[str]:
        """See ``AnswerBlock``."""
        return [self._time(index), *PathBlock.in_ntriples(self, index)]

    def _time(self, index: int) -> str:
        return iso(int(self.found.times[index]))


def in_ntriples(path: Path) -> str:
    """Nodes and steps in turn, each in the syntax of N-Triples, ``^`` before a step against its edge."""
    steps = [f"{'^' * inverse}<{iri}>" for iri, inverse in path.steps()]
    return " ".join(in_turn([value.to_ntriples() for value in path.values()], steps))


@dataclass(frozen=True)
class EndBlock(AnswerBlock):
    """Pairs of nodes of one query, by its name."""

    HEADS: ClassVar[tuple[str, ...]] = ("start", "end")
    found: EndPoints

    def shown(self, index: int) -> list[str]:
        """See ``AnswerBlock``."""
        return [shown_node(value) for value in self.found[index].values()]

    def in_ntriples(self, index: int) -> list[str]:
        """See ``AnswerBlock``."""
        return [value.to_ntriples() for value in self.found[index].values()]
