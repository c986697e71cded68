"""Snapshots and checkpoints that were kept: what an earlier program wrote, later ones go on with.

``python -m tests.snapshots.golden`` writes those that are not there yet.  They are never written anew.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import spaseq
from spaseq.cli import main
from tests.snapshots import running, segments, tuples

FOLDER = Path(__file__).parent / "golden"
LATENESS = 8_000_000  # µs, so that some thirty events wait
TAKEN, END = 120, 200
PREFIX = "FROM STREAM s <urn:s>"
DERIVING = {
    "pairs": "CONSTRUCT { ?k <urn:sum> ?a } INTO STREAM <urn:pairs> WITHIN 3 SECONDS SLIDING "
    f"{PREFIX} WHERE {{ SEQ(A ; B) {running.A} {running.LOOSE} }}",
    "twice": "SELECT ?k ?m ?n WITHIN 6 SECONDS FROM STREAM p <urn:pairs> WHERE { SEQ(P ; Q) "
    "DEFINE GPM P ON p { ?k <urn:sum> ?m } DEFINE GPM Q ON p { ?k <urn:sum> ?n FILTER(?n > ?m) } }",
    "beside": "SELECT ?a ?t WITHIN 5 SECONDS FROM STREAM s <urn:s> FROM STREAM t <urn:t> WHERE { SEQ(A ; T) "
    f"{running.A} DEFINE GPM T ON t {{ ?e <urn:b> ?t }} }}",
    "known": f"SELECT ?k ?a WITHIN 5 SECONDS {PREFIX} WHERE {{ SEQ(A) "
    "DEFINE GPM A ON s { ?ae <urn:a> ?a ; <urn:of> ?k GRAPH <urn:kb> { ?k <urn:in> ?g } "
    'FILTER(REGEX(STR(?k), "0")) } }',
}  # fmt: skip


@dataclass(frozen=True)
class World:
    """An engine, what it gives for event ``number`` and in the end, and how it is restored."""

    begin: Callable[[], Any]
    push: Callable[[Any, int], list[str]]
    close: Callable[[Any], list[str]]
    restore: Callable[[bytes], Any]


def _deriving() -> spaseq.Engine:
    engine = spaseq.Engine(running.KNOWLEDGE, lateness=LATENESS)
    for name, text in DERIVING.items():
        engine.register(text, name)
    return engine


def _push_deriving(engine: spaseq.Engine, number: int) -> list[str]:
    stream, graph, time = running.event(number)
    return running.texts(engine.push("t" if number % 4 == 1 else stream, graph, time))


def _in_any_order() -> spaseq.Engine:
    engine = spaseq.Engine(lateness=LATENESS)
    for name, text in running.ANY_ORDER.items():
        engine.register(text, name)
    return engine


def _close(engine: spaseq.Engine) -> list[str]:
    return running.texts(engine.close())


def _rows(found: list[tuple[str, Any]]) -> list[str]:
    return [f"{name} {row}" for name, table in found for row in table.to_pylist()]


WORLDS = {
    "engine-9": World(
        lambda: running.started(LATENESS), lambda engine, number: running.push(engine, [number]), _close,
        lambda data: spaseq.Engine.restore(data, running.queries(), running.KNOWLEDGE),
    ),
    "deriving-9": World(
        _deriving, _push_deriving, _close, lambda data: spaseq.Engine.restore(data, DERIVING, running.KNOWLEDGE)
    ),
    "any-order-9": World(
        _in_any_order, lambda engine, number: running.push(engine, [number]), _close,
        lambda data: spaseq.Engine.restore(data, running.ANY_ORDER),
    ),
    "segments-9": World(
        lambda: segments.started(LATENESS), segments.push, _close,
        lambda data: spaseq.Engine.restore(data, segments.queries(), evaluation="lazy"),
    ),
    "tuples-1": World(
        lambda: tuples.started(LATENESS), lambda engine, number: _rows(engine.push([tuples.row(number)])),
        lambda engine: _rows(engine.close()), lambda data: tuples.Engine.restore(data, tuples.QUERIES),
    ),
}  # fmt: skip


def after(world: World, engine: Any, numbers: range) -> list[str]:
    """What some events give."""
    return [text for number in numbers for text in world.push(engine, number)]


# ── checkpoints of the command line ──────────────────────────────────────────────────────────────────────
def event_line(number: int) -> str:
    """An event of N-Quads, some of which stand a little late."""
    _, graph, time = running.event(number)
    seconds = f"2026-01-01T00:00:{time / 1e6:09.6f}Z" if time < 60e6 else f"2026-01-01T00:01:{time / 1e6 - 60:09.6f}Z"
    own = f"<urn:g{number}>"
    (kind,) = [part for part in ("a", "b", "c") if f"<urn:{part}> " in graph.decode().split(" ;")[0]]
    value, key = number * 7 % 11, number % 3
    return (
        f"{own} <http://www.w3.org/ns/prov#generatedAtTime> "
        f'"{seconds}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
        f'<urn:e{number}> <urn:{kind}> "{value}"^^<http://www.w3.org/2001/XMLSchema#integer> {own} .\n'
        f"<urn:e{number}> <urn:of> <urn:k{key}> {own} .\n"
    )


def row_line(number: int) -> str:
    """A line of CSV in the order of time."""
    found = tuples.row(number)
    return f"{found['type']},{found['price']},{found['name'] or ''},{found['number']},{number * 100_000}\n"


@dataclass(frozen=True)
class Command:
    """A run of the command line on a file that grows, with a checkpoint."""

    arguments: tuple[str, ...]
    queries: dict[str, str]
    file: str
    head: str
    line: Callable[[int], str]


COMMANDS = {
    "run-1": Command(
        ("run", *(f"{name}.spaseq" for name in ("v", "absence", "counted")), "--stream", "s=events.nq", "--lateness",
         "8s"),
        {f"{short}.spaseq": running.SELECTED[name]
         for short, name in (("v", "v shape"), ("absence", "absence"), ("counted", "counted"))},
        "events.nq", "", event_line,
    ),
    "tuples-checkpoint-1": Command(
        ("tuples", *(f"{name}.ceql" for name in ("shown", "next", "consumed", "grouped")), "--events", "events.csv",
         "--time", "time"),
        {f"{name}.ceql": tuples.QUERIES[name] for name in ("shown", "next", "consumed", "grouped")},
        "events.csv", "type,price,name,number,time\n", row_line,
    ),
}  # fmt: skip


def prepare(command: Command, numbers: range) -> None:
    """Queries and the beginning of the input, in the current folder."""
    for name, text in command.queries.items():
        Path(name).write_text(text)
    Path(command.file).write_text(command.head + "".join(map(command.line, numbers)))


def invoke(command: Command) -> list[str]:
    """The lines that it prints."""
    found = CliRunner().invoke(main, [*command.arguments, "--checkpoint", "state", "--quiet"])
    assert found.exit_code == 0, found.output
    return [json.dumps(json.loads(line), sort_keys=True) for line in found.stdout.splitlines()]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────
def kept(name: str) -> bytes:
    """A file as it was written."""
    return gzip.decompress((FOLDER / f"{name}.bin.gz").read_bytes())


def _made() -> Iterator[tuple[str, bytes]]:
    import tempfile

    for name, world in WORLDS.items():
        engine = world.begin()
        after(world, engine, range(TAKEN))
        yield name, engine.snapshot()
    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            prepare(command, range(TAKEN))
            invoke(command)
            yield name, Path("state").read_bytes()


if __name__ == "__main__":
    os.umask(0o022)
    for name, data in _made():
        place = FOLDER / f"{name}.bin.gz"
        if not place.exists():
            place.write_bytes(gzip.compress(data, mtime=0))
            print(place, len(data))
