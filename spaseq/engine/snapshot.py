"""The state of an engine as bytes, and back.

Queries and background knowledge are in it by fingerprint alone: both are given again and compared.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from spaseq.engine.background import Background
from spaseq.engine.common import Compiled
from spaseq.engine.core import EngineCore
from spaseq.engine.delivery import OnMatch
from spaseq.engine.names import EventNames
from spaseq.engine.prepared import AnyQuery
from spaseq.engine.protocols import AnyMatcher, WordMap
from spaseq.engine.queries import as_query, plan_of, stream_order
from spaseq.engine.snapshot_header import check_header
from spaseq.engine.snapshot_waiting import pack_waiting, section, unpack_waiting
from spaseq.engine.spent import Spent
from spaseq.engine.streamset import Streamset
from spaseq.engine.words import pack_words, unpack_words
from spaseq.errors import OptionError, SnapshotError
from spaseq.plan.sequences import Plan
from spaseq.snapshots.container import GRAPHS, check_settled
from spaseq.snapshots.doubt import doubted
from spaseq.snapshots.given import matched
from spaseq.streams.clock import StreamClock
from spaseq.streams.event import Event, Events
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import GREATEST, LEAST

Made: TypeAlias = tuple[Plan, Compiled]


def take_snapshot(core: EngineCore) -> bytes:
    """The state of an engine: equal states that came about equally give equal bytes."""
    check_settled(core.is_settled)
    core.catch_up()
    running = list(core.running.values())
    sections: dict[str, bytes] = {}
    held = [words for query in running for words in query.trace()]
    sections["terms"] = pack_words(held, core.terms)
    queries = []
    for query in running:
        counters, matcher, results = query.snapshot()
        sections[f"matcher {query.name}"], sections[f"results {query.name}"] = matcher, results
        queries.append({"name": query.name, "fingerprint": query.plan.fingerprint(), "counters": counters})
    header = {
        "background": core.background.fingerprint(),
        "lateness": core.lateness,
        "origins": core.evaluator.encoder.origins,
        "scopes": {iri: encoder.next_scope for iri, encoder in core.encoders.items()},
        "queries": queries,
        "clocks": [dataclasses.asdict(clock) for clock in core.clocks.values()],
        "streamsets": [
            _streamset_state(streamset, str(place), sections) for place, streamset in enumerate(core.streamsets)
        ],
        "skipped": {iri: [skipped.count, skipped.first] for iri, skipped in core.skipped.items()},
    }
    return GRAPHS.pack(header, sections)


def restored(
    data: bytes,
    queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
    background: Background,
    on_late: Callable[[Event], object] | None,
    on_match: OnMatch | None,
    gpm: str,
) -> EngineCore:
    """See ``Engine.restore``."""
    if isinstance(queries, os.PathLike):
        queries = [queries]
    if not isinstance(queries, Iterable):
        raise OptionError(f"queries are given as a list or a mapping by name, not {queries!r:.80}")
    header, sections = GRAPHS.unpack(data)
    check_header(header, GRAPHS.version_of(data))
    core = EngineCore(background, on_late=on_late, gpm=gpm)
    if core.background.fingerprint() != header["background"]:
        raise SnapshotError("the snapshot was taken with other background knowledge")
    plans = _plans(header["queries"], queries)
    core.share(query for query, _ in plans.values())
    made = {name: (plan, core.compiled(query, plan)) for name, (query, plan) in plans.items()}
    with doubted():
        _fill(core, made, header, sections, on_match)
    return core


def _fill(
    core: EngineCore,
    made: dict[str, Made],
    header: dict[str, Any],
    sections: dict[str, bytes],
    on_match: OnMatch | None,
) -> None:
    core.lateness = header["lateness"]
    core.clocks = {state["iri"]: StreamClock(**state) for state in header["clocks"]}
    if any(clock.closed and clock.watermark < GREATEST for clock in core.clocks.values()):
        raise SnapshotError("the snapshot is damaged: a stream is closed that promises no end")
    core.encoders = {iri: core.evaluator.encoder.apart() for iri in core.clocks}
    word_map = unpack_words(sections, core.terms)
    for state in header["streamsets"]:
        streamset = _restored_streamset(core, state)
        for name in state["queries"]:
            _restore_query(core, made[name], streamset, header, sections, word_map, on_match)
    for place, (streamset, state) in enumerate(zip(core.streamsets, header["streamsets"], strict=True)):
        # encoded when it is known what the queries need
        for events in unpack_waiting(state, str(place), sections, core.evaluator.encoder):
            _check_waiting(streamset, events)
            streamset.add(events)
    for iri, scope in header["scopes"].items():
        core.encoders[iri].next_scope = scope
    core.evaluator.encoder.origins = header["origins"]
    core.skipped = {iri: Skipped(*skipped) for iri, skipped in header.get("skipped", {}).items()}
    core.running = {state["name"]: core.running[state["name"]] for state in header["queries"]}
    core.sort(stream_order(list(core.queries.values())))


def _plans(
    states: list[dict[str, Any]], queries: Iterable[AnyQuery] | Mapping[str, AnyQuery]
) -> dict[str, tuple[AnyQuery, Plan]]:
    """The queries given, with their plans, checked against those of the snapshot."""
    names = [state["name"] for state in states]
    given = matched(names, queries)
    plans = {}
    for state, query in zip(states, given, strict=True):
        plan: Plan = plan_of(query, as_query(query, state["name"], ()))
        if plan.fingerprint() != state["fingerprint"]:
            raise SnapshotError(f'the snapshot was taken with another query "{state["name"]}"')
        plans[state["name"]] = query, plan
    return plans


def _restore_query(
    core: EngineCore,
    made: Made,
    streamset: Streamset,
    header: dict[str, Any],
    sections: dict[str, bytes],
    word_map: WordMap,
    on_match: OnMatch | None,
) -> None:
    plan, compiled = made
    name = plan.query.name
    counters = next(state["counters"] for state in header["queries"] if state["name"] == name)
    matcher = _restored_matcher(core, made, streamset, counters, sections[f"matcher {name}"], word_map)
    running = core.start(plan, compiled, streamset, matcher, on_match, counters["max_results"] or None)
    running.restore(counters, sections[f"results {name}"], word_map)
    if running.is_over:
        streamset.retire(running)
    else:
        streamset.note(running)


def _restored_matcher(
    core: EngineCore, made: Made, streamset: Streamset, counters: dict[str, Any], data: bytes, word_map: WordMap
) -> AnyMatcher:
    plan, automaton = made[0], made[1].automaton
    if counters["over"]:
        return Spent.restore(plan.start(core.terms, automaton=automaton), data)
    if counters["new"]:  # its number for the oldest event says nothing
        matcher: AnyMatcher = plan.start(core.terms, automaton=automaton)
        matcher.advance(streamset.advanced)
        return matcher
    matcher = plan.restore(core.terms, data, word_map, automaton=automaton)
    if not streamset.names.base <= matcher.oldest_event() <= matcher.next_event <= streamset.names.next:
        raise SnapshotError("the snapshot is damaged: it does not have the names of all events")
    if not streamset.finished and matcher.next_time > streamset.watermark:
        raise SnapshotError(f'the snapshot is damaged: query "{plan.query.name}" knows events that are yet to come')
    return matcher


# ── streamsets ───────────────────────────────────────────────────────────────────────────────────────────
def _streamset_state(streamset: Streamset, place: str, sections: dict[str, bytes]) -> dict[str, Any]:
    """The state of a streamset, but for the events that wait: they are put into sections."""
    oldest = min((query.oldest_event() for query in streamset.queries), default=streamset.names.next)
    names = streamset.names.from_number(oldest)
    waiting = list(streamset.waiting())
    sections |= {section(place, events.stream): pack_waiting(events) for events in waiting}
    return {
        "iris": list(streamset.iris),
        "strict": streamset.buffer.strict,
        "queries": [query.name for query in streamset.all_queries],
        "advanced": streamset.advanced,
        "finished": streamset.finished,
        "first_name": streamset.names.next - len(names),
        "names": names,
        "waiting": [events.stream for events in waiting],
    }


def _restored_streamset(core: EngineCore, state: dict[str, Any]) -> Streamset:
    streamset = core.new_streamset(state["iris"], state["strict"])
    streamset.advanced, streamset.finished = state["advanced"], state["finished"]
    if streamset.advanced > streamset.watermark or (streamset.finished and streamset.watermark < GREATEST):
        raise SnapshotError("the snapshot is damaged: queries know a time that is yet to come")
    streamset.names = EventNames(state["first_name"], state["names"])
    return streamset


def _check_waiting(streamset: Streamset, events: Events) -> None:
    """SnapshotError if events wait that came too late for some query, or that wait no more."""
    known = max((query.matcher.next_time for query in streamset.queries), default=LEAST)
    if len(events) and (streamset.finished or int(events.times.min()) < known):
        raise SnapshotError("the snapshot is damaged: events wait that came too late")
