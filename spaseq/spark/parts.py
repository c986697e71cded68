"""How the queries of a job are spread: each part is an engine with some of them, or several that a query is cut for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gpm.evaluator import Evaluator
from spaseq.plan.description import Split, whole
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.partitioning import components, split_natively, split_of


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
