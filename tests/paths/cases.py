"""Reads the cases of path queries (tests/cases/paths/README.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.oracle.paths import shorthand
from tests.oracle.paths.model import Graph
from tests.oracle.paths.text import EXAMPLE
from tests.paths.agreement import Found

HERE = Path(__file__).parents[1] / "cases" / "paths"
HEAD = f"PREFIX ex: <{EXAMPLE}>\n"


@dataclass(frozen=True)
class Case:
    """A graph, the text of queries, and what must come out."""

    topic: str
    number: int
    spec: dict[str, Any]

    @property
    def label(self) -> str:
        return f"{self.topic}-{self.number}"

    @cached_property
    def graph(self) -> Graph:
        return shorthand.graph(self.spec["graph"])

    @cached_property
    def text(self) -> str:
        query = self.spec["query"]
        return HEAD + (query if "QUERY" in query else f"QUERY q {query}\n")

    @cached_property
    def right(self) -> list[list[Found]]:
        """The answers that are right, each sorted."""
        options = self.spec["one_of"] if "one_of" in self.spec else [self.spec["paths"]]
        return [sorted(map(found, paths)) for paths in options]


def found(text: str) -> Found:
    """``q2# a p b``, or ``a p b`` of the query q."""
    name, _, rest = text.partition("# ") if "# " in text else ("q", "", text)
    path = shorthand.path(rest)
    return name, path.nodes, path.steps


def cases() -> Iterator[Case]:
    """All cases of all files."""
    for file in sorted(HERE.glob("*.toml")):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        defaults = content.get("defaults", {})
        for number, spec in enumerate(content["case"], 1):
            yield Case(file.stem, number, defaults | spec)
