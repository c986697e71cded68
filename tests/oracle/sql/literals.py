"""Names and constants as SQL text."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal

from .arithmetic import MICROSECOND
from .expressions import SqlLiteral
from .model import SqlKind

KEYWORD_TEXT = """
SELECT FROM MATCH_RECOGNIZE PARTITION BY ORDER ASC DESC NULLS FIRST LAST MEASURES AS ONE ROW PER MATCH ALL ROWS SHOW
EMPTY MATCHES OMIT WITH UNMATCHED AFTER SKIP PAST TO NEXT PATTERN WITHIN INTERVAL SUBSET DEFINE PERMUTE OR AND NOT IS
NULL DISTINCT IN BETWEEN LIKE ESCAPE CASE WHEN THEN ELSE END CAST TRY_CAST EXTRACT TRUE FALSE DATE TIMESTAMP TIME
RUNNING FINAL PREV CLASSIFIER MATCH_NUMBER COUNT SUM AVG MIN MAX ARRAY_AGG COALESCE NULLIF GREATEST LEAST ABS ROUND
FLOOR CEIL CEILING MOD POWER POW SQRT LOWER UPPER LENGTH SUBSTRING SUBSTR FOR SECOND MINUTE HOUR DAY WEEK MONTH QUARTER
YEAR DOW DOY DAY_OF_WEEK DAY_OF_YEAR BOOLEAN BIGINT INTEGER INT SMALLINT TINYINT DOUBLE DECIMAL VARCHAR REAL WHERE GROUP
HAVING LIMIT UNION JOIN ON USING
"""
KEYWORDS = frozenset(KEYWORD_TEXT.split())
UNITS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}


def name_text(name: str) -> str:
    """A name of a table, a column or an alias, quoted where it would not be one."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.upper() not in KEYWORDS
    return name if plain else '"' + name.replace('"', '""') + '"'


def variable_text(name: str) -> str:
    """A pattern variable, quoted where it would not stay as it is."""
    return name_text(name) if name == name.upper() else '"' + name.replace('"', '""') + '"'


def literal_text(literal: SqlLiteral) -> str:
    """A constant as SQL; a negative number is a minus before one, in parentheses."""
    value = literal.value
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case str():
            return text_literal(value)
        case timedelta():
            return interval_text(value // MICROSECOND)
        case datetime():
            return f"TIMESTAMP '{value.isoformat(' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
    if isinstance(value, int | float | Decimal):
        text = _number_text(-value if value < 0 else value, literal.type.kind)
        return f"(-{text})" if value < 0 else text
    raise TypeError(literal)


def _number_text(value: int | float | Decimal, kind: SqlKind) -> str:
    text = format(value, "f") if isinstance(value, Decimal) else repr(value)
    return f"{text}e0" if kind is SqlKind.DOUBLE and "e" not in text else text


def text_literal(value: str) -> str:
    """A text in quotes."""
    return "'" + value.replace("'", "''") + "'"


def interval_text(microseconds: int) -> str:
    """An interval in its greatest unit that needs no fraction, else in seconds."""
    sign, size = "-" * (microseconds < 0), abs(microseconds)
    unit = next((unit for unit, length in UNITS.items() if size % length == 0), "SECOND")
    whole, rest = divmod(size, UNITS[unit])
    return f"INTERVAL '{sign}{whole}{f'.{rest:06d}' if rest else ''}' {unit}"
