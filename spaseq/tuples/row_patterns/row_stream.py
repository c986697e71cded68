"""A query for row patterns on rows that come in their order: each match leaves with what decides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import Stuck
from nfa_native.row_patterns.stream_scanner import RowPatternStreamScanner
from spaseq.errors import StreamError
from spaseq.languages.sql import ParsedRowPatternQuery
from spaseq.pattern.rows.query import RowPatternQuery, Shown
from spaseq.plan.rows.plan import row_pattern_plan
from spaseq.plan.rows.reach import row_reach, why_remembered
from spaseq.sources.tables.types import column_named, exact_name
from spaseq.streams.batch import Numbers
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.tuples.columns.rows import FewRows
from spaseq.tuples.columns.serialisation import damaged, require, rows_stored
from spaseq.tuples.row_patterns.faults import RowFault
from spaseq.tuples.row_patterns.fed import (
    MOST_SHOWN,
    EndOfRows,
    Fed,
    RowPatternEvaluation,
    RowsFed,
    TimePassed,
    batch_of,
)
from spaseq.tuples.row_patterns.few_matches import FewMatches
from spaseq.tuples.row_patterns.partition_numbers import PartitionNumbers, with_count
from spaseq.tuples.row_patterns.recognition import StuckError, skip_of, unmatched_of
from spaseq.tuples.row_patterns.row_buffer import RowBuffer
from spaseq.tuples.row_patterns.scanning import graph_of
from spaseq.tuples.row_patterns.sorting import times_of
from spaseq.tuples.row_patterns.stream_classes import StreamClasses
from spaseq.tuples.row_patterns.stream_matches import StreamMatches
from spaseq.tuples.row_patterns.stream_reading import InPartitions, RowsRead, StreamReading
from spaseq.tuples.row_patterns.stream_state import HEAD, KeptStream, Places, restore_keys, restore_tied, tied_stored
from spaseq.tuples.row_patterns.text_places import NoRoomError
from spaseq.tuples.row_patterns.tied_rows import POSITION, TiedRows

_FEW = 1 << 12  # rows that are kept without a thought


class RowStream(RowPatternEvaluation):
    """Rows of ``columns``, as they are asked for, the first one at a position; see ``RowPatternEvaluation``.

    Rows have numbers: their positions, but where those of one time are sorted.
    """

    def __init__(
        self,
        parsed: ParsedRowPatternQuery,
        query: RowPatternQuery,
        columns: pyarrow.Schema,
        first: int,
        max_steps: int = 0,
    ) -> None:
        super().__init__(query)
        self._parsed, self._query = parsed, query
        self._plan = row_pattern_plan(query)
        self._reach = row_reach(query, self._plan)
        self._columns = columns
        self._next = first  # the number of the row that comes next
        self._reached = LEAST  # no row before that time comes, be it that others come behind an end
        named = [pyarrow.field(column_named(field.name), field.type) for field in columns]
        self._tied = TiedRows(pyarrow.schema(named), query.order[1:])
        self._rows = RowBuffer(self._tied.schema)
        self._few = FewMatches(query, self._plan.automaton, self.schema)
        self._max_steps = max_steps
        self._partitions = PartitionNumbers(query.partition)
        self._begin(StreamReading(self._plan, self._reach))

    def _begin(self, reading: StreamReading) -> None:
        """With a scanner that knows nothing."""
        query, reach, automaton = self._query, reading.reach, self._plan.automaton
        skip, targets = skip_of(query.skipping, automaton)
        self._scanner = RowPatternStreamScanner(
            graph_of(automaton), skip, targets, query.shown is Shown.WITH_UNMATCHED, query.within or 0,
            remembers=bool(why_remembered(query, self._plan, reach)), ahead=reach.ahead,
            context=reach.back + reach.ahead, before=reach.before, behind=reach.behind,
            conditions=reading.conditions(), lag=reading.lag, most_steps=self._max_steps,
            tests=reading.row_tests(), asked=reading.tests.asked if reading.tests is not None else (),
        )  # fmt: skip
        self._reading = reading
        self._classes = StreamClasses(self._plan, reach.ahead, self._scanner)

    # ── as of any evaluation ─────────────────────────────────────────────────────────────────────────────
    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables whose conditions hold of no row so far, whatever comes before it."""
        return unmatched_of(self._plan, self._held())

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing is decided without a further row."""
        due = self._scanner.due
        return min(due if due == GREATEST else due - 1, self._tied.due)

    def statistics(self) -> dict[str, int]:
        """See ``TableEvaluation``: how many rows are kept, about, of how many keys."""
        return {"rows": self._scanner.rows + len(self._tied), "keys": len(self._partitions)}

    def results(self, batch: Fed) -> Iterator[pyarrow.RecordBatch]:
        """See ``RowPatternEvaluation``."""
        match batch:
            case RowsFed():
                self._reached = int(batch.times[-1])
                if self._takes_few and isinstance(batch.rows, FewRows):
                    yield from self._fed_few(*self._tied.add_few(batch.rows, batch.times, batch.first))
                else:
                    yield from self._fed(*self._tied.add(batch_of(batch, self._columns), batch.times, batch.first))
                if self._tied.sorts:  # and those that wait tell that time has come to them
                    self._scanner.promise(self._reached)
                    yield from self._decided()
            case TimePassed(time):
                self._reached = max(self._reached, time)
                yield from self._fed(*self._tied.passed(time))
                self._scanner.promise(time)
                yield from self._decided()
            case EndOfRows():
                yield from self._fed(*self._tied.passed(GREATEST))
                self._scanner.promise(GREATEST)
                self._foresee()
                self._scanner.close()
                yield from self._decided()
        self._forget()

    @property
    def _takes_few(self) -> bool:
        """Whether rows of Python need not become columns."""
        return self._reading.tests is not None and self._reading.plain is not None

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    def _fed(self, rows: pyarrow.RecordBatch, times: Numbers) -> Iterator[pyarrow.RecordBatch]:
        """What rows decide that are in order; where one has no value, what those before it do."""
        if not rows.num_rows:
            return
        of = self._partitions.of(rows, self._scanner.new_partition)
        if self._reading.tests is not None:
            yield from self._fed_tested(rows, of, times)
        else:
            yield from self._fed_read(rows, of, times)

    def _fed_few(self, rows: FewRows | pyarrow.RecordBatch, times: Numbers) -> Iterator[pyarrow.RecordBatch]:
        """The same of a few rows."""
        if isinstance(rows, pyarrow.RecordBatch):
            yield from self._fed(rows, times)
            return
        if not rows.num_rows:
            return
        of, within = self._partitions.of_few(rows, self._scanner.new_partition), self._query.within
        try:
            values = self._reading.few_values(rows)
        except NoRoomError:
            yield from self._fed_anew(self._as_kept(rows), times)
            return
        done = self._scanner.add_tested(of, values, times if within else None, self._next)
        self._rows.add_few(self._next, rows if done == rows.num_rows else rows.slice(0, done))
        self._next += done
        yield from self._decided()
        if done < rows.num_rows:
            yield from self._fed(self._as_kept(rows.slice(done)), times[done:])

    def _as_kept(self, rows: FewRows) -> pyarrow.RecordBatch:
        names = self._rows.schema.names
        return rows.select([exact_name(name) for name in names]).rename_columns(names)

    def _fed_tested(
        self, rows: pyarrow.RecordBatch, of: NDArray[np.uint32], times: Numbers
    ) -> Iterator[pyarrow.RecordBatch]:
        """The same where single rows are tested by programs."""
        try:
            values = self._reading.values(InPartitions(rows, np.array([0, rows.num_rows])).neighbours(), None)
        except NoRoomError:
            yield from self._fed_anew(rows, times)
            return
        done = self._scanner.add_tested(of, values, times if self._query.within else None, self._next)
        self._rows.add(self._next, rows.slice(0, done))
        self._next += done
        yield from self._decided()
        if done < rows.num_rows:
            yield from self._fed_read(rows.slice(done, 1), of[done : done + 1], times[done : done + 1])
            yield from self._fed(rows.slice(done + 1), times[done + 1 :])

    def _fed_read(
        self, rows: pyarrow.RecordBatch, of: NDArray[np.uint32], times: Numbers
    ) -> Iterator[pyarrow.RecordBatch]:
        """The same where columns are made of their values."""
        try:
            classes, values = self._read(rows, of)
        except NoRoomError:
            yield from self._fed_anew(rows, times)
            return
        except RowFault as fault:
            if rows.num_rows == 1:
                raise self._told(fault, [self._next], rows) from None
            half = rows.num_rows // 2
            yield from self._fed(rows.slice(0, half), times[:half])
            yield from self._fed(rows.slice(half), times[half:])
            return
        self._rows.add(self._next, rows)
        first, self._next = self._next, self._next + rows.num_rows
        self._scanner.add(of, classes, times if self._query.within else None, first, values)
        yield from self._decided()

    def _fed_anew(self, rows: pyarrow.RecordBatch, times: Numbers) -> Iterator[pyarrow.RecordBatch]:
        """The same where texts have no room: they get places anew, and a part of the rows is tried at a time."""
        self._anew(rows)
        half = rows.num_rows // 2
        yield from self._fed(rows.slice(0, half), times[:half])
        yield from self._fed(rows.slice(half), times[half:])

    def _read(self, rows: pyarrow.RecordBatch, of: NDArray[np.uint32]) -> RowsRead:
        """What is known of rows that come.  ValueFault: one has no value."""
        if not (self._reading.reach.back or self._reading.reach.ahead):
            return self._reading.alone(rows, self._classes)
        touched, its = np.unique(of, return_inverse=True)
        counts, numbers = self._scanner.last_rows(touched.astype(np.uint32))
        every = pyarrow.concat_batches([self._rows.take(numbers), rows]) if len(numbers) else rows
        keys = np.concatenate([np.repeat(np.arange(len(touched)), counts), its])
        order = np.argsort(keys, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(keys))])
        there = InPartitions(every.take(pyarrow.array(order)), begins)
        try:
            return self._reading.coming(there, order - len(numbers), self._classes)
        except RowFault as fault:
            if rows.num_rows > 1:
                raise
            fault.row = int(order[fault.row])
            raise self._told(fault, [*numbers, self._next], every) from None

    def _foresee(self) -> None:
        """The last rows of partitions are what they are as no others come."""
        heads, _ = self._scanner.kept()
        partitions = heads[:, 0].astype(np.uint32)
        counts, numbers = self._scanner.last_rows(partitions)
        if not (self._reading.reach.ahead and len(numbers)):
            return
        there = InPartitions(self._rows.take(numbers), np.concatenate([[0], np.cumsum(counts)]))
        try:
            classes, values = self._reading.whole(there, self._classes, at_end=True)
        except RowFault as fault:
            raise self._told(fault, numbers, there.rows) from None
        ends, of, behind = np.repeat(heads[:, 1] + heads[:, 5], counts), np.repeat(partitions, counts), there.behind
        for place in np.flatnonzero(behind < self._reading.reach.ahead).tolist():
            its = None if values is None else (values[0][place : place + 1], values[1][place : place + 1])
            self._scanner.foresee(int(of[place]), int(ends[place] - 1 - behind[place]), int(classes[place]), its)

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> dict[str, Any]:
        """What the future depends on, as STREAM."""
        kept = self._kept()
        return {
            **kept.stored(),
            **tied_stored(self._tied),
            "keys": rows_stored(self._partitions.keys(kept.heads[:, 0].tolist(), self._key_types)),
            "held": self._held(),
            "found": self.found,
            "next": self._next,
            "promised": self._reached,
        }

    def restore(self, state: dict[str, Any], position: int) -> None:
        """Go on where ``state`` was taken, the next row being at that position; SnapshotError: it cannot be."""
        require(len(state["held"]) == len(self._classes.held), "conditions are missing")
        require(state["next"] <= position, "rows are of later")
        kept = KeptStream.of(state, self._rows.schema, position, state["next"])
        restore_tied(self._tied, state, position)
        require(state["promised"] <= self._tied.due, "time has passed rows that wait")
        restore_keys(self._partitions, kept, state["keys"], with_count(self._key_types))
        if self._query.within is not None and len(kept.numbers):
            latest = int(times_of(kept.rows.column(self._query.order[0].column)).max())
            require(latest <= state["promised"], "rows are of later")
        order = np.argsort(kept.numbers)
        self._rows.restore(kept.numbers[order], kept.rows.take(pyarrow.array(order)))
        self.found, self._next, self._reached = state["found"], state["next"], state["promised"]
        try:
            self._go_on(kept)
        except (RowFault, ValueError) as error:
            raise damaged(f"rows cannot be read: {error}") from None
        self._classes.held[:] = state["held"]
        require(not len(StreamMatches.of(self._scanner.take())), "a match was told before")

    def _held(self) -> list[bool]:
        """By test of single rows: whether it held of some row so far."""
        tested = self._scanner.held
        return [bool(one) or bool(tested >> at & 1) for at, one in enumerate(self._classes.held.tolist())]

    @property
    def _key_types(self) -> pyarrow.Schema:
        return pyarrow.schema([self._rows.schema.field(name) for name in dict.fromkeys(self._query.partition)])

    def _kept(self) -> KeptStream:
        heads, numbers = self._scanner.kept()
        return KeptStream(heads, numbers, self._rows.take(numbers))

    # ── as it was ────────────────────────────────────────────────────────────────────────────────────────
    def _anew(self, coming: pyarrow.RecordBatch) -> None:
        """Texts get other places, also those of rows that come: all that is undecided is looked at again."""
        kept, held = self._kept(), self._held()
        texts = [each for rows in (kept.rows, coming) for each in self._reading.texts_of(rows)]
        self._begin(StreamReading(self._plan, self._reach, texts))
        self._go_on(kept)
        self._classes.held[:] = held

    def _go_on(self, kept: KeptStream) -> None:
        """A scanner that knows nothing is to know these rows."""
        self._scanner.promise(min(self._reached, self._tied.due))
        begins = np.concatenate([[0], np.cumsum(kept.heads[:, HEAD - 1])])
        classes, values = self._reading.whole(InPartitions(kept.rows, begins), self._classes)
        times = None if self._query.within is None else times_of(kept.rows.column(self._query.order[0].column))
        numbers = {}
        for head, low, high in zip(kept.heads, begins[:-1].tolist(), begins[1:].tolist(), strict=True):
            some = slice(low, max(low, high - self._reading.lag))
            numbers[int(head[0])] = self._scanner.go_on(
                head, classes[low:high], kept.numbers[low:high], None if times is None else times[low:high],
                None if values is None else (values[0][some], values[1][some]),
            )  # fmt: skip
        self._partitions.renumber(numbers)

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    def _decided(self) -> Iterator[pyarrow.RecordBatch]:
        if self._scanner.found:
            yield from self._shown(StreamMatches.of(self._scanner.take()))
        why, _, first = self._scanner.stuck
        if why is not Stuck.NO:
            fault = StuckError(why, self._query.skipping, 0)
            raise self._told(fault, [first], self._rows.take(np.array([first])))

    def _shown(self, found: StreamMatches) -> Iterator[pyarrow.RecordBatch]:
        """Results of matches; where a measure has no value, those of the matches before."""
        if self._few.takes(found):
            yield self._few.results(found, self._rows.value)
            return
        rows = self._rows.take(found.origins)
        try:
            table = found.results(self._query, self._plan.automaton, rows)
        except RowFault as fault:
            if len(found) == 1:
                raise self._told(fault, found.origins, rows) from None
            half = len(found) // 2
            yield from self._shown(found.part(0, half))
            yield from self._shown(found.part(half, len(found)))
            return
        yield from table.to_batches(max_chunksize=MOST_SHOWN)

    def _told(self, fault: RowFault, numbers: Sequence[int] | Places, rows: pyarrow.RecordBatch) -> StreamError:
        """What went wrong with one of some rows, which have these numbers."""
        position = rows.column(POSITION)[fault.row].as_py() if self._tied.sorts else int(numbers[fault.row])
        return StreamError(f"{fault} (at position {position})", self._parsed.place(fault.clause, fault.name))

    def _forget(self) -> None:
        """Let go of keys of which nothing is undecided, and of rows."""
        self._partitions.forget(self._scanner.done())
        if len(self._rows) > 2 * self._scanner.rows + _FEW:
            self._rows.keep(np.sort(self._scanner.kept()[1]))
        if len(self._reading.texts) > 2 * self._scanner.rows + _FEW:
            self._anew(self._kept().rows.slice(0, 0))
