"""Snapshots of the version before this one are read: one was kept."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import spaseq
from spaseq import SnapshotError
from tests.snapshots.running import KNOWLEDGE, push, queries, started, texts

VERSION_7 = gzip.decompress((Path(__file__).parent / "version-7.bin.gz").read_bytes())
TAKEN_AFTER, END = 120, 200


def test_version_7_goes_on() -> None:
    whole = started()
    push(whole, range(TAKEN_AFTER))
    restored = spaseq.Engine.restore(VERSION_7, queries(), KNOWLEDGE)
    wanted = push(whole, range(TAKEN_AFTER, END)) + texts(whole.close())
    found = push(restored, range(TAKEN_AFTER, END)) + texts(restored.close())
    assert sorted(found) == sorted(wanted)
    assert {text.partition(" {")[0] for text in found} >= queries().keys() - {"over", "views"}


def test_today_s_version_is_smaller_and_the_same() -> None:
    restored = spaseq.Engine.restore(VERSION_7, queries(), KNOWLEDGE)
    again = restored.snapshot()
    assert len(again) < len(VERSION_7)
    assert spaseq.Engine.restore(again, queries(), KNOWLEDGE).snapshot() == again


@pytest.mark.parametrize("version", [6, 9])
def test_other_versions(version: int) -> None:
    data = VERSION_7[:8] + version.to_bytes(4, "little") + VERSION_7[12:]
    with pytest.raises(SnapshotError, match=f"has version {version}; this program reads versions 7 to 8"):
        spaseq.Engine.restore(data, queries(), KNOWLEDGE)
