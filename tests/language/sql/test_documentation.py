"""What is shown of SQL is real: examples are read and printed again, messages of docs/sql.md are the golden ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spaseq.languages.sql import format_query, parse
from tests.language.golden import RULE

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*/*.sql"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    printed = format_query(parse(path).tree)
    assert format_query(parse(printed).tree) == printed


def test_messages_are_real() -> None:
    text = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
    shown = re.findall(r"```text (errors/\S+)\n(.*?)```", text, re.DOTALL)
    assert len(shown) >= 4
    for name, message in shown:
        assert (HERE / f"{name}.txt").read_text(encoding="utf-8").endswith(RULE + message), name
