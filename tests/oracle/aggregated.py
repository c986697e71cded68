"""Seeded random pairs with HAVING, DISTINCT in aggregates, STDEV, VARIANCE or MEDIAN; some with PARTITION BY."""

from __future__ import annotations

from .chooser import Chooser, Seeded
from .definitions import Definitions
from .evaluate import over_matches
from .expressions import Aggregate, Binary, Const, Expression, Negated, Var
from .generate import Maker, Pair, Size
from .model import Column, Query, Select
from .partitions import KeyedDefinitions, PartitionMaker
from .plan import Plan, plan_of

SPREADS = ("STDEV", "VARIANCE", "MEDIAN")
SIGNS = (">", "<=", ">=", "<", "=", "!=")


def aggregated_pair(seed: int, size: Size | None = None, partitioned: bool = False) -> Pair:
    """The pair of a seed."""
    return make_aggregated(Seeded(seed), size or Size(), partitioned)


def make_aggregated(chooser: Chooser, size: Size, partitioned: bool = False) -> Pair:
    """A pair made by a chooser's choices."""
    return (PartitionedAggregateMaker if partitioned else AggregateMaker)(chooser, size).pair()


class SpreadFilters(Definitions):
    """Makes GPMs whose filters may read what all iterations tell."""

    def history(self, names: list[str]) -> Expression:
        """A filter over the iterations so far."""
        return self.spread(names) if self.chooser.chance(60) else super().history(names)

    def total(self, names: list[str]) -> Expression:
        """A filter over all iterations of another Kleene."""
        return self.spread(names) if self.chooser.chance(60) else super().total(names)

    def spread(self, names: list[str]) -> Expression:
        """A comparison of an aggregate that needs all values."""
        name, sign = self.chooser.pick(names), self.chooser.pick(SIGNS)
        one = self.chooser.pick((Aggregate("COUNT", name, distinct=True), *spreads(name)))
        comparison = Binary(sign, one, Const(self.chooser.integer(0, 2)))
        return Negated(comparison) if self.chooser.chance(15) else comparison


class KeyedSpreadFilters(SpreadFilters, KeyedDefinitions):
    """The same for partitioned queries."""


def spreads(name: str) -> list[Aggregate]:
    """STDEV, VARIANCE and MEDIAN of a variable, with and without DISTINCT."""
    return [Aggregate(function, name, distinct) for function in SPREADS for distinct in (False, True)]


def is_spread(expression: Expression) -> bool:
    """Whether the value is a double, which the oracle does not read again by its name."""
    return isinstance(expression, Aggregate) and expression.function in SPREADS


class AggregateMaker(Maker):
    """Makes one pair whose query aggregates over iterations or matches."""

    definitions_type: type[Definitions] = SpreadFilters

    def select(self, plan: Plan) -> Select:
        """Aggregates wherever they may stand."""
        visible = plan.visible()
        numeric = sorted({name for names in self.definitions.numeric.values() for name in names} & set(visible))
        groups = [name for name in numeric if plan.innermost(name) is not None]
        if groups and self.chooser.chance(50):
            return Select((*self.some(visible), *self.over_iterations(groups)))
        return self.over_matches(visible, [name for name in numeric if name not in groups])

    def over_iterations(self, groups: list[str]) -> list[Column]:
        """One to three aggregates of group variables."""
        found = []
        for number in range(self.chooser.integer(1, 3)):
            name = self.chooser.pick(groups)
            of = (*spreads(name), Aggregate("COUNT", name, distinct=True), Aggregate("SUM", name))
            found.append(Column(self.chooser.pick(of), f"g{number}"))
        return found

    def over_matches(self, visible: list[str], numeric: list[str]) -> Select:
        """Aggregates over matches, perhaps grouped, perhaps with conditions on groups; keys may stand beside them."""
        grouped = tuple(self.some(visible)[:1]) if self.chooser.chance(60) else ()
        keys = [key for key in (self.partition.keys if self.partition else ()) if self.chooser.chance(40)]
        plain = tuple(dict.fromkeys((*grouped, *keys)))
        columns = [Column(self.of_matches(numeric), f"m{number}") for number in range(self.chooser.integer(0, 3))]
        having = tuple(self.condition(numeric, columns) for _ in range(self.chooser.pick((0, 1, 1, 2))))
        if not columns and (not having or not plain):
            columns = [Column(Aggregate("COUNT", None), "m0")]
        return Select((*plain, *columns), self.chooser.chance(10), grouped, having)

    def of_matches(self, numeric: list[str]) -> Aggregate:
        """COUNT(*), or an aggregate of a variable that is no group variable."""
        if not numeric or self.chooser.chance(25):
            return Aggregate("COUNT", None)
        name = self.chooser.pick(numeric)
        usual = [Aggregate(function, name) for function in ("COUNT", "SUM", "AVG")]
        different = [Aggregate(function, name, distinct=True) for function in ("COUNT", "SUM")]
        return self.chooser.pick((*usual, *different, *spreads(name)))

    def condition(self, numeric: list[str], found: list[Column]) -> Expression:
        """A condition on a group: of an aggregate, or of a name of SELECT."""
        exact = [one for one in found if not is_spread(one.expression)]
        of: Expression = self.of_matches(numeric)
        if exact and self.chooser.chance(40):
            of = Var(self.chooser.pick(exact).name)
        comparison = Binary(self.chooser.pick(SIGNS), of, Const(self.chooser.integer(0, 3)))
        return Negated(comparison) if self.chooser.chance(15) else comparison

    def over_all(self, query: Query) -> bool:
        """Whether the query counts matches."""
        return over_matches(plan_of(query))


class PartitionedAggregateMaker(AggregateMaker, PartitionMaker):
    """The same with PARTITION BY."""

    definitions_type = KeyedSpreadFilters
