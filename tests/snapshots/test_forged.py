"""Forged snapshots, under a digest that fits, are refused or harmless; ``tests.snapshots.deep`` tries more."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from nfa_native.core import archive
from spaseq.runtime.snapshot.container import GRAPHS, TUPLES
from spaseq.tuples.columns.serialisation import integers_read, numbers_stored
from tests.slices import first
from tests.snapshots import tuples
from tests.snapshots.entering import enter, snapshots
from tests.snapshots.forger import ARCHIVE, forged, mutated, signed


@pytest.fixture(scope="module")
def sound() -> list[bytes]:
    return snapshots()


def test_sound_ones_are_used(sound: list[bytes]) -> None:
    assert [enter(signed(data[:-32])) for data in sound] == ["used"] * len(sound)


@pytest.mark.parametrize(("count", "least"), first(1, [(80, 26), (150, 50)]))
def test_forged_ones(sound: list[bytes], count: int, least: int) -> None:
    choose = random.Random(1)
    found = Counter(enter(forged(choose.choice(sound), choose)) for _ in range(count))
    assert found["refused"] > least


def test_mutated_ones(sound: list[bytes]) -> None:
    choose = random.Random(2)
    found = Counter(enter(mutated(choose.choice(sound), choose)) for _ in range(100))
    assert found["refused"] > 50


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("streamsets", 0, "advanced"), 2**62),  # later events would come before it
        (("streamsets", 0, "finished"), True),  # all later events would be passed over
        (("clocks", 0, "closed"), True),
    ],
)
def test_times_that_do_not_fit_each_other(sound: list[bytes], path: tuple[str, int, str], value: object) -> None:
    header, sections = GRAPHS.unpack(sound[1])
    list_of, number, key = path
    header[list_of][number][key] = value
    assert enter(GRAPHS.pack(header, sections)) == "refused"


@pytest.mark.parametrize("promised", [2**62, 2**63 - 1])
def test_times_that_a_matcher_was_promised(sound: list[bytes], promised: int) -> None:
    """Later events would come before them, also where an event's time is not over yet."""
    header, sections = GRAPHS.unpack(sound[1])
    kept = {name: data for name, data in sections.items() if name.startswith(("matcher ", "row matcher ")) and data}
    matchers = {name: archive.unpack(data) for name, data in kept.items()}
    living = {name: stores for name, stores in matchers.items() if "clock" in stores}
    assert living
    for name, stores in living.items():
        stores["clock"][1]["promised"][0] = promised
        assert enter(GRAPHS.pack(header, {**sections, name: archive.pack(stores)})) == "refused"


@pytest.mark.parametrize("least", [2**40, 2**62, 2**63 - 1])
def test_rows_that_are_said_to_be_over(least: int) -> None:
    """What later matches still show would be looked for in vain."""
    data = tuples.snapshots()[1]
    header, sections = TUPLES.unpack(data)
    remembered = [one["remembered"] for one in parts(header) if "remembered" in one and "least" in one["remembered"]]
    assert remembered
    for one in remembered:
        one["least"] = least
    assert tuples.enter(TUPLES.pack(header, sections)) == "refused"


@pytest.mark.parametrize("by", [-(10**9), -(2**62), 10**9])
def test_rows_whose_windows_begin_otherwise(by: int) -> None:
    """They are forgotten before matches show them, which a later push says."""
    for data in tuples.snapshots()[1:3]:
        header, sections = TUPLES.unpack(data)
        kept = [one for one in parts(header) if one.keys() >= {"first", "starts", "rows"}]
        assert kept
        for one in kept:
            (name,) = one["starts"].values()
            sections[str(name)] = numbers_stored(integers_read(sections[str(name)]) + by)
            tuples.enter(TUPLES.pack(header, sections))


def test_rows_without_times() -> None:
    """Their queries could not have been registered."""
    header, sections = TUPLES.unpack(tuples.snapshots()[1])
    header["engine"]["reading"]["time"] = []
    assert tuples.enter(TUPLES.pack(header, sections)) == "refused"


@pytest.mark.parametrize("state", [0xFFFFFFFF, 0x10000, 0x80000000, 0xFFFFFFFE])
def test_states_that_there_are_not(state: int) -> None:
    """One that is neither that of a pick nor a sign of something else was looked at nowhere."""
    header, sections = TUPLES.unpack(tuples.snapshots()[1])
    archives = {name: archive.unpack(section) for name, section in sections.items() if section[:4] == ARCHIVE}
    changed = 0
    for name, stores in archives.items():
        states = stores.get("nodes", (0, {}))[1].get("state", ())
        if len(states) > 1:
            states[1] = state
            changed += 1
            assert tuples.enter(TUPLES.pack(header, {**sections, name: archive.pack(stores)})) == "refused"
    assert changed


def parts(header: Any) -> Iterator[dict[str, Any]]:
    """All objects of JSON in it."""
    if isinstance(header, dict):
        yield header
    for one in header.values() if isinstance(header, dict) else header if isinstance(header, list) else ():
        yield from parts(one)
