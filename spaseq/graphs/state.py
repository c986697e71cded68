"""The state of an engine as bytes, and back; queries and background are in it by fingerprint, and given again."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from gpm.terms import ox_term
from nfa_native.core import archive
from nfa_native.core.arrays import column, distinct, read_store
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, SnapshotError
from spaseq.graphs.background import Background
from spaseq.graphs.family_state import MadeFamily, counters_of, family_states, made_families
from spaseq.graphs.graph_family import GraphFamily
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import OnMatch
from spaseq.graphs.input_columns import pack_waiting, section, unpack_waiting
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.known_forms import KnownForms
from spaseq.graphs.matchers import WordMap, Words
from spaseq.graphs.names import EventNames
from spaseq.graphs.parameter_rows import rows_given
from spaseq.graphs.parametric_graph_query import AnyGraphQuery, ParametricGraphQuery
from spaseq.graphs.queries import AnyQuery, as_query, plan_of, stream_order
from spaseq.graphs.restoring import Restoring
from spaseq.graphs.row_state import Made, Wanted, kept_rows, made_of, row_states, sections_of_rows
from spaseq.graphs.snapshot_header import check_header
from spaseq.pattern.sequences import Query, Row
from spaseq.plan.sequences.plan import fingerprint_of
from spaseq.plan.sequences.rule_plan import Key, RulePlan
from spaseq.plan.sequences.templates import Instance
from spaseq.runtime.bounded import Bound
from spaseq.runtime.snapshot.container import GRAPHS, check_settled
from spaseq.runtime.snapshot.validation import queries_given, validated
from spaseq.sources.parameter_rows import RowSources, tables_by_name
from spaseq.sources.rdf.events import Event, Events
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import GREATEST, LEAST

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


def take_snapshot(kind: GraphKind) -> bytes:
    """The state of an engine: equal states that came about equally give equal bytes."""
    core = kind.core
    check_settled(core.is_settled)
    core.catch_up()
    sections: dict[str, bytes] = {}
    held = [words for query in core.at_work for words in query.trace()]
    sections["terms"] = pack_words(held, kind.terms)
    queries = [_query_state(query, name, sections) for name, query in core.running.items()]
    given = {
        one.name: row_states(one, merged, sections, sections_of_rows(one.name))
        for merged in kind.inputs
        for one in merged.all_queries
        if isinstance(one, ParametricGraphQuery) and not isinstance(one, GraphFamily)
    }
    families = family_states(kind, sections)
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
        **({"families": families} if families else {}),
        **({} if kind.bound is None else {"bounded": True}),
    }
    return GRAPHS.pack(header, sections)


def _query_state(query: AnyGraphQuery, name: str, sections: dict[str, bytes]) -> dict[str, Any]:
    """The counters of a query; what it holds, unless a family does, is put into sections."""
    if isinstance(query, GraphFamily):
        one = query.named(name)
        return {"name": name, "fingerprint": fingerprint_of(one.query), "counters": counters_of(one)}
    counters, matcher, results = query.snapshot()
    sections[f"matcher {name}"], sections[f"results {name}"] = matcher, results
    return {"name": name, "fingerprint": query.plan.fingerprint(), "counters": counters}


def restored(
    data: bytes,
    queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
    background: Background,
    on_late: Callable[[Event], object] | None,
    on_match: OnMatch | None,
    gpm: str,
    given: RowSources = None,
    sharing: bool = True,
    evaluation: str = "auto",
    bound: Bound | None = None,
) -> GraphKind:
    """See ``Engine.restore``."""
    if isinstance(queries, os.PathLike):
        queries = [queries]
    if not isinstance(queries, Iterable):
        raise OptionError(f"queries are given as a list or a mapping by name, not {queries!r:.80}")
    header, sections = GRAPHS.unpack(data)
    check_header(header, GRAPHS.version_of(data))
    kind = GraphKind(background, on_late=on_late, gpm=gpm, sharing=sharing, evaluation=evaluation, bound=bound)
    if kind.background.fingerprint() != header["background"]:
        raise SnapshotError("the snapshot was taken with other background knowledge")
    known = _known(header, queries, given)
    of_families = {name: known.pop(name)[1] for family in header.get("families", ()) for name in family["queries"]}
    _check_same(header, {name: fingerprint_of(checked) for name, checked in of_families.items()})
    families = list(made_families(kind, header, of_families, on_match))
    wanted = {name: Wanted(query, plan_of(query, checked), rows) for name, (query, checked, rows) in known.items()}
    _check_same(header, {name: one.plan.fingerprint() for name, one in wanted.items()})
    kind.check_bounded(one.plan for one in wanted.values())
    kind.share(one.query for one in wanted.values())
    states = header.get("given", {})
    made: dict[str, Made | MadeFamily] = {
        name: made_of(kind, one, states.get(name, ())) for name, one in wanted.items()
    }
    made |= {query.name: family for family in families for query in family.queries}
    if bound is not None and any(isinstance(member.plan, RulePlan) for one in made.values() for member in one.members):
        raise OptionError(
            "queries run together in the snapshot, so that their work can have no bound: begin anew with one"
        )
    with validated():
        _fill(kind, made, header, sections, on_match)
    kind.keep_ticks()
    for merged in kind.inputs:
        merged.share()
    return kind


def _fill(
    kind: GraphKind,
    made: Mapping[str, Made | MadeFamily],
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
    states = header.get("given", {}), header.get("families", ())
    restoring = Restoring(kind, counters, *states, sections, word_map, on_match, "bounded" in header)
    for name in counters:
        core.place(name)
    for state in header["streamsets"]:
        merged = _restored_input(kind, state)
        for one in dict.fromkeys(map(made.__getitem__, state["queries"])):
            core.start(restoring.query(one, merged), merged)
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
    core.sort(stream_order(kind.known()))


def _known(
    header: dict[str, Any], queries: Iterable[AnyQuery] | Mapping[str, AnyQuery], given: RowSources
) -> dict[str, tuple[AnyQuery, Query, dict[Key, Row]]]:
    """The queries given, what they mean, and the rows that those with parameters are to have, by name."""
    names = [state["name"] for state in header["queries"]]
    tables = tables_by_name(given, names)
    forms = KnownForms()
    known: dict[str, tuple[AnyQuery, Query, dict[Key, Row]]] = {}
    for name, query in zip(names, queries_given(names, queries), strict=True):
        read = forms.read(query) if isinstance(query, str) else query
        query = read.query(name) if isinstance(read, Instance) else read
        checked = as_query(query, name, ())
        rows = rows_given(checked, tables.get(name))
        known[name] = query, checked, kept_rows(header.get("given", {}).get(name, ())) if rows is None else rows
    return known


def _check_same(header: dict[str, Any], fingerprints: Mapping[str, str]) -> None:
    """SnapshotError: a query is another than that of the snapshot."""
    for state in header["queries"]:
        if fingerprints.get(state["name"], state["fingerprint"]) != state["fingerprint"]:
            raise SnapshotError(f'the snapshot was taken with another query "{state["name"]}"')


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
        "queries": [name for query in merged.all_queries for name in query.names],
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
