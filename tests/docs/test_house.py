"""The house as docs/how-it-works.md shows it is that of the contracts in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations, pairwise

from tests.docs.console import ROOT

INNER = {"text", "memory", "environment", "whole_file", "__main__"}  # what a row names in words, and what starts it


def layers() -> dict[str, list[list[str]]]:
    """Packages by the one that contains them: from above, those of a layer together."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    whole = [
        one for one in contracts if one.get("containers") in (["spaseq"], ["nfa_native"]) and one.get("exhaustive")
    ]
    return {one["containers"][0]: [re.findall(r"\w+", layer) for layer in one["layers"]] for one in whole}


def house() -> list[str]:
    """The first cells of its table: packages and modules, from above."""
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8").split("## The house")[1].split("\n### ")[0]
    cells = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name.removesuffix(".py") for cell in cells for name in re.findall(r"`([\w./]+)`", cell)]


def test_each_package_has_its_place() -> None:
    shown = house()
    assert len(shown) == len(set(shown))
    packages = [f"{container}/{name}" for container, found in layers().items() for layer in found for name in layer]
    assert set(shown) == {name for name in packages if name.partition("/")[2] not in INNER} | {"gpm"}


def test_none_stands_above_what_may_import_it() -> None:
    place = {name: index for index, name in enumerate(house())}
    for container, found in layers().items():
        above = [[f"{container}/{name}" for name in layer if f"{container}/{name}" in place] for layer in found]
        for upper, lower in combinations(above, 2):
            assert [(up, low) for up in upper for low in lower if place[up] > place[low]] == []


def test_the_short_form_says_the_same() -> None:
    text = " ".join((ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8").split())
    found = re.search(r"as `pyproject.toml` has them: `([^`]*)`", text)
    assert found is not None
    rows = [re.findall(r"\w+", row) for row in found[1].split(">")]
    place = {name: index for index, name in enumerate(house())}
    order = [min(place.get(f"spaseq/{name}", place.get(name, -1)) for name in row) for row in rows]
    assert -1 not in order
    assert all(one < other for one, other in pairwise(order))
