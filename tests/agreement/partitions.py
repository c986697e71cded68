"""PARTITION BY: the engine against the oracle, on whole engines in batches of random sizes and with snapshots."""

from __future__ import annotations

import random
from collections import Counter

from tests.agreement.engines import EngineRun, ordered, run
from tests.oracle.evaluate import Result, evaluate
from tests.oracle.generate import Pair, Size
from tests.oracle.text import to_text

SIZE = Size(operators=4, events=7, least_events=3)


def difference(pair: Pair, seed: int | None = None) -> str:
    """Empty if engine and oracle agree and results come in order of decision, else a report to reproduce it.

    With a seed the engine gets batches of random sizes, and is restored from snapshots between some of them.
    """
    events = ordered(pair.query, pair.events)
    wanted = evaluate(pair.query, events)
    found = at_once(pair) if seed is None else run(pair.query, events, "auto", random.Random(seed))
    decided = [one.decided for one in found]
    if Counter(found) == Counter(wanted) and decided == sorted(decided):
        return ""
    lines = [to_text(pair.query), *(f"{e.time:>12} {e.stream} {e.name} {e.triples}" for e in events)]
    lines += [f"missing {one}" for one in (Counter(wanted) - Counter(found)).elements()]
    lines += [f"extra   {one}" for one in (Counter(found) - Counter(wanted)).elements()]
    return "\n".join([*lines, f"decided {decided}"])


def at_once(pair: Pair) -> list[Result]:
    """The results of one push of all events."""
    one = EngineRun(pair.query, "auto")
    one.push(ordered(pair.query, pair.events))
    return one.finish()
