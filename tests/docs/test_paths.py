"""The files, folders, modules and names that the documentation speaks of are there."""

from __future__ import annotations

import pkgutil
import re

import pytest

from tests.docs.console import ROOT
from tests.docs.test_docs import MARKDOWN

FOLDERS = ("spaseq", "gpm", "nfa_native", "tests", "tools", "docs", "benchmarks", "datasets", "examples", "ontologies")
KERNEL = ("core", "terms", "automata", "joins", "events", "counts")  # the glossary leaves nfa_native out
PATH = re.compile(rf"(?<![\w./<:-])(?:{'|'.join(FOLDERS + KERNEL)})/[\w./*-]*\w")
MODULE = re.compile(rf"python -m ((?:{'|'.join(FOLDERS)})(?:\.\w+)*)")
NAME = re.compile(r"`(spaseq(?:\.\w+)+)")
LINKED = re.compile(r"\]\([^)]*\)")
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
