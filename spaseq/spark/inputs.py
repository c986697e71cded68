"""What is given to jobs: data frames of Spark, whose columns are looked at before any worker is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spaseq.errors import OptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from spaseq.spark.losses import Losses

COLUMNS = ("stream", "time", "event", "graph")
# By column: the types that it may have, as Spark calls them, and what errors say of them.
_TYPES = {
    "stream": (("string",), "string, not {}"),
    "time": (
        ("timestamp", "timestamp_ntz", "bigint"),
        "timestamp or bigint, not {}; to_timestamp makes one of a text, bigint are microseconds",
    ),
    "event": (("string", "void"), "string, not {}"),
    "graph": (("string", "binary"), "string or binary, not {}"),
}


def event_frames(df: object) -> list[DataFrame]:
    """One data frame of events or several, of their columns alone.

    OptionError: there is none, some are bounded and some are not, or a column is missing or of another type.
    """
    frames = [data_frame(one) for one in (df if isinstance(df, list | tuple) else [df])]
    if not frames:
        raise OptionError("there is no data frame")
    if len({one.isStreaming for one in frames}) > 1:
        raise OptionError("either all data frames are streaming, or none is")
    return [one.select(*event_columns(one.schema)) for one in frames]


def data_frame(given: object) -> DataFrame:
    """What was given; OptionError: it is no data frame of Spark."""
    from pyspark.sql import DataFrame

    if isinstance(given, DataFrame):
        return given
    kind = f"{type(given).__module__.partition('.')[0]}.{type(given).__qualname__}".removeprefix("builtins.")
    hint = ": spark.createDataFrame makes one" if hasattr(given, "columns") or isinstance(given, Sequence) else ""
    raise OptionError(f"rows are a data frame of Spark, not {'None' if given is None else kind}{hint}")


def event_columns(schema: StructType) -> list[str]:
    """The columns of events that there are; ``event`` may be missing.  OptionError: see ``event_frames``."""
    names = schema.names
    if missing := [name for name in COLUMNS if name not in names and name != "event"]:
        raise OptionError(f"a stream of events has the columns {', '.join(COLUMNS)}; {', '.join(missing)} is missing")
    found = [name for name in COLUMNS if name in names]
    for name in found:
        if names.count(name) > 1:
            raise OptionError(f"there are {names.count(name)} columns {name}")
        _check_type(name, schema[name].dataType.simpleString())
    return found


def _check_type(name: str, type_: str) -> None:
    """OptionError: a column of this name cannot have this type."""
    types, message = _TYPES[name]
    if type_.partition(" collate ")[0] not in types:
        raise OptionError(f"the column {name} is of type {message.format(type_[:80])}")


def check_losses(losses: Losses | None, is_streaming: bool) -> None:
    """OptionError: it is none, or the progress of a streaming query tells the same."""
    from spaseq.spark.losses import Losses

    if losses is None:
        return
    if not isinstance(losses, Losses):
        raise OptionError(f"losses is a spaseq.spark.Losses, not {losses!r:.80}")
    if is_streaming:
        raise OptionError("losses counts what bounded jobs leave out; the progress of a streaming query has the same")
