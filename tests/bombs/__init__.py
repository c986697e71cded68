"""Queries that ask too much of who reads them: deep, long, wide, or with a slip at the worst place.

A ``Bomb`` makes a text of any size.  ``python -m benchmarks.bombs`` measures ``check`` and ``explain`` of all of them;
``test_bombs`` reads smaller ones, and sees that each gives a plan or a clear error.
"""

from __future__ import annotations

from tests.bombs.bomb import Bomb
from tests.bombs.ceql import CEQL
from tests.bombs.paths import PATHS
from tests.bombs.patterns import PATTERNS
from tests.bombs.sequences import SEQUENCES
from tests.bombs.texts import TEXTS

BOMBS: tuple[Bomb, ...] = (*PATTERNS, *SEQUENCES, *TEXTS, *CEQL, *PATHS)
