"""The table of trades: equal seeds give equal files, and it has the shape of the sample."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow
import pytest
from pyarrow import csv, parquet

from spaseq.datasets import tables
from spaseq.errors import OptionError
from spaseq.tuples import match
from tests.data import folder

TRADES = tables()["trades"]
SAMPLE = folder("stock") / "stock_50k.csv"


@cache
def made() -> pyarrow.Table:
    return pyarrow.Table.from_batches(TRADES.batches(200_000, 5)).unify_dictionaries()


def test_equal_seeds_give_equal_files(tmp_path: Path) -> None:
    for form in ("csv", "parquet"):
        first, again, other = (
            TRADES.write(tmp_path / folder, 3000, seed, form)["trades"].read_bytes()
            for folder, seed in (("first", 7), ("again", 7), ("other", 8))
        )
        assert first == again != other


def test_fewer_events_are_a_prefix_of_more() -> None:
    assert made().slice(0, 150_000).equals(pyarrow.Table.from_batches(TRADES.batches(150_000, 5)))


@pytest.mark.parametrize("events", [0, 1, 150_000])
def test_both_formats_have_the_same_rows(events: int, tmp_path: Path) -> None:
    written = csv.read_csv(TRADES.write(tmp_path, events)["trades"])
    stored = parquet.read_table(TRADES.write(tmp_path, events, format="parquet")["trades"])
    assert written.num_rows == stored.num_rows == events
    assert written.to_pydict() == stored.to_pydict()


def test_columns_are_those_of_the_sample(tmp_path: Path) -> None:
    lines = TRADES.write(tmp_path, 1)["trades"].read_text().splitlines()
    assert lines[0] == "event_type,id,name,volume,price,stock_time"
    assert lines[1].partition(",")[0] in ("BUY", "SELL")


def test_negative_numbers_of_events_are_an_error() -> None:
    with pytest.raises(OptionError, match="negative"):
        list(TRADES.batches(-1))


def test_times_and_numbers_rise() -> None:
    assert (np.diff(made()["stock_time"].to_numpy()) >= 0).all()
    steps = np.diff(made()["id"].to_numpy())
    assert set(steps.tolist()) == {1, 2, 3, 4}


def test_prices_move_by_a_cent_and_stay_near_the_first() -> None:
    prices, names = made()["price"].to_numpy() * 100, made()["name"].to_numpy()
    for name in np.unique(names):
        cents = prices[names == name]
        steps = np.rint(np.diff(cents))
        assert set(steps.tolist()) == {-1.0, 0.0, 1.0}
        assert np.abs(cents - cents[0]).max() <= 0.0081 * cents[0]


def test_statistics_are_those_of_the_sample() -> None:
    ours, theirs = made().slice(0, 50_000), csv.read_csv(SAMPLE)
    for one, other in zip(summary(ours), summary(theirs), strict=True):
        assert one == pytest.approx(other, rel=0.05, abs=0.01)
    sequence = "SELECT * WHERE SELL AS a ; BUY AS b ; BUY AS c FILTER a[name = 'INTC'] AND b[name = 'RIMM'] "
    sequence += "AND c[name = 'QQQ'] WITHIN 9999 MILLISECONDS"
    counts = [match(sequence, one, type="event_type", time="stock_time", unit="ms").count() for one in (ours, theirs)]
    assert counts[0] == pytest.approx(counts[1], rel=0.1)


def summary(trades: pyarrow.Table) -> list[float]:
    """Rates, lengths of bursts, and how often each company, side and volume comes."""
    times = trades["stock_time"].to_numpy()
    lengths = np.unique(times, return_counts=True)[1]
    gaps = np.diff(np.unique(times))
    found = [len(times) / (times[-1] - times[0]), lengths.mean(), lengths.std(), gaps.mean(), gaps.std()]
    sides = shares(trades["event_type"], ["BUY", "SELL"])
    names = shares(trades["name"], sorted(set(made()["name"].to_pylist())))
    volumes = shares(trades["volume"], [50, 100, 118, 200, 300, 400, 500, 1000, 2000, 3000, 5000])
    return [*map(float, found), *sides, *names, *volumes]


def shares(column: pyarrow.ChunkedArray, values: list[object]) -> list[float]:
    found: npt.NDArray[np.object_] = np.array(column.to_pylist(), object)
    return [float((found == value).mean()) for value in values]
