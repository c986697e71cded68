"""The first stage of a job with a query in CEQL: rows of a data frame are read as events, packed for their engines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute

from nfa_native.automata.kinds import Evaluating
from spaseq.errors import OptionError, StreamError
from spaseq.pattern.formulas.parameters import ConstantRow
from spaseq.pattern.formulas.query import EventWindow, FormulaQuery, SelectionStrategy
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.plan.formulas.rule_conditions import rule_conditions
from spaseq.runtime.guards import Soundness
from spaseq.sources.tables.columns import path_of
from spaseq.sources.tables.frames import ArrowSource
from spaseq.sources.tables.types import ValueKind, kind_of_type, usual, usual_schema
from spaseq.spark.cluster import row_place, task_name
from spaseq.spark.jobs import PackedForm
from spaseq.spark.map_stage import tick, told_skipped
from spaseq.spark.packing import Packer, Share
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.columns.vectors import Mask
from spaseq.tuples.encoding.batches import Roles, check_roles, existing, type_column_of
from spaseq.tuples.encoding.symbols import Symbols
from spaseq.tuples.encoding.times import Clock
from spaseq.tuples.kind import TableKind
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.pushed_rows import Pushed, PushedPart
from spaseq.tuples.queries import Prepared, ReadingOptions, atoms_of, with_times

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


TIME = "time\n"  # the time of a packed row: no query can mean it
ROW = "row\n"  # the number of a row in its engine
INSTANT = pyarrow.timestamp("us", "UTC")
ONLY = ""  # the stream that has no name


@dataclass(frozen=True)
class TableReading:
    """How the columns ``given`` (in the types of Spark) are read for a query; ``options`` say what they are for.

    ``late``: rows that are late are shown, too.  ``sharing``: rows of parameters run together where they can; ``here``
    are those that an engine runs (None: all).
    """

    query: Prepared
    options: ReadingOptions
    given: pyarrow.Schema
    late: bool = False
    sharing: bool = True
    here: tuple[ConstantRow, ...] | None = None

    @property
    def time(self) -> str:
        """The column with the times."""
        assert self.options.time is not None
        return self.options.time

    @property
    def shows_rows(self) -> bool:
        """Whether results show all columns of rows."""
        query = self.query.query
        return self.late or (
            not query.aggregates and (not query.columns or any(isinstance(one, str) for one in query.columns))
        )

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The columns that engines read."""
        options = self.options
        own = (None if options.relation is not None else options.type or "type", options.stream)
        return existing((*own, *self.query.columns), self.given.names)

    @cached_property
    def packed(self) -> pyarrow.Schema:
        """The columns of packed rows: the time as such, and what engines read or results show."""
        names = self.given.names if self.shows_rows else self.asked
        is_time = self.given.field(self.time).type == INSTANT
        rest = [self.given.field(name) for name in names if not (is_time and name == self.time)]
        return pyarrow.schema([pyarrow.field(TIME, INSTANT), *rest])

    @property
    def usual(self) -> pyarrow.Schema:
        """The columns that engines read, in the types in which they do."""
        fields = (self.given.field(name) for name in self.asked)
        read = [field.with_type(pyarrow.timestamp("us")) if self._is_read(field.name) else field for field in fields]
        return usual_schema(pyarrow.schema(read))

    def _is_read(self, name: str) -> bool:
        """Whether the column has times that are texts: engines have them as times."""
        return name == self.time and kind_of_type(self.given.field(name).type) is ValueKind.TEXT

    def place(self, name: str) -> str:
        """Where packed rows have a column."""
        return name if name in self.packed.names else TIME

    @property
    def running(self) -> Prepared:
        """The query with the rows that an engine runs."""
        return self.query if self.here is None else self.query.with_rows(self.here)

    def known(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """A batch with the names and types that are known: Spark may have its times in another zone, longer texts."""
        columns = [cast(batch[handed_name(field.name)], field.type) for field in self.given]
        return pyarrow.RecordBatch.from_arrays(columns, schema=self.given)

    def types(self) -> ColumnTypes:
        """The types of columns for an engine."""
        own = {TIME: pyarrow.timestamp("us"), **dict.fromkeys(self.kept, pyarrow.int64())}
        return ColumnTypes({field.name: field.type for field in self.usual} | own)

    def tables(self) -> TableKind:
        """What runs the query, which is still to be registered."""
        setting = replace(self.options, time=TIME, form=None).setting(has_names=False)
        return TableKind(
            setting, self.types(), Soundness("this engine"), sharing=self.sharing, evaluation=Evaluating.EAGER
        )

    def begun(self) -> tuple[TableKind, AnyTupleQuery]:
        """The query at work; QueryError: it makes no sense for the columns that there are."""
        tables = self.tables()
        query = tables.query(ONLY, self.running, extra=self.kept)
        tables.register(query)
        tables.check_named_columns()
        tables.core.clock(ONLY)
        tables.begin(query, tables.input_of(query))
        return tables, query

    @property
    def kept(self) -> tuple[str, ...]:
        """What an engine remembers of rows that are in matches."""
        return () if self.query.query.aggregates else (ROW,)

    def batch(self, rows: pyarrow.Table, numbers: pyarrow.Array | None) -> pyarrow.RecordBatch:
        """Packed rows, which have these numbers if some are ``kept``, as an engine reads them."""
        places = {name: TIME if self._is_read(name) else self.place(name) for name in self.usual.names}
        columns = {field.name: usual(whole_column(rows[places[field.name]]), field.type) for field in self.usual}
        columns[TIME] = whole_column(rows[TIME]).cast(pyarrow.timestamp("us"))
        return pyarrow.RecordBatch.from_pydict(columns | dict.fromkeys(self.kept, numbers))


def table_reading(
    query: Prepared, options: ReadingOptions, columns: StructType, late: bool = False, sharing: bool = True
) -> TableReading:
    """How a data frame with these columns is read.

    QueryError, OptionError: the query or the options make no sense for it, or a column has a type that Arrow has not.
    """
    roles = Roles(options.type, options.relation, time=options.time, unit=options.unit, stream_column=options.stream)
    check_roles(roles, columns.names)
    columns = with_struct_fields(columns, query.columns)
    own = (type_column_of(roles, columns.names), options.stream, options.time)
    names = existing((*own, *query.columns), columns.names)
    reading = TableReading(query, options, arrow_schema(columns, names), late, sharing)
    if reading.shows_rows:
        reading = replace(reading, given=arrow_schema(columns, existing(columns.names, columns.names)))
    _check_time(reading)
    reading.begun()
    return reading


def _check_time(reading: TableReading) -> None:
    """OptionError, QueryError: the column with the times has none."""
    source = with_times(ArrowSource(reading.given, iter(()), {}), reading.options)
    Clock(reading.time, reading.options.unit, source.choose([reading.time]))


def arrow_schema(columns: StructType, names: Sequence[str]) -> pyarrow.Schema:
    """Some columns as Arrow has them.  OptionError: one is of a type that it has not."""
    return pyarrow.schema(list(_fields(columns, names)))


def _fields(columns: StructType, names: Sequence[str]) -> Iterator[pyarrow.Field]:
    """Some columns as Arrow has them; OptionError for a type that it has not."""
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import to_arrow_type

    for name in names:
        type_ = columns[name].dataType
        try:
            yield pyarrow.field(name, to_arrow_type(type_, timezone="UTC"))
        except PySparkException:
            raise OptionError(f"the column {name} is of type {type_.simpleString()}, which Arrow has not") from None


def whole_column(column: pyarrow.ChunkedArray) -> pyarrow.Array:
    """A column as one array."""
    found = column.combine_chunks()
    return found.chunk(0) if isinstance(found, pyarrow.ChunkedArray) else found


Buckets = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class RowRouter:
    """Routes rows in the types in which engines read them; ``keys``: they are cut by these into ``buckets``.

    ``wanted``: the only values of the first key that are of use; None: any are.
    """

    def __init__(
        self, reading: TableReading, keys: tuple[str, ...], buckets: int, wanted: pyarrow.Array | None = None
    ) -> None:
        query, options = reading.query.query, reading.options
        plan = reading.query.plan_for(reading.usual)
        if query.given is not None:
            plan = replace(plan, atoms=rule_conditions(plan).atoms)  # what all rows ask of events
        own = query.streams[0] if options.stream is None and query.streams else None
        type_column = None if options.relation is not None else options.type or "type"
        self._streams = query.streams if options.stream is not None else ()
        self._stream_column = options.stream
        self._counts = counts_rows(query, plan)
        self._keys, self._buckets, self._wanted = keys, buckets, wanted
        self._symbols = Symbols(
            atoms_of(plan, own), reading.usual, type_column=type_column, relation=options.relation,
            stream_column=options.stream,
        )  # fmt: skip

    def route(self, rows: pyarrow.RecordBatch) -> Iterator[tuple[int, Places]]:
        """The numbers of the engines that rows go to, each with the places of its rows, rising."""
        used = self._used(rows)
        if not self._keys:
            if used.any():
                yield 0, np.flatnonzero(used)
            return
        used &= np.logical_and.reduce([rows[key].is_valid().to_numpy(zero_copy_only=False) for key in self._keys])
        if self._wanted is not None:
            used &= _is_among(rows[self._keys[0]], self._wanted)
        places = np.flatnonzero(used)
        buckets = buckets_of([rows[key].take(pyarrow.array(places)) for key in self._keys], self._buckets)
        order = np.argsort(buckets, kind="stable")
        found, begins = np.unique(buckets[order], return_index=True)
        for bucket, begin, end in zip(found.tolist(), begins, np.append(begins, len(order))[1:], strict=True):
            yield bucket, places[order[begin:end]]

    def _used(self, rows: pyarrow.RecordBatch) -> Mask:
        """The rows of the streams that there are which an atom matches, or that count."""
        used = np.ones(len(rows), np.bool_)
        if self._streams:
            chosen = pyarrow.compute.is_in(rows[self._stream_column], pyarrow.array(self._streams))
            used &= chosen.to_numpy(zero_copy_only=False)
        if not self._counts:
            symbols = self._symbols.number(rows)
            used &= np.array(self._symbols.masks, object).astype(np.bool_)[symbols]
        return used


def counts_rows(query: FormulaQuery, plan: RecognitionPlan) -> bool:
    """Whether rows matter that no atom matches: what follows directly on what, and how many are in a window."""
    if isinstance(query.window, EventWindow) or query.strategy is SelectionStrategy.STRICT:
        return True
    return any(state.directly_after for state in plan.automaton.states)


def _is_among(column: pyarrow.Array, values: pyarrow.Array) -> Mask:
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pyarrow.types.is_floating(column.type):  # -0.0 equals 0.0
        column, values = (pyarrow.compute.add(one, 0.0) for one in (column, values))
    found: Mask = pyarrow.compute.is_in(column, values.cast(column.type)).to_numpy(zero_copy_only=False)
    return found


def buckets_of(keys: list[pyarrow.Array], buckets: int) -> Buckets:
    """The bucket of each key (n), whose parts are columns of usual types without NULL."""
    mixed: Buckets = np.zeros(len(keys[0]), np.uint64)
    for column in keys:
        mixed = (mixed ^ hashes(column)) * _FACTORS[0]
        mixed ^= mixed >> np.uint64(32)
    return mixed % np.uint64(buckets)


def hashes(column: pyarrow.Array) -> Buckets:
    """A number for each value (n), equal wherever values are."""
    if pyarrow.types.is_string(column.type):
        column = column.dictionary_encode()
    if pyarrow.types.is_dictionary(column.type):
        known = [crc32((text or "").encode()) for text in column.dictionary.to_pylist()]
        values: Buckets = np.array([*known, 0], np.uint64)[column.indices.to_numpy()]
    elif pyarrow.types.is_floating(column.type):
        values = (column.to_numpy() + 0.0).view(np.uint64)
    else:
        values = column.cast(pyarrow.int64()).to_numpy().view(np.uint64)
    mixed: Buckets = (values ^ (values >> np.uint64(31))) * _FACTORS[1]
    mixed ^= mixed >> np.uint64(29)
    return mixed


Routed = list[tuple[int, Places]]


class RowsReading(Protocol):
    """How rows of a data frame are read before the shuffle."""

    @property
    def options(self) -> ReadingOptions:
        """What the columns are for."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The columns by which rows are routed."""

    @property
    def time(self) -> str:
        """The column with the times."""

    def types(self) -> ColumnTypes:
        """The types of columns where they are read."""

    def known(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """A batch of Spark with the names and types that are known."""


class RowRouting(Protocol):
    """Says which rows go to which engine."""

    def route(self, rows: pyarrow.RecordBatch) -> Iterator[tuple[int, Places]]:
        """The numbers of the engines that rows go to, each with the places of its rows, rising."""


class RowReader(Protocol):
    """For whom rows are read, and how."""

    @property
    def reading(self) -> RowsReading:
        """What the columns are for."""

    def router(self) -> RowRouting:
        """Who says where rows go."""

    @property
    def labels(self) -> Sequence[int]:
        """The label of each engine by number."""

    @property
    def form(self) -> PackedForm:
        """How rows are packed."""


def sift(job: RowReader, batches: Iterable[pyarrow.RecordBatch], ticks: bool) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``PACKED`` for rows: what no atom matches is left out, unless it counts.

    ``ticks``: one more row has the latest time of all rows, whether they are left out or not, how many had none, and
    how many were left out.  StreamError: a row has no time, or a value is none.
    """
    reading, packer, latest, dropped, skipped = job.reading, Packer(job.labels, job.form), LEAST, 0, []
    router, types = job.router(), reading.types()
    before = 0
    for given in batches:
        batch = reading.known(given)
        parts, omitted = _read(batch, reading, types, before)
        skipped.append(omitted)
        before += batch.num_rows
        for part in parts:
            latest = max(latest, int(part.times.max(initial=LEAST)))  # type: ignore[union-attr]
            routed = list(router.route(part.batch))
            dropped += len(part.rows) - sum(len(places) for _, places in routed)
            yield from _packed(part, batch, routed, packer, job.form) if routed else ()
    yield from packer.rest()
    count = told_skipped(skipped)
    if ticks:
        yield from tick(latest, count, dropped)


def _read(
    batch: pyarrow.RecordBatch, reading: RowsReading, types: ColumnTypes, before: int
) -> tuple[list[PushedPart], Skipped]:
    """The rows of a batch, which came after so many others: those are named by their partition, place and values."""
    place = task_name()

    def named(text: str) -> str:
        row = re.search(f"(?<={re.escape(place)}, row )[0-9]+", text)
        return text if row is None else text.replace(f"{place}, row {row[0]}", row_place(batch, int(row[0]), before), 1)

    try:
        parts, skipped = Pushed(batch, reading.options, place).read((*reading.asked, reading.time), types)
    except StreamError as error:
        error.location = replace(error.location, path=named(error.location.path))
        raise
    return parts, replace(skipped, first=named(skipped.first))


def _packed(
    part: PushedPart, batch: pyarrow.RecordBatch, routed: Routed, packer: Packer, form: PackedForm
) -> Iterator[pyarrow.RecordBatch]:
    """What is packed with some rows that were read."""
    order, first = np.concatenate([places for _, places in routed]), 0
    columns = {TIME: pyarrow.array(part.times[order]).cast(INSTANT)}  # type: ignore[index]
    columns |= {name: batch[name].take(pyarrow.array(part.rows[order])) for name in form.schema.names if name != TIME}
    rows = pyarrow.RecordBatch.from_pydict(columns, schema=form.schema)
    shares = []
    for engine, places in routed:
        shares.append(Share(engine, np.arange(first, first + len(places))))
        first += len(places)
    yield from packer.add(rows, shares)


def cast(column: pyarrow.Array, type_: pyarrow.DataType) -> pyarrow.Array:
    """A column of that type."""
    return column if column.type == type_ else column.cast(type_)
