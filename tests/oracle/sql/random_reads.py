"""Random reads of rows: columns, navigation, aggregates, CLASSIFIER and MATCH_NUMBER."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from .expressions import (
    BetweenTest,
    Classifier,
    CountRows,
    Expression,
    LogicalNavigation,
    MatchNumber,
    NullTest,
    PhysicalNavigation,
    SqlAggregate,
    SqlBinary,
    SqlBranch,
    SqlCall,
    SqlCase,
    SqlColumn,
    SqlLiteral,
    integer,
)
from .model import SqlKind, SqlTable
from .random_tables import random_value
from .values import NUMBERS, literal_type


@dataclass(frozen=True, slots=True)
class RandomReads:
    """What expressions of one place read.

    own: the variable of a row condition, which reads nothing but the row and its neighbours. final: whether FINAL and
    functions that are for measures are allowed.
    """

    random: Random
    table: SqlTable
    variables: tuple[str, ...]
    own: str | None = None
    final: bool = False

    def kinds(self) -> list[SqlKind]:
        """The kinds of the columns."""
        return list(dict.fromkeys(type_.kind for type_ in self.table.types))

    def names(self, kind: SqlKind) -> list[str]:
        """The columns of a kind."""
        return [name for name, type_ in zip(self.table.names, self.table.types, strict=True) if type_.kind is kind]

    def variable(self) -> str | None:
        """A variable, or None, the universal one."""
        if self.own is not None:
            return self.random.choice((None, None, self.own))
        return self.random.choice((None, *self.variables, *self.variables))

    def literal(self, kind: SqlKind) -> SqlLiteral:
        """A constant like the values of the tables."""
        value = random_value(self.random, kind)
        return SqlLiteral(value, literal_type(value))

    def column(self, kind: SqlKind, variable: str | None) -> Expression:
        """A column of a variable, or a constant if there is no column of the kind."""
        names = self.names(kind)
        return SqlColumn(self.random.choice(names), variable) if names else self.literal(kind)

    def read(self, kind: SqlKind) -> Expression:
        """A read of a kind, or a constant if nothing of it can be read."""
        if not self.names(kind):
            return self.average() if self.own is None and kind is SqlKind.DOUBLE else self.literal(kind)
        chance = self.random.random()
        if self.own is not None:
            return self.column(kind, self.variable()) if chance < 0.7 else self.physical(kind)
        if chance < 0.25:
            return self.column(kind, self.variable())
        if chance < 0.5:
            return self.logical(kind)
        if chance < 0.7:
            return self.physical(kind)
        return self.aggregate(kind)

    def body(self, kind: SqlKind, variable: str | None) -> Expression:
        """The operand of a navigation: a column, or something simple of columns of one variable."""
        first = self.column(kind, variable)
        chance = self.random.random()
        if chance < 0.7:
            return first
        if chance < 0.8 and kind is SqlKind.VARCHAR and self.own is None:
            return Classifier(variable)
        if chance < 0.9 and kind in NUMBERS:
            second = self.random.choice((self.column(kind, variable), self.literal(kind)))
            return SqlBinary(self.random.choice("+-*"), first, second)
        return SqlCall("COALESCE", (first, self.literal(kind)))

    def semantics(self) -> bool | None:
        """RUNNING, neither word, or FINAL where it may be."""
        return self.random.choice((None, None, False, True) if self.final else (None, None, None, False))

    def logical(self, kind: SqlKind, variables: tuple[str | None, ...] = ()) -> LogicalNavigation:
        """FIRST or LAST."""
        variable = self.random.choice(variables) if variables else self.variable()
        function = self.random.choice(("FIRST", "LAST"))
        offset = self.random.choice((None, None, 0, 1, 1, 2))
        return LogicalNavigation(function, self.body(kind, variable), offset, self.semantics())

    def physical(self, kind: SqlKind) -> PhysicalNavigation:
        """PREV or NEXT, of FIRST or LAST now and then."""
        nested = self.own is None and self.random.random() < 0.4
        body = self.logical(kind) if nested else self.body(kind, self.variable())
        offset = self.random.choice((None, None, None, 0, 1, 2, 3))
        return PhysicalNavigation(self.random.choice(("PREV", "PREV", "NEXT")), body, offset)

    def aggregate(self, kind: SqlKind) -> Expression:
        """An aggregate, CLASSIFIER or MATCH_NUMBER of a kind, if there is one."""
        match kind:
            case SqlKind.BIGINT:
                return self.whole_number()
            case SqlKind.VARCHAR:
                return self.classifier()
            case SqlKind.DOUBLE if self.random.random() < 0.3:
                return self.average()
        functions = ("MIN", "MAX", "SUM", "SUM", "AVG") if kind in NUMBERS else ("MIN", "MAX")
        return SqlAggregate(self.random.choice(functions), self.argument(kind), self.semantics())

    def average(self) -> SqlAggregate:
        """AVG of a BIGINT."""
        return SqlAggregate("AVG", self.argument(SqlKind.BIGINT), self.semantics())

    def whole_number(self) -> Expression:
        """COUNT, SUM, MIN or MAX of a BIGINT, or MATCH_NUMBER."""
        match self.random.randrange(9):
            case 0:
                return MatchNumber()
            case 1 | 2:
                return CountRows(None, self.semantics())
            case 3:
                return CountRows(self.random.choice(self.variables), self.semantics())
            case 4:
                return SqlAggregate("COUNT", self.argument(self.random.choice(self.kinds())), self.semantics())
        function = self.random.choice(("SUM", "SUM", "MIN", "MAX"))
        return SqlAggregate(function, self.argument(SqlKind.BIGINT), self.semantics())

    def classifier(self) -> Expression:
        """CLASSIFIER, within a navigation or an aggregate now and then, or MIN and MAX of a text."""
        read = self.own_label()
        match self.random.randrange(7):
            case 0:
                offset = self.random.choice((None, 1, 2))
                return LogicalNavigation(self.random.choice(("FIRST", "LAST")), read, offset, self.semantics())
            case 1:
                return PhysicalNavigation(self.random.choice(("PREV", "NEXT")), read, self.random.choice((None, 0, 2)))
            case 2:
                return SqlAggregate(self.random.choice(("MIN", "MAX")), read, self.semantics())
            case 3:
                function = self.random.choice(("MIN", "MAX"))
                return SqlAggregate(function, self.argument(SqlKind.VARCHAR), self.semantics())
        return read

    def own_label(self) -> Classifier:
        """CLASSIFIER of a variable."""
        return Classifier(self.variable())

    def argument(self, kind: SqlKind) -> Expression:
        """The argument of an aggregate: a column, sums and products of two, or a CASE; sums of it are exact."""
        variable = self.variable()
        first = self.column(kind, variable)
        chance = self.random.random()
        if chance < 0.65:
            return first
        if chance < 0.85 and kind in NUMBERS:
            return SqlBinary(self.random.choice("+-*"), first, self.literal(kind))
        test = self.row_test(variable)
        return SqlCase((SqlBranch(test, first),), self.random.choice((None, self.literal(kind))))

    def row_test(self, variable: str | None) -> Expression:
        """A test of one column of a variable, or of its label."""
        kind = self.random.choice(self.kinds())
        read = self.column(kind, variable)
        match self.random.randrange(4):
            case 0:
                return NullTest(read, self.random.random() < 0.5)
            case 1 if self.own is None:
                return SqlBinary("=", Classifier(variable), self.label())
            case 2 if kind in NUMBERS:
                return BetweenTest(read, integer(1), integer(3))
        return SqlBinary(self.random.choice(("=", "<", ">=", "<>")), read, self.literal(kind))

    def label(self) -> SqlLiteral:
        """The name of a variable as a text."""
        return SqlLiteral(self.random.choice(self.variables), literal_type(""))

    def row_reads(self, own: str) -> RandomReads:
        """The same for row conditions of a variable."""
        return replace(self, own=own, final=False)
