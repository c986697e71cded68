"""Queries with parameters: the engine against the oracle, which evaluates each row by itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

import spaseq
from tests.agreement.engines import EngineRun, ordered
from tests.agreement.harness import plan_for
from tests.oracle.evaluate import Result
from tests.oracle.given import GivenCase
from tests.oracle.model import Event


class GivenRun(EngineRun):
    """A query with its rows on an engine; ``beside``: they are given when it is registered."""

    def __init__(self, case: GivenCase, beside: bool) -> None:
        self.query, self.gpm = case.queries[0], "auto"
        self.text = case.text if beside else case.with_rows
        self.plan = plan_for(self.text)
        self.results: list[Result] = []
        self._use(spaseq.Engine())
        prefixed = [{name: _term(term) for name, term in zip(case.names, row, strict=True)} for row in case.rows]
        self.engine.register(self.text, "query", given=prefixed if beside else None)


def _term(text: str) -> object:
    return text if text.startswith(":") else int(text)


def difference(case: GivenCase, seed: int) -> str:
    """Empty if the engine and the oracle agree, and rows together are as each alone; else a report to reproduce it."""
    events = ordered(case.queries[0], case.events)
    wanted = [one for some in replace(case, events=tuple(events)).wanted() for one in some]
    found, alone = run(case, events, random.Random(seed))
    if Counter(found) == Counter(wanted) and _by_time(found) == _by_time(alone):
        return ""
    lines = [case.with_rows, *(f"{e.time:>12} {e.stream} {e.name} {e.triples}" for e in events)]
    lines += [f"missing {one}" for one in (Counter(wanted) - Counter(found)).elements()]
    lines += [f"extra   {one}" for one in (Counter(found) - Counter(wanted)).elements()]
    return "\n".join([*lines, *(f"{one}\n  alone {other}" for one, other in zip(found, alone, strict=False))])


def _by_time(results: Sequence[Result]) -> list[tuple[int, Counter[Result]]]:
    """Results in order of decision: what order those of one time have depends on what else is going on."""
    return [(time, Counter(group)) for time, group in groupby(results, key=lambda result: result.decided)]


def run(case: GivenCase, events: Sequence[Event], chance: random.Random) -> tuple[list[Result], list[Result]]:
    """The results in batches of random sizes, with snapshots; and what the rows give alone, in the order of the law."""
    together = GivenRun(case, beside=chance.random() < 0.5)
    rows = [GivenRun(replace(case, rows=(row,)), beside=False) for row in case.rows]
    alone: list[Result] = []
    cuts = sorted(chance.sample(range(len(events) + 1), chance.randint(0, len(events))))
    for start, end in pairwise([0, *cuts, len(events)]):
        promise = chance.choice([None, min([event.time for event in events[end:]] or [0])])
        restarts = chance.random() < 0.3
        for one in (together, *rows):
            one.push(events[start:end], promise)
            if restarts:
                one.restart()
        alone += _merged(rows)
    for one in (together, *rows):
        one.close()
    return together.taken(), [*alone, *_merged(rows)]


def _merged(rows: Sequence[GivenRun]) -> list[Result]:
    """What the rows have given since they were asked last, in order of decision, among equals in their own."""
    return sorted((result for row in rows for result in row.taken()), key=lambda result: result.decided)
