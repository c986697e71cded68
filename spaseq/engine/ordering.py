"""The results of several queries in one order."""

from __future__ import annotations

from collections.abc import Sequence
from operator import le

import numpy as np

from spaseq.results.table import Match, MatchTable


def in_order(tables: Sequence[MatchTable]) -> list[Match]:
    """The matches of all tables, by the time at which they were decided; among equals in the order of the tables."""
    if len(tables) == 1:
        return list(tables[0])
    matches = [match for table in tables for match in table]
    decided = [time for table in tables for time in table.decided.tolist()]
    if all(map(le, decided, decided[1:])):
        return matches
    return [matches[place] for place in np.argsort(decided, kind="stable").tolist()]
