"""Of many cases some run in ``make test``, the others in ``make check-deep``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(count: int, cases: Iterable[Any]) -> list[Any]:
    """The first so many are tests, the others deep ones."""
    return [_deep(case) if number >= count else case for number, case in enumerate(cases)]


def one_of(count: int, cases: Iterable[Any]) -> list[Any]:
    """One of so many is a test, the others are deep ones."""
    return [_deep(case) if number % count else case for number, case in enumerate(cases)]


def _deep(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.deep)
