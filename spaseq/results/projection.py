"""From the matcher's rows to results of SELECT (expressions, duplicates, DISTINCT, aggregates) and of CONSTRUCT.

CONSTRUCT gives one derived event for each match (semantics.md 3.4).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyoxigraph
from numpy.typing import NDArray

from gpm.algebra import BlankNode, Iri, Literal, Projection, Term, Triple, Variable
from gpm.terms import ox_term, to_oxigraph
from nfa_native.terms.dictionary import Terms
from spaseq.errors import SnapshotError
from spaseq.pattern.sequences import Construction, Selection, picked
from spaseq.results.grouping import GroupedRows, Grouping, check, evaluate, pack, unpack
from spaseq.results.match import DerivedEvent, ResultShape
from spaseq.results.match_rows import MatchRows, ResultPlan, pick_digests, rules_of
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
        self._filter(lambda key: key.endswith(end))

    def drop(self, end: bytes) -> None:
        """No key will come any more that ends so."""
        self._filter(lambda key: not key.endswith(end))

    def _filter(self, stays: Callable[[bytes], bool]) -> None:
        kept = ((time, set(filter(stays, keys))) for time, keys in self._keys.items())
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
        self._varying = len(plan.varying)
        self._terms_of_rules = len(plan.columns) - self._varying
        self._distinct = Distinct(plan, len(self._names) + self._terms_of_rules) if form.distinct else None
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
        of_rules = raw.words[:, self._varying :]
        if self._duplicates is not None and len(table):
            new = self._are_new(self._duplicates, table, pick_digests(raw))
            table, of_rules = _keep(table, new), of_rules[new]
        if self._distinct is not None and len(table):
            table = _keep(table, self._distinct.admit(table, np.concatenate((table.words, of_rules), axis=1)))
        return table

    def _are_new(self, seen: Seen, table: MatchTable, matches: Words) -> Mask:
        """``bool[m]``: each row of a match once; ``matches`` tells these apart."""
        out_of_order = self._plan.decided_out_of_order
        keys = np.concatenate([table.words, matches], axis=1)
        new = seen.admit(table.last if out_of_order else table.decided, keys)
        if self._plan.rows_together:
            seen.keep(matches[-1].tobytes())
        elif not out_of_order:
            seen.forget(int(table.decided[-1]))
        return new

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

    def forget_rule(self, terms: Words) -> None:
        """The rule with these terms has no result any more."""
        if self._distinct is not None:
            self._distinct.forget_rule(terms)

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
            places=rules_of(raw),
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
        found = [
            ("duplicates.keys", width),
            ("distinct.keys", width + self._terms_of_rules),
            ("grouping.words", len(self._plan.columns)),
        ]
        return [(name, arrays[name][..., :words]) for name, words in found if name in arrays]


class Distinct:
    """One result for each (last, row) of a rule; what is decided in no order is remembered for good."""

    def __init__(self, plan: ResultPlan, width: int) -> None:
        self._seen = Seen(width)
        self._by_edge = plan.decided_by_edge
        self._out_of_order = plan.decided_out_of_order
        self._edge = _NOTHING  # the latest decision time by an upper edge,
        self._first = _NOTHING  # and the latest beginning of a match decided then

    def admit(self, table: MatchTable, keys: Words) -> Mask:
        """``bool[m]``: which results are new; ``keys`` are their rows, and the terms of their rules."""
        new = self._seen.admit(table.last, keys)
        self._seen.forget(self._bound(table))
        return new

    def forget_rule(self, terms: Words) -> None:
        """The rule with these terms is gone."""
        self._seen.drop(terms.tobytes())

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
    if plan.match_aggregates or set(plan.varying) <= plain:
        return None
    return Seen(len(plan.selection) + 2)


def _plain(columns: tuple[str, ...], projections: tuple[Projection, ...]) -> list[int] | None:
    """The columns that are projected, if all projections are columns."""
    expressions = [item.expression for item in projections]
    names = [one.name for one in expressions if isinstance(one, Variable) and one.name in columns]
    return [columns.index(name) for name in names] if len(names) == len(expressions) else None


def _keep(table: MatchTable, mask: Mask) -> MatchTable:
    return table if mask.all() else table.select(np.flatnonzero(mask))


# ── derived events ───────────────────────────────────────────────────────────────────────────────────────
NEVER = int(np.iinfo(np.int64).max)
_EVENT = "urn:spaseq:derived:"
_PREDICATE = pyoxigraph.NamedNode
_SUBJECT = (pyoxigraph.NamedNode, pyoxigraph.BlankNode)
_OBJECT = (pyoxigraph.NamedNode, pyoxigraph.BlankNode, pyoxigraph.Literal, pyoxigraph.Triple)


class Constructor:
    """Makes the events of one CONSTRUCT query.

    ``event_name`` turns handles of picked events into IRIs.  The IRI of a derived event is a digest of the query's
    fingerprint and of the names and times of what the match picked: the same on every run.
    """

    def __init__(self, plan: ResultPlan, terms: Terms, event_name: Callable[[int], str]) -> None:
        form = plan.query.form
        assert isinstance(form, Construction)
        self._plan = plan
        self._form = form
        self._terms = terms
        self._event_name = event_name
        self._atoms = tuple(atom.name for atom in plan.atoms)
        self._shape = ResultShape(picked(plan.query.expression))
        self._variables = [(name, index) for index, name in enumerate(plan.columns)]
        self._bound = frozenset(plan.varying)  # variables of the match
        self._fingerprint_of = lru_cache(maxsize=4096)(plan.fingerprint_of)

    def construct(self, raw: MatchRows, end: int = NEVER) -> MatchTable:
        """The matches that left a triple, without columns, each with its ``derived`` event.

        All rows of a match must come in one ``raw``; their triples are those of one event.  ``end`` is the time of
        events of matches that only the end of the input decides (``decided`` is then ``NEVER``).
        """
        rows_of: dict[bytes, list[int]] = {}
        for index, key in enumerate(pick_digests(raw)):
            rows_of.setdefault(key.tobytes(), []).append(index)
        events = {rows[0]: self._event(raw, rows, end) for rows in rows_of.values()}
        made = {index: event for index, event in events.items() if event.triples}
        return self._table(raw).select(np.array(list(made), np.int64)).with_derived(tuple(made.values()))

    def empty(self) -> MatchTable:
        """A table without rows."""
        none = np.zeros(0, np.int64)
        return MatchTable(
            self._plan.query.name, (), np.zeros((0, 0), np.uint64), none, none, none, np.zeros(1, np.int64),
            np.zeros(0, np.uint16), np.zeros(0, np.uint64), self._atoms, self._event_name, self._terms, self._shape, (),
        )  # fmt: skip

    def _table(self, raw: MatchRows) -> MatchTable:
        return MatchTable(
            self._plan.query.name, (), np.zeros((len(raw.first), 0), np.uint64), raw.first, raw.last, raw.decided,
            raw.pick_offsets, raw.pick_atoms, raw.pick_events, self._atoms, self._event_name, self._terms, self._shape,
            places=rules_of(raw),
        )  # fmt: skip

    def _event(self, raw: MatchRows, rows: list[int], end: int) -> DerivedEvent:
        digest = self._digest(raw, rows[0])
        triples: dict[pyoxigraph.Triple, None] = {}
        for row in rows:
            triples |= dict.fromkeys(self._triples(digest, raw.words[row].tolist()))
        decided = int(raw.decided[rows[0]])
        return DerivedEvent(self._form.into, end if decided == NEVER else decided, _EVENT + digest, list(triples))

    def _digest(self, raw: MatchRows, row: int) -> str:
        start, end = raw.pick_offsets[row : row + 2].tolist()
        picks = zip(raw.pick_atoms[start:end].tolist(), raw.pick_events[start:end].tolist(), strict=True)
        lines = [self._plan.query.name, self._fingerprint(raw, row), str(int(raw.first[row])), str(int(raw.last[row]))]
        lines += sorted(f"{self._atoms[atom]} {self._event_name(event)}" for atom, event in picks)
        return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()

    def _fingerprint(self, raw: MatchRows, row: int) -> str:
        of_rule = raw.words[row, len(self._bound) :].tolist()
        return self._fingerprint_of(tuple(map(self._terms.bytes, of_rule)))

    def _triples(self, digest: str, words: list[int]) -> Iterator[pyoxigraph.Triple]:
        """The template over one row; its blank nodes are new ones of this match and row."""
        values = {name: ox_term(self._terms.bytes(words[index])) for name, index in self._variables if words[index]}
        scope = self._scope(digest, values)
        for pattern in self._form.template:
            triple = _instance(pattern, values, scope)
            if triple is not None:
                yield triple

    def _scope(self, digest: str, values: Mapping[str, object]) -> str:
        row = "\n".join(f"{name} {value}" for name, value in sorted(values.items()) if name in self._bound)
        return hashlib.blake2b((digest + row).encode(), digest_size=8).hexdigest()


def _instance(pattern: Triple, values: Mapping[str, object], scope: str) -> pyoxigraph.Triple | None:
    """The triple, or None if a term of it is unbound or misplaced."""
    subject = _term(pattern.subject, values, scope)
    predicate = _term(pattern.predicate, values, scope) if isinstance(pattern.predicate, Iri | Variable) else None
    object_ = _term(pattern.object, values, scope)
    if isinstance(subject, _SUBJECT) and isinstance(predicate, _PREDICATE) and isinstance(object_, _OBJECT):
        return pyoxigraph.Triple(subject, predicate, object_)
    return None


def _term(term: Term, values: Mapping[str, object], scope: str) -> object | None:
    match term:
        case Variable(name):
            return values.get(name)
        case BlankNode(label):
            digest = hashlib.blake2b(label.encode(), digest_size=4).hexdigest()
            return pyoxigraph.BlankNode(f"d{scope}{digest}")
        case Iri() | Literal():
            return to_oxigraph(term)
