"""What docs/paths.md shows is real: its queries are read without a warning, its messages are the golden ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spaseq.languages.paths import format_queries, parse
from tests.language.golden import RULE

HERE = Path(__file__).parent
TEXT = (HERE.parents[2] / "docs" / "paths.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```paths\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("queries", EXAMPLES)
def test_example(queries: str) -> None:
    parsed = parse(queries)
    assert parsed.warnings == ()
    assert parse(format_queries(parsed.tree)).queries == parsed.queries


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_messages_are_real() -> None:
    shown = re.findall(r"```text ((?:errors|warnings)/\S+)\n(.*?)```", TEXT, re.DOTALL)
    assert len(shown) >= 8
    for name, message in shown:
        assert (HERE / f"{name}.txt").read_text(encoding="utf-8").endswith(RULE + message), name


def section(title: str) -> str:
    found = re.search(rf"### {title}\n(.*?)(?=\n##|\Z)", TEXT, re.DOTALL)
    assert found is not None
    return found[1]


def rows(text: str) -> list[str]:
    """What stands in backquotes in the first column of tables."""
    cells = [line.replace(r"\|", "\0").split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [each.replace("\0", "|") for cell in cells for each in re.findall(r"`([^`]+)`", cell)]


def test_forms_of_expressions_are_read() -> None:
    forms = rows(section("Expressions"))
    assert len(forms) >= 18
    for form in forms:
        parse("QUERY q ANY " + re.sub(r"\b([ef])(?=\W|$)", r":\1", form))


def test_nodes_selectors_and_restrictors_are_read() -> None:
    for node in rows(section("Nodes")):
        parse(f"PREFIX ex: <http://e/> QUERY q FROM {node} TO {node} :p")
    modes = rows(section("Which paths"))
    assert len(modes) == 11
    for mode in modes:
        parse(f"QUERY q {mode} :p")
