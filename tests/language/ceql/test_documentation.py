"""What docs/ceql.md shows is real: its queries are read without a warning, its messages are the golden ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spaseq.languages.ceql import format_query, parse
from spaseq.languages.ceql.printer import RESERVED
from tests.language.golden import RULE

HERE = Path(__file__).parent
TEXT = (HERE.parents[2] / "docs" / "ceql.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```ceql\n(.*?)```", TEXT, re.DOTALL)
CONDITIONS = re.search(r"### Conditions\n(.*?)\n\n", TEXT.replace("Conditions\n\n", "Conditions\n"), re.DOTALL)


@pytest.mark.parametrize("query", EXAMPLES)
def test_example(query: str) -> None:
    parsed = parse(query)
    assert parsed.warnings == ()
    assert parse(format_query(parsed.tree)).query == parsed.query


def test_messages_are_real() -> None:
    shown = re.findall(r"```text ((?:errors|warnings)/\S+)\n(.*?)```", TEXT, re.DOTALL)
    assert len(shown) >= 4
    for name, message in shown:
        assert (HERE / f"{name}.txt").read_text(encoding="utf-8").endswith(RULE + message), name


def test_conditions_are_read() -> None:
    assert CONDITIONS is not None
    found = [each for each in re.findall(r"`([^`]+)`", CONDITIONS[1]) if each[0].islower() and " " in each]
    assert len(found) >= 9
    for condition in found:
        parse(f"SELECT * WHERE A AS x FILTER x[{condition}]")


def test_words_of_the_language() -> None:
    found = re.search(r"The words of the language are (.*?)\.", TEXT, re.DOTALL)
    assert found is not None
    assert set(re.findall(r"[A-Z]+", found[1])) == RESERVED
