"""How the queries of a job are spread: each part is an engine with some of them, or several that a query is cut for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpm.evaluator import Evaluator
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.key_patterns import split_natively
from spaseq.plan.sequences.splitting import components, split_of
from spaseq.plan.split import Split


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


def parts(
    plans: Sequence[Plan], buckets: int, evaluator: Evaluator, kept: Mapping[str, str] | None = None
) -> tuple[Part, ...]:
    """The parts of a job: a query that may be cut is, into ``buckets``; the others are spread over as many engines.

    ``kept`` says, by name of a query, why it stays whole although it could be cut.
    """
    found: list[Part] = []
    together: list[list[Plan]] = []
    for numbers in components([plan.query for plan in plans]):
        some = [plans[number] for number in numbers]
        split = split_for(some[0], evaluator, len(some), kept or {})
        if split.keys:
            found.append(Part((some[0],), split, 0, buckets))
        elif len(together) < buckets:
            together.append(some)
        else:
            min(together, key=len).extend(some)
    found += [Part(tuple(some), Split((), "not cut"), 0, 1) for some in together]
    return _numbered(found)


def split_for(plan: Plan, evaluator: Evaluator, together: int, kept: Mapping[str, str]) -> Split:
    """Where a query of a job is cut, which runs with so many others."""
    if plan.query.name in kept:
        return Split((), kept[plan.query.name])
    split = split_of(plan.query, plan.match_aggregates, together)
    return split_natively(split, plan.atoms, evaluator) if split.keys else split


def _numbered(found: Sequence[Part]) -> tuple[Part, ...]:
    numbered, first = [], 0
    for part in found:
        numbered.append(Part(part.plans, part.split, first, part.buckets))
        first += part.buckets
    return tuple(numbered)
