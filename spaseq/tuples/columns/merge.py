"""What several streams have in common: the types of their columns, and one that says which stream an event is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow
from pyarrow import types

from spaseq.errors import QueryError
from spaseq.sources.tables.types import CODED_TEXT, Kind, kind_of_type, shown

STREAM = "stream\n"  # the column with the names of the streams: no query can mean it


def common_types(columns: Sequence[str], schemas: Mapping[str, pyarrow.Schema]) -> pyarrow.Schema:
    """The types of columns, each of which some stream has; QueryError if a column is of different kinds."""
    return pyarrow.schema([(name, _common_type(name, schemas)) for name in columns])


def wider(one: pyarrow.DataType, other: pyarrow.DataType) -> pyarrow.DataType | None:
    """The type of a column that has values of both; None: they are of different kinds."""
    if one == other or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    kinds = {kind_of_type(one), kind_of_type(other)}
    if kinds == {Kind.NUMBER}:
        return pyarrow.float64()
    return CODED_TEXT if kinds == {Kind.TEXT} else None


def _common_type(name: str, schemas: Mapping[str, pyarrow.Schema]) -> pyarrow.DataType:
    """The type of a column in all streams that have it."""
    found = {stream: schema.field(name).type for stream, schema in schemas.items() if name in schema.names}
    type_, first = pyarrow.null(), ""
    for stream, other in found.items():
        both = wider(type_, other)
        if both is None:
            there, here = shown(found[first]), shown(other)
            message = f"the attribute {name} is of type {there} in {first}, and of type {here} in {stream}"
            raise QueryError(message, hint="a column's type can be declared")
        type_, first = both, stream if types.is_null(type_) else first
    return type_
