"""Rooms import only rooms below them, and nothing goes round in circles: the contracts of ``pyproject.toml``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest
from importlinter import cli

from tools.contracts import with_compiled

ROOT = Path(__file__).parents[2]


@pytest.fixture
def loggers() -> Iterator[None]:
    """Those of the other tests stay as they are: import-linter disables them."""
    before = {name: one.disabled for name, one in logging.root.manager.loggerDict.items() if hasattr(one, "disabled")}
    yield
    for name, disabled in before.items():
        logging.getLogger(name).disabled = disabled


@pytest.mark.usefixtures("loggers")
def test_contracts_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == cli.EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_compiled_modules_are_seen() -> None:
    graph = with_compiled(grimp.build_graph("spaseq", "gpm", "nfa_native", cache_dir=None))

    def uses(module: str) -> set[str]:
        return graph.find_modules_directly_imported_by(module)

    assert "nfa_native.core.archive" in uses("nfa_native.joins.matcher")  # cimport
    assert "nfa_native.joins.history" in uses("nfa_native.joins.matcher")  # import
    assert "nfa_native.core.zone_map" in uses("nfa_native.joins.groups")  # #include
    assert "nfa_native.terms.dictionary" in uses("spaseq.graphs.kind")  # from Python
    assert "gpm.cell_text" in uses("gpm.native.cells")  # within a function
