"""Laws that need no oracle: cutting, restoring, renaming and permuting simultaneous events change nothing."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st

import spaseq
from spaseq import streams as engine_streams
from tests.agreement.harness import Run, run, triples_of
from tests.oracle.evaluate import Result, streamset
from tests.oracle.generate import BASE, Pair, Size, random_pair
from tests.oracle.model import Event, Query
from tests.oracle.strategies import pairs
from tests.oracle.text import to_text

ROOT = Path(__file__).parents[2]
SIZE = Size(operators=4, events=7, least_events=3)
some = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def places(pair: Pair, data: st.DataObject) -> list[int]:
    """Where to cut the events, as numbers of the first event after each cut."""
    count = len(streamset(pair.query, list(pair.events)))
    return sorted(data.draw(st.sets(st.integers(0, count)), label="cuts"))


def assert_equal(found: list[Result], wanted: list[Result]) -> None:
    """Equal results, both in order of decision; among results of one time the order is free."""
    assert Counter(found) == Counter(wanted)
    assert [one.decided for one in found] == [one.decided for one in wanted]


# ── cutting ──────────────────────────────────────────────────────────────────────────────────────────────
@some
@given(pairs(SIZE), st.data())
def test_cutting_into_batches(pair: Pair, data: st.DataObject) -> None:
    assert_equal(run(pair.query, pair.events, cuts=places(pair, data)), run(pair.query, pair.events))


# ── snapshots ────────────────────────────────────────────────────────────────────────────────────────────
def run_restored(query: Query, events: Sequence[Event], cuts: Sequence[int]) -> list[Result]:
    """All results, with a matcher restored from a snapshot at every cut."""
    ordered = streamset(query, list(events))
    one = Run(query)
    for start, end in pairwise([0, *cuts, len(ordered)]):
        one.feed(ordered[start:end])
        one.matcher = one.plan.restore(one.terms, one.matcher.snapshot(), lambda words: words)
    return one.finish()


@some
@given(pairs(SIZE), st.data())
def test_restoring_the_matcher(pair: Pair, data: st.DataObject) -> None:
    assert_equal(run_restored(pair.query, pair.events, places(pair, data)), run(pair.query, pair.events))


ELSEWHERE = """
import json, sys
import spaseq
from tests.agreement.test_metamorphic import said, arriving
answers = []
for job in json.load(sys.stdin):
    engine = spaseq.Engine.restore(bytes.fromhex(job["snapshot"]), {"query": job["query"]})
    found = said(match for table in engine.push_events(arriving(job["events"])) for match in table)
    answers.append(found + said(engine.close()))
print(json.dumps(answers))
"""


def said(matches: Any) -> list[str]:
    return [json.dumps([match.to_dict(), match.microseconds]) for match in matches]


def arriving(events: Sequence[Sequence[Any]]) -> list[engine_streams.Event]:
    """The engine's events from (stream, time, name, triples)."""
    return [
        engine_streams.Event(stream, time, BASE + name, list(triples_of(tuple(tuple(one) for one in triples))))
        for stream, time, name, triples in events
    ]


def plain(pair: Pair) -> list[list[Any]]:
    """The events of the query's streams as JSON values."""
    known = {iri for _, iri in pair.query.streams}
    return [[e.stream, e.time, e.name, [list(one) for one in e.triples]] for e in pair.events if e.stream in known]


def started(text: str) -> spaseq.Engine:
    engine = spaseq.Engine()
    engine.register(text, "query")
    return engine


def push(engine: spaseq.Engine, events: Sequence[Sequence[Any]]) -> list[str]:
    return said(match for table in engine.push_events(arriving(events)) for match in table)


def test_restoring_the_engine_in_another_process() -> None:
    jobs, before, whole = [], [], []
    for seed in range(120):
        pair = random_pair(seed, SIZE)
        text, events = to_text(pair.query), plain(pair)
        cut = random.Random(seed).randint(0, len(events))
        engine = started(text)
        whole.append(push(engine, events) + said(engine.close()))
        engine = started(text)
        before.append(push(engine, events[:cut]))
        jobs.append({"query": text, "snapshot": engine.snapshot().hex(), "events": events[cut:]})
    command = [sys.executable, "-c", ELSEWHERE]
    done = subprocess.run(command, input=json.dumps(jobs), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    for number, after in enumerate(json.loads(done.stdout)):
        assert sorted(before[number] + after) == sorted(whole[number]), jobs[number]["query"]
    assert sum(map(len, whole)) > 50


# ── renaming ─────────────────────────────────────────────────────────────────────────────────────────────
def renamed(text: str) -> str:
    """The query with other variables, in another alphabetical order."""
    return re.sub(r"\?(\w+)", lambda found: f"?{_other(found[1])}", text)


def _other(name: str) -> str:
    return f"{chr(ord('z') - sum(map(ord, name)) % 26)}_{name}"


def names_back(result: Result) -> Result:
    return replace(result, row=tuple(sorted((name[2:], value) for name, value in result.row)))


@some
@given(pairs(SIZE))
def test_renaming_variables(pair: Pair) -> None:
    ordered = streamset(pair.query, list(pair.events))
    one = Run(pair.query, text=renamed(to_text(pair.query)))
    one.feed(ordered)
    assert Counter(map(names_back, one.finish())) == Counter(run(pair.query, pair.events))


# ── permuting ────────────────────────────────────────────────────────────────────────────────────────────
@some
@given(pairs(SIZE), st.randoms(use_true_random=False))
def test_permuting_simultaneous_events(pair: Pair, chance: random.Random) -> None:
    """Positions depend on the order of arrival, so windows of events are left aside."""
    if pair.query.window is not None and pair.query.window.unit.startswith("EVENT"):
        return
    events = list(pair.events)
    chance.shuffle(events)
    events.sort(key=lambda event: event.time)
    assert Counter(run(pair.query, events)) == Counter(run(pair.query, pair.events))
