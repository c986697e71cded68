"""Seeded random pairs with negations whose filters read what comes later, on events that mostly have one solution."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .chooser import Chooser, Seeded
from .definitions import Definitions
from .expressions import Binary, Expression, Var
from .generate import Maker, Pair, Size
from .model import Event, Gpm, Maybe, Node, Not, Query, Seq
from .partitions import KeyedDefinitions, PartitionMaker
from .plan import Plan, plan_of
from .sequences import Sequences, Word


def negated_pair(seed: int, size: Size | None = None, partitioned: bool = False) -> Pair:
    """The pair of a seed."""
    maker = PartitionedNegationMaker if partitioned else NegationMaker
    return maker(Seeded(seed), size or Size(4, 8, 2, 3)).pair()


@dataclass
class NegatedSequences(Sequences):
    """Makes sequence expressions with something that is negated or may be absent between two parts."""

    def part(self, operators: int) -> Node:
        """Any expression; what has operators left mostly has such a place."""
        if operators < 2 or self.chooser.chance(15):
            return super().part(operators)
        left = self.chooser.integer(0, operators - 2)
        before = Seq(self.part(left), self.sign(), self.between())
        return Seq(before, self.sign(), self.part(operators - 2 - left))

    def sign(self) -> str:
        """An operator, most of them with room between what they join."""
        return self.chooser.pick(":;:;,")

    def between(self) -> Node:
        """What is not to be there, or need not be."""
        negated = Not(self.bop(int(self.used < 3 and self.chooser.chance(15))))
        return self.chooser.pick((negated, negated, negated, Maybe(self.atom())))

    def word(self, node: Node) -> Word:
        """The atoms of the steps of one match; of a negation, too, in every second case."""
        match node:
            case Not(body) if self.chooser.chance(50):
                return super().word(body)
        return super().word(node)


class LaterFilters(Definitions):
    """Makes GPMs; those that are negated compare their values with later ones."""

    def with_filters(self, query: Query) -> Query:
        """The query with filters, more of them in negated GPMs."""
        made, plan = super().with_filters(query), plan_of(query)
        return replace(made, gpms=tuple(self.negated(plan, one) for one in made.gpms))

    def negated(self, plan: Plan, gpm: Gpm) -> Gpm:
        """The GPM, with a filter that reads what comes later if it is negated or may be absent."""
        names = [one.gpm.name for one in plan.occurrences]
        later = [name for name in names[names.index(gpm.name) + 1 :] if name != gpm.name]
        first = next(one for one in plan.occurrences if one.gpm.name == gpm.name)
        if not later or not (first.negated or self.chooser.chance(8)) or self.chooser.chance(15):
            return gpm
        more = tuple(self.compared(gpm, later) for _ in range(self.chooser.pick((1, 1, 1, 2))))
        return replace(gpm, filters=(*gpm.filters[: self.chooser.pick((0, 0, 1))], *more))

    def compared(self, gpm: Gpm, later: list[str]) -> Expression:
        """A plain comparison with a variable of the next GPM or one behind it, or any other filter."""
        if self.chooser.chance(35):
            return self.stateful(gpm, later)
        foreign = self.chooser.pick(self.numeric[self.chooser.pick((later[0], *later))])
        own = self.chooser.pick(self.numeric[gpm.name])
        return Binary(self.chooser.pick(("<=", ">=", "<", ">", "<", ">", "=", "!=")), Var(own), Var(foreign))


class KeyedLaterFilters(LaterFilters, KeyedDefinitions):
    """The same for partitioned queries."""


class NegationMaker(Maker):
    """Makes one pair; in most of them no event has several solutions."""

    definitions_type: type[Definitions] = LaterFilters

    def __init__(self, chooser: Chooser, size: Size) -> None:
        super().__init__(chooser, size)
        self.sequences = NegatedSequences(chooser)
        self.alone = chooser.chance(85)

    def event(self, query: Query, names: list[str], time: int, number: int) -> Event:
        """An event that the named GPMs match."""
        event = super().event(query, names, time, number)
        if not self.alone:
            return event
        return replace(event, triples=tuple(one for one in event.triples if one[0] == event.triples[0][0]))


class PartitionedNegationMaker(NegationMaker, PartitionMaker):
    """The same with PARTITION BY."""

    definitions_type = KeyedLaterFilters
