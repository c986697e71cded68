"""The documentation tells the truth: its commands print what it shows, its links lead somewhere.

Run with SPASEQ_UPDATE_GOLDEN=1 to write the output into the documents anew; read the difference before committing it.
(The examples of docs/language.md and the messages of docs/errors.md are tested by tests/language.)
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.console import ROOT, SHARED, Block, blocks_of, prepare

TOLD = (
    "README.md",
    "docs/best-effort.md",
    "docs/ceql.md",
    "docs/sql.md",
    "docs/errors.md",
    "docs/cli.md",
    "docs/many-queries.md",
    "docs/python.md",
    "docs/paths.md",
    "docs/rag.md",
    "docs/tables.md",
    "docs/transports.md",
    "docs/how-it-works.md",
    "docs/benchmarks.md",
    "examples/README.md",
)
FOLDERS = ("docs", "examples", "datasets", "ontologies", "benchmarks", "tests")
MARKDOWN = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*.md", *(f"{folder}/**/*.md" for folder in FOLDERS))
    for path in ROOT.glob(pattern)
)
BLOCKS = [block for file in TOLD for block in blocks_of(file)]
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)(?P<path>[^)#\s]*)(?:#(?P<part>[^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.file}:{block.line}")
def test_what_is_shown_is_what_comes_out(block: Block, tmp_path: Path) -> None:
    if block.needs_shared_data and not (SHARED / "citybench").is_dir():
        pytest.skip("the CityBench data is not beside the repository")
    prepare(tmp_path)
    body = block.rerun(tmp_path)
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        update(block, body)
    else:
        assert body == block.body


def update(block: Block, body: str) -> None:
    """Put ``body`` into the file; what stands before it in the file may have changed its length by now."""
    path = ROOT / block.file
    text = path.read_text(encoding="utf-8")
    index = [one.start for one in BLOCKS if one.file == block.file].index(block.start)
    start = blocks_of(block.file)[index].start
    path.write_text(text[:start] + body + text[start + len(block.body) :], encoding="utf-8")


@pytest.mark.parametrize("file", MARKDOWN)
def test_links_lead_somewhere(file: str) -> None:
    text = FENCED.sub("", (ROOT / file).read_text(encoding="utf-8"))
    for link in LINK.finditer(text):
        target = (ROOT / file).parent / link["path"] if link["path"] else ROOT / file
        assert target.exists(), f"{file} links to {link['path']}, which does not exist"
        if link["part"]:
            assert link["part"] in anchors(target), f"{link['path']} has no section #{link['part']}"


def anchors(path: Path) -> set[str]:
    """The names under which the sections of a Markdown file can be linked to."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
