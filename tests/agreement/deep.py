"""The long comparison of engine and oracle: ``python -m tests.agreement.deep`` (a quarter of an hour on two cores).

Exhaustive small worlds, hypothesis examples and seeded random pairs, pairs whose matches are only counted (``--only
counts``: these alone), worlds and pairs with PARTITION BY (``--only partitions``), then queries with parameters
(``--only given``), their rows together against each by itself (``--only rules``), and so queries that differ only in
constants (``--only families``).  Queries with ``&&`` (``--only any-order --any-order N`` for N random ones, 30 ms a
pair, and small worlds) are compared in six ways: by parts, pushed one by one, cut anywhere, with snapshots anywhere,
counted, and in their order; those that the planner refuses are counted apart.  So are negations whose filters read what
comes later (``--only negation``).  Steps that may wait (``--only lazy``) are evaluated eagerly, lazily, as is chosen,
and so and so from tick to tick.  ``--first`` begins these three with another number, so that a long run may be made in
slices; small worlds belong to the first.  It prints how many pairs each operator, strategy and window kind had, and
ends with status 1 if there was a single difference.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from hypothesis import HealthCheck, Phase, given, seed, settings

from spaseq.graphs import families
from tests.agreement import any_order, bounded, given as rows, lazy_steps, partitions, test_families, test_rules
from tests.agreement.counts import counting, miscounted
from tests.agreement.harness import difference
from tests.graphs import bounded_stories
from tests.graphs.stories import random_story
from tests.oracle.aggregated import aggregated_pair
from tests.oracle.evaluate import evaluate
from tests.oracle.exhaustive import pairs as all_pairs
from tests.oracle.exhaustive_partitions import pairs as all_partitioned
from tests.oracle.expressed import expressed_pair
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.given import GivenCase, random_case
from tests.oracle.labels import labels_of
from tests.oracle.model import Window
from tests.oracle.negated import negated_pair
from tests.oracle.partitions import partitioned_pair
from tests.oracle.strategies import pairs as drawn_pairs
from tests.oracle.text import to_text
from tests.tuples import bounded as bounded_tuples

LARGE = Size(operators=4, events=5, least_operators=3, least_events=4)
WITH_ROWS = Size(operators=4, events=6, least_operators=2, least_events=3)
WORKERS = 2


def by_parts(pair: Pair) -> str:
    """The difference of the engine's parts and the oracle."""
    return difference(pair.query, pair.events)


@dataclass
class Tally:
    """What was compared, and what differed."""

    pairs: int = 0
    matched: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # by what the planner says
    differences: list[str] = field(default_factory=list)

    def compare(self, pair: Pair, differ: Callable[[Pair], str] = by_parts) -> None:
        """Compare engine and oracle on one pair."""
        self.pairs += 1
        self.labels.update(pair.labels)
        try:
            found = differ(pair)
        except Exception:
            found = traceback.format_exc()
        if found:
            self.differences.append(found)
        self.matched += bool(evaluate(pair.query, pair.events))

    def compare_unless_refused(self, pair: Pair, text: str, differ: Callable[[Pair], str]) -> None:
        """The same, if the planner takes the query of that text; else it is counted as refused."""
        with suppress(Exception):  # which comparing meets again
            if refusal := any_order.refusal(text):
                self.refused[refusal] += 1
                return
        self.compare(pair, differ)

    def add(self, other: Tally) -> None:
        self.pairs += other.pairs
        self.matched += other.matched
        self.labels.update(other.labels)
        self.refused.update(other.refused)
        self.differences += other.differences


def exhaustive(worker: int, _: int) -> Tally:
    """All patterns of at most two operators on all streams of at most three events; each worker takes its share."""
    return _compare(islice(all_pairs(), worker, None, WORKERS))


def seeded(worker: int, count: int) -> Tally:
    """Seeded pairs with three or four operators and four or five events."""
    return _compare(random_pair(number, LARGE) for number in range(worker, count, WORKERS))


def counts(worker: int, count: int) -> Tally:
    """Seeded pairs whose matches are counted by sets, by totals and by COUNT(*)."""
    tally = Tally()
    for number in range(worker, count, WORKERS):
        tally.compare(counting(number), partial(miscounted, seed=number))
    return tally


def hypothesis_examples(worker: int, count: int) -> Tally:
    """Examples that hypothesis draws, half of them by each worker."""
    tally = Tally()

    @seed(worker)
    @settings(
        max_examples=count // WORKERS,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn_pairs(Size()))
    def compare(pair: Pair) -> None:
        tally.compare(pair)

    compare()
    return tally


def partitioned_worlds(worker: int, each: int) -> Tally:
    """Patterns of at most two operators on streams of at most three events of two keys, which GPMs give: one of
    ``each`` pair.
    """
    return _compare(islice(all_partitioned(), worker, None, WORKERS * each), partitions.difference)


def partitioned_windows(worker: int, each: int) -> Tally:
    """The same with USING, and a window of two events."""
    pairs = all_partitioned(using=True, window=Window(2, "EVENTS", sliding=True))
    return _compare(islice(pairs, worker, None, WORKERS * each), partitions.difference)


def partitioned(worker: int, count: int) -> Tally:
    """Seeded pairs with PARTITION BY, in batches of random sizes and with snapshots."""
    tally = Tally()
    for number in range(worker, count, WORKERS):
        tally.compare(partitioned_pair(number, partitions.SIZE), partial(partitions.difference, seed=number))
    return tally


def aggregated(worker: int, count: int) -> Tally:
    """Seeded pairs with HAVING, DISTINCT in aggregates, STDEV, VARIANCE and MEDIAN, half of them with PARTITION BY."""
    tally = Tally()
    for number in range(worker, count, WORKERS):
        pair = aggregated_pair(number, partitions.SIZE, partitioned=number % 4 < 2)
        tally.compare(pair, partial(partitions.difference, seed=number))
    return tally


def expressed(worker: int, count: int) -> Tally:
    """The same with aggregates of expressions."""
    tally = Tally()
    for number in range(worker, count, WORKERS):
        pair = expressed_pair(number, partitions.SIZE, partitioned=number % 4 < 2)
        tally.compare(pair, partial(partitions.difference, seed=number))
    return tally


def unordered(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded pairs with `&&`, each in one of the ways."""
    return _compared_unless_refused(
        (any_order.random_case(number), any_order.way_of(number)) for number in _numbers(worker, count, first)
    )


def _numbers(worker: int, count: int, first: int) -> range:
    return range(first + worker, first + count, WORKERS)


def unordered_worlds(worker: int, each: int) -> Tally:
    """Small worlds with `&&`: one of ``each``, in the ways in turn."""
    return _one_of(any_order.small_worlds(), worker, each)


def unordered_partitions(worker: int, each: int) -> Tally:
    """The same with PARTITION BY."""
    return _one_of(any_order.small_partitions(), worker, each)


def _one_of(pairs: Iterable[Pair], worker: int, each: int) -> Tally:
    chosen = enumerate(islice(pairs, worker, None, WORKERS * each))
    return _compared_unless_refused((pair, any_order.way_of(number)) for number, pair in chosen)


def _compared_unless_refused(pairs: Iterable[tuple[Pair, any_order.Way]]) -> Tally:
    """Pairs of queries that the planner may refuse."""
    tally = Tally()
    for pair, way in pairs:
        tally.compare_unless_refused(pair, to_text(pair.query), way)
    return tally


def unordered_parameters(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded cases with `&&` and parameters."""
    tally = Tally()
    for number in _numbers(worker, count, first):
        case = random_case(number, replace(WITH_ROWS, any_order=True))
        tally.compare_unless_refused(_first(case), case.with_rows, partial(_of_case, case, number))
    return tally


def waiting(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded chains of which some steps may wait, in all ways of evaluating them."""
    return _compare(lazy_steps.lazy_pairs(_numbers(worker, count, first)), lazy_steps.differing)


def negated(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded pairs with negations whose filters read what comes later, each in one of the ways; a quarter of them with
    PARTITION BY.
    """
    tally = Tally()
    for number in _numbers(worker, count, first):
        pair = negated_pair(number, partitioned=number // len(any_order.WAYS) % 4 == 0)
        tally.compare(pair, any_order.way_of(number))
    return tally


def with_parameters(worker: int, count: int) -> Tally:
    """Seeded cases with parameters, in batches of random sizes and with snapshots."""
    tally = Tally()
    for number in range(worker, count, WORKERS):
        case = random_case(number, WITH_ROWS)
        tally.compare(_first(case), partial(_of_case, case, number))
    return tally


def _first(case: GivenCase) -> Pair:
    """The query of the first row."""
    return Pair(case.queries[0], case.events, labels_of(case.queries[0], case.events))


def _of_case(case: GivenCase, number: int, _: Pair) -> str:
    return rows.difference(case, number)


def rows_together(worker: int, count: int) -> Tally:
    """Seeded stories of rows that come and go, with snapshots."""
    return _told(test_rules.story, worker, count)


def queries_together(worker: int, count: int) -> Tally:
    """The same of queries in families, which may be small."""
    families.LEAST = 2
    return _told(test_families.story, worker, count)


def _told(story: Callable[[int], int], worker: int, count: int, first: int = 0) -> Tally:
    tally = Tally()
    for number in _numbers(worker, count, first):
        tally.pairs += 1
        try:
            tally.matched += story(number) > 0  # some ran with others
        except Exception:
            tally.differences.append(f"story {number}\n{traceback.format_exc()}")
    return tally


def bounded_pairs(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded pairs whose steps and cells are dropped, by their worth or by chance."""
    tally = Tally()
    for number, pair in bounded.pairs(_numbers(worker, count, first), plenty=False):
        tally.pairs += 1
        try:
            tally.differences += bounded.differences(number, pair)
            tally.matched += bounded.bounded(pair, bounded.RECKLESS).dropped > 0
        except Exception:
            tally.differences.append(f"seed {number}\n{traceback.format_exc()}")
    return tally


def bounded_engines(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded stories of one query or several, which may derive streams for each other."""
    return _told(_bounded_story, worker, count, first)


def bounded_formulas(worker: int, count: int, first: int = 0) -> Tally:
    """Seeded queries in CEQL under bounds, cut anywhere, with snapshots anywhere."""
    return _told(_bounded_formula, worker, count, first)


def _bounded_formula(number: int) -> int:
    pair = bounded_tuples.bounded_pair(number)
    found = [bounded_tuples.check_part(pair, bound, number) for bound in bounded_tuples.BOUNDS]
    return sum(not one.complete for one in found)


def _bounded_story(number: int) -> int:
    story = random_story(number)
    allowed = bounded_stories.may_be_bounded(story)
    found = [bounded_stories.check_part(story, bound, number) for bound in bounded_stories.BOUNDS if allowed]
    return sum(not one.complete for one in found)


def _compare(pairs: Iterable[Pair], differ: Callable[[Pair], str] = by_parts) -> Tally:
    tally = Tally()
    for pair in pairs:
        tally.compare(pair, differ)
    return tally


def run(title: str, job: Callable[[int, int], Tally], count: int) -> Tally:
    """One part on all workers, with its report."""
    started, total = time.monotonic(), Tally()
    with ProcessPoolExecutor(WORKERS) as pool:
        for tally in pool.map(job, range(WORKERS), [count] * WORKERS):
            total.add(tally)
    print(f"\n{title}: {total.pairs:,} pairs, {total.matched:,} with a match", end=", ")
    refused = f"{total.refused.total()} refused, " if total.refused else ""
    print(f"{refused}{len(total.differences)} differences, {time.monotonic() - started:.0f} s")
    print("".join(f"  refused {count}: {message}\n" for message, count in total.refused.most_common()), end="")
    print("\n".join(_columns(total.labels)))
    for one in total.differences[:5]:
        print("\n" + one)
    sys.stdout.flush()
    return total


def _columns(labels: Counter[str]) -> Iterator[str]:
    """Counts by label, three to a line."""
    cells = [f"{name:<30}{count:>8,}" for name, count in sorted(labels.items())]
    for start in range(0, len(cells), 3):
        yield "  " + "   ".join(cells[start : start + 3])


def plain_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of queries without PARTITION BY."""
    yield run("all patterns of <= 2 operators on all streams of <= 3 events", exhaustive, 0)
    yield run("hypothesis, patterns of 1-4 operators on streams of 1-6 events", hypothesis_examples, options.examples)
    yield run("seeded random, 3-4 operators, 4-5 events", seeded, options.random)


def count_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of counts."""
    yield run("counted by sets, by totals and by COUNT(*)", counts, options.counts)


def partition_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of queries with PARTITION BY, and of HAVING and the newer aggregates."""
    yield run("PARTITION BY, seeded random, 1-4 operators, 3-7 events, 2-3 keys", partitioned, options.partitions)
    yield run("HAVING, STDEV, VARIANCE, MEDIAN, DISTINCT, a half with PARTITION BY", aggregated, options.aggregates)
    yield run("aggregates of expressions, a half with PARTITION BY", expressed, options.aggregates)
    worlds = f"patterns of <= 2 operators, <= 3 events of 2 keys, one of {options.each}"
    yield run(f"PARTITION BY, {worlds}", partitioned_worlds, options.each)
    yield run("the same USING, WITHIN 2 EVENTS SLIDING", partitioned_windows, options.each)


def given_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of queries with parameters."""
    yield run("GIVEN, 2-4 operators, 3-6 events, up to 4 rows", with_parameters, options.given)


def rule_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of rows that run together."""
    yield run("GIVEN, up to 16 rows together against each by itself", rows_together, options.rules)


def family_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of queries that run together."""
    yield run("queries that differ in constants together against each by itself", queries_together, options.families)


def any_order_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of queries with `&&`."""
    count, first = options.any_order, options.first
    yield run("&&, seeded random, 1-4 operators, 3-7 events", partial(unordered, first=first), count)
    with_rows = partial(unordered_parameters, first=first // 20)
    yield run("&& and GIVEN, 2-4 operators, up to 4 rows", with_rows, count // 20)
    if first:
        return
    worlds = f"patterns of <= 2 operators, <= 4 events, one of {options.worlds}"
    yield run(f"&&, {worlds}", unordered_worlds, options.worlds)
    yield run(f"&& and PARTITION BY, one of {2 * options.worlds}", unordered_partitions, 2 * options.worlds)


def lazy_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of steps that may wait."""
    title = "steps that may wait: eagerly, lazily, in turn, as chosen; pushed, in batches with snapshots, counted"
    yield run(title, partial(waiting, first=options.first), options.lazy)


def negation_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of negations that read what comes later."""
    title = "negations that read what comes later, 2-4 operators, 3-8 events"
    yield run(title, partial(negated, first=options.first), options.negation)


def bounded_parts(options: argparse.Namespace) -> Iterator[Tally]:
    """The comparisons of what is found where work has a bound."""
    title = "matchers with a bound: part of what the oracle finds, the same in batches with snapshots"
    yield run(title, partial(bounded_pairs, first=options.first), options.bounded)
    title = "engines with a bound: part of what one without finds, the same in batches with snapshots"
    yield run(title, partial(bounded_engines, first=options.first), options.bounded)
    title = "queries in CEQL with bounds, cut anywhere, with snapshots anywhere"
    yield run(title, partial(bounded_formulas, first=options.first), options.bounded)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Tally]]] = {
    "plain": plain_parts,
    "counts": count_parts,
    "partitions": partition_parts,
    "given": given_parts,
    "rules": rule_parts,
    "families": family_parts,
    "any-order": any_order_parts,
    "lazy": lazy_parts,
    "negation": negation_parts,
    "bounded": bounded_parts,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=20_000, help="seeded pairs")
    parser.add_argument("--examples", type=int, default=8_000, help="hypothesis examples")
    parser.add_argument("--partitions", type=int, default=4_000, help="seeded pairs with PARTITION BY")
    parser.add_argument("--aggregates", type=int, default=3_000, help="seeded pairs with HAVING and the like")
    parser.add_argument("--counts", type=int, default=4_000, help="seeded pairs whose matches are counted")
    parser.add_argument("--each", type=int, default=7, help="one of so many worlds with PARTITION BY")
    parser.add_argument("--given", type=int, default=500, help="seeded cases with parameters")
    parser.add_argument("--rules", type=int, default=600, help="seeded stories of rows that come and go")
    parser.add_argument("--families", type=int, default=300, help="seeded stories of queries that come and go")
    parser.add_argument("--any-order", type=int, default=1_000, help="seeded pairs with &&")
    parser.add_argument("--worlds", type=int, default=40, help="one of so many small worlds with &&")
    parser.add_argument("--lazy", type=int, default=3_000, help="seeds of chains; in two of five steps may wait")
    parser.add_argument("--negation", type=int, default=3_000, help="seeded pairs whose negations read later values")
    parser.add_argument("--bounded", type=int, default=2_000, help="seeded pairs, and stories, with a bound on work")
    parser.add_argument("--first", type=int, default=0, help="the first seed of the last four")
    parser.add_argument("--only", choices=PARTS, help="leave the others out")
    options = parser.parse_args()
    os.environ.setdefault("PYTHONHASHSEED", "0")
    parts = PARTS if options.only is None else {options.only: PARTS[options.only]}
    totals = [tally for part in parts.values() for tally in part(options)]
    differences = sum(len(one.differences) for one in totals)
    print(f"\n{sum(one.pairs for one in totals):,} pairs compared, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
