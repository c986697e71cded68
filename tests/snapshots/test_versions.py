"""Snapshots of the version before this one are read: one was kept."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import spaseq
from spaseq import SnapshotError
from tests.snapshots.running import KNOWLEDGE, push, queries, started, texts

HERE = Path(__file__).parent
OLDER = {number: gzip.decompress((HERE / f"version-{number}.bin.gz").read_bytes()) for number in (7, 8)}
LATENESS = {7: 1_000_000, 8: 8_000_000}  # of the second, thirty events wait
TAKEN_AFTER, END = 120, 200


@pytest.mark.parametrize("version", OLDER)
def test_older_versions_go_on(version: int) -> None:
    whole = started(LATENESS[version])
    push(whole, range(TAKEN_AFTER))
    restored = spaseq.Engine.restore(OLDER[version], queries(), KNOWLEDGE)
    wanted = push(whole, range(TAKEN_AFTER, END)) + texts(whole.close())
    found = push(restored, range(TAKEN_AFTER, END)) + texts(restored.close())
    assert sorted(found) == sorted(wanted)
    assert {text.partition(" {")[0] for text in found} >= queries().keys() - {"over", "views"}


@pytest.mark.parametrize("version", OLDER)
def test_today_s_version_is_smaller_and_the_same(version: int) -> None:
    restored = spaseq.Engine.restore(OLDER[version], queries(), KNOWLEDGE)
    again = restored.snapshot()
    assert len(again) < len(OLDER[version])
    settled = spaseq.Engine.restore(again, queries(), KNOWLEDGE).snapshot()  # without terms that nobody holds any more
    assert spaseq.Engine.restore(settled, queries(), KNOWLEDGE).snapshot() == settled


@pytest.mark.parametrize("version", [6, 10])
def test_other_versions(version: int) -> None:
    data = OLDER[7][:8] + version.to_bytes(4, "little") + OLDER[7][12:]
    with pytest.raises(SnapshotError, match=f"has version {version}; this program reads versions 7 to 9"):
        spaseq.Engine.restore(data, queries(), KNOWLEDGE)
