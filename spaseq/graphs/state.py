"""The state of an engine as bytes, and back; queries and background are in it by fingerprint, and given again."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from gpm.algebra import Iri, Literal
from gpm.terms import ox_term, term_bytes
from nfa_native.core import archive
from nfa_native.core.arrays import column, distinct, read_store
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, SnapshotError
from spaseq.graphs.background import Background, Compiled, compiled
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import GraphQuery, OnMatch
from spaseq.graphs.input_columns import pack_waiting, section, unpack_waiting
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.matchers import AnyMatcher, WordMap, Words, unpack_counters
from spaseq.graphs.names import EventNames
from spaseq.graphs.parameter_rows import key_of, keyed, rows_given
from spaseq.graphs.parametric_graph_query import AnyGraphQuery, ParametricGraphQuery, rows_of
from spaseq.graphs.queries import AnyQuery, as_query, plan_of, stream_order
from spaseq.pattern.sequences import Row
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.rule_plan import Key, RulePlan, plan_of_rows
from spaseq.runtime.snapshot.container import GRAPHS, check_settled
from spaseq.runtime.snapshot.validation import (
    CLOCK,
    COUNT,
    DURATION,
    TIME,
    AnyNames,
    IntegerRange,
    Shape,
    misfits,
    queries_given,
    validated,
)
from spaseq.sources.parameter_rows import RowSources, tables_by_name
from spaseq.sources.rdf.events import Event, Events
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import GREATEST, LEAST

SCOPE = IntegerRange(most=2**64 - 1)  # of an event's blank nodes
INPUT_STATE: dict[str, Shape] = {
    "iris": [str], "strict": bool, "queries": [str], "advanced": TIME, "finished": bool, "first_name": COUNT,
    "names": [str], "waiting": [str],
}  # fmt: skip
COUNTERS: Shape = {
    "results": COUNT, "newest": TIME, "evaluated": AnyNames(COUNT), "max_results": COUNT, "over": bool, "new": bool,
}  # fmt: skip
QUERY: Shape = {"name": str, "fingerprint": str, "counters": COUNTERS}
MEMBER: dict[str, Shape] = {
    "rows": [[[str]]], "places": [COUNT], "gone": [COUNT], "together": bool, "counters": COUNTERS, "age": COUNT,
}  # fmt: skip
OLD_MEMBER: dict[str, Shape] = {"row": [[str]], "counters": COUNTERS, "age": COUNT}  # when each row ran by itself
HEADER: dict[str, Shape] = {
    "background": str, "lateness": DURATION, "origins": COUNT, "scopes": AnyNames(SCOPE), "queries": [QUERY],
    "clocks": [CLOCK], "streamsets": [INPUT_STATE], "skipped": AnyNames((COUNT, str)),
}  # fmt: skip

# Up to version 8 the events that wait are in the header, and skipped rows are not counted.
OLD_WAITING: Shape = {"stream": str, "events": [(TIME, SCOPE, str, str)]}
OLD_HEADER: dict[str, Shape] = {
    **{name: shape for name, shape in HEADER.items() if name != "skipped"},
    "streamsets": [{**INPUT_STATE, "waiting": [OLD_WAITING]}],
}
WITH_COLUMNS = 9  # the first version that has waiting events as columns


def check_header(header: Any, version: int) -> None:
    """SnapshotError if a value is missing, of another type or out of range, or names do not fit each other."""
    shape = HEADER if version >= WITH_COLUMNS else OLD_HEADER
    if isinstance(header, dict) and "given" in header:
        shape = {**shape, "given": AnyNames([OLD_MEMBER if _is_old(header["given"]) else MEMBER])}
    for problem in chain(misfits(header, shape, "header"), _inconsistent(header)):
        raise SnapshotError(f"the snapshot is damaged: {problem}")


def _is_old(given: Any) -> bool:
    members = [one for states in given.values() for one in states] if isinstance(given, dict) else []
    return any("row" in one for one in members if isinstance(one, dict))


def _inconsistent(header: Any) -> Iterator[str]:
    """Names in a header of the right shape that mean nothing, or two things."""
    clocks = [clock["iri"] for clock in header["clocks"]]
    queries = [query["name"] for query in header["queries"]]
    placed = [name for merged in header["streamsets"] for name in merged["queries"]]
    streams = {iri for merged in header["streamsets"] for iri in merged["iris"]}
    if len(set(clocks)) < len(clocks) or not streams <= set(clocks) or header["scopes"].keys() != set(clocks):
        yield "the streams do not fit each other"
    if len(set(queries)) < len(queries) or sorted(placed) != sorted(queries):
        yield "the queries do not fit their streams"
    if not header.get("given", {}).keys() <= set(queries):
        yield "there are rows of a query that is not there"
    for member in (one for states in header.get("given", {}).values() for one in states if "rows" in one):
        some = len(member["rows"])
        fit = some == len(member["places"]) and set(member["gone"]) < set(range(some))
        if not fit or (some > 1 and not member["together"]):
            yield "the rows of a query do not fit each other"
    for merged in header["streamsets"]:
        iris = merged["iris"]
        waiting = [one if isinstance(one, str) else one["stream"] for one in merged["waiting"]]
        if not iris or len(set(iris)) < len(iris) or not set(waiting) <= set(iris) or len(set(waiting)) < len(waiting):
            yield "events wait for a stream that is none of theirs"


TERMS_VERSION = 1  # of the store of words
_PLAIN = re.compile(  # terms of which it takes no parser to tell that they are some
    rb"I[A-Za-z][A-Za-z0-9+.-]*:(//[A-Za-z0-9.-]+(:[0-9]+)?/)?[A-Za-z0-9_.~+-][A-Za-z0-9_.~+/-]*(#[A-Za-z0-9_.~+/-]*)?"
    rb"|S[\0-\x7f]*|Thttp://www\.w3\.org/2001/XMLSchema#[A-Za-z]+\0[ -~]*"
).fullmatch


def pack_words(held: Iterable[Words], terms: Terms) -> bytes:
    """The distinct words among ``held``, ascending, and their terms: lengths, then the bytes."""
    words = distinct(np.concatenate([np.zeros(1, np.uint64), *held]))[1:]  # 0 is no term
    texts = terms.bytes_many(words)
    columns = {
        "words": words,
        "lengths": np.array([len(text) for text in texts], np.uint64),
        "bytes": np.frombuffer(b"".join(texts), np.uint8),
    }
    return archive.pack({"terms": (TERMS_VERSION, columns)})


def _unpack(sections: Mapping[str, bytes]) -> tuple[Words, Words, bytes]:
    """Words, and the lengths and bytes of their terms; ValueError, SnapshotError: they do not fit each other."""
    columns = read_store(sections["terms"], "terms", TERMS_VERSION)
    words, sizes = column(columns, "words", np.uint64), column(columns, "lengths", np.uint64)
    text = column(columns, "bytes", np.uint8).tobytes()
    if len(words) != len(sizes) or (words[1:] <= words[:-1]).any() or sum(sizes.tolist()) != len(text):
        raise SnapshotError("the snapshot is damaged: its terms do not fit each other")
    return words, sizes, text


def unpack_words(sections: Mapping[str, bytes], terms: Terms) -> WordMap:
    """A function from the words of ``pack_words`` to those of ``terms``; it raises SnapshotError for others.

    ValueError, SyntaxError: some bytes are no term.
    """
    old, sizes, text = _unpack(sections)
    ends = np.cumsum(np.append(np.uint64(0), sizes)).tolist()
    written = [text[start:end] for start, end in pairwise(ends)]
    for one in written:
        if not _PLAIN(one):
            ox_term(one)  # what is none would be found when a result shows it
    new = terms.intern_many_transient(written)
    old, new = np.append(np.zeros(1, np.uint64), old), np.append(np.zeros(1, np.uint64), new)

    def word_map(wanted: Words) -> Words:
        places = np.minimum(np.searchsorted(old, wanted), len(old) - 1)
        if not np.array_equal(old[places], wanted):
            raise SnapshotError("the snapshot mentions terms that it does not have")
        return np.ascontiguousarray(new[places])

    return word_map


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query that is given again, its plan, and the rows that it is to have, if it has parameters."""

    query: AnyQuery
    plan: Plan
    rows: Mapping[Key, Row]


@dataclass(frozen=True, slots=True)
class MadeMember:
    """What runs rows, with their keys, by rank (None: gone), and places; and its number in the snapshot, if any."""

    plan: Plan
    compiled: Compiled
    keys: Sequence[Key | None]
    places: Sequence[int]
    number: int | None


@dataclass(frozen=True, slots=True)
class Made:
    """A query, compiled before the words of the snapshot are read; of one with parameters its members, not itself."""

    plan: Plan
    compiled: Compiled | None
    members: Sequence[MadeMember]


def _made(kind: GraphKind, wanted: Wanted, states: Iterable[Mapping[str, Any]]) -> Made:
    if wanted.plan.query.given is None:
        return Made(wanted.plan, kind.compiled(wanted.query, wanted.plan), ())
    members = [
        MadeMember(plan, compiled(plan, kind.evaluator), keys, places, number)
        for plan, keys, places, number in _plans(kind, wanted, states)
    ]
    return Made(wanted.plan, None, members)


def _plans(
    kind: GraphKind, wanted: Wanted, states: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Plan, Sequence[Key | None], Sequence[int], int | None]]:
    """What runs the rows that are wanted: those of the snapshot as there, then new ones; all in the order wanted."""
    order = {key: place for place, key in enumerate(wanted.rows)}
    new = dict(wanted.rows)
    for number, state in enumerate(states):
        rows = _read_rows(state)
        keys = [None if gone else key for key, gone in zip(map(key_of, rows), _gone(state, rows), strict=True)]
        keys = [key if key in new else None for key in keys]
        if any(key is not None for key in keys):
            places = [0 if key is None else order[key] for key in keys]
            known = list(map(key_of, rows))
            plan = plan_of_rows(wanted.plan, rows[0], known, places, state.get("together", False))
            yield plan, keys, places, number
        for key in keys:
            new.pop(key, None)  # type: ignore[arg-type]
    for plan, its, _ in kind.plans(wanted.plan, new, 0):
        places = [order[key] for key in its]
        yield plan.placed(places) if isinstance(plan, RulePlan) else plan, its, places, None


def take_snapshot(kind: GraphKind) -> bytes:
    """The state of an engine: equal states that came about equally give equal bytes."""
    core = kind.core
    check_settled(core.is_settled)
    core.catch_up()
    running = list(core.running.values())
    sections: dict[str, bytes] = {}
    held = [words for query in running for words in query.trace()]
    sections["terms"] = pack_words(held, kind.terms)
    queries = []
    for query in running:
        counters, matcher, results = query.snapshot()
        sections[f"matcher {query.name}"], sections[f"results {query.name}"] = matcher, results
        queries.append({"name": query.name, "fingerprint": query.plan.fingerprint(), "counters": counters})
    given = {
        one.name: _row_states(one, merged, sections)
        for merged in kind.inputs
        for one in merged.all_queries
        if isinstance(one, ParametricGraphQuery)
    }
    header = {
        "background": kind.background.fingerprint(),
        "lateness": core.lateness,
        "origins": kind.evaluator.encoder.origins,
        "scopes": {iri: encoder.next_scope for iri, encoder in kind.encoders.items()},
        "queries": queries,
        "clocks": [dataclasses.asdict(clock) for clock in core.clocks.values()],
        "streamsets": [_input_state(merged, str(place), sections) for place, merged in enumerate(kind.inputs)],
        "skipped": {iri: [skipped.count, skipped.first] for iri, skipped in kind.skipped.items()},
        **({"given": given} if given else {}),
    }
    return GRAPHS.pack(header, sections)


def _row_states(query: ParametricGraphQuery, merged: GraphInput, sections: dict[str, bytes]) -> list[dict[str, Any]]:
    """The rows of a query with parameters and their counters; what their matchers hold is put into sections."""
    states, ages = [], merged.row_ages()
    for number, member in enumerate(() if query.is_over else query.members):
        counters, matcher, results = member.snapshot()
        sections[f"row matcher {number} {query.name}"] = matcher
        sections[f"row results {number} {query.name}"] = results
        rows, places, gone = rows_of(member)
        written = [[_written(term) for term in row] for row in rows]
        states.append({"rows": written, "places": places, "gone": gone, "counters": counters,
                       "together": isinstance(member.plan, RulePlan), "age": ages.get(member, 0)})  # fmt: skip
    return states


def _written(term: Iri | Literal) -> list[str]:
    """A term of a row."""
    return [term.value] if isinstance(term, Iri) else [term.lexical, term.datatype, term.language or ""]


def _read_rows(state: Mapping[str, Any]) -> list[Row]:
    """The rows of a member, by rank."""
    return [tuple(map(_read, row)) for row in state.get("rows") or [state["row"]]]


def _read(one: Sequence[str]) -> Iri | Literal:
    """A term of a row; SnapshotError: it is none."""
    term = Iri(*one) if len(one) == 1 else Literal(one[0], one[1], one[2] or None) if len(one) == 3 else None
    try:
        if term is not None and term_bytes(term):
            return term
    except ValueError:
        pass
    raise SnapshotError("the snapshot is damaged: a row has a term that is none")


def _gone(state: Mapping[str, Any], rows: Sequence[Row]) -> list[bool]:
    """Which of them are gone."""
    gone = set(state.get("gone", ()))
    return [rank in gone for rank in range(len(rows))]


def restored(
    data: bytes,
    queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
    background: Background,
    on_late: Callable[[Event], object] | None,
    on_match: OnMatch | None,
    gpm: str,
    given: RowSources = None,
    sharing: bool = True,
) -> GraphKind:
    """See ``Engine.restore``."""
    if isinstance(queries, os.PathLike):
        queries = [queries]
    if not isinstance(queries, Iterable):
        raise OptionError(f"queries are given as a list or a mapping by name, not {queries!r:.80}")
    header, sections = GRAPHS.unpack(data)
    check_header(header, GRAPHS.version_of(data))
    kind = GraphKind(background, on_late=on_late, gpm=gpm, sharing=sharing)
    if kind.background.fingerprint() != header["background"]:
        raise SnapshotError("the snapshot was taken with other background knowledge")
    wanted = _wanted(header, queries, given)
    kind.share(one.query for one in wanted.values())
    states = header.get("given", {})
    made = {name: _made(kind, one, states.get(name, ())) for name, one in wanted.items()}
    with validated():
        _fill(kind, made, header, sections, on_match)
    return kind


def _fill(
    kind: GraphKind,
    made: dict[str, Made],
    header: dict[str, Any],
    sections: dict[str, bytes],
    on_match: OnMatch | None,
) -> None:
    core = kind.core
    core.lateness = header["lateness"]
    core.clocks = {state["iri"]: StreamClock(**state) for state in header["clocks"]}
    if any(clock.closed and clock.watermark < GREATEST for clock in core.clocks.values()):
        raise SnapshotError("the snapshot is damaged: a stream is closed that promises no end")
    kind.encoders = {iri: kind.evaluator.encoder.apart() for iri in core.clocks}
    word_map = unpack_words(sections, kind.terms)
    counters = {state["name"]: state["counters"] for state in header["queries"]}
    restoring = _Restoring(kind, counters, header.get("given", {}), sections, word_map, on_match)
    for state in header["streamsets"]:
        merged = _restored_input(kind, state)
        for name in state["queries"]:
            core.start(restoring.query(made[name], merged), merged)
    for place, (merged, state) in enumerate(zip(kind.inputs, header["streamsets"], strict=True)):
        # encoded when it is known what the queries need
        for events in unpack_waiting(state, str(place), sections, kind.evaluator.encoder):
            _check_waiting(merged, events)
            if int(events.graphs.knowledge.max(initial=0)) > kind.evaluator.version:
                raise SnapshotError("the snapshot is damaged: events wait that came after all rows")
            merged.add(events)
        merged.find_young()
    for iri, scope in header["scopes"].items():
        kind.encoders[iri].next_scope = scope
    kind.evaluator.encoder.origins = header["origins"]
    kind.skipped = {iri: Skipped(*skipped) for iri, skipped in header.get("skipped", {}).items()}
    core.running = {state["name"]: core.running[state["name"]] for state in header["queries"]}
    core.sort(stream_order(list(kind.queries.values())))


def _wanted(
    header: dict[str, Any], queries: Iterable[AnyQuery] | Mapping[str, AnyQuery], given: RowSources
) -> dict[str, Wanted]:
    """The queries given, with their plans, checked against those of the snapshot."""
    states = header["queries"]
    names = [state["name"] for state in states]
    tables = tables_by_name(given, names)
    wanted = {}
    for state, query in zip(states, queries_given(names, queries), strict=True):
        name = state["name"]
        checked = as_query(query, name, ())
        plan = plan_of(query, checked)
        if plan.fingerprint() != state["fingerprint"]:
            raise SnapshotError(f'the snapshot was taken with another query "{name}"')
        rows = rows_given(checked, tables.get(name))
        if rows is None:
            rows = _kept_rows(header.get("given", {}).get(name, ()))
        wanted[name] = Wanted(query, plan, rows)
    return wanted


def _kept_rows(states: Iterable[Mapping[str, Any]]) -> dict[Key, Row]:
    """The rows that a query had, in their order."""
    kept: list[tuple[int, Row]] = []
    for number, state in enumerate(states):
        rows = _read_rows(state)
        places = state.get("places", [number])
        found = zip(places, rows, _gone(state, rows), strict=True)
        kept += [(place, row) for place, row, gone in found if not gone]
    return keyed(row for _, row in sorted(kept, key=lambda pair: pair[0]))


@dataclass(frozen=True, slots=True)
class _Restoring:
    """What queries are made of again; states by name, ``given`` those of rows."""

    kind: GraphKind
    counters: Mapping[str, dict[str, Any]]
    given: Mapping[str, list[dict[str, Any]]]
    sections: Mapping[str, bytes]
    word_map: WordMap
    on_match: OnMatch | None

    def query(self, made: Made, merged: GraphInput) -> AnyGraphQuery:
        """A query on its input."""
        name = made.plan.query.name
        counters = self.counters[name]
        if made.compiled is None:
            return self._with_rows(made, merged, counters)
        parts = self.sections[f"matcher {name}"], self.sections[f"results {name}"]
        return self._running(made.plan, made.compiled, merged, counters, parts, self.on_match)

    def _running(
        self,
        plan: Plan,
        compiled: Compiled,
        merged: GraphInput,
        counters: dict[str, Any],
        parts: tuple[bytes, bytes],
        on_match: OnMatch | None,
    ) -> GraphQuery:
        data, remembered = parts
        matcher = None if counters["over"] else self._matcher(plan, compiled, merged, counters["new"], data)
        most = counters["max_results"] or None
        running = self.kind.running(plan, compiled, merged, matcher, on_match, most)
        running.restore(counters, remembered, self.word_map)
        if matcher is None:
            running.counters = unpack_counters(plan.start(self.kind.terms, automaton=compiled.automaton), data)
        return running

    def _with_rows(self, made: Made, merged: GraphInput, counters: dict[str, Any]) -> ParametricGraphQuery:
        """A query with parameters: rows that are not wanted any more are forgotten, new ones begin now."""
        name = made.plan.query.name
        youngest = 1 + max((state["age"] for states in self.given.values() for state in states), default=0)
        found = self.kind.parametric_query(made.plan, merged, self.on_match, counters["max_results"] or None)
        for one in made.members if not counters["over"] else ():
            if one.number is None:
                matcher = self._new_matcher(one.plan, one.compiled, merged)
                member = self.kind.running(one.plan, one.compiled, merged, matcher)
                member.since = self._since(youngest)  # what waits came before it
            else:
                place = f"{one.number} {name}"
                parts = self.sections[f"row matcher {place}"], self.sections[f"row results {place}"]
                state = self.given[name][one.number]
                member = self._running(one.plan, one.compiled, merged, state["counters"], parts, None)
                member.since = self._since(state["age"])
            found.run(member, one.keys, one.places)
        found.restore(counters, self.sections[f"matcher {name}"])
        return found

    def _since(self, age: int) -> int:
        """The version of the background from which on a row sees events; SnapshotError: there can be no such one."""
        if age > 1 + sum(map(len, self.given.values())):
            raise SnapshotError("the snapshot is damaged: a row is younger than it can be")
        while self.kind.evaluator.version < age:
            self.kind.evaluator.renew_version()
        return age

    def _new_matcher(self, plan: Plan, compiled: Compiled, merged: GraphInput) -> AnyMatcher:
        matcher: AnyMatcher = plan.start(self.kind.terms, automaton=compiled.automaton)
        matcher.advance(merged.advanced)
        return matcher

    def _matcher(self, plan: Plan, compiled: Compiled, merged: GraphInput, is_new: bool, data: bytes) -> AnyMatcher:
        if is_new:  # its number for the oldest event says nothing
            return self._new_matcher(plan, compiled, merged)
        matcher = plan.restore(self.kind.terms, data, self.word_map, automaton=compiled.automaton)
        if not merged.names.base <= matcher.oldest_event() <= matcher.next_event <= merged.names.next:
            raise SnapshotError("the snapshot is damaged: it does not have the names of all events")
        if not merged.finished and matcher.next_time > merged.watermark:
            raise SnapshotError(f'the snapshot is damaged: query "{plan.query.name}" knows events that are yet to come')
        return matcher


# ── merged inputs ───────────────────────────────────────────────────────────────────────────────────────────
def _input_state(merged: GraphInput, place: str, sections: dict[str, bytes]) -> dict[str, Any]:
    """The state of a merged input, but for the events that wait: they are put into sections."""
    oldest = merged.oldest_event()
    names = merged.names.from_number(oldest)
    waiting = list(merged.waiting())
    sections |= {section(place, events.stream): pack_waiting(events, merged.ages) for events in waiting}
    return {
        "iris": list(merged.streams),
        "strict": merged.strict,
        "queries": [query.name for query in merged.all_queries],
        "advanced": merged.advanced,
        "finished": merged.finished,
        "first_name": merged.names.next - len(names),
        "names": names,
        "waiting": [events.stream for events in waiting],
    }


def _restored_input(kind: GraphKind, state: dict[str, Any]) -> GraphInput:
    merged = kind.new_input(state["iris"], state["strict"])
    merged.advanced, merged.finished = state["advanced"], state["finished"]
    if merged.advanced > merged.watermark or (merged.finished and merged.watermark < GREATEST):
        raise SnapshotError("the snapshot is damaged: queries know a time that is yet to come")
    merged.names = EventNames(state["first_name"], state["names"])
    return merged


def _check_waiting(merged: GraphInput, events: Events) -> None:
    """SnapshotError if events wait that came too late for some query, or that wait no more."""
    known = max((member.matcher.next_time for member in merged.members), default=LEAST)
    if len(events) and (merged.finished or int(events.times.min()) < known):
        raise SnapshotError("the snapshot is damaged: events wait that came too late")
