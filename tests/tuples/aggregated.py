"""Random queries with aggregates, and the rows that the engine gives, as the oracle's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow

from spaseq.tuples import Aggregates, match
from tests.oracle.ceql.aggregates import Row
from tests.oracle.ceql.generate import Maker, Pair
from tests.oracle.ceql.labels import labels_of
from tests.oracle.ceql.model import Aggregate, Query, variables
from tests.oracle.ceql.predicates import Arithmetic, Attribute, Constant, Negative, Operand
from tests.oracle.ceql.text import operand_text, selection_text, to_text
from tests.oracle.chooser import Seeded
from tests.tuples.tables import table_of


class Aggregating(Maker):
    """Makes queries with aggregates alone."""

    def selecting(self, query: Query) -> Query:
        """COUNT(*), or a function of an attribute; every other query has no strategy, as totals need."""
        names = sorted(variables(query.formula))
        aggregates = tuple(self.aggregate(names) for _ in range(self.chooser.integer(1, 3)))
        strategy = query.strategy if self.chooser.chance(50) else None
        found = replace(query, strategy=strategy, aggregates=tuple(dict.fromkeys(aggregates)))
        return replace(found, group_by=self.group_by(query))


class Calculating(Aggregating):
    """Makes queries whose aggregates are mostly of what is calculated of attributes."""

    def aggregate(self, names: Sequence[str]) -> Aggregate:
        """The aggregate of an attribute, or of numbers."""
        made = super().aggregate(names)
        if not isinstance(made.operand, Attribute) or made.operand.name == "name" or self.chooser.chance(20):
            return made
        return replace(made, operand=self.calculated(made.operand))

    def calculated(self, one: Attribute) -> Operand:
        """A number of one event; divisors are 1 and 2, so that sums do not depend on their order."""
        other = Attribute(self.chooser.pick(("price", "volume", "clock")), one.variable)
        constant = Constant(self.chooser.pick((2, 3, 0.5)))
        found: Operand = Arithmetic(self.chooser.pick("+-*"), one, self.chooser.pick((other, constant)))
        if self.chooser.chance(30):
            found = Arithmetic("-", self.chooser.pick((constant, other)), found)
        if self.chooser.chance(25):
            found = Arithmetic("/", found, self.chooser.pick((Attribute("volume", one.variable), Constant(2))))
        return Negative(found) if self.chooser.chance(15) else found


def pair_of(seed: int, maker_type: type[Aggregating] = Aggregating) -> Pair:
    maker = maker_type(Seeded(seed))
    query = maker.query(maker.chooser.integer(0, 5))
    events = maker.events(query, maker.chooser.integer(2, 8))
    return Pair(query, events, labels_of(query, events))


def text_of(query: Query) -> str:
    """The query, which shows the attributes of its GROUP BY, too."""
    selection = selection_text(query)
    return to_text(query).replace(selection, ", ".join([selection, *map(operand_text, query.group_by)]), 1)


def aggregates_of(pair: Pair, rows_at_once: int, totals: str = "int64") -> Aggregates:
    """What the engine gives, if the table comes in batches of so many rows."""
    table = table_of(pair)
    source = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows_at_once))
    found = match(text_of(pair.query), source, time="time", totals=totals)
    assert isinstance(found, Aggregates)
    return found


def rows_of(found: Aggregates, query: Query) -> Iterator[Row]:
    keys = len(query.group_by)
    for batch in found:
        for end, *values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield Row(end, tuple(values[:keys]), tuple(values[keys:]))
