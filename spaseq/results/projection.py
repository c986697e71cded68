"""From the matcher's rows to the results of SELECT: expressions, duplicates, DISTINCT, aggregates over matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Projection, Variable
from nfa_native.terms.words import Terms
from spaseq.errors import SnapshotError
from spaseq.pattern.sequences import Selection, picked
from spaseq.results.grouping import GroupedRows, Grouping, check, evaluate, pack, unpack
from spaseq.results.match import ResultShape
from spaseq.results.match_rows import MatchRows, ResultPlan, pick_digests
from spaseq.results.table import MatchTable

Words = NDArray[np.uint64]


class Seen:
    """Keys of ``width`` 64-bit numbers, each at a time, until that time is forgotten."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._keys: dict[int, set[bytes]] = {}

    def admit(self, times: NDArray[np.int64], keys: Words) -> NDArray[np.bool_]:
        """``bool[n]``: which of these (time, ``keys[i]``) are new; they count as seen from now on."""
        rows = np.ascontiguousarray(keys)
        return np.fromiter(map(self._admit, times.tolist(), (row.tobytes() for row in rows)), np.bool_, len(rows))

    def _admit(self, time: int, key: bytes) -> bool:
        known = self._keys.setdefault(time, set())
        if key in known:
            return False
        known.add(key)
        return True

    def forget(self, before: int) -> None:
        """No key with a time below ``before`` will come any more."""
        for time in [time for time in self._keys if time < before]:
            del self._keys[time]

    def keep(self, end: bytes) -> None:
        """No key will come any more but such that end so."""
        kept = ((time, {key for key in keys if key.endswith(end)}) for time, keys in self._keys.items())
        self._keys = {time: keys for time, keys in kept if keys}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """``times int64[n]`` and ``keys uint64[n, width]``: all that is remembered."""
        times = [time for time, keys in self._keys.items() for _ in keys]
        data = b"".join(key for keys in self._keys.values() for key in sorted(keys))
        return {
            "times": np.array(times, np.int64),
            "keys": np.frombuffer(data, np.uint64).reshape(len(times), self._width),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Remember what ``arrays`` gave, instead of what is remembered now.  SnapshotError: they are something else."""
        check(arrays, {"times": None, "keys": self._width})
        self._keys = {}
        self.admit(arrays["times"], arrays["keys"])


# ── projection ───────────────────────────────────────────────────────────────────────────────────────────
Mask = NDArray[np.bool_]


class Projector:
    """Projects the matches of one running SELECT query; it remembers what DISTINCT and aggregates need.

    ``event_name`` turns handles of events into IRIs; ``terms`` is the table of the words.
    """

    def __init__(self, plan: ResultPlan, terms: Terms, event_name: Callable[[int], str]) -> None:
        form = plan.query.form
        assert isinstance(form, Selection)
        self._plan = plan
        self._terms = terms
        self._event_name = event_name
        self._projections = plan.selection
        self._names = tuple(item.name for item in self._projections)
        self._plain = _plain(plan.columns, self._projections)
        self._atoms = tuple(atom.name for atom in plan.atoms)
        self._shape = ResultShape(() if plan.match_aggregates else picked(plan.query.expression))
        self._duplicates = _duplicates(plan)
        edges = plan.decided_by_edge
        self._distinct = Distinct(len(self._names), edges, plan.decided_out_of_order) if form.distinct else None
        grouping = (self._projections, plan.query.group_by, plan.columns, terms, plan.readings, plan.having)
        self._grouping = Grouping(*grouping) if plan.match_aggregates else None

    def project(self, raw: MatchRows, event_name: Callable[[int], str] | None = None) -> MatchTable:
        """The results that these rows add; with aggregates over matches, those of decision times already past.

        ``event_name``: another one for the events of these.
        """
        if self._grouping is not None:
            self._grouping.add(raw)
            return self._grouped(self._grouping.take(self._grouping.newest()))
        table = self._table(raw, self._evaluate(raw), event_name or self._event_name)
        if self._duplicates is not None and len(table):
            table = self._without_duplicates(self._duplicates, table, pick_digests(raw))
        if self._distinct is not None and len(table):
            table = _keep(table, self._distinct.admit(table))
        return table

    def _without_duplicates(self, seen: Seen, table: MatchTable, matches: Words) -> MatchTable:
        """Each row of a match once; ``matches`` tells them apart."""
        out_of_order = self._plan.decided_out_of_order
        keys = np.concatenate([table.words, matches], axis=1)
        kept = _keep(table, seen.admit(table.last if out_of_order else table.decided, keys))
        if self._plan.rows_together:
            seen.keep(matches[-1].tobytes())
        elif not out_of_order:
            seen.forget(int(table.decided[-1]))
        return kept

    @property
    def gives_at_once(self) -> bool:
        """Whether rows of one decision time may come in parts: they are not kept to be aggregated."""
        return self._grouping is None or self._grouping.is_compact

    @property
    def counts_only(self) -> bool:
        """Whether nothing is asked of matches but how many there are at a time."""
        return self._grouping is not None and self._grouping.counts_only and self._plan.rows_together

    @property
    def waits(self) -> bool:
        """Whether there are matches that ``advance`` may make results of."""
        return self._grouping is not None and self._grouping.waits

    def advance(self, time: int) -> MatchTable:
        """Aggregates over matches of all decision times < ``time``, after which no such match comes; else no rows."""
        return self._grouped(self._grouping.take(time)) if self._grouping is not None else self._grouped(None)

    def finish(self) -> MatchTable:
        """Aggregates over matches that still wait, at the end of input; else no rows."""
        return self._grouped(self._grouping.take() if self._grouping is not None else None)

    def empty(self) -> MatchTable:
        """A table without rows."""
        return self._grouped(None)

    def trace(self) -> Words:
        """All words that the projector holds, ``uint64[n]``."""
        held = [words.reshape(-1) for _, words in self._words(self._arrays())]
        return np.concatenate([np.zeros(0, np.uint64), *held])

    def snapshot(self) -> bytes:
        """What is remembered, as bytes for ``restore``."""
        return pack(self._arrays())

    def restore(self, data: bytes, word_map: Callable[[Words], Words]) -> None:
        """Remember what ``snapshot`` gave; ``word_map`` turns its words into those of ``terms``.  SnapshotError."""
        arrays = unpack(data)
        for name, words in self._words(arrays):
            if words.dtype != np.uint64 or arrays[name].ndim != 2:
                raise SnapshotError(f"the results in the snapshot have other {name} than they should")
            mapped = word_map(np.ascontiguousarray(words).reshape(-1)).reshape(words.shape)
            arrays[name] = np.concatenate([mapped, arrays[name][:, words.shape[1] :]], axis=1)
        for part, remembers in self._parts():
            prefix = part + "."
            fields = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            remembers.restore(fields)

    def _evaluate(self, raw: MatchRows) -> Words:
        if self._plain is not None:
            return raw.words if self._plain == list(range(raw.words.shape[1])) else raw.words.take(self._plain, axis=1)
        columns = list(np.ascontiguousarray(raw.words.T))
        names = self._plan.columns
        results = [evaluate(item.expression, names, columns, raw.last, self._terms) for item in self._projections]
        return np.stack(results, axis=1) if results else np.zeros((len(raw.first), 0), np.uint64)

    def _table(self, raw: MatchRows, words: Words, event_name: Callable[[int], str]) -> MatchTable:
        return MatchTable(
            self._plan.query.name, self._names, words, raw.first, raw.last, raw.decided,
            raw.pick_offsets, raw.pick_atoms, raw.pick_events, self._atoms, event_name, self._terms, self._shape,
        )  # fmt: skip

    def _grouped(self, rows: GroupedRows | None) -> MatchTable:
        if rows is None:
            none = np.zeros(0, np.int64)
            rows = GroupedRows(none, none, none, np.zeros((0, len(self._names)), np.uint64))
        if self._distinct is not None:
            rows = rows.distinct()
        offsets = np.zeros(len(rows.first) + 1, np.int64)
        return MatchTable(
            self._plan.query.name, self._names, rows.words, rows.first, rows.last, rows.decided,
            offsets, np.zeros(0, np.uint16), np.zeros(0, np.uint64), (), self._event_name, self._terms, self._shape,
        )  # fmt: skip

    def _parts(self) -> list[tuple[str, Seen | Distinct | Grouping]]:
        parts = (("duplicates", self._duplicates), ("distinct", self._distinct), ("grouping", self._grouping))
        return [(name, part) for name, part in parts if part is not None]

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {f"{part}.{name}": array for part, held in self._parts() for name, array in held.arrays().items()}

    def _words(self, arrays: dict[str, NDArray[Any]]) -> list[tuple[str, Words]]:
        """The words within the arrays (the keys of duplicates end in a digest)."""
        width = len(self._names)
        found = [("duplicates.keys", width), ("distinct.keys", width), ("grouping.words", len(self._plan.columns))]
        return [(name, arrays[name][..., :words]) for name, words in found if name in arrays]


class Distinct:
    """One result for each (last, row); what is decided in no order is remembered for good."""

    def __init__(self, width: int, decided_by_edge: bool, out_of_order: bool = False) -> None:
        self._seen = Seen(width)
        self._by_edge = decided_by_edge
        self._out_of_order = out_of_order
        self._edge = _NOTHING  # the latest decision time by an upper edge,
        self._first = _NOTHING  # and the latest beginning of a match decided then

    def admit(self, table: MatchTable) -> Mask:
        """``bool[m]``: which results are new."""
        new = self._seen.admit(table.last, table.words)
        self._seen.forget(self._bound(table))
        return new

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is remembered."""
        return self._seen.arrays() | {"edge": np.array([self._edge, self._first], np.int64)}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Remember what ``arrays`` gave.  SnapshotError: they are something else."""
        edge = arrays.get("edge", np.zeros(0))
        check({"edge": edge}, {"edge": None})
        if len(edge) != 2:
            raise SnapshotError("the results in the snapshot have another edge than they should")
        self._seen.restore({name: array for name, array in arrays.items() if name != "edge"})
        self._edge, self._first = edge.tolist()

    def _bound(self, table: MatchTable) -> int:
        """No match that comes later ends before this time.

        Without upper edges matches come in order of ``last``.  Upper edges grow with the beginnings of their matches,
        so what is decided later began at or after all that was decided at an earlier edge.
        """
        if self._out_of_order:
            return _NOTHING
        newest = int(table.decided[-1])
        if not self._by_edge:
            return newest
        bound = self._first if newest > self._edge else _NOTHING
        by_edge = table.decided > table.last
        past = by_edge & (table.decided < newest)
        if past.any():
            bound = max(bound, int(table.first[past].max()))
        current = by_edge & (table.decided == newest)
        if current.any():
            self._first = max(self._first if newest == self._edge else bound, int(table.first[current].max()))
            self._edge = newest
        return bound


_NOTHING = int(np.iinfo(np.int64).min)


def _duplicates(plan: ResultPlan) -> Seen | None:
    """Remembers rows if projecting can make two rows of one match equal."""
    plain = {item.expression.name for item in plan.selection if isinstance(item.expression, Variable)}
    if plan.match_aggregates or set(plan.columns) <= plain:
        return None
    return Seen(len(plan.selection) + 2)


def _plain(columns: tuple[str, ...], projections: tuple[Projection, ...]) -> list[int] | None:
    """The columns that are projected, if all projections are columns."""
    expressions = [item.expression for item in projections]
    names = [one.name for one in expressions if isinstance(one, Variable) and one.name in columns]
    return [columns.index(name) for name in names] if len(names) == len(expressions) else None


def _keep(table: MatchTable, mask: Mask) -> MatchTable:
    return table if mask.all() else table.select(np.flatnonzero(mask))
