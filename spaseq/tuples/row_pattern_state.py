"""The state of queries in SQL, as part of that of an engine of tuples."""

from __future__ import annotations

from typing import Any

import pyarrow

from spaseq.errors import OptionError, QueryError
from spaseq.runtime.snapshot.validation import COUNT, Shape
from spaseq.sources.tables.types import read_type
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.columns.serialisation import damaged, require, schema_read, schema_stored
from spaseq.tuples.kind import TableKind
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.row_patterns.row_stream import RowStream
from spaseq.tuples.row_patterns.stream_state import STREAM
from spaseq.tuples.table_query import ENDED, Ended
from spaseq.tuples.tuple_input import TupleInput

# Of a query that has begun: the columns that it reads, and all that there were; either it goes on or is over.
ROW_PATTERN: Shape = {
    "schema": bytes, "names": [str], "first": COUNT, "error": str, "spent": [ENDED], "stream": [STREAM],
    "end_is_told": bool,
}  # fmt: skip


def row_pattern_state(query: RunningRowPattern) -> dict[str, Any]:
    """As part of a query's state.  OptionError: it keeps a whole table."""
    if not query.in_order:
        raise OptionError(
            f"{query.name} is in SQL, and keeps its whole table until the end: there is no state of it;"
            " say which column has the times (time), so that its rows come in their order"
        )
    if not query.has_begun:
        return {"refused": query.error, "entry": [], "rows": [], "pattern": []}
    assert query.schema is not None
    its = {
        "schema": schema_stored({field.name: field.type for field in query.schema}),
        "names": list(query.names_known), "first": query.first, "error": query.error,
        "end_is_told": query.end_is_told,
        "spent": [] if query.ended is None else [query.ended.state()],
        "stream": [query.evaluation.state()] if isinstance(query.evaluation, RowStream) else [],
    }  # fmt: skip
    return {"refused": "", "entry": [], "rows": [], "pattern": [its]}


def restore_row_pattern(kind: TableKind, merged: TupleInput, query: RunningRowPattern, state: dict[str, Any]) -> None:
    """A query goes on where ``state`` was taken, or is over, or has not begun.  SnapshotError: it cannot be."""
    require(len(state["pattern"]) < 2, "a query has two states")
    query.error = state["refused"]
    for its in state["pattern"]:
        require(not query.error and len(its["spent"]) + len(its["stream"]) == 1, "a query goes on, and is over")
        require(bool(its["error"]) == bool(its["spent"]), "a query is over for no reason")
        require(its["first"] <= merged.position, "a query begins later")
        schema = schema_read(its["schema"])
        require(all(read_type(name, type_) == type_ for name, type_ in schema.items()), "columns are of other types")
        query.error, query.first, query.schema = its["error"], its["first"], pyarrow.schema(list(schema.items()))
        query.names_known, query.end_is_told = tuple(its["names"]), its["end_is_told"]
        kind.hear_of(query.prepared.query.table if kind.has_names else "", its["names"])
        for ended in its["spent"]:
            query.ended = Ended(ended["found"], 0, ended["kernel"])
        for stream in its["stream"]:
            require(kind.columns.has(query.schema), "columns are of other types")
            _restore_stream(kind, merged, query, stream)


def _restore_stream(kind: TableKind, merged: TupleInput, query: RunningRowPattern, state: dict[str, Any]) -> None:
    schema, first = query.schema, query.first
    try:
        query.begin(query.names_known, kind.columns, first)
    except QueryError as error:
        raise damaged(f"a query makes no sense: {error.message}") from None
    require(query.schema == schema, "a query reads other columns")
    of_time = max(LEAST if merged.time is None else merged.time, merged.watermark)
    reached = of_time if kind.setting.time is not None else merged.position
    require(state["promised"] <= reached, "time has passed too early")
    assert isinstance(query.evaluation, RowStream)
    query.evaluation.restore(state, merged.position)
