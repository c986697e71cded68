"""The checked-in list of what becomes of each test."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("paths.toml")
HEAD = """\
# What becomes of the evaluation tests of the W3C suites; test_evaluation.py compares it with reality and writes it anew
# with SPASEQ_UPDATE_GOLDEN=1.  Only the reasons of deviations are written by hand.
"""


@dataclass(frozen=True)
class Deviation:
    """``results``: whose solutions (``W3C``, ``pyoxigraph``) are others than ours; ``reason``: why that is accepted."""

    results: tuple[str, ...]
    reason: str = ""


@dataclass
class Listed:
    """The whole list, by the tests' names.

    ``inexpressible`` has the reason, ``paths`` the way that each other test takes if it is free to choose;
    ``deviations`` are the same whichever way is taken.
    """

    inexpressible: dict[str, str] = field(default_factory=dict)
    deviations: dict[str, Deviation] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)

    def write(self) -> None:
        """Replace the file."""
        parts = [HEAD, _section("inexpressible", self.inexpressible)]
        for name, found in sorted(self.deviations.items()):
            parts.append(_section(f'deviations."{name}"', {"results": list(found.results), "reason": found.reason}))
        parts.append(_section("paths", self.paths))
        FILE.write_text("\n".join(parts), "utf-8")


def listed() -> Listed:
    """What the file says."""
    return _read(FILE.read_text("utf-8")) if FILE.exists() else Listed()


@cache
def _read(text: str) -> Listed:
    data = tomllib.loads(text)
    deviations = {
        name: Deviation(tuple(entry["results"]), entry["reason"]) for name, entry in data.get("deviations", {}).items()
    }
    return Listed(data.get("inexpressible", {}), deviations, data.get("paths", {}))


def _section(title: str, entries: Mapping[str, object]) -> str:
    plain = title.startswith("deviations")
    lines = [f"{name if plain else json.dumps(name)} = {json.dumps(value)}" for name, value in sorted(entries.items())]
    return "\n".join([f"[{title}]", *lines, ""])
