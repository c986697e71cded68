"""The language reference is run: every query on the stream below it gives the matches below that."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import spaseq
from spaseq.languages.spaseq import format_query, parse

TEXT = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```spaseq\n(.*?)```\s+```trig\n(.*?)```\s+```jsonl\n(.*?)```", TEXT, re.DOTALL)


def test_nothing_is_left_out() -> None:
    assert len(EXAMPLES) == TEXT.count("```spaseq\n") == TEXT.count("```jsonl\n") >= 12


@pytest.mark.parametrize("query", [example[0] for example in EXAMPLES])
def test_examples_have_no_warnings(query: str) -> None:
    parsed = parse(query)
    assert parsed.warnings == ()
    assert parse(format_query(parsed.tree)).query == parsed.query


def test_construct_example_parses() -> None:
    (query,) = re.findall(r"```text\n(PREFIX.*?)```", TEXT, re.DOTALL)
    assert parse(query).warnings == ()


@pytest.mark.parametrize(("query", "stream", "matches"), EXAMPLES)
def test_example(query: str, stream: str, matches: str, tmp_path: Path) -> None:
    file = tmp_path / "stream.trig"
    file.write_text(stream, encoding="utf-8")
    found = [match.to_dict() for match in spaseq.run(spaseq.parse(query), streams={"S": str(file)})]
    for match in found:
        match.pop("query", None)
    wanted = [json.loads(line) for line in matches.splitlines()]
    assert sorted(map(canonical, found)) == sorted(map(canonical, wanted))


def canonical(match: dict[str, object]) -> str:
    return json.dumps(match, sort_keys=True)
