"""One job of ``spaseq spark``: what it reads, and its results as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import pyarrow

from spaseq.pattern.sequences import Query, Selection
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from spaseq.sources.rdf.files import expand, is_plain_nquads
from spaseq.spark.job import Job
from spaseq.spark.packing import RESULT, packed, unpacked
from spaseq.spark.tables import derived_events, match_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class ResultPiece(NamedTuple):
    """A piece of what a job gives."""

    tables: list[MatchTable]
    late: Sequence[DerivedEvent]


@dataclass(frozen=True, slots=True)
class SparkJob:
    """A ``job`` over files by the IRI of their stream, read with ``reading`` (options of ``rdfstream``)."""

    session: SparkSession
    job: Job
    sources: Mapping[str, str]
    reading: Mapping[str, str] = field(default_factory=dict)

    def bounded(self) -> list[DataFrame]:
        """All that is there, a data frame for each stream."""
        reader = self.session.read.format("rdfstream").options(**self.reading)
        return [reader.option("stream", iri).load(path) for iri, path in self.sources.items()]

    def unbounded(self) -> list[DataFrame]:
        """What is there and what comes; files of N-Quads may grow."""
        frames = []
        for iri, path in self.sources.items():
            follow = str(all(map(is_plain_nquads, expand(path)))).lower()
            reader = self.session.readStream.format("rdfstream").options(**self.reading, stream=iri, follow=follow)
            frames.append(reader.load(path))
        return frames

    def empty(self, query: str) -> MatchTable:
        """A table of a query without results."""
        engine, _ = self.job.reader()
        return engine.core.query_named(query).empty()

    def results(self, rows: DataFrame) -> Iterator[ResultPiece]:
        """What is in rows of results, in order of their last and first times; they come to the driver by pieces."""
        from pyspark.sql import functions

        columns = {plan.query.name: _variables(plan.query) for plan in self.job.plans}
        # Not orderBy: to find how to part the rows, that would do the whole job twice.
        others = ("map_values(events)", "map_values(bindings)", "query")  # so that no order is left to chance
        order = [functions.expr(one) for one in ("last", "first", *others)]
        ordered = rows.select(*RESULT.names).repartition(1).sortWithinPartitions(*order)
        for piece in ordered.mapInArrow(pack, "data binary").toLocalIterator():
            found = unpacked(bytes(piece["data"]))
            late = found.filter(found["query"].is_null())
            yield ResultPiece(list(match_tables(found, columns)), derived_events(late["derived"]))


def pack(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Each batch as one value."""
    for batch in batches:
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([packed(batch)], pyarrow.binary())], ["data"])


def _variables(query: Query) -> tuple[str, ...]:
    return tuple(item.name for item in query.form.projections) if isinstance(query.form, Selection) else ()
