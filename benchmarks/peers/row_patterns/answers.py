"""What Trino and SPAseq say to a query with row patterns, in one form, so that it can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow

from spaseq.errors import LocatedError, SpaseqError
from spaseq.languages.sql import parse
from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.tuples import match
from spaseq.tuples.row_patterns.arrow_types import sql_type
from spaseq.tuples.row_patterns.faults import RowFault
from spaseq.tuples.row_patterns.recognition import recognized

CRASH = "SPAseq crashes"

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """What an engine gives; values have their kinds, so they can be compared."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """What an engine says instead."""

    message: str


Answer = Output | Failure


def read(answer: Mapping[str, Any]) -> Answer:
    """A line of Trino's."""
    if "error" in answer:
        return Failure(answer["error"])
    rows = (tuple(map(_value, row, answer["types"])) for row in answer["rows"])
    return _output(answer["columns"], rows)


_INTERVAL = re.compile(r"(-?)(\d+) (\d+):(\d+):([\d.]+)")
_READ: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("bigint", "integer", "smallint", "tinyint"), int), "double": float, "decimal": Decimal,
    "date": date.fromisoformat, "timestamp": datetime.fromisoformat,
}  # fmt: skip


def _value(value: Any, type_: str) -> Any:
    """A value of Trino's, which is written as text, in Python."""
    if value is None or isinstance(value, bool):
        return value
    if type_.startswith("array("):
        return [_value(item, type_[6:-1]) for item in value]
    if found := _INTERVAL.fullmatch(value) if type_.startswith("interval") else None:
        days, hours, minutes, seconds = map(Decimal, found.groups()[1:])
        span = timedelta(microseconds=int((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000_000))
        return -span if found[1] else span
    return _READ.get(type_.partition("(")[0], str)(value)


def meaning_of(text: str, table: pyarrow.Table) -> RowPatternQuery | None:
    """What our text means on a table; None: we refuse it."""
    types = {field.name: sql_type(field.type) for field in table.schema}
    try:
        return parse(text).on({name: type_ for name, type_ in types.items() if type_ is not None})
    except LocatedError:
        return None


def ours(text: str, table: pyarrow.Table, checked: bool = True) -> Answer:
    """What SPAseq gives; without ``checked`` also if SKIP leads to the first row of each match."""
    try:
        found = match(text, table).to_arrow() if checked else _unchecked(text, table)
    except (SpaseqError, RowFault) as error:
        return Failure(str(error))
    except Exception as error:  # what nobody wrote for a user is a fault of ours
        return Failure(f"{CRASH}: {type(error).__name__}: {error}")
    return _output(found.column_names, zip(*(column.to_pylist() for column in found.columns), strict=True))


def _unchecked(text: str, table: pyarrow.Table) -> pyarrow.Table:
    meaning = meaning_of(text, table)
    assert meaning is not None
    return recognized(meaning, table).results


def _output(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> Output:
    return Output(tuple(map(str.lower, names)), tuple(tuple(map(comparable, row)) for row in rows))


def comparable(value: Any) -> Any:
    """A value with its kind, so that TRUE is not 1 and 1 is not 1.0; NaN is NaN, and -0.0 is 0.0."""
    match value:
        case None:
            return None
        case list():
            return ("list", tuple(map(comparable, value)))
        case float():
            return ("float", "NaN" if value != value else value + 0.0)
        case Decimal():
            return ("Decimal", value, value.as_tuple().exponent)
    return (type(value).__name__, value)


def has_nan(table: pyarrow.Table) -> bool:
    """Whether a value is NaN."""
    return any(value != value for column in table.columns for value in column.to_pylist())


def arranged(output: Output, names: Sequence[str]) -> Output:
    """The columns of these names in this order."""
    places = [output.names.index(name) for name in names]
    return Output(tuple(names), tuple(tuple(row[place] for place in places) for row in output.rows))


def without(answer: Answer, names: frozenset[str]) -> Answer:
    """An answer without columns of these names."""
    if isinstance(answer, Failure) or not names:
        return answer
    return arranged(answer, [name for name in answer.names if name not in names])


def rounded(answer: Answer) -> Answer:
    """An answer whose intervals are rounded to a hundredth of a second: Trino's have milliseconds, or twice as many."""
    if isinstance(answer, Failure):
        return answer
    return Output(answer.names, tuple(tuple(map(_rounded, row)) for row in answer.rows))


def _rounded(value: Any) -> Any:
    match value:
        case ("list", items):
            return ("list", tuple(map(_rounded, items)))
        case ("timedelta", span):
            return ("timedelta", (span + timedelta(milliseconds=5)) // timedelta(milliseconds=10))
    return value
