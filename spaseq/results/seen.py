"""Removal of duplicates among rows that come over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spaseq.results.arrays import check

Words = NDArray[np.uint64]


class Seen:
    """Keys of ``width`` 64-bit numbers, each at a time, until that time is forgotten."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._keys: dict[int, set[bytes]] = {}

    def admit(self, times: NDArray[np.int64], keys: Words) -> NDArray[np.bool_]:
        """``bool[n]``: which of these (time, ``keys[i]``) are new; they count as seen from now on."""
        rows = np.ascontiguousarray(keys)
        return np.fromiter(map(self._admit, times.tolist(), (row.tobytes() for row in rows)), np.bool_, len(rows))

    def _admit(self, time: int, key: bytes) -> bool:
        known = self._keys.setdefault(time, set())
        if key in known:
            return False
        known.add(key)
        return True

    def forget(self, before: int) -> None:
        """No key with a time below ``before`` will come any more."""
        for time in [time for time in self._keys if time < before]:
            del self._keys[time]

    def keep(self, end: bytes) -> None:
        """No key will come any more but such that end so."""
        kept = ((time, {key for key in keys if key.endswith(end)}) for time, keys in self._keys.items())
        self._keys = {time: keys for time, keys in kept if keys}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """``times int64[n]`` and ``keys uint64[n, width]``: all that is remembered."""
        times = [time for time, keys in self._keys.items() for _ in keys]
        data = b"".join(key for keys in self._keys.values() for key in sorted(keys))
        return {
            "times": np.array(times, np.int64),
            "keys": np.frombuffer(data, np.uint64).reshape(len(times), self._width),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Remember what ``arrays`` gave, instead of what is remembered now.  SnapshotError: they are something else."""
        check(arrays, {"times": None, "keys": self._width})
        self._keys = {}
        self.admit(arrays["times"], arrays["keys"])
