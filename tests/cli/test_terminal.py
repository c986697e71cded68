"""Tables on terminals of several widths: a match is one line, and says what it can.

``SPASEQ_UPDATE_GOLDEN=1`` writes ``tables.txt`` anew; read the difference before committing it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.cells import cell_len

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "tables.txt"
WIDTHS = (40, 60, 80, 100, 140)
STOCKS = "--stream stock=examples/streams/stocks.nq"
COMMANDS = {
    "prices": f"run examples/stocks/v_shape.spaseq {STOCKS} --limit 3",
    "derived": f"run examples/stocks/drops.spaseq {STOCKS} --limit 2",
    "tuples": "tuples examples/tuples/buying_spree.ceql --events examples/tuples/trades.csv --time time --limit 3",
}
_STYLE = re.compile("\x1b\\[[0-9;]*m")
LINES = {"prices": 5, "derived": 4, "tuples": 5}  # a head, a rule, and a line for each match


def shown(command: str, width: int) -> list[str]:
    """The lines that a command prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    arguments = [sys.executable, "-m", "spaseq", *command.split()]
    process = subprocess.Popen(
        arguments, cwd=ROOT, env=environment | {"TERM": "xterm"}, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    output = b""
    while part := _read(ours):
        output += part
    os.close(ours)
    assert process.wait() == 0, output
    return _STYLE.sub("", output.decode()).splitlines()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that the last writer is gone
        return b""


def test_tables_fit_the_terminal() -> None:
    parts = []
    for name, command in COMMANDS.items():
        for width in WIDTHS if name == "prices" else (40, 80):
            lines = shown(command, width)
            assert max(map(cell_len, lines)) <= width, (name, width)
            assert len(lines) == LINES[name]
            parts.append("\n".join([f"── {name}, {width} columns", *lines]))
    text = "\n\n".join(parts) + "\n"
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
