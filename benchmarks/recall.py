"""How often the interval that is told of recall has the truth in it, where work is bounded to parts of what all takes.

Q1 and Q2 of SHARP (``benchmarks.bound``) over streams drawn anew, for each of which all is found once; then samples of
the ticks drawn anew.  The interval is one of 90 %.  *width* is that of the interval in the middle, *off* how far the
estimate is from the truth there, *sample* which part of the ticks was left of what was asked for.  What is estimated is
the recall of matches that begin since the sample does.

Run: ``python -m benchmarks.recall [streams] [samples]`` (``make bench-bound``).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.bound import SHAPES, UNBOUNDED, Integers, Shape, rows_of, words_of
from nfa_native.joins.matcher import Matcher
from nfa_native.joins.sampled_matcher import MEASURED_EVERY, SampledMatcher
from nfa_native.terms.dictionary import Terms
from spaseq.plan.sequences import Plan
from spaseq.runtime.recall import Recall, recall_of

BATCHES, WINDOW = 120, 800  # of as many events as lie between two measurements
PARTS = (0.5, 0.1)  # of the work
ASKED = 0.02  # of the ticks


@dataclass(frozen=True, slots=True)
class Told:
    """Of a run: the times at which matches began, units of work, what is estimated, and of which ticks."""

    begun: Integers
    work: float
    recall: Recall | None = None
    sample: float = 0.0
    since: int = 0


def run(shape: Shape, plan: Plan, seed: int, bound: float, sample: float = 0.0, salt: int = 0) -> Told:
    """Over the stream of that number, with a sample or without."""
    terms = Terms()
    automaton = plan.for_bounded(plan.automaton(terms))
    matcher = SampledMatcher(automaton, terms) if sample else Matcher(automaton, terms)
    matcher.work_bound = bound
    if isinstance(matcher, SampledMatcher):
        matcher.begin_sample(salt, sample, 0)
    begun = np.concatenate([*fed(matcher, shape, plan, terms, seed)])
    if not isinstance(matcher, SampledMatcher):
        return Told(begun, matcher.work)
    told = recall_of(*astuple(matcher.sample_sums))
    return Told(begun, matcher.work, told, matcher.sampled_part, matcher.sampled_since)


def fed(matcher: Matcher, shape: Shape, plan: Plan, terms: Terms, seed: int) -> Iterator[NDArray[np.int64]]:
    """When the matches of each batch began."""
    columns = shape.data.columns(BATCHES * MEASURED_EVERY, seed)
    words = {name: words_of(terms, column) for name, column in columns.items() if name != "kind"}
    words["kind"] = columns["kind"].astype(np.uint64)
    for start in range(0, BATCHES * MEASURED_EVERY, MEASURED_EVERY):
        numbers = np.arange(start, start + MEASURED_EVERY)
        matcher.feed(numbers * 1000, numbers.astype(np.uint64), rows_of(plan, shape.data.kinds, words, numbers))
        yield matcher.take().first
        if isinstance(matcher, SampledMatcher):
            matcher.measure()
            matcher.work_bound = matcher.work_bound
    matcher.finish()
    yield matcher.take().first


def told(shape: Shape, plan: Plan, every: list[Told], part: float, samples: int) -> str:
    """A line: of each stream so many samples, with a part of the work."""
    found, truths = [], []
    for seed, all_of_it in enumerate(every):
        bound = all_of_it.work / (BATCHES * MEASURED_EVERY) * part
        for salt in range(samples):
            one = run(shape, plan, seed, bound, ASKED, 1000 * salt + seed)
            found.append(one)
            truths.append((one.begun >= one.since).sum() / (all_of_it.begun >= one.since).sum())
    known = [(one.recall, truth) for one, truth in zip(found, truths, strict=True) if one.recall is not None]
    held = sum(recall.low <= truth <= recall.high for recall, truth in known)
    off = median(abs(recall.estimate - truth) for recall, truth in known)
    width = median(recall.high - recall.low for recall, _ in known)
    sample = median(one.sample for one in found)
    return (
        f"    {part:>4.0%} of the work: held in {held} of {len(known)}, not known in {len(found) - len(known)}   "
        f"recall {median(truths):.3f}, off {off:.3f}, width {width:.3f}   sample {sample:.4f}"
    )


def main(streams: int = 10, samples: int = 10) -> None:
    """Print all of it."""
    print(f"samples of {ASKED:.0%} of the ticks, {BATCHES * MEASURED_EVERY:,} events, window {WINDOW}")
    for name, like in SHAPES.items():
        shape = replace(like, window=WINDOW)
        plan = shape.plan()
        every = [run(shape, plan, seed, UNBOUNDED) for seed in range(streams)]
        print(f"{name}  {median(len(one.begun) for one in every):,.0f} matches")
        for part in PARTS:
            print(told(shape, plan, every, part, samples), flush=True)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
