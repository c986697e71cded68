"""``from_rows``: rows of any columns, of which a mapping says what each means, as rows of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import pyarrow

from spaseq.errors import OptionError
from spaseq.graphs.mapped import AnyMapping, located, parsed_mapping
from spaseq.languages.mappings import ParsedMapping
from spaseq.sources.mapped.elements import ColumnPlaces
from spaseq.sources.mapped.source import events_of
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.frames import ArrowSource
from spaseq.spark.data_frames import check_losses, data_frame, tell_losses
from spaseq.spark.packing import EVENT, EVENT_DDL
from spaseq.spark.sources.tables import forgetting, whole_encoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spaseq.spark.map_stage import Losses


def from_rows(
    df: DataFrame, mapping: AnyMapping, stream: str, on_error: str = "stop", losses: Losses | None = None
) -> DataFrame:
    """Rows of any columns as rows for ``match``, events of ``stream`` (a name or IRI); bounded or streaming.

    ``mapping`` says what a row means, a text, the path of a file, or a parsed one.  Rows of one event stand next to
    each other in one partition.  QuerySyntaxError, QueryError: the mapping is none, or asks for a column that is not
    there; OptionError: another argument is wrong.  StreamError, while Spark works: a row is no event
    (``on_error="skip"``: it is left out, and the worker's log says how many were; ``losses`` counts them, of a bounded
    input).
    """
    df, parsed = data_frame(df), parsed_mapping(mapping)
    check_losses(losses, df.isStreaming)
    if on_error not in ("stop", "skip"):
        raise OptionError(f'on_error is "stop" or "skip", not {on_error!r:.80}')
    if not isinstance(stream, str):
        raise OptionError(f"a stream is named by a text, not {stream!r:.80}")
    with located(parsed):
        columns = ColumnPlaces(parsed.mapping.asked, parsed.mapping.each).columns(df.columns)
    chosen = df.select(*(f"`{name.replace('`', '``')}`" for name in columns))
    return chosen.mapInArrow(partial(read_rows, parsed, stream, on_error == "skip", losses=losses), EVENT_DDL)


def read_rows(
    parsed: ParsedMapping,
    stream: str,
    skip: bool,
    batches: Iterable[pyarrow.RecordBatch],
    losses: Losses | None = None,
) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``EVENT`` for rows of a partition; errors as of ``from_rows``."""
    report, encoder, rest = WireReport(), whole_encoder(), iter(batches)
    try:
        for first in islice(rest, 1):
            source = ArrowSource(first.schema, chain([first], rest), {})
            with located(parsed):
                found = events_of(stream, parsed.mapping, source, encoder, WireOptions(skip=skip), report)
                for events in forgetting(found, encoder):
                    if len(events):
                        yield events.to_arrow(pruned=False).cast(EVENT)
    finally:
        tell_losses(stream, report)
        if losses is not None:
            losses.add(skipped=report.skipped)
