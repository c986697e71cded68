"""The working directory of the tests of ``spaseq tuples``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.tuples.events import EVENTS, PAIRS, SUMS

TIMED = "SELECT * WHERE BUY ; SELL WITHIN 150 MILLISECONDS"


@pytest.fixture
def table(folder: Path) -> Path:
    """The working directory, with ``pairs.ceql``, ``timed.ceql`` and ``events.csv``, too."""
    for name, text in {"pairs.ceql": PAIRS, "timed.ceql": TIMED, "events.csv": EVENTS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def two(table: Path) -> list[str]:
    """``pairs.ceql`` and ``sums.ceql`` on the events."""
    Path("sums.ceql").write_text(SUMS)
    return ["tuples", "pairs.ceql", "sums.ceql", "--events", "events.csv"]
