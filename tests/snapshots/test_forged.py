"""Forged snapshots, under a digest that fits, are refused or harmless; ``tests.snapshots.deep`` tries more."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from spaseq.snapshots.container import GRAPHS
from tests.snapshots.entering import enter, snapshots
from tests.snapshots.forger import forged, mutated, signed


@pytest.fixture(scope="module")
def sound() -> list[bytes]:
    return snapshots()


def test_sound_ones_are_used(sound: list[bytes]) -> None:
    assert [enter(signed(data[:-32])) for data in sound] == ["used"] * len(sound)


def test_forged_ones(sound: list[bytes]) -> None:
    choose = random.Random(1)
    found = Counter(enter(forged(choose.choice(sound), choose)) for _ in range(300))
    assert found["refused"] > 100


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
