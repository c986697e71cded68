"""Malformed streams: one clear error each, at the right place; with skip only the events concerned are lost.

``SPASEQ_UPDATE_GOLDEN=1`` writes the golden file anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spaseq.errors import StreamError
from spaseq.streams import WireOptions, WireReport, expand, read_source

FOLDER = Path(__file__).parent / "errors"
GOLDEN = FOLDER / "golden.json"
FILES = sorted(file.name for file in FOLDER.iterdir() if file != GOLDEN)


def names(lists: list[list]) -> list[str]:
    return [event.name.rpartition("/")[2] for events in lists for event in events]


def outcome(file: str) -> dict[str, object]:
    """What a malformed file gives, stopping and skipping."""
    before: list[list] = []
    message = "no error"
    try:
        before.extend(read_source(file, "urn:s", WireOptions(), WireReport()))
    except StreamError as error:
        message = error.render()
    report = WireReport()
    try:
        skipped = names(list(read_source(file, "urn:s", WireOptions(skip=True), report)))
    except StreamError as error:
        return {"error": message.splitlines(), "fatal": error.message}
    shown = [name for number, name in enumerate(skipped) if number < 5]
    return {"error": message.splitlines(), "skip": shown, "positions": report.positions, "errors": report.errors}


@pytest.mark.parametrize("file", FILES)
def test_malformed_stream(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    found = outcome(file)
    golden = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        golden[file] = found
        GOLDEN.write_text(json.dumps(golden, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
    assert found == golden[file]
    assert found["error"] != ["no error"]


def test_missing_file() -> None:
    with pytest.raises(StreamError, match=r"nowhere\.nq: error: cannot read: no such file or directory"):
        list(read_source("nowhere.nq", "urn:s", WireOptions(), WireReport()))


def test_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="has no file with the ending of a stream"):
        expand(tmp_path)


def test_glob_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="no file fits"):
        expand(tmp_path / "*.nq")
