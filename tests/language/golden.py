"""Golden files: a query, a line of ``=``, and what a user then reads.

Run with SPASEQ_UPDATE_GOLDEN=1 to write the latter anew; read the difference before committing it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spaseq.errors import LocatedError, QueryError, QuerySyntaxError

RULE = "=" * 40 + "\n"


def cases(folder: Path) -> list[Path]:
    """The golden files of a folder."""
    return sorted(folder.glob("*.txt"))


def query_of(path: Path) -> str:
    """The query of a golden file."""
    return path.read_text(encoding="utf-8").partition(RULE)[0]


def check(path: Path, said: str) -> None:
    """Compare what a golden file demands with what was said."""
    query, rule, golden = path.read_text(encoding="utf-8").partition(RULE)
    if os.environ.get("SPASEQ_UPDATE_GOLDEN") or not rule:
        path.write_text(query + RULE + said + "\n", encoding="utf-8")
        return
    assert said + "\n" == golden


def error_of(path: Path, parse: Callable[[str], object]) -> str:
    """What a user reads about the query of a golden file, which is wrong somewhere."""
    with pytest.raises(LocatedError) as caught:
        parse(query_of(path))
    error = caught.value
    assert isinstance(error, QuerySyntaxError | QueryError)
    assert error.line >= 1 and error.column >= 1, "every error has a place"
    return error.render()
