"""Trades of ten companies as rows, for CEQL: bursts of one company's trades at one moment, in the shape of a day's.

A burst has geometrically many trades of one company, all bought or all sold; bursts are exponentially far apart.  The
price of a company may move by a cent from one of its bursts to the next, within a band around its opening price.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spaseq.datasets.tables import Table

if TYPE_CHECKING:
    import pyarrow

Integers = npt.NDArray[np.int64]

OPENING = 34_200_000  # half past nine, in milliseconds since midnight
SHARES = {  # of the bursts, and opening prices in cents
    "AMAT": (0.103, 1881), "CSCO": (0.110, 2239), "DELL": (0.089, 3549), "INTC": (0.153, 2790), "IPIX": (0.080, 1150),
    "MSFT": (0.111, 2604), "ORCL": (0.058, 1112), "QQQ": (0.129, 3620), "RIMM": (0.101, 11499), "YHOO": (0.066, 3150),
}  # fmt: skip
VOLUMES = {
    100: 0.327, 200: 0.132, 300: 0.090, 400: 0.066, 500: 0.109, 1000: 0.109, 2000: 0.044, 3000: 0.012,
    50: 0.011, 118: 0.011, 150: 0.011, 600: 0.011, 700: 0.011, 800: 0.011, 1300: 0.011, 1500: 0.011, 4000: 0.011,
    5000: 0.011,
}  # fmt: skip
SOLD = 0.45  # of all bursts
ENDS_BURST = 0.528  # the chance of each trade to be the last of its burst
GAP = 198.2  # milliseconds between bursts
MOVES = 0.25  # the chance of a price to rise, and that to fall
BAND = 0.004  # prices stay so close to the opening price
BURSTS = 1 << 16  # made at a time


def trades(seed: int) -> Iterator[pyarrow.RecordBatch]:
    """Batches of ``event_type``, ``id``, ``name``, ``volume``, ``price``, ``stock_time`` (ms), by time, for ever."""
    random = np.random.default_rng(seed)
    names, opening = _companies()
    walked, number, time = np.zeros(len(names), np.int64), 0, OPENING
    while True:
        company = _chosen(random, np.array([share for share, _ in SHARES.values()]), BURSTS)
        times = time + np.cumsum(np.ceil(random.exponential(GAP, BURSTS)).astype(np.int64))
        sold = random.random(BURSTS) < SOLD
        chance = random.random(BURSTS)
        steps = np.where(chance < MOVES, -1, np.where(chance < 2 * MOVES, 1, 0))
        walks = _walks(company, steps, walked)
        prices = opening[company] + _folded(walks, np.rint(opening * BAND).astype(np.int64)[company])
        burst = np.repeat(np.arange(BURSTS), random.geometric(ENDS_BURST, BURSTS))
        numbers = number + np.cumsum(random.integers(1, 5, len(burst)))
        volumes = np.array(list(VOLUMES))[_chosen(random, np.array(list(VOLUMES.values())), len(burst))]
        yield _batch(names, sold[burst], numbers, company[burst], volumes, prices[burst], times[burst])
        number, time = int(numbers[-1]), int(times[-1])


def _companies() -> tuple[list[str], Integers]:
    return list(SHARES), np.array([cents for _, cents in SHARES.values()])


def _chosen(random: np.random.Generator, weights: npt.NDArray[np.float64], count: int) -> Integers:
    """Places in ``weights``, each as often as it weighs."""
    edges = np.cumsum(weights / weights.sum())
    return np.minimum(np.searchsorted(edges, random.random(count), "right"), len(weights) - 1)


def _walks(company: Integers, steps: Integers, walked: Integers) -> Integers:
    """How far each company has walked with each of its bursts; ``walked`` (of each company until now) goes on."""
    walks = np.empty_like(steps)
    for number in range(len(walked)):
        mine = company == number
        walks[mine] = walked[number] + np.cumsum(steps[mine])
        walked[number] += steps[mine].sum()
    return walks


def _folded(walks: Integers, width: Integers) -> Integers:
    """The walks between two walls at ``-width`` and ``width``, which throw them back."""
    return np.asarray(width - np.abs((walks + width) % (4 * width) - 2 * width))


def _batch(
    names: list[str], sold: npt.NDArray[np.bool_], numbers: Integers, company: Integers, volumes: Integers,
    prices: Integers, times: Integers,
) -> pyarrow.RecordBatch:  # fmt: skip
    import pyarrow

    coded: Any = pyarrow.DictionaryArray.from_arrays
    return pyarrow.record_batch(
        {
            "event_type": coded(pyarrow.array(sold, pyarrow.int8()), ["BUY", "SELL"]),
            "id": numbers,
            "name": coded(company.astype(np.int8), names),
            "volume": volumes,
            "price": prices / 100,
            "stock_time": times,
        }
    )


TRADES = Table(
    name="trades",
    description="trades of ten companies, 9.6 a second, in bursts of equal times",
    query_names=("tuples/sequence.ceql", "tuples/buying_spree.ceql"),
    options=("--type", "event_type", "--time", "stock_time", "--time-unit", "ms"),
    generate=trades,
)
