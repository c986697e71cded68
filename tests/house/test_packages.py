"""Every package of the tree is one that is installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_all_packages_are_installed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    homes = (path.parent for room in ("spaseq", "gpm", "nfa_native") for path in (ROOT / room).rglob("__init__.py"))
    found = {".".join(home.relative_to(ROOT).parts) for home in homes}
    assert found == set(listed) - {"spaseq.datasets", "spaseq.ontologies"}
