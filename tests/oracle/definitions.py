"""Random GPM definitions with filters, for the atoms of a sequence expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from .chooser import Chooser
from .expressions import (
    Aggregate,
    Binary,
    Bound,
    Coalesce,
    Const,
    Expression,
    First,
    If,
    Negated,
    Prev,
    Var,
)
from .model import Gpm, Kleene, Maybe, Query, walk_nodes
from .plan import Occurrence, Plan, plan_of
from .sequences import has_any_order

TRUE = Const(value=True)


@dataclass
class Definitions:
    """Makes GPMs.

    GPM X matches `?subject :X ?value`, perhaps with an OPTIONAL or UNION, and names in lower case: ?k is a subject many
    GPMs share, ?kx its own; ?v a shared value, ?x its own; ?o and ?ox optional values; ?n and ?nx strings.
    """

    chooser: Chooser
    mixed: bool = False
    numeric: dict[str, list[str]] = field(default_factory=dict)
    textual: dict[str, list[str]] = field(default_factory=dict)

    def gpm(self, name: str, stream: str) -> Gpm:
        """A GPM without filters."""
        low = name.lower()
        subject = self.chooser.pick(("k", "k", "k", "k" + low, "k" + low))
        value = self.chooser.pick((low, low, low, low, low, "v"))
        pattern, variables, numeric = f"?{subject} :{name} ?{value}", [subject, value], [value]
        if self.chooser.chance(7):
            pattern = f"{{ {pattern} }} UNION {{ ?{subject} :Z ?z{low} }}"
            variables.append(f"z{low}")
            numeric.append(f"z{low}")
        elif self.chooser.chance(8):
            pattern += f" ; :n ?n{low}"
            variables.append(f"n{low}")
            self.textual.setdefault(name, []).append(f"n{low}")
        if self.chooser.chance(18):
            option = self.chooser.pick(("o", "o" + low))
            pattern += f" OPTIONAL {{ ?{subject} :o ?{option} }}"
            variables.append(option)
            numeric.append(option)
        self.numeric[name] = numeric
        return Gpm(name, stream, pattern, tuple(variables))

    def with_filters(self, query: Query) -> Query:
        """The query with filters in some of its GPMs."""
        plan = plan_of(query)
        gpms = []
        for gpm in query.gpms:
            count = self.chooser.pick((0, 0, 0, 0, 0, 1, 1, 1, 2))
            gpms.append(replace(gpm, filters=tuple(self.filter(plan, gpm) for _ in range(count))))
        return replace(query, gpms=tuple(gpms))

    def filter(self, plan: Plan, gpm: Gpm) -> Expression:
        """A local or stateful filter, one over iterations so far, or one over all iterations of another Kleene."""
        occurrences = [o for o in plan.occurrences if o.gpm.name == gpm.name]
        others = self.others(plan, occurrences)
        own = self.group_variables(plan, occurrences)
        counted = self.earlier_groups(plan, occurrences)
        beside = names_beside(plan, occurrences)
        kinds = (
            ["local"] + ["stateful"] * 3 * bool(others) + ["history"] * 4 * bool(own) + ["total"] * 2 * bool(counted)
        )
        kinds += ["stateful across"] * bool(beside) + ["history across"] * 2 * bool(own and beside)
        match self.chooser.pick(kinds):
            case "history across":
                return self.history_across(own, beside)
            case "stateful across":
                return self.stateful(gpm, beside)
            case "history":
                return self.history(own)
            case "total":
                return self.total(counted)
            case "stateful":
                return self.stateful(gpm, others)
        return self.local(gpm)

    def others(self, plan: Plan, occurrences: list[Occurrence]) -> list[str]:
        """GPM names whose variables a filter may read: earlier ones likelier; for negated atoms all alike."""
        names = [occurrence.gpm.name for occurrence in plan.occurrences]
        own = occurrences[0].gpm.name
        earlier, all_names = names[: names.index(own)], list(dict.fromkeys(names))
        if occurrences[0].negated or not earlier or self.chooser.chance(8):
            return [name for name in all_names if name != own]
        return earlier

    def group_variables(self, plan: Plan, occurrences: Sequence[Occurrence]) -> list[str]:
        """Its numeric variables whose innermost Kleene surrounds all its occurrences, none of them negated.

        None where an absent inner Kleene would have to read what an outer one has iterated: the semantics is silent.
        """
        if any(o.negated for o in occurrences):
            return []
        if has_optional(plan) and any(len(o.kleenes) > 1 for o in occurrences):
            return []
        names = self.numeric[occurrences[0].gpm.name]
        return [name for name in names if all(plan.innermost(name) in o.kleenes for o in occurrences)]

    def earlier_groups(self, plan: Plan, occurrences: Sequence[Occurrence]) -> list[str]:
        """Numeric group variables of Kleenes that surround none of its occurrences."""
        inside = {kleene for o in occurrences for kleene in o.kleenes}
        names = {name for o in plan.occurrences if not o.negated for name in self.numeric[o.gpm.name]}
        if has_optional(plan) or has_any_order(plan.query.sequence) or any(o.negated for o in occurrences):
            names -= {name for kleene in inside for name in plan.owned[kleene]}
        return sorted(name for name in names if (kleene := plan.innermost(name)) is not None and kleene not in inside)

    def local(self, gpm: Gpm) -> Expression:
        """A comparison with a constant, or of two strings."""
        value = Var(self.chooser.pick(self.numeric[gpm.name]))
        return Binary(self.chooser.pick((">=", "<=", "!=", "<")), value, self.constant())

    def stateful(self, gpm: Gpm, others: list[str]) -> Expression:
        """A comparison with a variable of another GPM."""
        texts = [name for name in others if self.textual.get(name)]
        if texts and self.textual.get(gpm.name):
            left, right = self.textual[self.chooser.pick(texts)][0], self.textual[gpm.name][0]
            return Binary(self.chooser.pick(("=", "<", "!=", ">=")), Var(left), Var(right))
        foreign = Var(self.chooser.pick(self.numeric[self.chooser.pick(others)]))
        own: Expression = Var(self.chooser.pick(self.numeric[gpm.name]))
        if self.chooser.chance(25):
            own = Binary(self.chooser.pick(("+", "-", "*", "/")), own, self.constant())
        comparison = Binary(self.chooser.pick(("<=", ">=", "<", "=", ">", "!=")), foreign, own)
        return self.guarded(comparison, foreign)

    def guarded(self, comparison: Expression, foreign: Var) -> Expression:
        """The comparison as it is, or made true, or negated, where its variable is unbound."""
        forms: tuple[Expression, ...] = (
            comparison,
            comparison,
            comparison,
            Coalesce((comparison, TRUE)),
            Coalesce((comparison, TRUE)),
            Binary("||", Negated(Bound(foreign)), comparison),
            If(Bound(foreign), comparison, TRUE),
            Binary("&&", Bound(foreign), Negated(comparison)),
        )
        return self.chooser.pick(forms)

    def history(self, names: list[str]) -> Expression:
        """A filter over the iterations so far."""
        name = self.chooser.pick(names)
        sign = self.chooser.pick(("<=", "<", ">=", "!=", "="))
        match self.chooser.integer(0, 4):
            case 0:
                comparison = Binary(sign, Prev(name), Var(name))
                first = Binary("||", Negated(Bound(Prev(name))), comparison)
                forms: tuple[Expression, ...] = (Coalesce((comparison, TRUE)), first, comparison)
                return self.chooser.pick(forms)
            case 1:
                return Binary("<", Aggregate("COUNT", name), Const(self.chooser.integer(1, 3)))
            case 2:
                return Binary(self.chooser.pick(("<=", ">=")), First(name), Var(name))
            case 3:
                return Binary("<=", Aggregate("SUM", name), Binary("*", Var(name), Const(self.chooser.integer(1, 2))))
        function = "AVG" if self.mixed else self.chooser.pick(("MIN", "MAX", "AVG"))
        return Coalesce((Binary(sign, Aggregate(function, name), Var(name)), TRUE))

    def history_across(self, names: list[str], beside: list[str]) -> Expression:
        """A comparison of what was iterated so far, or of the iteration before, with a variable of another side."""
        name = self.chooser.pick(names)
        foreign = Var(self.chooser.pick(self.numeric[self.chooser.pick(beside)]))
        comparison = Binary(self.chooser.pick(("<=", ">=", "!=")), Aggregate("COUNT", name), foreign)
        last = Binary(self.chooser.pick(("<=", ">=", "!=")), Coalesce((Prev(name), Var(name))), foreign)
        return self.chooser.pick((comparison, last))

    def total(self, names: list[str]) -> Expression:
        """A filter over all iterations of another Kleene."""
        name = self.chooser.pick(names)
        function, most = self.chooser.pick((("SUM", 4), ("COUNT", 2)))
        sign = self.chooser.pick((">=", "=", "<"))
        return Binary(sign, Aggregate(function, name), Const(self.chooser.integer(0, most)))

    def constant(self) -> Const:
        """A small number."""
        values: tuple[int | Decimal, ...] = (1, 2, 3, 2, Decimal("1.5"))
        return Const(self.chooser.pick(values))


def names_beside(plan: Plan, occurrences: Sequence[Occurrence]) -> list[str]:
    """The GPMs that stand in other sides of an `&&` around one of its occurrences, and not negated."""
    beside = (o for o in plan.occurrences if not o.negated and any(own.is_beside(o) for own in occurrences))
    return list(dict.fromkeys(o.gpm.name for o in beside))


def has_optional(plan: Plan) -> bool:
    """Whether anything in the sequence may be absent."""
    nodes = walk_nodes(plan.query.sequence)
    return any(isinstance(node, Maybe) or (isinstance(node, Kleene) and node.least == 0) for node in nodes)
