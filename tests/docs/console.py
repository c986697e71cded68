"""Commands and programs as the documentation prints them, each with its output: finding them, and running them."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.data import shared

ROOT = Path(__file__).resolve().parents[2]
SHARED = shared()
WIDTH = 140  # columns of the terminal; tables fit themselves to it
READABLE = ("benchmarks", "datasets", "docs", "examples", "ontologies")

_CONSOLE = re.compile(r"^(?:<!-- (?P<marker>[a-z ]+) -->\n)?```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(
    r"^```python\n(?P<code>[^`]*?)^```\n\n<!-- printed by the code above -->\n```text\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)

_PRINTED = re.compile(
    r"^<!-- printed by: (?P<command>[^\n]+) -->\n```\w*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A block of Markdown with output to compare: ``body`` is what stands in it, at ``start`` of the file's text.

    What prints it is ``code`` (a Python program right before it), or ``command`` (named in a comment); a ```console
    block has its commands in itself, and maybe a ``marker`` in a comment.
    """

    file: str
    line: int
    start: int
    body: str
    marker: str = ""
    code: str = ""
    command: str = ""

    @property
    def needs_shared_data(self) -> bool:
        return self.marker == "needs shared data"

    def rerun(self, folder: Path) -> str:
        """The block's body as it comes out when it is run in ``folder``."""
        if self.code:
            (folder / "program.py").write_text(self.code, encoding="utf-8")
            return run_in_terminal("python program.py", folder)
        if self.command:
            return run_in_terminal(self.command, folder)
        return "".join(shown + run_in_terminal(command, folder) for shown, command in self.commands())

    def commands(self) -> Iterator[tuple[str, str]]:
        """Each command as it is shown (lines with ``$ ``, then ``> `` where it goes on), and as the shell reads it."""
        shown: list[str] = []
        for line in [*self.body.splitlines(keepends=True), "$ "]:
            if line.startswith("$ ") and shown:
                yield "".join(shown), "".join(part[2:] for part in shown)
                shown = []
            if line.startswith("$ ") or (shown and line.startswith("> ")):
                shown.append(line)


def blocks_of(file: str) -> list[Block]:
    """The blocks of a Markdown file (its path from the root of the repository), in order."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found = [
        Block(file, text.count("\n", 0, match.start("body")), match.start("body"), **match.groupdict(default=""))
        for kind in (_CONSOLE, _PROGRAM, _PRINTED)
        for match in kind.finditer(text)
    ]
    return sorted(found, key=lambda block: block.start)


def prepare(folder: Path) -> None:
    """Make ``folder`` look like the root of the repository after `make run`, to programs that only read there."""
    for name in READABLE:
        (folder / name).symlink_to(ROOT / name)
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "activate").touch()
    for name, module in (("spaseq", "-m spaseq"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" {module} "$@"\n')
        program.chmod(0o755)


def run_in_terminal(command: str, folder: Path) -> str:
    """What a command prints, errors included, on a terminal without colours.

    Two things are made alike: line ends (those of CSV are CR LF), and paths below the root, which are shown from there.
    """
    environment = os.environ | {
        "PATH": f"{folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": str(WIDTH),
        "LINES": "40",
        "TERM": "dumb",
        "SPASEQ_SHARED": str(SHARED),
    }
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # line ends stay as they are
    with subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        output = _read_all(ours)
    os.close(ours)
    return output.decode("utf-8").replace("\r\n", "\n").replace(f"{ROOT}{os.sep}", "")


def _read_all(terminal: int) -> bytes:
    parts = []
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # how Linux says that the last writer is gone
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)
