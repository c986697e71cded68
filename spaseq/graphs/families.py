"""The families of an engine: queries that differ only in constants and names run as rows of one, once they are many."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from spaseq.errors import QueryError
from spaseq.graphs.graph_family import FamilyQuery, GraphFamily
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import empty_table
from spaseq.graphs.kind import GraphKind
from spaseq.pattern.sequences import Query
from spaseq.plan.sequences.rule_plan import RulePlan
from spaseq.plan.sequences.templates import Instance, Variation, canonical

LEAST = 8  # queries of a family: fewer are as fast by themselves, and each tells its own statistics
Mark = tuple[GraphInput, int]  # an input, and how many events it had seen


@dataclass(slots=True)
class Kin:
    """What is known of the queries of one template.

    Of those that run alone, and of a family, none has seen an event if its input is where ``mark`` says.
    """

    first: Instance
    variation: Variation
    registered: int = 0
    alone: dict[str, FamilyQuery] = field(default_factory=dict)
    mark: Mark | None = None
    family: GraphFamily | None = None
    apart: bool = False  # they cannot run together


class Families:
    """Those of one engine; a restored one has some already."""

    def __init__(self, kind: GraphKind) -> None:
        self._kind = kind
        self._kin: dict[Query, Kin] = {}  # by what their templates have in common
        self._known: dict[str, Kin] = {}  # by the names of their queries
        for family in (one for one in kind.core.at_work if isinstance(one, GraphFamily)):
            for query in family.queries.values():
                kin = self._meet(query)
                kin.family, kin.variation = family, family.variation

    # ── queries come and go ──────────────────────────────────────────────────────────────────────────────
    def has_kin(self, query: FamilyQuery) -> bool:
        """Whether there are queries with which it could run."""
        kin = self._kin.get(canonical(query.instance.template))
        return kin is not None and not kin.apart

    def takes(self, query: FamilyQuery, merged: GraphInput) -> bool:
        """Let a query that has kin run with it, if that is many; else it is to run alone, on this input."""
        kin = self._kin[canonical(query.instance.template)]
        self._find_family(kin, query, merged)
        if kin.family is None:
            return False
        self._meet(query)
        self._join(kin.family, query)
        return True

    def note_alone(self, query: FamilyQuery, merged: GraphInput) -> None:
        """A query has begun to run alone on an input."""
        kin = self._meet(query)
        if not self._is_fresh(kin, merged):
            kin.alone, kin.mark = {}, (merged, merged.names.next)
        kin.alone[query.name] = query

    def forget(self, name: str) -> None:
        """The query of that name is gone."""
        kin = self._known.pop(name, None)
        if kin is not None:
            kin.registered -= 1
            kin.alone.pop(name, None)
            if kin.family is not None and not kin.family.names:
                kin.family = None
            if not kin.registered:
                del self._kin[canonical(kin.first.template)]

    def _meet(self, query: FamilyQuery) -> Kin:
        """The kin of a query, which is registered."""
        instance = query.instance
        kin = self._kin.setdefault(canonical(instance.template), Kin(instance, Variation.of(instance)))
        kin.variation = kin.variation.including(kin.first, instance)
        kin.registered += 1
        self._known[query.name] = kin
        return kin

    # ── who runs together ────────────────────────────────────────────────────────────────────────────────
    def _find_family(self, kin: Kin, query: FamilyQuery, merged: GraphInput) -> None:
        """Have a family for the queries of a kin, if this one, which is about to run, makes enough."""
        family, fresh = kin.family, self._is_fresh(kin, merged)
        if family is None and (not fresh or len(kin.alone) + 1 < LEAST):
            return
        variation = kin.variation.including(kin.first, query.instance)
        if family is not None and family.variation == variation and not family.is_over:
            return
        plan = plan_of_family(kin.first, variation, query.name)
        if plan is None:
            kin.apart, kin.family = True, None
            return
        kin.family = GraphFamily(plan, empty_table(plan, merged.names, self._kind.terms), variation)
        self._kind.core.start(kin.family, merged)
        if fresh:
            self._move(kin.alone if family is None else family.queries, kin.family)
        else:
            kin.mark = merged, merged.names.next
        kin.alone = {}

    def _is_fresh(self, kin: Kin, merged: GraphInput) -> bool:
        return kin.mark == (merged, merged.names.next) and merged.may_be_joined

    def _move(self, queries: dict[str, FamilyQuery], family: GraphFamily) -> None:
        """Let queries that have seen nothing yet run in a family."""
        core = self._kind.core
        for query in list(queries.values()):
            before = core.running[query.name]
            if before.forget(query.name):
                core.stop(before)
            self._join(family, replace(query))

    def _join(self, family: GraphFamily, query: FamilyQuery) -> None:
        """Let a query run from the next event on."""
        core, merged = self._kind.core, self._kind.input_of(family)
        query.place = core.place(query.name) if query.name not in core.running else core.places[query.name]
        if not family.coming:
            merged.before_events.append(partial(self._bring_in, family, merged))
        if merged.buffer:
            self._kind.evaluator.renew_version()
        family.come(query)
        core.join(query.name, family)

    def _bring_in(self, family: GraphFamily, merged: GraphInput) -> None:
        """Let queries run that came since the last event."""
        keys, kind = sorted(family.coming, key=family.plan.rank), self._kind
        places = [family.coming[key] for key in keys]
        member = None if merged.buffer or not keys else family.member_for(())
        if member is not None:
            family.extend(member, keys, places)
        elif keys:
            kind.run_rows(family, merged, (family.plan.running(keys, places), keys, places))
        family.brought_in()


def plan_of_family(first: Instance, variation: Variation, name: str) -> RulePlan | None:
    """That of queries that differ so, of which this is one; ``name``: in errors.  None: they cannot run together."""
    try:
        return RulePlan.of_family(replace(variation.query(first), name=name))
    except QueryError:  # too large, with all that is asked of rules
        return None
