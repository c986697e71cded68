"""Prose in Markdown files has lines of at most 120 characters (``python tools/prose.py FILE …`` breaks longer ones)."""

from __future__ import annotations

import pytest

from tests.docs.console import ROOT
from tests.docs.test_docs import MARKDOWN
from tools.prose import wrapped


@pytest.mark.parametrize("file", MARKDOWN)
def test_lines_are_short(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert text == wrapped(text), f"too long; mend it by: python tools/prose.py {file}"


def test_what_is_broken_and_what_is_not() -> None:
    word, table = "word " * 40, "| " + "cell " * 40 + "|"
    item = f"  2. {word}[a link that stays whole](https://example.org/{'x' * 130}) and `a span of code` 1. end"
    fence = f"```text\n{word}\n```"
    text = f"# {word}\n\n{word}\n\n* {word}\n{item}\n\n{table}\n<!--\n{word}\n-->\n{fence}\n"
    lines = wrapped(text).splitlines()
    assert wrapped("\n".join(lines) + "\n") == "\n".join(lines) + "\n"
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert [line for line in lines if len(line) > 120 and "link" not in line] == [f"# {word}", table, word, word]
    assert [line for line in lines if line.startswith("     word")]  # what follows in an item stands below its text
    assert any("1. end" in line and not line.lstrip().startswith("1.") for line in lines)


def test_short_lines_stay() -> None:
    text = "One sentence\na line\n* an item\n  goes on\n\n    a picture\n"
    assert wrapped(text) == text
