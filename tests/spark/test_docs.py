"""The programs of docs/spark.md print what it says."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest

from tests.docs.console import ROOT, Block, blocks_of
from tests.spark.session import session, why_not

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]


@pytest.mark.parametrize("block", blocks_of("docs/spark.md"), ids=lambda block: str(block.line))
def test_programs(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session()
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(block.code, names)
    assert printed.getvalue() == block.body
