"""Golden files (see golden.py): messages about ``errors/`` and ``warnings/``; ``queries/`` as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.languages.paths import format_queries, parse
from tests.language.golden import cases, check, error_of, query_of

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", cases(HERE / "errors"), ids=lambda path: path.stem)
def test_error(path: Path) -> None:
    check(path, error_of(path, lambda text: parse(text, "queries.paths")))


@pytest.mark.parametrize("path", cases(HERE / "warnings"), ids=lambda path: path.stem)
def test_warning(path: Path) -> None:
    found = parse(query_of(path), "queries.paths").warnings
    assert found
    check(path, "\n".join(warning.render() for warning in found))


@pytest.mark.parametrize("path", cases(HERE / "queries"), ids=lambda path: path.stem)
def test_queries(path: Path) -> None:
    parsed = parse(query_of(path), "queries.paths")
    assert parsed.warnings == ()
    printed = format_queries(parsed.tree)
    again = parse(printed)
    assert again.queries == parsed.queries and again.tree == parsed.tree
    check(path, printed.removesuffix("\n"))


def test_enough_cases() -> None:
    assert len(cases(HERE / "errors")) >= 100
