"""Load shedding against the oracle: what a matcher finds whose work is bounded is part of what there is.

Bounds are so tight that most steps are dropped, or steps and cells are dropped by chance (``Matcher.reckless``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from nfa_native.joins.matcher import Matcher
from spaseq.errors import QueryError
from tests.agreement.harness import Run
from tests.agreement.lazy_steps import with_plenty
from tests.oracle.evaluate import Result, evaluate, streamset
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.text import to_text

SIZE = Size(operators=4, events=10, least_operators=2, least_events=6)
RECKLESS, NEVER_MET = -1.0, 1e9
BOUNDS = (RECKLESS, 0.001, 0.02, 0.3, NEVER_MET)


@dataclass(frozen=True)
class Found:
    """Results under a bound, and how many sets and cells were dropped, and events curtailed."""

    results: Counter[Result]
    dropped: int


def pairs(seeds: Sequence[int], plenty: bool = True) -> Iterator[tuple[int, Pair]]:
    """Pairs whose queries give matches one by one; ``plenty``: of some events there are many.

    Of many seeds a few have too many matches for the oracle then.
    """
    for seed in seeds:
        pair = random_pair(seed, SIZE)
        if plenty and seed % 2 and len(pair.query.gpms) > 1:
            pair = with_plenty(pair, seed, Random(seed))
        if _lists_matches(pair):
            yield seed, pair


def _lists_matches(pair: Pair) -> bool:
    try:
        run = Run(pair.query, enumerates=True)
    except QueryError:
        return False
    return isinstance(run.matcher, Matcher) and not run.plan.match_aggregates


def bounded(pair: Pair, bound: float, cuts: Sequence[int] = (), restored: Sequence[int] = ()) -> Found:
    """What is found under a bound, with batches that end before ``cuts``; from a snapshot behind some batches."""
    one, events = Run(pair.query, enumerates=True), streamset(pair.query, list(pair.events))
    automaton, tallies = one.plan.for_bounded(one.plan.automaton(one.terms)), one.matcher.tallies
    one.matcher = matcher = one.plan.start(one.terms, enumerates=True, automaton=automaton)
    matcher.tallies = tallies
    assert isinstance(matcher, Matcher)
    matcher.work_bound = abs(bound)
    matcher.reckless = 0.4 if bound == RECKLESS else 0
    for number, (start, end) in enumerate(pairwise([0, *cuts, len(events)])):
        one.feed(events[start:end])
        if number in restored:
            one.matcher = again(one)
    results = one.finish()
    assert isinstance(one.matcher, Matcher)
    return Found(Counter(results), int(one.matcher.shed()[0].sum()) + one.matcher.curtailed)


def again(one: Run) -> Matcher:
    """The matcher from its snapshot, which is the same then."""
    data = one.matcher.snapshot()
    matcher = Matcher.restore(one.matcher.automaton, one.terms, data, lambda words: words)
    assert matcher.snapshot() == data
    matcher.tallies = one.matcher.tallies
    return matcher


def differences(seed: int, pair: Pair) -> Iterator[str]:
    """What is wrong under some bound."""
    chance, wanted = Random(seed), Counter(evaluate(pair.query, list(pair.events)))
    count = len(streamset(pair.query, list(pair.events)))
    for bound in BOUNDS:
        cuts = sorted(chance.sample(range(1, count), min(count - 1, chance.randrange(4)))) if count > 1 else []
        restored = [number for number in range(len(cuts) + 1) if chance.random() < 0.5]
        found, cut = bounded(pair, bound), bounded(pair, bound, cuts, restored)
        if extra(found.results, wanted) or (not found.dropped and found.results != wanted) or found != cut:
            yield report(seed, pair, bound, found, wanted)


def extra(found: Counter[Result], wanted: Counter[Result]) -> Counter[Result]:
    """What there is not.

    A match to which several ways lead, and a row under DISTINCT, are decided by the first of them: where that is
    dropped they come later.
    """
    results, all_results = (Counter(replace(one, decided=0) for one in some.elements()) for some in (found, wanted))
    return results - all_results


def report(seed: int, pair: Pair, bound: float, found: Found, wanted: Counter[Result]) -> str:
    """What it takes to reproduce a difference."""
    lines = [f"seed {seed}, bound {bound}, {found.dropped} dropped", to_text(pair.query)]
    lines += [f"{event.time:>12} {event.stream} {event.name} {event.triples}" for event in pair.events]
    return "\n".join([*lines, *(f"extra   {one}" for one in extra(found.results, wanted).elements())])
