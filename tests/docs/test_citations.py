"""What code, tests and documents cite is in the clone: chapters of docs/semantics.md, and documents by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.docs.console import ROOT
from tests.docs.test_docs import MARKDOWN

FOLDERS = ("spaseq", "gpm", "nfa_native", "tests", "tools", "benchmarks", "datasets", "docs", "examples")
SUFFIXES = (
    ".py",
    ".pyi",
    ".pyx",
    ".pxd",
    ".pxi",
    ".hpp",
    ".md",
    ".toml",
    ".lark",
    ".spaseq",
    ".ceql",
    ".paths",
    ".sql",
)
CHAPTER = re.compile(r"\bsemantics\.md\)? (\d(?:\.\d)?(?:, \d(?:\.\d)?)*)")
DOCUMENT = re.compile(r"(?<![\w/-])(?:\w+/)*[\w-]+\.md\b")
ELSEWHERE = re.compile(r"\b(?:SEMANTICS|KERNEL|ARCHITECTURE)(?:\.md\b| \d)|shared/design")
PLACES = {path.name for path in (ROOT / "docs").glob("*.md")} | {path.name for path in ROOT.glob("*.md")}


def texts() -> Iterator[tuple[str, str]]:
    """Each file that may cite something, by its path; not what tests make up, nor what the build writes."""
    files = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    for path in files:
        if path.suffix in SUFFIXES and "corpus" not in path.parts and path.name != "test_citations.py":
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_chapters_are_there() -> None:
    text = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    chapters = set(re.findall(r"^#{2,3} (\d(?:\.\d)?)\.? ", text, re.MULTILINE))
    cited = {(file, nr) for file, text in texts() for found in CHAPTER.findall(text) for nr in found.split(", ")}
    assert len(cited) > 30
    assert {(file, nr) for file, nr in cited if nr not in chapters} == set()


def test_documents_are_there() -> None:
    """Those that docstrings and comments name; links and paths of documents have tests of their own."""
    code = [(file, text) for file, text in texts() if file not in MARKDOWN and not file.startswith("tests/")]
    named = {(file, name) for file, text in code for name in DOCUMENT.findall(text)}
    assert len(named) > 20
    assert {(file, name) for file, name in named if not (name in PLACES or (ROOT / name).exists())} == set()


def test_nothing_cites_what_is_not_in_the_clone() -> None:
    assert [(file, found[0]) for file, text in texts() if (found := ELSEWHERE.search(text))] == []
