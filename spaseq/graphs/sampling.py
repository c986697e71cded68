"""Matchers whose work is bounded, with a sample of the ticks where a bound asks for one, and what they leave out."""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import NamedTuple

from nfa_native.automata.automaton import Automaton
from nfa_native.joins.sampled_matcher import SampledMatcher, without_sample
from nfa_native.terms.dictionary import Terms
from spaseq.errors import SnapshotError
from spaseq.graphs.matchers import AnyMatcher, Bounded, Sampled, WordMap
from spaseq.plan.sequences import Plan
from spaseq.runtime.bounded import Bound
from spaseq.runtime.shed import Shed
from spaseq.streams.timestamps import LEAST


class Snapshot(NamedTuple):
    """That of a matcher, whose work may have had a bound."""

    data: bytes
    was_bounded: bool


def has_sample(bound: Bound | None, plan: Plan) -> bool:
    """Whether it is told which part of a query's results is found.

    Not where sides lie beside each other: there a result has several beginnings.
    """
    return bound is not None and bound.sample > 0 and not plan.analysis.graph.junctions


def started(bound: Bound | None, plan: Plan, automaton: Automaton, terms: Terms) -> AnyMatcher:
    """A matcher at the beginning of its input."""
    if bound is None or not has_sample(bound, plan):
        return plan.start(terms, automaton=automaton)
    matcher = SampledMatcher(automaton, terms)
    matcher.begin_sample(_salt(plan), bound.sample, LEAST)
    return matcher


def restored(
    bound: Bound | None, plan: Plan, automaton: Automaton, terms: Terms, snapshot: Snapshot, word_map: WordMap
) -> AnyMatcher:
    """One from its snapshot; if that had no such sample, it begins now.  SnapshotError: the snapshot is damaged."""
    data = snapshot.data
    try:
        if bound is None or not has_sample(bound, plan):
            data = without_sample(data) if snapshot.was_bounded else data
            return plan.restore(terms, data, word_map, automaton=automaton)
        matcher = SampledMatcher.restore(automaton, terms, data, word_map)
    except ValueError as error:
        raise SnapshotError(f'the snapshot of query "{plan.query.name}" is damaged: {error}') from error
    if matcher.asked_part != bound.sample:
        matcher.begin_sample(_salt(plan), bound.sample)
    return matcher


def shed_by(matcher: AnyMatcher) -> Shed:
    """By a matcher so far."""
    if not (isinstance(matcher, Bounded) and matcher.work_bound):
        return Shed()
    states, over = matcher.shed()
    shed = Shed(tuple((a, b, c) for a, b, c in states.tolist()), over, int(matcher.work), matcher.curtailed)
    if isinstance(matcher, Sampled):
        return replace(shed, sample=astuple(matcher.sample_sums), since=matcher.sampled_since)
    return shed


def _salt(plan: Plan) -> int:
    """Queries draw ticks apart, so that samples can be added."""
    return int(plan.fingerprint()[:16], 16)
