"""What an earlier program kept is gone on with, and gives what it would have given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.snapshots.golden import COMMANDS, END, TAKEN, WORLDS, after, invoke, kept, prepare


@pytest.mark.parametrize("name", WORLDS)
def test_a_snapshot_goes_on(name: str) -> None:
    world = WORLDS[name]
    whole = world.begin()
    before = after(world, whole, range(TAKEN))
    restored = world.restore(kept(name))
    rest = range(TAKEN, END)
    wanted = after(world, whole, rest) + world.close(whole)
    assert before
    assert len(wanted) > 30
    assert after(world, restored, rest) + world.close(restored) == wanted


@pytest.mark.parametrize("name", COMMANDS)
def test_a_checkpoint_goes_on(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    prepare(command, range(TAKEN))
    before = invoke(command)
    prepare(command, range(END))
    wanted = invoke(command)
    Path("state").write_bytes(kept(name))
    assert before
    assert len(wanted) > 5
    assert invoke(command) == wanted
