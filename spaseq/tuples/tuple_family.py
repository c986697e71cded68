"""Queries over tuples that differ only in constants, at work: each is a rule of one recognizer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from spaseq.pattern.formulas.parameters import ConstantRow, RowKey, row_key
from spaseq.tuples.queries import Prepared
from spaseq.tuples.rule_query import RuleQuery
from spaseq.tuples.table_query import Found

MOST_TOGETHER = 1 << 16  # results of all queries, which then go apart


@dataclass(slots=True, eq=False)
class FamilyMember:
    """A query of a family: what it means, the ``key`` of its rule, and the position of its first event."""

    name: str
    prepared: Prepared
    row: ConstantRow
    key: RowKey = ()
    first: int = 0
    results: int = 0


@dataclass(slots=True, eq=False)
class TupleFamily(RuleQuery):
    """Queries by name, as rows of the query ``prepared``.

    Those that have equal constants, and begin together, are one rule.
    """

    queries: dict[str, FamilyMember] = field(default_factory=dict)
    _sharing: dict[RowKey, list[str]] = field(default_factory=dict)  # the names of each rule's queries

    @property
    def names(self) -> Collection[str]:
        """See ``RunningQuery``."""
        return self.queries.keys()

    def join(self, query: FamilyMember, position: int) -> None:
        """Another query, whose first event has that position."""
        key = row_key(query.row)
        if self.has_begun:
            key = (*key, query.name)
        self.know(query, key, position)
        if key not in self.rows:
            self.add_key(key, query.row)

    def know(self, query: FamilyMember, key: RowKey, position: int) -> None:
        """A query of a rule with that key."""
        query.key, query.first = key, position
        self.queries[query.name] = query
        self._sharing.setdefault(key, []).append(query.name)
        self.called = f"{next(iter(self.queries))} and {len(self.queries) - 1} queries like it"

    def named(self, name: str) -> FamilyMember:
        """The query of that name."""
        return self.queries[name]

    def part(self, keys: Collection[RowKey]) -> list[FamilyMember]:
        """Forget the queries of these rules; nothing came so far."""
        found = [self.queries[name] for key in keys for name in self._sharing[key]]
        for member in found:
            self.forget(member.name)
        return found

    def unmatched_of(self, name: str) -> tuple[str, ...]:
        """See ``TupleQuery``."""
        if self.evaluation is None:
            return self.unmatched
        return self.unmatched_by(self.rules.met_by_key.get(self.queries[name].key, 0))

    def forget(self, name: str) -> bool:
        """See ``RunningQuery``."""
        key = self.queries.pop(name).key
        self._sharing[key].remove(name)
        if not self._sharing[key]:
            del self._sharing[key]
            self.remove_row(key)
        return not self.queries

    @property
    def by_key(self) -> Iterable[tuple[RowKey, list[FamilyMember]]]:
        """The rules in their order, each with its queries."""
        return [(key, [self.queries[name] for name in self._sharing[key]]) for key in self.rows]

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    def tables(self) -> Iterator[Found]:
        """See ``TupleQuery``: those of each query."""
        if self.evaluation is not None:
            self.rules.most = MOST_TOGETHER
            for _, found in self.each(self._tables_in):
                yield found

    def counts(self) -> Iterator[Found]:
        """See ``TupleQuery``."""
        if self.evaluation is not None:
            for _, found in self.each(self._counts_in):
                yield found

    def _tables_in(self, batch: Any) -> Iterator[Found]:
        for key, found in self.rules.results_by_rule(batch):
            for name in tuple(self._sharing.get(key, ())):
                yield from self._of(name, found, found.num_rows)

    def _counts_in(self, batch: Any) -> Iterator[Found]:
        for key, number in self.rules.numbers_by_rule(batch):
            for name in tuple(self._sharing.get(key, ())):
                yield from self._of(name, number, number)

    def _of(self, name: str, found: Any, number: int) -> Iterator[Found]:
        """What is found for a query, if it is still there."""
        if name in self.queries:
            self.queries[name].results += number
            yield name, found
