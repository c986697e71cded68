"""Snapshots of today's versions and of the one before are read, and written as they always were: some were kept."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import spaseq
from spaseq import SnapshotError
from spaseq.runtime.snapshot.container import TUPLES
from tests.snapshots import tuples
from tests.snapshots.running import KNOWLEDGE, push, queries, started, texts

HERE = Path(__file__).parent
# "9-steps" is of version 9 since negations may be judged when the next step is made: it says which ones were.
KEPT = {name: gzip.decompress((HERE / f"version-{name}.bin.gz").read_bytes()) for name in ("8", "9", "9-steps")}
# After 121 rows; "1" is of before steps of tuples could wait.
KEPT_OF_TUPLES = {name: gzip.decompress((HERE / f"tuples-{name}.bin.gz").read_bytes()) for name in ("1", "1-steps")}
LATENESS = 8_000_000  # thirty events wait
TAKEN_AFTER, END = 120, 200


@pytest.mark.parametrize("version", KEPT)
def test_kept_snapshots_go_on(version: str) -> None:
    whole = started(LATENESS)
    push(whole, range(TAKEN_AFTER))
    restored = spaseq.Engine.restore(KEPT[version], queries(), KNOWLEDGE)
    wanted = push(whole, range(TAKEN_AFTER, END)) + texts(whole.close())
    found = push(restored, range(TAKEN_AFTER, END)) + texts(restored.close())
    assert sorted(found) == sorted(wanted)
    assert {text.partition(" {")[0] for text in found} >= queries().keys() - {"over", "views"}


@pytest.mark.parametrize("version", KEPT)
def test_what_is_written_again_is_smaller_and_the_same(version: str) -> None:
    restored = spaseq.Engine.restore(KEPT[version], queries(), KNOWLEDGE)
    again = restored.snapshot()
    assert len(again) < len(KEPT[version])
    settled = spaseq.Engine.restore(again, queries(), KNOWLEDGE).snapshot()  # without terms that nobody holds any more
    assert spaseq.Engine.restore(settled, queries(), KNOWLEDGE).snapshot() == settled


def test_what_is_written_is_the_same_to_the_byte() -> None:
    engine = started(LATENESS)
    push(engine, range(TAKEN_AFTER))
    assert engine.snapshot() == KEPT["9-steps"]


def test_what_engines_of_tuples_write_is_the_same_to_the_byte() -> None:
    assert tuples.snapshots()[2] == KEPT_OF_TUPLES["1-steps"]
    assert TUPLES.version_of(KEPT_OF_TUPLES["1"]) == TUPLES.version == 1


@pytest.mark.parametrize("version", KEPT_OF_TUPLES)
def test_kept_snapshots_of_tuples_go_on(version: str) -> None:
    engines = [tuples.Engine.restore(data, tuples.QUERIES) for data in (KEPT_OF_TUPLES[version], tuples.snapshots()[2])]
    found, wanted = (_rows_from(engine, 121) for engine in engines)
    assert found == wanted
    assert len({name for name, _ in found}) > len(tuples.QUERIES) / 2


def _rows_from(engine: tuples.Engine, begin: int) -> list[tuple[str, list[object]]]:
    """The results of the next rows."""
    rows = [tuples.row(number) for number in range(begin, begin + 60)]
    return [(name, table.to_pylist()) for name, table in engine.push_tables(rows)]


@pytest.mark.parametrize("version", [6, 7, 10])
def test_other_versions(version: int) -> None:
    data = KEPT["9"][:8] + version.to_bytes(4, "little") + KEPT["9"][12:]
    with pytest.raises(SnapshotError, match=f"has version {version}; this program reads versions 8 to 9"):
        spaseq.Engine.restore(data, queries(), KNOWLEDGE)
