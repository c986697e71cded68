"""Pairs of nodes that have paths, as formats of any results need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from spaseq.cli.answer_block import AnswerBlock
from spaseq.paths import EndPoints
from spaseq.paths.results import shown_node


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
