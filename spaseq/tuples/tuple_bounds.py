"""A bound on the work of CEQL queries: which may have one, and what each may take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from spaseq.errors import OptionError
from spaseq.plan.formulas.bounded import check_bounded
from spaseq.runtime.bounded import Bound
from spaseq.sources.parameter_rows import called
from spaseq.tuples.queries import AnyPrepared, Prepared


class Sharing(Protocol):
    """What shares a bound: a query, or all rows of one with parameters."""

    @property
    def names(self) -> Iterable[str]:
        """What it is called."""


def checked(bound: Bound | None) -> Bound | None:
    """One that CEQL queries can have.  OptionError: it is none."""
    if bound is None:
        return None
    if not isinstance(bound, Bound):
        raise OptionError(f"a bound is given as Bound(work=…), not {bound!r:.80}")
    return bound


def check_queries(bound: Bound | None, queries: Mapping[str, AnyPrepared]) -> None:
    """OptionError: the work of one of these may have no bound."""
    if bound is None:
        return
    formulas = {name: prepared.query for name, prepared in queries.items() if isinstance(prepared, Prepared)}
    for name in queries.keys() - formulas.keys():
        raise OptionError(f"{called(name)} is in SQL, whose work has no bound yet")
    check_bounded(formulas)


def part_of(bound: Bound, query: Sharing, queries: Iterable[Sharing]) -> float:
    """Which part of a bound one of the queries has that share it: a fixed one, by priority."""
    priorities = {each: max(bound.priority(name) for name in each.names) for each in queries}
    return priorities[query] / sum(priorities.values())
