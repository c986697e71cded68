"""Golden messages: each file of ``errors/`` and ``warnings/`` is a query, a line of ``=``, and what a user then reads.

Run with SPASEQ_UPDATE_GOLDEN=1 to write the messages anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from spaseq.errors import LocatedError, QueryError, QuerySyntaxError
from spaseq.languages.spaseq import parse

HERE = Path(__file__).parent
RULE = "=" * 40 + "\n"


def cases(folder: str) -> list[Path]:
    return sorted((HERE / folder).glob("*.txt"))


def check(path: Path, said: str) -> None:
    query, rule, golden = path.read_text(encoding="utf-8").partition(RULE)
    if os.environ.get("SPASEQ_UPDATE_GOLDEN") or not rule:
        path.write_text(query + RULE + said + "\n", encoding="utf-8")
        return
    assert said + "\n" == golden


def query_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition(RULE)[0]


@pytest.mark.parametrize("path", cases("errors"), ids=lambda path: path.stem)
def test_error(path: Path) -> None:
    with pytest.raises(LocatedError) as caught:
        parse(query_of(path), "query.spaseq")
    error = caught.value
    assert isinstance(error, QuerySyntaxError | QueryError)
    assert error.line >= 1 and error.column >= 1, "every error has a place"
    check(path, error.render())


@pytest.mark.parametrize("path", cases("warnings"), ids=lambda path: path.stem)
def test_warning(path: Path) -> None:
    found = parse(query_of(path), "query.spaseq").warnings
    assert found
    check(path, "\n".join(warning.render() for warning in found))


def test_enough_cases() -> None:
    assert len(cases("errors")) >= 45


def test_documentation_shows_real_messages() -> None:
    text = (HERE.parents[1] / "docs" / "errors.md").read_text(encoding="utf-8")
    shown = re.findall(r"```text (\S+)\n(.*?)```", text, re.DOTALL)
    assert len(shown) > 60
    for name, message in shown:
        assert (HERE / f"{name}.txt").read_text(encoding="utf-8").endswith(RULE + message), name
