"""Laws on any ``Story`` with a bound on work: what is found is part of all, and the same however the input is cut."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import spaseq
from nfa_native.joins.matcher import Matcher
from spaseq.errors import OptionError
from spaseq.pattern.sequences import Construction, Query
from spaseq.runtime.recall import Sums
from tests.graphs.stories import Step, Story

NEVER_MET, RECKLESS = 1e9, -1.0  # steps and cells are dropped by chance, with the second one
BOUNDS = (RECKLESS, 0.001, 0.3, NEVER_MET)
Results = Counter[tuple[object, ...]]


@dataclass(frozen=True)
class Bounded:
    """What a story gave under a bound, in order, whether nothing was left out, and what is known of samples."""

    matches: Sequence[spaseq.Match]
    complete: bool
    samples: Sequence[Sums | None]  # of each query


def may_be_bounded(story: Story) -> bool:
    """Whether no query of it is refused."""
    try:
        engine_of(story, NEVER_MET)
    except OptionError:
        return False
    return True


def engine_of(story: Story, bound: float) -> spaseq.Engine:
    """One whose work has that bound."""
    engine = spaseq.Engine(story.background, story.lateness, bound=bound_of(story, bound))
    for name, query in story.queries.items():
        engine.register(query, name)
    return as_reckless(engine, bound)


def as_reckless(engine: spaseq.Engine, bound: float) -> spaseq.Engine:
    """The same, which drops by chance if it is to be."""
    members = [member for query in engine.core.at_work for member in query.members]
    for member in members if bound == RECKLESS else ():
        assert isinstance(member.matcher, Matcher)
        member.matcher.reckless = 0.4
    return engine


def bound_of(story: Story, bound: float) -> spaseq.Bound:
    """Every other story has a sample."""
    return spaseq.Bound(abs(bound), sample=0.5 * (len(story.steps) % 2))


def told(story: Story, bound: float, chance: random.Random | None = None) -> Bounded:
    """What it gives step by step; by ``chance`` in batches, and from snapshots between them."""
    engine, found = engine_of(story, bound), list[spaseq.Match]()
    for some in parts(story.steps, chance):
        found += pushed(engine, some)
        if chance is not None and chance.random() < 0.3:
            data, bounded = engine.snapshot(), bound_of(story, bound)
            engine = as_reckless(spaseq.Engine.restore(data, story.queries, story.background, bound=bounded), bound)
    found += engine.close()
    return Bounded(found, engine.complete, [query.shed.sample for query in engine.core.at_work])


def parts(steps: Sequence[Step], chance: random.Random | None) -> Iterator[Sequence[Step]]:
    """The steps one by one, or some events of a stream together."""
    if chance is None:
        yield from ([step] for step in steps)
        return
    for (_, is_event), some in groupby(steps, key=lambda step: (step.stream, bool(step.name))):
        left = list(some)
        while left:
            size = chance.randint(1, len(left)) if is_event else 1
            yield left[:size]
            left = left[size:]


def pushed(engine: spaseq.Engine, steps: Sequence[Step]) -> list[spaseq.Match]:
    first = steps[0]
    if not first.name:
        return engine.advance(first.time, first.stream or None)
    return engine.push_batch(first.stream, [(step.time, step.graph, step.name) for step in steps])


# ── what of it there is ──────────────────────────────────────────────────────────────────────────────────
def values(story: Story, matches: Iterable[spaseq.Match]) -> Results:
    """The matches as values, but for when they were decided: of several ways that lead to one, some may be left out.

    Of one that makes an event some triples may be missing, where it has several solutions.
    """
    forms = {name: query.query for name, query in story.queries.items()}
    return Counter(_value(forms[one.query], one) for one in matches)


def _value(query: Query, one: spaseq.Match) -> tuple[object, ...]:
    times, form = one.microseconds, query.form
    if isinstance(form, Construction):
        return one.query, times.first, times.last, repr(one.events)
    row = tuple(sorted(map(str, one.bindings.items())))
    return (
        (one.query, times.last, row) if form.distinct else (one.query, times.first, times.last, row, repr(one.events))
    )


def check_part(story: Story, bound: float, seed: int = 0) -> Bounded:
    """What is found under a bound is part of what there is, all if nothing was left out, and the same however cut."""
    exact = told(replace(story, steps=story.steps), NEVER_MET)
    found, cut = told(story, bound), told(story, bound, random.Random(seed))
    wanted, got = values(story, exact.matches), values(story, found.matches)
    assert not got - wanted, f"{story}\nbound {bound}\nextra {got - wanted}"
    assert not found.complete or list(found.matches) == list(exact.matches), f"{story}\nbound {bound}"
    assert values(story, cut.matches) == got, f"{story}\nbound {bound}\ncut otherwise"
    assert cut.complete == found.complete, f"{story}\nbound {bound}\ncut otherwise"
    assert cut.samples == found.samples, f"{story}\nbound {bound}\ncut otherwise"
    return found
