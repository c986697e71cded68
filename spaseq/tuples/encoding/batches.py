"""From a source of tuples to what the kernel reads: times, symbols, partitions, measures of windows, batch by batch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, assert_never

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.errors import OptionError, QueryError
from spaseq.pattern.formulas.predicates import attributes
from spaseq.pattern.formulas.query import AttributeWindow, EventWindow, TimeWindow, Window
from spaseq.sources.tables.columns import texts_as_times
from spaseq.sources.tables.opening import open_source
from spaseq.sources.tables.source import CsvFormat, LeftOut, TableSource, Types, check_texts, is_text
from spaseq.sources.tables.types import ValueKind, check_attribute, shown
from spaseq.streams.losses import Loss, counted, were
from spaseq.text import did_you_mean
from spaseq.tuples.columns.rows import Rows
from spaseq.tuples.columns.vectors import Mask
from spaseq.tuples.encoding.partitions import NO_PARTITION, Numbers, Partitions
from spaseq.tuples.encoding.symbols import Atom, Symbols
from spaseq.tuples.encoding.times import Measure, Timed, Times, check_measure, clock_of, measure


@dataclass(frozen=True, slots=True)
class Roles:
    """What the columns of a source are for.

    ``type`` has the types of the events (by default ``type``, if there is such a column), or all events are of the type
    ``relation``.  All are of the stream ``stream``, or ``stream_column`` has their streams: then those of others than
    ``streams`` (empty: all) are left out.  ``time`` is of timestamps, or of integers that count ``unit`` (us, ms or s);
    without it, an event's time is its position.  ``measure`` is the attribute by which a window is measured, ``keep``
    has further columns that the batches are to have.
    """

    type: str | None = None
    relation: str | None = None
    stream: str | None = None
    time: str | None = None
    unit: str = "us"
    partition: tuple[str, ...] = ()
    measure: str | None = None
    keep: tuple[str, ...] = ()
    stream_column: str | None = None
    streams: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)  # not frozen, as one is made for each event that is pushed
class EncodedBatch:
    """n events that follow each other, the first of them at ``first_position`` in the stream.

    ``times`` are microseconds, ``symbols`` those of ``Encoding.symbols``, ``partitions`` NO_PARTITION for events in
    none; ``batch`` has the columns that were read, in the usual types.  ``masks`` has for each symbol so far its set of
    atoms, ``edges`` what is known of windows (``windows.edges``), for all queries that read the same events.
    """

    first_position: int
    times: Times
    symbols: Numbers
    partitions: Numbers | None
    measure: Measure | None
    batch: Rows
    masks: Sequence[int] = ()
    edges: dict[object, tuple[Times, Times]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)


@dataclass(slots=True)
class Omitted:
    """How many events are not asked for something, and the position of the first."""

    count: int = 0
    first: int = 0

    def add(self, which: Mask, position: int) -> None:
        """Those of a batch (n) that begins at the position."""
        found = int(np.count_nonzero(which))
        if found and not self.count:
            self.first = position + int(np.argmax(which))
        self.count += found

    def state(self) -> list[int]:
        """Both, for a snapshot."""
        return [self.count, self.first]


class Encoding(Iterator[EncodedBatch]):
    """The batches of a source, and the tables that grow with them: ``symbols`` and ``partitions``.

    ``events`` is the number of events so far, ``time`` that of the last one (microseconds; None if they have none).
    """

    def __init__(self, source: TableSource, atoms: Sequence[Atom], roles: Roles, on_error: str = "stop") -> None:
        if on_error not in ("stop", "skip"):
            raise OptionError(f"on_error is stop or skip, not {on_error}")
        check_roles(roles, source.names)
        if roles.time is not None:
            source = texts_as_times(source, roles.time, None)
        type_column = type_column_of(roles, source.names)
        self._roles = roles
        self._source = source
        self.schema: pyarrow.Schema = source.choose(_needed(atoms, roles, type_column, source.names))
        if type_column is not None:
            check_text_column(type_column, "types", self.schema)
        if roles.stream_column is not None:
            check_text_column(roles.stream_column, "streams", self.schema)
        self.symbols = Symbols(
            atoms, self.schema, stream=roles.stream, type_column=type_column, relation=roles.relation,
            stream_column=roles.stream_column,
        )  # fmt: skip
        self.partitions = Partitions(roles.partition, self.schema) if roles.partition else None
        clock = None
        if roles.time is not None:
            clock = clock_of(roles.time, roles.unit, self.schema, source.batches(), source.place(0))
        if roles.measure is not None:
            check_measure(roles.measure, self.schema)
        self._timed = Timed(source, clock, LeftOut() if on_error == "skip" else None)
        self.events = 0
        self.time: int | None = None
        self._outside, self._unmeasured = Omitted(), Omitted()
        self._batches = self._encode()

    def __next__(self) -> EncodedBatch:
        return next(self._batches)

    @property
    def skipped(self) -> int:
        """Events that were left out so far because their times were wrong."""
        return self._timed.skipped

    def losses(self) -> list[Loss]:
        """What no match can have so far: events that were left out, are in no partition, or in no window."""
        lost = []
        if self.skipped:
            cause = f"{self.skipped:,} of the {counted(self.events + self.skipped)} {were(self.skipped)} left out"
            lost.append(
                Loss(f"{cause}, whose time falls, is missing or malformed", "sort them by time", self._timed.first)
            )
        for omitted, columns, what in (
            (self._outside, self._roles.partition, "in no partition"),
            (self._unmeasured, (self._roles.measure,), "in no window"),
        ):
            if omitted.count:
                cause = f"{omitted.count:,} of the {counted(self.events)} {were(omitted.count)} {what}"
                lost.append(
                    Loss(cause, f"{' or '.join(map(str, columns))} is NULL there", f"at position {omitted.first}")
                )
        return lost

    def _encode(self) -> Iterator[EncodedBatch]:
        for times, batch in self._timed:
            times, batch = self._of_streams(times, batch)
            if batch.num_rows:
                position, self.events = self.events, self.events + batch.num_rows
                self.time = int(times[-1]) if self._roles.time is not None else None
                yield self._encoded(batch, times, position)

    def _of_streams(self, times: Times, batch: pyarrow.RecordBatch) -> tuple[Times, pyarrow.RecordBatch]:
        """The events of the streams that there are."""
        column, known = self._roles.stream_column, self._roles.streams
        if column is None or not known:
            return times, batch
        if pyarrow.types.is_null(batch.schema.field(column).type):
            return times[:0], batch.slice(0, 0)
        chosen = pyarrow.compute.is_in(batch.column(column), pyarrow.array(known))
        return times[chosen.to_numpy(zero_copy_only=False)], batch.filter(chosen)

    def _encoded(self, batch: pyarrow.RecordBatch, times: Times, position: int) -> EncodedBatch:
        partitions = self.partitions.number(batch) if self.partitions is not None else None
        measured = measure(self._roles.measure, batch) if self._roles.measure is not None else None
        if partitions is not None:
            self._outside.add(partitions == NO_PARTITION, position)
        if measured is not None:
            self._unmeasured.add(measured.missing, position)
        return EncodedBatch(position, times, self.symbols.number(batch), partitions, measured, batch)


def encode(
    source: Any,
    atoms: Sequence[Atom],
    roles: Roles = Roles(),
    *,
    types: Types | None = None,
    csv: CsvFormat | None = None,
    on_error: str = "stop",
) -> Encoding:
    """The events of ``source`` (``open_source`` says what that can be) as the kernel reads them.

    All that is wrong with the query and the options comes up here, before an event is read: QueryError, OptionError.
    StreamError comes with the batches: for values that do not have the type of their column, and for times that fall
    unless ``on_error`` is ``skip``.
    """
    if not isinstance(atoms, Sequence) or not all(isinstance(atom, Atom) for atom in atoms):
        raise OptionError(f"atoms are a list of Atom, not {atoms!r:.80}")
    if not isinstance(roles, Roles):
        raise OptionError(f"roles are Roles, not {roles!r:.80}")
    return Encoding(open_source(source, types, csv), atoms, roles, on_error)


def type_column_of(roles: Roles, names: Sequence[str]) -> str | None:
    """The column with the types of the events; None: all are of one.  OptionError: there is none, or there are both."""
    if roles.relation is not None:
        if roles.type is not None:
            raise OptionError("either a column has the types of the events, or all are of one type: not both")
        return None
    if roles.type is None and "type" not in names:
        known = did_you_mean("", names)
        wanted = "say which column has the types of the events (type), or what type all of them are of (relation)"
        raise OptionError(f"there is no column type: {wanted}; {known}" if known else "the events have no columns")
    return roles.type if roles.type is not None else "type"


def check_roles(roles: Roles, names: Sequence[str]) -> None:
    """OptionError for columns that are not there, which a CSV file without its line of names does not have, either."""
    check_texts(
        type=roles.type, relation=roles.relation, stream=roles.stream, time=roles.time, unit=roles.unit,
        measure=roles.measure, stream_column=roles.stream_column,
    )  # fmt: skip
    for what, columns in (("partition", roles.partition), ("keep", roles.keep), ("streams", roles.streams)):
        if isinstance(columns, str) or not isinstance(columns, Sequence) or not all(map(is_text, columns)):
            raise OptionError(f"{what} are texts, as in ('a', 'b'), not {columns!r:.80}")
    for role, column in (("types", roles.type), ("streams", roles.stream_column), ("times", roles.time)):
        if column is not None and column not in names:
            raise OptionError(f"there is no column {column} for the {role}; {did_you_mean(column, names)}")


def _needed(atoms: Sequence[Atom], roles: Roles, type_column: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """All columns that are read, in the order of the source; QueryError for one that is not there."""
    used = [type_column, roles.stream_column, roles.time, roles.measure, *roles.partition, *roles.keep]
    used += [attribute.name for atom in atoms for attribute in attributes(atom.predicate)]
    return existing(used, names)


def existing(used: Iterable[str | None], names: Sequence[str]) -> tuple[str, ...]:
    """Columns that are read, in the order of the source; QueryError for one that is not there."""
    needed = dict.fromkeys(name for name in used if name is not None)
    for name in needed:
        if name not in names:
            raise QueryError(f"the events have no attribute {name}", hint=did_you_mean(name, names))
        if list(names).count(name) > 1:
            raise QueryError(f"the events have several attributes {name}")
    return tuple(name for name in dict.fromkeys(names) if name in needed)


def check_text_column(name: str, role: str, schema: pyarrow.Schema) -> None:
    """QueryError if the column that has the types or streams of the events has no texts."""
    if check_attribute(name, schema) not in (ValueKind.TEXT, ValueKind.NULL):
        hint = f'declare it: {{"{name}": "string"}}'
        raise QueryError(
            f"the {role} of the events are texts, but {name} is of type {shown(schema.field(name).type)}", hint=hint
        )


# ── what windows measure of events ───────────────────────────────────────────────────────────────────────
NEVER, ALWAYS = np.int64(-(2**63)), np.int64(-(2**63) + 1)  # no match begins; any may have
NOTHING = np.int64(2**63 - 1)  # no match ends
_SIGN = np.int64(2**63 - 1)
FEW = 64
_INTEGER, _DOUBLE = Struct("=q"), Struct("=d")


def edges(window: Window | None, batch: EncodedBatch) -> tuple[Times, Times]:
    """Starts and least starts of a batch's events (int64[n] each), as the recognizer reads them."""
    found = batch.edges.get(window)
    if found is None:
        found = batch.edges[window] = _edges(window, batch)
    return found


def _edges(window: Window | None, batch: EncodedBatch) -> tuple[Times, Times]:
    match window:
        case None:
            return batch.times, np.full(len(batch), ALWAYS)
        case TimeWindow(length):
            return batch.times, _lowered(batch.times, length)
        case EventWindow(length):
            positions = np.arange(batch.first_position, batch.first_position + len(batch), dtype=np.int64)
            return positions, _lowered(positions, length)
        case AttributeWindow(length, _):
            assert batch.measure is not None
            return _measured(batch.measure, length)
        case _:
            assert_never(window)


def _lowered(values: Times, length: int) -> Times:
    """The values less a length; what is below all integers is the least of them."""
    low = -(2**63) + 1
    if length >= 2**63:
        return np.full(len(values), ALWAYS)
    if not len(values) or _least(values) >= low + length:
        return values - np.int64(length)
    return np.where(values < low + length, ALWAYS, values - np.int64(length))


def _least(values: Times) -> int:
    """Of a few, as Python finds it sooner."""
    return int(values.min()) if len(values) > FEW else min(values.tolist())


def _measured(measure: Measure, length: float) -> tuple[Times, Times]:
    values, valid = measure.values, measure.valid
    if values.dtype == np.float64:
        starts, least = ordered(values), ordered(values - length)
        valid = ~np.isnan(values) if valid is None else valid & ~np.isnan(values)
    else:
        starts = values.astype(np.int64)
        least = _lowered(starts, math.floor(length))
    if valid is None:
        return starts, least
    return np.where(valid, starts, NEVER), np.where(valid, least, NOTHING)


def ordered_one(value: float) -> int:
    """``ordered`` of one double."""
    bits: int = _INTEGER.unpack(_DOUBLE.pack(value + 0.0))[0]
    return bits if bits >= 0 else bits ^ 2**63 - 1


def ordered(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Times:
    """Integers in the order of the doubles, 0.0 and -0.0 the same."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ _SIGN, bits)


def unordered(places: Times) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The doubles of which ``ordered`` gives these integers."""
    return np.where(places < 0, places ^ _SIGN, places).view(np.float64)


def least_start(window: Window | None, start: int) -> int:
    """The least start of a match that ends with an event of this start; of windows of an attribute it is not known."""
    match window:
        case TimeWindow(length) | EventWindow(length):
            return max(start - length, int(ALWAYS))
        case AttributeWindow():
            return int(NOTHING)
        case _:
            return int(ALWAYS)


def latest_start(window: Window | None, position: int, time: int | None) -> int:
    """The greatest start of events before ``position``, the last of which had this time (None: its position)."""
    if isinstance(window, AttributeWindow):
        return int(NOTHING)
    return position - 1 if time is None or isinstance(window, EventWindow) else time
