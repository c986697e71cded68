"""Random expressions of a type, and random conditions, of random reads."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .arithmetic import DAY
from .expressions import (
    NULL,
    BetweenTest,
    DistinctTest,
    Expression,
    ExtractField,
    InList,
    LikeTest,
    NullTest,
    SqlBinary,
    SqlBranch,
    SqlCall,
    SqlCase,
    SqlCast,
    SqlLiteral,
    SqlUnary,
    decimal,
    double,
    integer,
    varchar,
)
from .model import INTERVAL, SqlKind
from .random_reads import RandomReads
from .values import NUMBERS, TIMES, order_key

PATTERNS = (
    ("a%", None),
    ("%b", None),
    ("_", None),
    ("%", None),
    ("x!_y", "!"),
    ("50#%", "#"),
    ("_%_", None),
    ("", None),
)
DATE_FIELDS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAY_OF_WEEK", "DOW", "DAY_OF_YEAR", "DOY")
TIME_FIELDS = ("HOUR", "MINUTE", "SECOND")
TIME_TEXTS = {
    SqlKind.DATE: ("2026-11-30", "2026-02-30", "soon"),
    SqlKind.TIMESTAMP: ("2026-11-28 10:21:00", "2026-11-28T10:22:30.5", "2026-11-28 25:00:00", "soon"),
}
COMPARISON_SIGNS = ("=", "<>", "!=", "<", "<=", ">", ">=", ">=", "<=")
TRIED = ("BIGINT", "INTEGER", "SMALLINT", "TINYINT", "INT")


@dataclass(frozen=True, slots=True)
class RandomExpressions:
    """Expressions of what `reads` reads; all_functions: not only those that conditions on the match may have."""

    reads: RandomReads
    all_functions: bool

    @property
    def random(self) -> Random:
        """The source of chance."""
        return self.reads.random

    def kind(self) -> SqlKind:
        """The kind of a column."""
        return self.random.choice(self.reads.kinds())

    def scalar(self, kind: SqlKind, depth: int) -> Expression:
        """An expression of a kind."""
        if kind is SqlKind.BOOLEAN and depth > 0 and self.random.random() < 0.5:
            return self.condition(depth - 1)
        if depth == 0 or self.random.random() < 0.3:
            return self.reads.read(kind) if self.random.random() < 0.85 else self.reads.literal(kind)
        if self.random.random() < 0.3 or kind is SqlKind.BOOLEAN:
            return self._choice(kind, depth - 1)
        if self.all_functions and self.random.random() < 0.6:
            return self._function(kind, depth - 1)
        return self._calculation(kind, depth - 1)

    def _choice(self, kind: SqlKind, depth: int) -> Expression:
        """CASE, COALESCE, GREATEST, LEAST or NULLIF."""
        one, other = self.scalar(kind, depth), self.scalar(kind, depth)
        match self.random.randrange(6):
            case 0:
                otherwise = self.random.choice((None, NULL, other, other))
                return SqlCase((SqlBranch(self.condition(depth), one),), otherwise)
            case 1:
                branches = (SqlBranch(self.reads.literal(kind), one), SqlBranch(self.reads.literal(kind), NULL))
                return SqlCase(branches[: self.random.randint(1, 2)], other, operand=self.scalar(kind, depth))
            case 2:
                return SqlCall("COALESCE", (one, other, self.reads.literal(kind))[: self.random.randint(2, 3)])
            case 3:
                return SqlCall(self.random.choice(("GREATEST", "LEAST")), (one, other))
        return SqlCall("NULLIF", (one, self.reads.literal(self._meeting(kind))))

    def _meeting(self, kind: SqlKind) -> SqlKind:
        """A kind that meets this one, often itself."""
        return self.random.choice((kind, *next((kinds for kinds in (NUMBERS, TIMES) if kind in kinds), ())))

    def _calculation(self, kind: SqlKind, depth: int) -> Expression:
        """Arithmetic, or ABS; of texts the other functions if they may be."""
        if kind in NUMBERS:
            return self._number(kind, depth)
        match kind:
            case SqlKind.DATE:
                days = SqlLiteral(self.random.choice((1, 2, 7)) * DAY, INTERVAL)
                return SqlBinary(self.random.choice("+-"), self.scalar(kind, depth), days)
            case SqlKind.TIMESTAMP:
                moved = self.reads.literal(SqlKind.INTERVAL)
                return SqlBinary(self.random.choice("+-"), self.scalar(kind, depth), moved)
            case SqlKind.INTERVAL:
                return self._interval(depth)
        return SqlBinary("||", *self._both(kind, depth)) if self.all_functions else self._choice(kind, depth)

    def _both(self, kind: SqlKind, depth: int) -> tuple[Expression, Expression]:
        return self.scalar(kind, depth), self.scalar(kind, depth)

    def _number(self, kind: SqlKind, depth: int) -> Expression:
        """+ - * / % of numbers, their signs, and ABS."""
        first = self.scalar(kind, depth)
        match self.random.randrange(8):
            case 0:
                return SqlCall("ABS", (first,))
            case 1:
                return SqlUnary(self.random.choice("--+"), first)
            case 2 | 3:
                return SqlBinary(self.random.choice("/%"), first, self._divisor(kind))
            case 4:
                narrow = SqlKind.BIGINT if kind is SqlKind.BIGINT else self.random.choice((SqlKind.BIGINT, kind))
                return SqlBinary("*", first, self.reads.literal(narrow))
        other = self.scalar(self._narrower(kind), depth)
        return SqlBinary(self.random.choice("+-"), *self.random.sample((first, other), 2))

    def _narrower(self, kind: SqlKind) -> SqlKind:
        """A kind that meets another in that one."""
        kinds = NUMBERS[: NUMBERS.index(kind) + 1]
        return self.random.choice((kind, kind, self.random.choice(kinds)))

    def _divisor(self, kind: SqlKind) -> Expression:
        """A number that is not zero, or a DOUBLE."""
        if kind is SqlKind.DOUBLE:
            return double(self.random.choice((2.0, 4.0, 0.5, 0.0)))
        if self.all_functions and self.random.random() < 0.4:
            return SqlCall("NULLIF", (self.reads.read(kind), integer(0)))
        if self.random.random() < 0.3:
            read = self.reads.read(kind)
            test = SqlBinary("=", read, integer(0))
            return SqlCase((SqlBranch(test, integer(1)),), otherwise=read)
        return integer(self.random.choice((2, 3))) if kind is SqlKind.BIGINT else decimal(self._digits())

    def _digits(self) -> str:
        return self.random.choice(("2.0", "0.5", "1.25", "3.0"))

    def _interval(self, depth: int) -> Expression:
        kind = self.random.choice(TIMES)
        if not self.reads.names(kind):
            return SqlUnary("-", self.reads.literal(SqlKind.INTERVAL))
        difference = SqlBinary("-", *self._both(kind, depth))
        match self.random.randrange(4):
            case 0:
                return SqlBinary("*", difference, integer(2))
            case 1:
                return SqlBinary(self.random.choice("+-"), difference, self.reads.literal(SqlKind.INTERVAL))
        return difference

    def _function(self, kind: SqlKind, depth: int) -> Expression:
        """A function or a cast that conditions on the match do not have."""
        match kind:
            case SqlKind.BIGINT:
                return self._to_bigint(depth)
            case SqlKind.DOUBLE:
                return self._to_double(depth)
            case SqlKind.DECIMAL:
                return self._to_decimal(depth)
            case SqlKind.VARCHAR:
                return self._to_text(depth)
            case SqlKind.DATE | SqlKind.TIMESTAMP:
                return self._to_time(kind, depth)
        return self._choice(kind, depth)

    def _to_time(self, kind: SqlKind, depth: int) -> Expression:
        match self.random.randrange(4):
            case 0:
                return SqlCast(varchar(self.random.choice(TIME_TEXTS[kind])), str(kind), tried=True)
            case 1 if kind is SqlKind.DATE:
                return SqlCast(self.scalar(SqlKind.VARCHAR, 0), "DATE", tried=True)
        return SqlCast(self.scalar(SqlKind.TIMESTAMP if kind is SqlKind.DATE else SqlKind.DATE, depth), str(kind))

    def _tried(self, kinds: tuple[SqlKind, ...], target: str, digits: tuple[int, ...], depth: int) -> SqlCast:
        """TRY_CAST of a kind; texts are as they are read, so that their form is one that the spec has."""
        kind = self.random.choice(kinds)
        operand = self.scalar(kind, 0 if kind is SqlKind.VARCHAR else depth)
        return SqlCast(operand, target, digits, tried=True)

    def _to_bigint(self, depth: int) -> Expression:
        match self.random.randrange(7):
            case 0:
                return SqlCall("LENGTH", (self.scalar(SqlKind.VARCHAR, depth),))
            case 1 | 2:
                time = self.random.choice([kind for kind in TIMES if self.reads.names(kind)] or [SqlKind.DATE])
                fields = DATE_FIELDS if time is SqlKind.DATE else (*DATE_FIELDS, *TIME_FIELDS, *TIME_FIELDS)
                return ExtractField(self.random.choice(fields), self.scalar(time, depth))
            case 3:
                other = self.random.choice((SqlKind.DECIMAL, SqlKind.BOOLEAN))
                return SqlCast(self.scalar(other, depth), self.random.choice(("BIGINT", "INTEGER")))
            case 4:
                kinds = (SqlKind.VARCHAR, SqlKind.DOUBLE, SqlKind.BIGINT)
                return self._tried(kinds, self.random.choice(TRIED), (), depth)
            case 5:
                return SqlCall("MOD", (self.scalar(SqlKind.BIGINT, depth), self._divisor(SqlKind.BIGINT)))
        return self._rounded(SqlKind.BIGINT, depth)

    def _rounded(self, kind: SqlKind, depth: int) -> Expression:
        operand = self.scalar(kind, depth)
        name = self.random.choice(("ROUND", "ROUND", "ROUND", "FLOOR", "CEIL", "CEILING"))
        digits = (integer(1),) if name == "ROUND" and self.random.random() < 0.5 else ()
        return SqlCall(name, (operand, *digits))

    def _to_double(self, depth: int) -> Expression:
        match self.random.randrange(5):
            case 0:
                operand = self.scalar(self._narrower(SqlKind.DOUBLE), depth)
                return SqlCall(self.random.choice(("POWER", "POW")), (operand, integer(2)))
            case 1:
                return SqlCall("SQRT", (self.scalar(self._narrower(SqlKind.DOUBLE), depth),))
            case 2:
                return SqlCast(self.scalar(self._narrower(SqlKind.DECIMAL), depth), "DOUBLE")
            case 3:
                return self._tried((SqlKind.VARCHAR,), "DOUBLE", (), depth)
        return self._rounded(SqlKind.DOUBLE, depth)

    def _to_decimal(self, depth: int) -> Expression:
        match self.random.randrange(3):
            case 0:
                return SqlCast(self.scalar(SqlKind.BIGINT, depth), "DECIMAL", (14, 2))
            case 1:
                kinds = (SqlKind.VARCHAR, SqlKind.DOUBLE, SqlKind.DECIMAL)
                return self._tried(kinds, "DECIMAL", self.random.choice(((6, 2), (3, 1), (5,))), depth)
        return self._rounded(SqlKind.DECIMAL, depth)

    def _to_text(self, depth: int) -> Expression:
        text = self.scalar(SqlKind.VARCHAR, depth)
        match self.random.randrange(5):
            case 0:
                return SqlCall(self.random.choice(("LOWER", "UPPER")), (text,))
            case 1:
                name = self.random.choice(("SUBSTRING", "SUBSTR", "SUBSTRING FROM"))
                places = tuple(
                    integer(self.random.choice((0, 1, 2, -1, -2, 5))) for _ in range(self.random.randint(1, 2))
                )
                return SqlCall(name, (text, *places))
            case 2 | 3:
                kinds = [kind for kind in self.reads.kinds() if kind is not SqlKind.VARCHAR]
                kind = self.random.choice(kinds)
                if kind is SqlKind.DOUBLE:  # only columns: nobody promises the sign of a zero that is calculated
                    return SqlCast(self.reads.column(kind, self.reads.variable()), "VARCHAR")
                return SqlCast(self.scalar(kind, depth), "VARCHAR")
        return SqlBinary("||", *self._both(SqlKind.VARCHAR, depth))

    def condition(self, depth: int) -> Expression:
        """A condition."""
        if depth > 0 and self.random.random() < 0.4:
            one, other = self.condition(depth - 1), self.condition(depth - 1)
            match self.random.randrange(5):
                case 0:
                    return SqlUnary("NOT", one)
                case 1 | 2:
                    return SqlBinary("AND", one, other)
            return SqlBinary("OR", one, other)
        return self.test(depth + (self.random.random() < 0.4))

    def test(self, depth: int) -> Expression:
        """A condition without AND, OR and NOT around."""
        kind = self.kind()
        operand = self.scalar(kind, depth)
        negated = self.random.random() < 0.3
        match self.random.randrange(12):
            case 0:
                return NullTest(operand, negated)
            case 1:
                return DistinctTest(operand, self._compared(kind, depth), negated)
            case 2:
                return InList(operand, self._items(kind), negated)
            case 3:
                low, high = self._bounds(kind)
                return BetweenTest(operand, low, high, negated)
            case 4 if self.all_functions:
                pattern, escape = self.random.choice(PATTERNS)
                return LikeTest(self.scalar(SqlKind.VARCHAR, depth), varchar(pattern), escape, negated)
            case 5:
                return self.reads.read(SqlKind.BOOLEAN)
        return SqlBinary(self.random.choice(COMPARISON_SIGNS), operand, self._compared(kind, depth))

    def _bounds(self, kind: SqlKind) -> list[SqlLiteral]:
        bounds = [self.reads.literal(kind), self.reads.literal(kind)]
        return sorted(bounds, key=lambda literal: order_key(literal.value))

    def _items(self, kind: SqlKind) -> tuple[Expression, ...]:
        items = tuple(self.reads.literal(kind) for _ in range(self.random.randint(1, 3)))
        return (*items, NULL) if self.random.random() < 0.2 else items

    def _compared(self, kind: SqlKind, depth: int) -> Expression:
        """What an operand of a kind is compared with: a constant, or another operand that it meets."""
        chance = self.random.random()
        if chance < 0.5:
            return self.reads.literal(kind)
        if chance < 0.6 and (kind in NUMBERS or kind in TIMES):
            return self.scalar(self.random.choice(NUMBERS if kind in NUMBERS else TIMES), depth)
        return NULL if chance > 0.98 else self.scalar(kind, depth)
