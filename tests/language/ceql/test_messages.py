"""Golden messages: what a user reads about each query of ``errors/`` and ``warnings/`` (see golden.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.errors import LocatedError, QueryError, QuerySyntaxError
from spaseq.languages.ceql import parse
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
