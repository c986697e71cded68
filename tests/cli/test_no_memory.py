"""Under ``ulimit -v`` a run ends with one line and exit code 1, and what it wrote before stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spaseq.cli.terminal import FAILED, NO_MEMORY
from tests.cli.conftest import ROOT

# The program, with room for so many more bytes than it needs to begin.
LIMITED = """\
import resource, sys
from importlib import import_module
from pathlib import Path
from spaseq.cli.main import COMMANDS, main
for name in (*(f"spaseq.cli.{command}" for command in COMMANDS), "spaseq.graphs", "spaseq.tuples", "pyarrow.csv",
             "pyarrow.json"):
    import_module(name)
pages = int(Path("/proc/self/statm").read_text().split()[0])
room = pages * resource.getpagesize() + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (room, room))
main(sys.argv[2:])
"""
ROOM = 32 << 20
EX = "http://example.org/"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
KEPT = f"""\
PREFIX ex: <{EX}>
SELECT ?x ?v %s
FROM STREAM s <{EX}s>
WHERE {{
  SEQ(A ; B)
  DEFINE GPM A ON s {{ ?x ex:v ?v ; ex:text ?t }}
  DEFINE GPM B ON s {{ ?x ex:w ?w }}
}}
"""
TRADES = "SELECT * FROM Trades WHERE BUY:+ AS a ; SELL AS b"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it takes limits as Linux has them")


def event(number: int, *properties: str) -> str:
    """An event about something of its own."""
    graph = f"<{EX}e{number}>"
    lines = [f"<{EX}x{number // 2}> <{EX}{each} {graph} .\n" for each in properties]
    return "".join(lines) + f'{graph} <http://www.w3.org/ns/prov#generatedAtTime> "{number}"^^<{INTEGER}> .\n'


def growing(events: int, size: int) -> str:
    """Pairs of events that match, and the first of each has a text of so many bytes, which is kept."""
    text = "x" * size
    return "".join(
        event(number, f'w> "{number}"') if number % 2 else event(number, f'v> "{number}"', f'text> "{number}{text}"')
        for number in range(events)
    )


def limited(*arguments: str, given: str = "", room: int = ROOM) -> subprocess.CompletedProcess[bytes]:
    """Run the program with little memory."""
    command = [sys.executable, "-c", LIMITED, str(room), *arguments]
    return subprocess.run(command, input=given.encode(), capture_output=True, cwd=ROOT, timeout=120)


def test_matches_before_the_end_of_memory_stand(tmp_path: Path) -> None:
    query = tmp_path / "q.spaseq"
    query.write_text(KEPT % "?t")
    some = limited("run", str(query), "--stream", "s=-", "--quiet", given=growing(8, 100))
    assert some.returncode == 0
    done = limited("run", str(query), "--stream", "s=-", "--quiet", given=growing(120, 1 << 20))
    assert (done.returncode, done.stderr) == (FAILED, NO_MEMORY)
    lines = done.stdout.splitlines(keepends=True)
    assert lines
    assert all(line.endswith(b"}\n") for line in lines)


def test_a_count_that_cannot_be_made_is_not_shown(tmp_path: Path) -> None:
    query = tmp_path / "q.spaseq"
    query.write_text(KEPT % "")
    done = limited("run", str(query), "--stream", "s=-", "--count", "--quiet", given=growing(120, 1 << 20))
    assert (done.returncode, done.stdout, done.stderr) == (FAILED, b"", NO_MEMORY)


CSV = "type\n" + "BUY\n" * 24 + "SELL\n"
JSON_LINES = '{"type":"BUY"}\n' * 24 + '{"type":"SELL"}\n'


@pytest.mark.parametrize(
    ("name", "text", "room"),
    [*(("t.csv", CSV, room << 20) for room in (14, 80, 300, 400)), ("t.jsonl", JSON_LINES, 80 << 20),
     ("t.jsonl", JSON_LINES, 200 << 20)],
)  # fmt: skip
def test_tuples(tmp_path: Path, name: str, text: str, room: int) -> None:
    """Too little to read the file, which Arrow does in a thread of its own, or for the results of what is read."""
    query, rows = tmp_path / "q.ceql", tmp_path / name
    query.write_text(TRADES)
    rows.write_text(text)
    done = limited("tuples", str(query), "--events", str(rows), "--format", "table", "--quiet", room=room)
    assert (done.returncode, done.stderr) == (FAILED, NO_MEMORY)
