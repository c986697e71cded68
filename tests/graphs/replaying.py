"""What ``Engine.due`` and ``Engine.needed_since`` promise, as laws on any ``Story``."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import spaseq
from tests.graphs.stories import LEAST, Step, Story, Told

FAR = 10**17  # microseconds: behind all edges
Results = Counter[Hashable]


def take(engine: spaseq.Engine, step: Step) -> Results:
    """What the step decides."""
    if step.name:
        return results(engine, engine.push(step.stream, step.graph, step.time, step.name))
    return results(engine, engine.advance(step.time, step.stream or None))


def results(engine: spaseq.Engine, matches: Iterable[spaseq.Match]) -> Results:
    """The matches as values.  For DISTINCT any of those with one row may stand for the others, so only that counts."""
    forms = {name: query.form for name, query in engine.queries.items()}
    return Counter(
        (one.query, one.microseconds.last, one.microseconds.decided, *sorted(map(str, one.bindings.items())))
        if getattr(forms[one.query], "distinct", False) else one
        for one in matches
    )  # fmt: skip


# ── due ──────────────────────────────────────────────────────────────────────────────────────────────────
def check_dues(story: Story) -> Told:
    """``check_due`` after every step; how often something was due, and what was to come by promises."""
    engine, told = story.engine(), Told()
    for step in story.steps:
        take(engine, step)
        to_come = check_due(story, engine)
        told += Told(steps=1, due=engine.due() is not None, results=to_come.total())
    return told


def check_due(story: Story, engine: spaseq.Engine) -> Results:
    """A lesser promise than the one that is due gives nothing, and those that are due give all that promises decide."""
    due, early = engine.due(), story.copied(engine)
    wanted = results(engine, story.copied(engine).advance(FAR))
    if due is not None:
        assert early.advance(due - 1) == [], story
        assert waiting(early) == waiting(engine), story
    assert due is not None or not wanted, story
    found: Results = Counter()
    for _ in range(1000):
        if (due := early.due()) is None:
            break
        found += results(engine, early.advance(due))
    assert due is None, story
    assert found == wanted, story
    return wanted


def waiting(engine: spaseq.Engine) -> dict[str, int]:
    """How many events wait for each query."""
    return {name: one["waiting_events"] for name, one in engine.statistics()["queries"].items()}


# ── needed_since ─────────────────────────────────────────────────────────────────────────────────────────
def check_replay(story: Story, seed: int = 0) -> Told:
    """An engine that is made anew before every step, of the events that are needed, gives what one that is not gives.

    Some events that are not needed are left to it, too.
    """
    chance, told = random.Random(seed), Told()
    whole, current, log = story.engine(), story.engine(), list[Step]()
    for step in story.steps:
        since = current.needed_since()
        assert since == whole.needed_since(), story
        if since is not None:
            kept = [one for one in log if one.time >= since or chance.random() < 0.1]
            told += Told(engines=1, forgotten=len(log) - len(kept))
            current = replayed(story, kept, current)
        if step.name and not is_late(whole, step):
            log.append(step)
        wanted, found = take(whole, step), take(current, step)
        assert wanted == found, f"{story}\nat {step}, needed since {since}\nlost {wanted - found}\nnew {found - wanted}"
        told += Told(steps=1, results=wanted.total())
    assert results(whole, whole.close()) == results(current, current.close()), f"{story}\nat the end"
    return told


def is_late(engine: spaseq.Engine, step: Step) -> bool:
    """Whether the event will be dropped."""
    return step.time < engine.core.clocks[step.stream].watermark


def replayed(story: Story, log: Sequence[Step], before: spaseq.Engine) -> spaseq.Engine:
    """A new engine that has seen what the log has, with the promises of the one before; what it gives is dropped."""
    engine = story.engine()
    for step in log:
        take(engine, step)
    for clock in before.core.open_clocks(None):
        if clock.watermark > LEAST:
            engine.advance(clock.watermark, clock.iri)
    return engine
