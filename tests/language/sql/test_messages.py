"""Golden files (see golden.py): messages about ``errors/``; ``queries/`` as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.languages.sql import format_query, parse
from spaseq.pattern.rows.types import DATE, DOUBLE, INTEGER, TEXT, TIMESTAMP, decimal
from tests.language.golden import cases, check, error_of, query_of

HERE = Path(__file__).parent
COLUMNS = {
    "symbol": TEXT, "day": TIMESTAMP, "price": INTEGER, "volume": decimal(10, 2), "rate": DOUBLE, "since": DATE,
    "Value": INTEGER, "value": INTEGER,
}  # fmt: skip


@pytest.mark.parametrize("path", cases(HERE / "errors"), ids=lambda path: path.stem)
def test_error(path: Path) -> None:
    check(path, error_of(path, lambda text: parse(text, "query.sql").on(COLUMNS)))


@pytest.mark.parametrize("path", cases(HERE / "queries"), ids=lambda path: path.stem)
def test_query(path: Path) -> None:
    parsed = parse(query_of(path), "query.sql")
    assert parsed.on(COLUMNS).columns
    printed = format_query(parsed.tree)
    assert parse(printed).tree == parsed.tree
    check(path, printed.removesuffix("\n"))
