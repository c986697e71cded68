"""The files, folders, modules and names that the documentation speaks of are there."""

from __future__ import annotations

import pkgutil
import re

import pytest

from tests.docs.console import ROOT
from tests.docs.test_docs import MARKDOWN

FOLDERS = ("spaseq", "gpm", "nfa_native", "tests", "tools", "docs", "benchmarks", "datasets", "examples", "ontologies")
KERNEL = ("core", "terms", "automata", "joins", "events")  # the glossary leaves nfa_native out
PATH = re.compile(rf"(?<![\w./<:-])(?:{'|'.join(FOLDERS + KERNEL)})/[\w./*-]*\w")
MODULE = re.compile(rf"python -m ((?:{'|'.join(FOLDERS)})(?:\.\w+)*)")
NAME = re.compile(r"`(spaseq(?:\.\w+)+)")
FILE = re.compile(r"`((?:\w+/)*\w+\.(?:pyx?|pxd|pxi|hpp))`")
LINKED = re.compile(r"\]\([^)]*\)")
INSIDE = ("CONTRIBUTING.md", "docs/how-it-works.md", "docs/glossary.md", "docs/limits.md")  # those about the code
TOLD = [file for file in MARKDOWN if file != "CHANGELOG.md"]


def text_of(file: str) -> str:
    return LINKED.sub("]", (ROOT / file).read_text(encoding="utf-8"))


def exists(path: str) -> bool:
    """Whether there is such a file or folder, or a module with this name."""
    return any(ROOT.glob(path)) or any(ROOT.glob(f"{path}.*"))


@pytest.mark.parametrize("file", TOLD)
def test_paths_are_there(file: str) -> None:
    paths = [f"nfa_native/{path}" if path.partition("/")[0] in KERNEL else path for path in PATH.findall(text_of(file))]
    modules = [name.replace(".", "/") for name in MODULE.findall(text_of(file)) if name != "spaseq"]
    assert [path for path in paths + modules if not exists(path)] == []


@pytest.mark.parametrize("file", TOLD)
def test_names_of_the_package_are_there(file: str) -> None:
    for name in NAME.findall(text_of(file)):
        pkgutil.resolve_name(name)


@pytest.mark.parametrize("file", INSIDE)
def test_files_that_are_called_by_less_than_their_path_are_there(file: str) -> None:
    """Some file of the tree has such a name, behind some folder."""
    tree = {f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")}
    tree |= {f"/{path.name}" for path in ROOT.glob("*.*")}
    named = FILE.findall(text_of(file))
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in tree)] == []
