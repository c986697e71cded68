"""Rows by the positions of their events, of which some are missing."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from spaseq.errors import SnapshotError
from spaseq.tuples.columns.numbering import KnownTexts
from spaseq.tuples.columns.serialisation import marks_read, numbers_stored
from spaseq.tuples.encoding.history import RowPositions, places_among


@pytest.mark.parametrize("seed", range(100))
def test_any_rows(seed: int) -> None:
    chance = Random(seed)
    known = np.flatnonzero([chance.random() < chance.choice((0.2, 1)) for _ in range(40)]) + seed
    wanted = np.array(chance.choices(known, k=9), np.int64) if len(known) else known
    assert known[RowPositions(known).places(wanted)].tolist() == wanted.tolist()
    some = np.unique([chance.randrange(60) + seed for _ in range(20)])
    assert known[places_among(known, some)].tolist() == sorted({*known.tolist()} & {*some.tolist()})


def test_what_a_snapshot_may_have() -> None:
    assert marks_read(numbers_stored(np.array([7, 9])), 7, 10, forgets=False).tolist() == [7, 9]
    starts = numbers_stored(np.array([70, 90]))  # of all rows, as older snapshots have them
    assert marks_read(starts, 7, 9, forgets=False).tolist() == [7, 8]
    assert marks_read(starts, 7, 9, forgets=True).tolist() == [70, 90]


@pytest.mark.parametrize(("marks", "forgets"), [([7, 9], True), ([8, 9], False), ([7, 7, 9], False), ([7, 10], False)])
def test_what_a_snapshot_cannot_have(marks: list[int], forgets: bool) -> None:
    with pytest.raises(SnapshotError, match="rows that were kept are missing"):
        marks_read(numbers_stored(np.array(marks)), 7, 10 if len(marks) == 2 else 12, forgets)


def test_texts_that_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.tuples.columns.numbering.MANY", 2)
    known = KnownTexts()
    known.forget(0, 5)
    assert [known[text] for text in "abab"] == [1, 2, 1, 2]
    known.forget(4, 9)
    assert [known[text] for text in "bc"] == [2, 3]
    restored = KnownTexts()
    restored.restore(known.stored(), 9)
    known.forget(6, 12)  # no window has an event from 5 on or before
    assert [known[text] for text in "bac"] == [2, 4, 3]
    assert [restored[text] for text in "bacd"] == [2, 1, 3, 4]
