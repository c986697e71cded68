"""Schemes that are known: what they need is imported when one is named, and told where it is not there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import spaseq
from spaseq.errors import OptionError
from spaseq.sources import source
from spaseq.sources.source import TRANSPORTS, is_url

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
LIBRARIES = {"kafka": "confluent_kafka", "mqtt": "paho", "http": "httpx", "websocket": "websockets"}


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """None of the libraries is installed."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in LIBRARIES.values():
            monkeypatch.delitem(sys.modules, name)
    for scheme in TRANSPORTS.values():
        monkeypatch.delitem(sys.modules, scheme[0], raising=False)
    for library in LIBRARIES.values():
        monkeypatch.setitem(sys.modules, library, None)
    source._of_scheme.cache_clear()
    yield
    source._of_scheme.cache_clear()


@pytest.mark.parametrize("scheme", TRANSPORTS)
def test_what_is_not_installed_is_told(scheme: str, bare: None) -> None:
    extra = TRANSPORTS[scheme][2]
    needed = rf"{re.escape(scheme)}:// needs {LIBRARIES[extra]}[\w.]*; install it with: pip install 'spaseq\[{extra}\]'"
    assert is_url(f"{scheme}://h/t")
    with pytest.raises(OptionError, match=needed):
        spaseq.run(ALL, {"s": f"{scheme}://h/t"})


def test_the_command_tells_it(tmp_path: Path) -> None:
    (tmp_path / "confluent_kafka.py").write_text("raise ModuleNotFoundError(name=__name__)\n")
    (tmp_path / "all.spaseq").write_text(ALL)
    line = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from spaseq.cli import main; main()",
    ]
    line += ["run", str(tmp_path / "all.spaseq"), "--stream", "s=kafka://h/t", "--quiet"]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2
    assert ran.stderr == "error: kafka:// needs confluent_kafka; install it with: pip install 'spaseq[kafka]'\n"


def test_each_has_an_extra() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert [extra for _, _, extra in TRANSPORTS.values() if f"\n{extra} = [" not in text] == []
