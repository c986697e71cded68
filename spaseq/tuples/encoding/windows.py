"""What a query's window measures of each event, and the least that a match which ends with it may begin with."""

from __future__ import annotations

import math
from struct import Struct
from typing import assert_never

import numpy as np

from spaseq.pattern.formulas.query import AttributeWindow, EventWindow, TimeWindow, Window
from spaseq.tuples.encoding.encoded import EncodedBatch
from spaseq.tuples.encoding.times import Measure, Times

NEVER, ALWAYS = np.int64(-(2**63)), np.int64(-(2**63) + 1)  # no match begins; any may have
NOTHING = np.int64(2**63 - 1)  # no match ends
_SIGN = np.int64(2**63 - 1)
FEW = 64
_INTEGER, _DOUBLE = Struct("=q"), Struct("=d")


def edges(window: Window | None, batch: EncodedBatch) -> tuple[Times, Times]:
    """Starts and least starts of a batch's events (int64[n] each), as the recognizer reads them."""
    found = batch.edges.get(window)
    if found is None:
        found = batch.edges[window] = _edges(window, batch)
    return found


def _edges(window: Window | None, batch: EncodedBatch) -> tuple[Times, Times]:
    match window:
        case None:
            return batch.times, np.full(len(batch), ALWAYS)
        case TimeWindow(length):
            return batch.times, _lowered(batch.times, length)
        case EventWindow(length):
            positions = np.arange(batch.first_position, batch.first_position + len(batch), dtype=np.int64)
            return positions, _lowered(positions, length)
        case AttributeWindow(length, _):
            assert batch.measure is not None
            return _measured(batch.measure, length)
        case _:
            assert_never(window)


def _lowered(values: Times, length: int) -> Times:
    """The values less a length; what is below all integers is the least of them."""
    low = -(2**63) + 1
    if length >= 2**63:
        return np.full(len(values), ALWAYS)
    if not len(values) or _least(values) >= low + length:
        return values - np.int64(length)
    return np.where(values < low + length, ALWAYS, values - np.int64(length))


def _least(values: Times) -> int:
    """Of a few, as Python finds it sooner."""
    return int(values.min()) if len(values) > FEW else min(values.tolist())


def _measured(measure: Measure, length: float) -> tuple[Times, Times]:
    values, valid = measure.values, measure.valid
    if values.dtype == np.float64:
        starts, least = ordered(values), ordered(values - length)
        valid = ~np.isnan(values) if valid is None else valid & ~np.isnan(values)
    else:
        starts = values.astype(np.int64)
        least = _lowered(starts, math.floor(length))
    if valid is None:
        return starts, least
    return np.where(valid, starts, NEVER), np.where(valid, least, NOTHING)


def ordered_one(value: float) -> int:
    """``ordered`` of one double."""
    bits: int = _INTEGER.unpack(_DOUBLE.pack(value + 0.0))[0]
    return bits if bits >= 0 else bits ^ 2**63 - 1


def ordered(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Times:
    """Integers in the order of the doubles, 0.0 and -0.0 the same."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ _SIGN, bits)


def unordered(places: Times) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The doubles of which ``ordered`` gives these integers."""
    return np.where(places < 0, places ^ _SIGN, places).view(np.float64)


def least_start(window: Window | None, start: int) -> int:
    """The least start of a match that ends with an event of this start; of windows of an attribute it is not known."""
    match window:
        case TimeWindow(length) | EventWindow(length):
            return max(start - length, int(ALWAYS))
        case AttributeWindow():
            return int(NOTHING)
        case _:
            return int(ALWAYS)


def latest_start(window: Window | None, position: int, time: int | None) -> int:
    """The greatest start of events before ``position``, the last of which had this time (None: its position)."""
    if isinstance(window, AttributeWindow):
        return int(NOTHING)
    return position - 1 if time is None or isinstance(window, EventWindow) else time
