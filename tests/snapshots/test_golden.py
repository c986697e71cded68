"""What an earlier program kept is gone on with, and gives what it would have given."""

from __future__ import annotations

from pathlib import Path

import pytest

import spaseq
from tests.snapshots import running, segments
from tests.snapshots.golden import COMMANDS, END, TAKEN, WORLDS, after, invoke, kept, prepare
from tests.snapshots.running import texts


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


def test_steps_wait_in_the_one_that_was_kept() -> None:
    """Else it would say nothing of them; an engine that makes steps at once goes on with them, too."""
    data, queries = kept("segments-9"), segments.queries()
    engines = [spaseq.Engine.restore(data, queries, evaluation=way) for way in ("lazy", "eager")]
    for engine in engines:
        told = engine.statistics()["queries"]
        assert min(told[name]["segments"][0]["waiting"] for name in told if name != "merged") > 0
        assert told["merged"]["states"][0]["switches"] == 1
    found = [after(WORLDS["segments-9"], engine, range(TAKEN, END)) + texts(engine.close()) for engine in engines]
    assert sorted(found[0]) == sorted(found[1])


def test_sides_wait_in_the_one_that_was_kept() -> None:
    engine = spaseq.Engine.restore(kept("any-order-9"), running.ANY_ORDER)
    told = engine.statistics()["queries"]
    assert all(any(state["groups"] for state in told[name]["states"]) for name in running.ANY_ORDER)


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
