"""Events sorted on disk are those that are sorted in memory, whatever fits into it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from spaseq.sources.conversion import external_sort
from spaseq.sources.conversion.external_sort import ExternalSort
from spaseq.sources.conversion.keyed_texts import KeyedTexts, ends_of


def texts(events: list[tuple[int, bytes]]) -> KeyedTexts:
    times = np.array([time for time, _ in events], np.int64)
    ends = ends_of(np.array([len(text) for _, text in events], np.int64))
    return KeyedTexts(times, (ends, b"".join(text for _, text in events)))


def sorted_by(sorting: ExternalSort, batches: list[list[tuple[int, bytes]]]) -> bytes:
    for batch in batches:
        sorting.add(texts(batch))
    sorting.finish()
    found = b"".join(batch.text for batch in sorting.batches())
    sorting.close()
    return found


def expected(batches: list[list[tuple[int, bytes]]]) -> bytes:
    every = [event for batch in batches for event in batch]
    return b"".join(text for _, text in sorted(every, key=lambda event: event[0]))


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 20), st.binary(max_size=9)), max_size=9), max_size=9),
    st.sampled_from([1, 100, 1000, 1 << 20]),
)
@settings(deadline=None)
def test_any_events_and_any_memory(batches: list[list[tuple[int, bytes]]], memory: int) -> None:
    assert sorted_by(ExternalSort(memory, Path("/tmp")), batches) == expected(batches)


def test_more_runs_than_are_merged_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(external_sort, "MOST_RUNS", 3)
    batches = [[(-number, b"%d " % number), (5, b"five%d " % number)] for number in range(20)]
    assert sorted_by(ExternalSort(8, tmp_path), batches) == expected(batches)


def test_what_comes_in_order_is_written_at_once(tmp_path: Path) -> None:
    output = io.BytesIO()
    sorting = ExternalSort(100, tmp_path, output)
    sorting.add(texts([(1, b"a"), (2, b"b")]))
    assert output.getvalue() == b"ab"
    sorting.add(texts([(4, b"d"), (3, b"c")]))  # slight disorder, within what is in memory
    sorting.finish()
    assert sorting.is_in_output
    assert output.getvalue() == b"abcd"
    sorting.add(texts([(0, b"_")]))
    sorting.finish()
    assert not sorting.is_in_output
    assert b"".join(batch.text for batch in sorting.batches()) == b"_abcd"
