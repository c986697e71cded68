"""Random small tables: a key, columns to order by, and columns of all types."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from .model import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    TIMESTAMP,
    VARCHAR,
    SqlKind,
    SqlTable,
    SqlType,
    SqlValue,
    decimal_type,
)

FIRST_DAY = date(2026, 11, 28)
FIRST_TIME = datetime(2026, 11, 28, 10, 20)
TEXTS = ("a", "b", "ab", "B", "A", "", "7", "2.50", "true", "x_y", "50%", "a'b", "2026-11-30", "é", "Maß")
ODD_NAMES = ("Order", "two words", 'say "x"', "end", "V", "1st", "Größe")


@dataclass(frozen=True, slots=True)
class RandomColumn:
    """A column: its values, and how often they are NULL."""

    name: str
    type: SqlType
    value: Callable[[Random], SqlValue]
    nulls: float = 0.0


def random_table(random: Random, odd_names: bool) -> SqlTable:
    """A table of 0 to 12 rows with k and v, one of t, ts and d at least, and some others."""
    columns = [_column(random, "k"), _column(random, "v"), _column(random, random.choice(("t", "ts", "d")))]
    taken = [column.name for column in columns]
    others = [name for name in ("t", "ts", "d", "w", "x", "p", "s", "b") if name not in taken]
    columns += [_column(random, name) for name in random.sample(others, random.randint(1, 5))]
    if odd_names:
        place = random.randrange(len(columns))
        columns[place] = replace(columns[place], name=random.choice(ODD_NAMES))
    random.shuffle(columns)
    size = random.choice((0, 1, 2, 3, *range(4, 13), *range(5, 13)))
    rows = tuple(tuple(_value(random, column) for column in columns) for _ in range(size))
    return SqlTable(tuple(column.name for column in columns), tuple(column.type for column in columns), rows)


def _value(random: Random, column: RandomColumn) -> SqlValue:
    return None if random.random() < column.nulls else column.value(random)


def _column(random: Random, name: str) -> RandomColumn:
    """One of the columns that tables are made of."""
    nulls = random.choice((0.0, 0.0, 0.15))
    match name:
        case "k":
            keys = random.choice((("one",), ("one", "two"), ("one", "two", "three"), ("one", "two", None)))
            return RandomColumn(name, VARCHAR, lambda r: r.choice(keys))
        case "t":
            return RandomColumn(name, BIGINT, lambda r: r.randint(1, 15), nulls)
        case "ts":
            return RandomColumn(name, TIMESTAMP, random_timestamp, nulls)
        case "d":
            return RandomColumn(name, DATE, random_date, nulls)
        case "x":
            return RandomColumn(name, DOUBLE, random.choice((random_double, random_double, _double_or_nan)), nulls)
        case "p":
            return RandomColumn(name, decimal_type(2, 10), random_decimal, nulls)
        case "s":
            return RandomColumn(name, VARCHAR, random_text, nulls)
        case "b":
            return RandomColumn(name, BOOLEAN, lambda r: r.random() < 0.5, nulls)
    return RandomColumn(name, BIGINT, lambda r: r.randint(0, 5), nulls)


def random_timestamp(random: Random) -> datetime:
    """One of few times within some minutes, now and then with microseconds."""
    extra = random.choice((0, 0, 0, 0, 500_000, 123_456))
    return FIRST_TIME + timedelta(seconds=30 * random.randint(0, 11), microseconds=extra)


def random_date(random: Random) -> date:
    """One of few days, around the end of a year now and then."""
    return FIRST_DAY + timedelta(days=random.choice((0, 1, 2, 3, 4, 5, 6, 7, 34, 35)))


def random_double(random: Random) -> float:
    """A small multiple of 0.25."""
    return random.randint(-4, 12) / 4


def _double_or_nan(random: Random) -> float:
    return random.choice((math.nan, -0.0, random_double(random), random_double(random), random_double(random)))


def random_decimal(random: Random) -> Decimal:
    """A small number with two digits behind the point."""
    return Decimal(random.choice(("0.00", "0.50", "1.00", "1.25", "2.00", "2.05", "3.33", "-1.50", "4.99", "5.00")))


def random_text(random: Random) -> str:
    """One of few texts, the first ones more often."""
    return random.choice((*TEXTS[:3], *TEXTS[:3], *TEXTS))


def random_value(random: Random, kind: SqlKind) -> SqlValue:
    """A value like those in the tables."""
    match kind:
        case SqlKind.BIGINT:
            return random.choice((0, 1, 2, 2, 3, 3, 4, 5))
        case SqlKind.DOUBLE:
            return random_double(random)
        case SqlKind.DECIMAL:
            return random_decimal(random)
        case SqlKind.VARCHAR:
            return random_text(random)
        case SqlKind.BOOLEAN:
            return random.random() < 0.5
        case SqlKind.DATE:
            return random_date(random)
        case SqlKind.TIMESTAMP:
            return random_timestamp(random)
    return timedelta(**{random.choice(("seconds", "minutes", "hours", "days")): random.choice((-1, 1, 2, 3))})
