"""The sample of real stock events that all engines get."""

from __future__ import annotations

import numpy as np
import pyarrow
import pyarrow.csv

from tests.data import folder

SAMPLE = folder("stock") / "stock_50k.csv"


def stock(events: int) -> pyarrow.Table:
    """So many events: the sample again and again, each time a moment later."""
    sample = pyarrow.csv.read_csv(SAMPLE)
    times = sample.column("stock_time").to_numpy()
    rounds = -(-events // len(times))
    shifted = np.concatenate([times + number * (times[-1] - times[0] + 100) for number in range(rounds)])
    table = pyarrow.concat_tables([sample] * rounds)
    table = table.set_column(table.column_names.index("stock_time"), "stock_time", pyarrow.array(shifted))
    return table.slice(0, events).combine_chunks()
