"""How the queries of a job are spread over shards, each with an engine, and the labels by which Spark spreads these.

Spark puts a row into the partition that Murmur3 gives for its key: chosen at will, few keys fall unevenly.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gpm.evaluator import Evaluator
from spaseq.plan.description import Split, whole
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.partitioning import components, split_natively, split_of

SEED = 42  # of Spark's HashPartitioning
MASK = 0xFFFFFFFF


def labels(engines: int, partitions: int) -> tuple[int, ...]:
    """A label for each engine, all different; that of engine n falls into partition n mod ``partitions``."""
    waiting = {partition: list(range(partition, engines, partitions)) for partition in range(min(engines, partitions))}
    found = [0] * engines
    candidate = 0
    while waiting:
        partition = partition_of(candidate, partitions)
        if partition in waiting:
            found[waiting[partition].pop(0)] = candidate
            if not waiting[partition]:
                del waiting[partition]
        candidate += 1
    return tuple(found)


def partition_of(label: int, partitions: int) -> int:
    """Where Spark puts rows whose key is this integer (of 32 bits)."""
    return _signed(murmur3(label)) % partitions


def murmur3(value: int, seed: int = SEED) -> int:
    """Murmur3 (x86, 32 bits) of an integer of 32 bits, as Spark has it."""
    mixed = (value * 0xCC9E2D51) & MASK
    mixed = (_rotated(mixed, 15) * 0x1B873593) & MASK
    mixed = (_rotated(seed ^ mixed, 13) * 5 + 0xE6546B64) & MASK ^ 4
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & MASK
    return mixed ^ (mixed >> 16)


def numbers_of(found: Sequence[int]) -> dict[int, int]:
    """The engine of each label."""
    return {label: number for number, label in enumerate(found)}


def _rotated(value: int, places: int) -> int:
    return ((value << places) | (value >> (32 - places))) & MASK


def _signed(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value


@dataclass(frozen=True, slots=True)
class Part:
    """``plans`` that run together, in ``buckets`` engines, which are numbered from ``first`` on in their job.

    One that is not cut has one bucket.
    """

    plans: tuple[Plan, ...]
    split: Split
    first: int
    buckets: int

    @property
    def numbers(self) -> range:
        """The numbers of its engines."""
        return range(self.first, self.first + self.buckets)


def splits(plans: Sequence[Plan], evaluator: Evaluator, kept: Collection[str] = ()) -> dict[str, Split]:
    """Where each query of a job is cut, by name; ``kept`` are those that stay whole although they could be cut."""
    found: dict[str, Split] = {}
    for numbers in components([plan.query for plan in plans]):
        for plan in (plans[number] for number in numbers):
            found[plan.query.name] = _split(plan, evaluator, len(numbers), kept)
    return found


def _split(plan: Plan, evaluator: Evaluator, together: int, kept: Collection[str]) -> Split:
    """Where a query is cut that has to stay with so many, itself among them."""
    if plan.query.name in kept:
        return whole("so it was asked for")
    return split_natively(split_of(plan.query, plan.match_aggregates, together), plan.atoms, evaluator)


def parts(plans: Sequence[Plan], buckets: int, cut: Mapping[str, Split]) -> tuple[Part, ...]:
    """The parts of a job: what is ``cut`` is so into ``buckets``; other queries are spread over as many engines."""
    found: list[Part] = []
    together: list[list[Plan]] = []
    for numbers in components([plan.query for plan in plans]):
        some = [plans[number] for number in numbers]
        if cut[some[0].query.name].keys:
            found.append(Part((some[0],), cut[some[0].query.name], 0, buckets))
        elif len(together) < buckets:
            together.append(some)
        else:
            min(together, key=len).extend(some)
    found += [Part(tuple(some), whole("its queries are not cut"), 0, 1) for some in together]
    return _numbered(found)


def _numbered(found: Sequence[Part]) -> tuple[Part, ...]:
    numbered, first = [], 0
    for part in found:
        numbered.append(Part(part.plans, part.split, first, part.buckets))
        first += part.buckets
    return tuple(numbered)
