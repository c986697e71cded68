"""PARTITION BY: the engine against the oracle, on whole engines in batches of random sizes and with snapshots."""

from __future__ import annotations

from random import Random

from tests.agreement.engines import EngineRun, disagreement, ordered, run
from tests.oracle.evaluate import Result
from tests.oracle.generate import Pair, Size

SIZE = Size(operators=4, events=7, least_events=3)


def difference(pair: Pair, seed: int | None = None) -> str:
    """Empty if engine and oracle agree and results come in order of decision, else a report to reproduce it.

    With a seed the engine gets batches of random sizes, and is restored from snapshots between some of them.
    """
    found = at_once(pair) if seed is None else run(pair.query, ordered(pair.query, pair.events), "auto", Random(seed))
    return disagreement(pair, found)


def at_once(pair: Pair) -> list[Result]:
    """The results of one push of all events."""
    one = EngineRun(pair.query, "auto")
    one.push(ordered(pair.query, pair.events))
    return one.finish()
