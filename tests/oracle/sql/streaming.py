"""What is certain of the output while rows still come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from .evaluate import GroupKey, evaluate_groups, group_key, in_order
from .model import SqlQuery, SqlRow, SqlTable
from .values import same_row

SqlRows = tuple[SqlRow, ...]


def in_arrival_order(query: SqlQuery, table: SqlTable) -> SqlTable:
    """The table with its rows as ORDER BY has them, those of all groups mixed: as a stream brings them."""
    return replace(table, rows=in_order(query, table, list(table.rows)))


def certain(query: SqlQuery, prefix: SqlTable, futures: Sequence[Sequence[SqlRow]]) -> dict[GroupKey, SqlRows]:
    """For each group of the prefix, the longest common beginning of its output over all futures of the stream.

    A fault of SKIP TO ends a group's output before the match that has it; a ValueFault is raised.
    """
    outputs = [group_rows(query, replace(prefix, rows=(*prefix.rows, *future))) for future in futures]
    keys = dict.fromkeys(group_key(query, prefix, row) for row in prefix.rows)
    return {key: common_beginning([rows[key] for rows in outputs]) for key in keys}


def group_rows(query: SqlQuery, table: SqlTable) -> dict[GroupKey, SqlRows]:
    """The rows of each group."""
    return {group.key: group.rows for group in evaluate_groups(query, table)}


def common_beginning(outputs: Sequence[SqlRows]) -> SqlRows:
    """The longest beginning that all have."""
    if not outputs:
        return ()
    agreed = takewhile(lambda rows: all(same_row(rows[0], row) for row in rows), zip(*outputs, strict=False))
    return tuple(rows[0] for rows in agreed)
