"""The example of docs/rag.md answers its questions, where nothing reaches the network (see ``conftest.py``)."""

from __future__ import annotations

import runpy

import pytest

from tests.cli.test_startup import ROOT


def test_questions_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "rag" / "films.py"), run_name="__main__")
    answers = [line.removeprefix("=> ") for line in capsys.readouterr().out.splitlines() if line.startswith("=>")]
    assert answers == ["Paul Muni, Charles Laughton, Maureen O'Hara", "1944, 1937", "Alfred Hitchcock"]
