"""Golden messages: what a user reads about each query of ``errors/`` and ``warnings/`` (see golden.py)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spaseq.languages.spaseq import parse
from tests.language.golden import RULE, cases, check, error_of, query_of

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", cases(HERE / "errors"), ids=lambda path: path.stem)
def test_error(path: Path) -> None:
    check(path, error_of(path, lambda text: parse(text, "query.spaseq")))


@pytest.mark.parametrize("path", cases(HERE / "warnings"), ids=lambda path: path.stem)
def test_warning(path: Path) -> None:
    found = parse(query_of(path), "query.spaseq").warnings
    assert found
    check(path, "\n".join(warning.render() for warning in found))


def test_enough_cases() -> None:
    assert len(cases(HERE / "errors")) >= 45


def test_documentation_shows_real_messages() -> None:
    text = (HERE.parents[1] / "docs" / "errors.md").read_text(encoding="utf-8")
    shown = re.findall(r"```text (\S+)\n(.*?)```", text, re.DOTALL)
    assert len(shown) > 60
    for name, message in shown:
        assert (HERE / f"{name}.txt").read_text(encoding="utf-8").endswith(RULE + message), name
