"""A transport that a newcomer adds is a module of forty lines; its URL stands wherever the path of a stream may."""

from __future__ import annotations

from pathlib import Path

from tests.streams.newcomer import FOUND, TRANSPORT, installed_transport
from tests.streams.test_newcomer import prices, started

DOORS = """
from pathlib import Path
import spaseq
from spaseq.cli import main
from tape import Tape

def command(*line):
    main([*line, "--quiet"], standalone_mode=False)

def found(stream):
    run = spaseq.run(Path("rise.spaseq"), {"quotes": stream})
    return [(int(match.bindings["low"]), int(match.bindings["high"])) for match in run]

MAPPING = "AT ?time CONSTRUCT { [] <urn:price> ?price }"
streams = ["tape://8", "tape://8/3", Tape("tape://8"), spaseq.Mapped("tape-rows://8", MAPPING)]
for stream in [*streams, spaseq.Mapped("tape-rows://8/2", MAPPING)]:
    assert found(stream) == %r, found
for name, url in (("one", "tape://8"), ("three", "tape://8/3")):
    run = ["run", "rise.spaseq", "--stream", f"quotes={url}", "--format", "jsonl", "--checkpoint", f"{name}.kept"]
    command(*run, "--output", name)
    before = Path(name).read_text()
    command(*run, "--output", name)
    assert Path(name).read_text() == before, "it goes on behind all that was read"
    command("paths", "price.paths", "--stream", url, "--window", "10s", "--count", "--output", f"{name}.paths")
command("tuples", "rise.ceql", "--events", "tape-rows://8", "--time", "time", "--count", "--output", "tuples")
"""


def test_it_is_short() -> None:
    assert len([line for line in TRANSPORT.splitlines() if line.strip()]) <= 40


def test_it_runs_from_all_doors(tmp_path: Path) -> None:
    folder = installed_transport(tmp_path)
    (folder / "price.paths").write_text("QUERY price FROM <urn:quote:1> ALL WALK <urn:price>\n")
    ran = started(folder, "-c", DOORS % FOUND)
    assert (ran.returncode, ran.stderr) == (0, "")
    for name in ("one", "three"):
        assert prices((folder / name).read_text()) == FOUND
        assert (folder / f"{name}.paths").read_text() == "1\n"
    assert (folder / "tuples").read_text() == "3\n"
