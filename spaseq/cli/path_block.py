"""Paths, as formats of any results need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spaseq.cli.answer_block import AnswerBlock
from spaseq.paths import Appeared, Path, Paths
from spaseq.paths.results import in_turn
from spaseq.pattern.times import iso


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
