"""Golden files (see golden.py): messages about ``errors/`` and ``warnings/``; ``queries/`` as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.errors import LocatedError, QueryError, QuerySyntaxError
from spaseq.languages.ceql import format_query, parse
from tests.language.golden import cases, check, query_of

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", cases(HERE / "errors"), ids=lambda path: path.stem)
def test_error(path: Path) -> None:
    with pytest.raises(LocatedError) as caught:
        parse(query_of(path), "query.ceql")
    error = caught.value
    assert isinstance(error, QuerySyntaxError | QueryError)
    assert error.line >= 1 and error.column >= 1, "every error has a place"
    check(path, error.render())


@pytest.mark.parametrize("path", cases(HERE / "warnings"), ids=lambda path: path.stem)
def test_warning(path: Path) -> None:
    found = parse(query_of(path), "query.ceql").warnings
    assert found
    check(path, "\n".join(warning.render() for warning in found))


@pytest.mark.parametrize("path", cases(HERE / "queries"), ids=lambda path: path.stem)
def test_query(path: Path) -> None:
    parsed = parse(query_of(path), "query.ceql")
    assert parsed.warnings == ()
    printed = format_query(parsed.tree)
    assert parse(printed).query == parsed.query
    check(path, printed.removesuffix("\n"))
