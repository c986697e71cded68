"""What is given to jobs: data frames of Spark, and counters of what is left out; and what workers say of that."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spaseq.errors import OptionError
from spaseq.sources.rdf.wire import WireReport, unread

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spaseq.spark.map_stage import Losses


def data_frame(given: object) -> DataFrame:
    """What was given; OptionError: it is no data frame of Spark."""
    from pyspark.sql import DataFrame

    if isinstance(given, DataFrame):
        return given
    kind = f"{type(given).__module__.partition('.')[0]}.{type(given).__qualname__}".removeprefix("builtins.")
    hint = ": spark.createDataFrame makes one" if hasattr(given, "columns") or isinstance(given, Sequence) else ""
    raise OptionError(f"rows are a data frame of Spark, not {'None' if given is None else kind}{hint}")


def check_losses(losses: Losses | None, is_streaming: bool) -> None:
    """OptionError: it is none, or the progress of a streaming query tells the same."""
    from spaseq.spark.map_stage import Losses

    if losses is None:
        return
    if not isinstance(losses, Losses):
        raise OptionError(f"losses is a spaseq.spark.Losses, not {losses!r:.80}")
    if is_streaming:
        raise OptionError("losses counts what bounded jobs leave out; the progress of a streaming query has the same")


def tell_losses(stream: str, report: WireReport) -> None:
    """What reading dropped, in the log of the worker."""
    for loss in unread(stream, report):
        print(f"spaseq: {loss.line()}", file=sys.stderr)
