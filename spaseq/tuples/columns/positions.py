"""Rows by the positions of their events, which rise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]


class RowPositions:
    """The positions of n rows; most rows that are asked for are among the last ones, of which none is missing."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        behind = positions - np.arange(len(positions))  # rises where some are missing
        self._behind = int(behind[-1]) if len(positions) else 0
        self._whole_from = self._behind + int(np.searchsorted(behind, self._behind))

    def places(self, wanted: Positions) -> Places:
        """Which rows are at these positions (m), at all of which there is one."""
        found = wanted - self._behind
        others = np.flatnonzero(wanted < self._whole_from)
        if len(others):
            found[others] = np.searchsorted(self._positions, wanted[others])
        return found


def places_among(known: Positions, wanted: Positions) -> Places:
    """Where those of ``wanted`` (rising) are that are among ``known`` (rising)."""
    places = np.searchsorted(known, wanted)
    there = places < len(known)
    there[there] = known[places[there]] == wanted[there]
    return places[there].astype(np.int64, copy=False)
