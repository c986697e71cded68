"""Random queries and tables of the oracle, as the engine takes them, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow

from spaseq.errors import LocatedError
from spaseq.languages.sql import parse
from spaseq.tuples.row_patterns.arrow_types import sql_type
from spaseq.tuples.row_patterns.faults import ValueFault
from spaseq.tuples.row_patterns.recognition import StuckError, recognized
from tests.oracle import sql as oracle
from tests.oracle.sql.generate import SqlPair

_TYPES = {
    "BOOLEAN": pyarrow.bool_(), "BIGINT": pyarrow.int64(), "DOUBLE": pyarrow.float64(), "VARCHAR": pyarrow.string(),
    "DATE": pyarrow.date32(), "TIMESTAMP": pyarrow.timestamp("us"), "INTERVAL": pyarrow.duration("us"),
}  # fmt: skip


def arrow_table(table: oracle.SqlTable) -> pyarrow.Table:
    """The rows of a table."""
    types = [_type(each) for each in table.types]
    columns = [pyarrow.array([row[at] for row in table.rows], type_) for at, type_ in enumerate(types)]
    return pyarrow.Table.from_arrays(columns, names=list(table.names))


def _type(type_: Any) -> pyarrow.DataType:
    if str(type_.kind).upper().startswith("DECIMAL"):
        return pyarrow.decimal128(type_.precision, type_.scale)
    return _TYPES[str(type_.kind).upper()]


def found(query: str, table: pyarrow.Table) -> pyarrow.Table:
    """The results of a query on a table."""
    types = {field.name: sql_type(field.type) for field in table.schema}
    known = {name: type_ for name, type_ in types.items() if type_ is not None}
    return recognized(parse(query).on(known), table).results


def plain(value: Any) -> Any:
    """A value as the oracle has it."""
    return tuple(value) if isinstance(value, list) else value


def disagreement(pair: SqlPair, engine: Callable[[str, pyarrow.Table], pyarrow.Table] = found) -> str | None:
    """What the engine finds that the oracle does not, or the other way round; None: nothing."""
    text, table = oracle.query_text(pair.query), arrow_table(pair.table)
    try:
        wanted: oracle.SqlOutput | None = oracle.evaluate(pair.query, pair.table)
    except (oracle.ValueFault, oracle.MatchFault):
        wanted = None
    try:
        given = engine(text, table)
    except (ValueFault, StuckError) as error:
        return None if wanted is None else f"{text}\n{pair.table}\nonly the engine has an error: {error}"
    except LocatedError as error:
        return f"{text}\nrefused: {error}"
    if wanted is None:
        return f"{text}\n{pair.table}\nonly the oracle has an error"
    rows = [tuple(map(plain, row.values())) for row in given.to_pylist()]
    names = list(wanted.names)
    same = len(rows) == len(wanted.rows) and all(map(oracle.same_row, rows, wanted.rows))
    if given.column_names == names and same:
        return None
    return f"{text}\n{pair.table}\n{names}\nwanted {list(wanted.rows)}\ngiven  {given.column_names} {rows}"
