"""Fields of structs in a data frame of Spark, as columns that a query reads (``spaseq.sources.tables.columns``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from spaseq.sources.tables.columns import path_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType


def with_struct_fields(columns: StructType, wanted: Iterable[str]) -> StructType:
    """The columns, and those of the ``wanted`` ones that are fields of structs."""
    from pyspark.sql.types import StructField, StructType

    found = {name: _type(columns, name) for name in dict.fromkeys(wanted) if name not in columns.names}
    more = [StructField(name, type_) for name, type_ in found.items() if type_ is not None]
    return StructType([*columns.fields, *more])


def selected(df: DataFrame, names: Sequence[str]) -> DataFrame:
    """The columns of these names, and fields of structs, each under its ``handed_name``."""
    from pyspark.sql import functions

    known = df.columns
    paths = ((name,) if name in known else path_of(name, known) or (name,) for name in names)
    quoted = [".".join(f"`{part.replace('`', '``')}`" for part in path) for path in paths]
    return df.select(*(functions.col(path).alias(handed_name(name)) for name, path in zip(names, quoted, strict=True)))


def handed_name(name: str) -> str:
    """What a column is called on its way to a worker: Spark finds none again whose name has dots or backquotes."""
    return name.replace(".", "\n").replace("`", "\r")


def _type(columns: StructType, name: str) -> DataType | None:
    from pyspark.sql.types import StructType

    path = path_of(name, columns.names)
    type_: DataType = columns
    for part in path or ():
        if not isinstance(type_, StructType) or part not in type_.names:
            return None
        type_ = type_[part].dataType
    return type_ if path else None
