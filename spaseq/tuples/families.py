"""The families of an engine: queries that differ only in constants run as rules of one, once they are many."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from spaseq.languages.ceql.normal_form import normal_form
from spaseq.plan.formulas.rule_conditions import why_apart
from spaseq.plan.formulas.templates import FormulaInstance
from spaseq.runtime.core import EngineCore
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.queries import Prepared, planned_query
from spaseq.tuples.tuple_family import FamilyMember, TupleFamily
from spaseq.tuples.tuple_input import TableBatch, TupleInput

LEAST = 8  # queries of a family: fewer are as fast by themselves, and each tells its own statistics


@dataclass(slots=True)
class TupleKin:
    """What is known of the queries of one template: those that run ``alone``, by name, and a family."""

    alone: dict[str, FamilyMember] = field(default_factory=dict)
    family: TupleFamily | None = None
    apart: bool = False  # they cannot run together


class TupleFamilies:
    """Those of one engine; a restored one has some already."""

    def __init__(self, core: EngineCore[TableBatch, AnyTupleQuery]) -> None:
        self._core = core
        self._kin: dict[str, TupleKin] = {}
        self._keys: dict[str, str] = {}  # of kin, by the names of queries

    def takes(self, name: str, prepared: Prepared, merged: TupleInput) -> bool:
        """Let a query, which is about to run on an input, run with those of its kind, if they are many."""
        instance = prepared.instance
        if instance is None:
            return False
        kin = self._kin.setdefault(instance.key, TupleKin())
        self._keys[name] = instance.key
        member = FamilyMember(name, prepared, instance.row)
        family = None if kin.apart else self._family(kin, instance, merged)
        if family is None or not family.may_run(instance.row):
            kin.alone[name] = member
            return False
        self._join(family, member, merged)
        return True

    def know(self, family: TupleFamily) -> None:
        """A family that is at work already."""
        instance = next(iter(family.queries.values())).prepared.instance
        assert instance is not None
        self._keys |= dict.fromkeys(family.queries, instance.key)
        self._kin[instance.key] = TupleKin(family=family)

    def forget(self, name: str) -> None:
        """The query of that name is gone."""
        key = self._keys.pop(name, "")
        kin = self._kin.get(key)
        if kin is not None:
            kin.alone.pop(name, None)
            if kin.family is not None and not kin.family.queries:
                kin.family = None
            if not (kin.alone or kin.family):
                del self._kin[key]

    def _family(self, kin: TupleKin, instance: FormulaInstance, merged: TupleInput) -> TupleFamily | None:
        """The family that a query may join on an input; None: it has none."""
        family = kin.family
        if family is not None and not family.is_over and family in merged.all_queries:
            return family
        there = set(merged.all_queries)
        kin.alone = {name: member for name, member in kin.alone.items() if self._is_fresh(name, there)}
        fresh = list(kin.alone.values())
        if len(fresh) + 1 < LEAST:
            return None
        prepared = template_of(instance, fresh[0].prepared)
        if why_apart(prepared.query, prepared.plan) is not None:
            kin.apart = True
            return None
        kin.family = TupleFamily(fresh[0].name, prepared, self._core.errors)
        for member in fresh:
            self._core.stop(self._core.running[member.name])
            self._join(kin.family, member, merged)
        kin.alone = {}
        return kin.family

    def _is_fresh(self, name: str, there: set[AnyTupleQuery]) -> bool:
        """Whether a query is one of those on an input, and has seen nothing."""
        query = self._core.running[name]
        return query in there and not query.has_begun and not query.is_over

    def _join(self, family: TupleFamily, member: FamilyMember, merged: TupleInput) -> None:
        """Let a query run with others from the next event on."""
        family.join(member, merged.position)
        if family not in merged.all_queries:
            self._core.start(family, merged)
        self._core.join(member.name, family)
        if member.name not in self._core.places:
            self._core.place(member.name)


def template_of(instance: FormulaInstance, like: Prepared) -> Prepared:
    """The query with parameters of an instance, planned; its queries are ``like`` this one."""
    query = instance.template
    return planned_query(replace(like.parsed, query=query, normal_form=normal_form(query.formula)))
