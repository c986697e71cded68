"""Golden messages: what a user reads about each mapping of ``errors/`` (see golden.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.languages.mappings import parse
from tests.language.golden import cases, check, error_of

ERRORS = Path(__file__).parent / "errors"


@pytest.mark.parametrize("path", cases(ERRORS), ids=lambda path: path.stem)
def test_error(path: Path) -> None:
    check(path, error_of(path, lambda text: parse(text, "quotes.map")))


def test_enough_cases() -> None:
    assert len(cases(ERRORS)) >= 45
