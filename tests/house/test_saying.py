"""Commands say what they say in one way, which lets nothing through that steers a terminal."""

from __future__ import annotations

import re
from pathlib import Path

ROOM = Path(__file__).resolve().parents[2] / "spaseq" / "cli"


def test_commands_write_to_the_terminal_in_one_place() -> None:
    writers = re.compile(r"click\.(?:echo|secho)\(|\bprint\(|sys\.std(?:err|out)\.write\(")
    found = [path.name for path in sorted(ROOM.rglob("*.py")) if writers.search(path.read_text(encoding="utf-8"))]
    assert found == ["terminal.py"]
