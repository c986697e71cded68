"""Queries whose work may have no bound: where partial matches are missing, they would find what there is not.

A query that is bounded finds part of its matches.  That is no harm to who reads them, but to a query that takes a
missing event for an absence: it would find matches that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpm.algebra import (
    Bind,
    Element,
    Exists,
    Expression,
    Filter,
    Group,
    Minus,
    Optional,
    SubSelect,
    Union,
    subexpressions,
)
from spaseq.errors import OptionError
from spaseq.pattern import sequences
from spaseq.pattern.sequences import (
    Kleene,
    Negation,
    Query,
    Sequence,
    SequenceExpression,
    Strategy,
    occurrences,
    operands,
)
from spaseq.plan.sequences.plan import Plan

NAMES = {Strategy.NEXT: "“;” takes the next event", Strategy.STRICT: "“,” wants no event in between"}


def check_bounded(plans: Iterable[Plan]) -> None:
    """OptionError: the work of one of these queries, which run together, may have no bound."""
    plans = list(plans)
    for plan in plans:
        why = why_unbounded(plan)
        if why is not None:
            raise OptionError(f"the work of {plan.query.name} may have no bound: {why}")
    for plan in plans:
        for other in plans:
            why = why_unreadable(plan, other.query)
            if why is not None:
                reads = f"as {other.query.name} reads what it derives"
                raise OptionError(f"the work of {plan.query.name} may have no bound, {reads}: {why}")


def why_unbounded(plan: Plan) -> str | None:
    """Why the work of a query may have no bound; None: it may."""
    if plan.match_aggregates:
        return "it aggregates over matches, and of some it would be told nothing"
    if plan.by_partition:
        return "its window counts the events of each partition, whose matchers are bounded by none yet"
    return None


def explained(plan: Plan) -> str:
    """What may be left out of a query where work has a bound, or why it can have none: some lines."""
    why = why_unbounded(plan)
    if why is not None:
        return f"bound\n  none: {why}"
    waiting = ", ".join(str(number) for number, state in enumerate(plan.analysis.exits) if state.strategy is not None)
    into = plan.query.into
    return "\n".join([
        "bound",
        f"  partial matches that bring least for their work may be left out of states {waiting}" if waiting else
        "  nothing waits, so nothing is left out",
        *([f"  what reads <{into}> may not take a missing event for an absence"] if into and waiting else ()),
    ])  # fmt: skip


def why_unreadable(plan: Plan, reader: Query) -> str | None:
    """Why a query may not read what another one derives whose work is bounded; None: it may."""
    into = plan.query.into
    if into is None or into not in {stream.iri for stream in reader.streams}:
        return None
    if not plan.rows_together:
        return "of an event that several ways or partitions lead to some may be missing"
    return next(_absences(reader, into), None)


def _absences(reader: Query, iri: str) -> Iterator[str]:
    """What takes a missing event of the stream for an absence."""
    if reader.window is not None and reader.window.events:
        yield "its window counts events"
    names = {name for stream in reader.streams if stream.iri == iri for name in (stream.name, iri)}
    atoms = frozenset(one.name for one in reader.atoms if one.stream in names)
    yield from _in_sequence(reader.expression, atoms)
    if reader.partition is not None and reader.partition.using is not None:
        yield from _in_group(reader.partition.using)
    for atom in reader.atoms:
        if atom.name in atoms:
            yield from _in_group(atom.pattern)
            yield from (_EXISTS for one in atom.stateful if _has_exists(one))


# ── how events follow ────────────────────────────────────────────────────────────────────────────────────
def _in_sequence(expression: SequenceExpression, atoms: frozenset[str]) -> Iterator[str]:
    """``atoms`` are the GPMs on the stream."""
    match expression:
        case Negation(body) if _mentions(body, atoms):
            yield "a negation looks for its events"
        case sequences.Optional(body) if _mentions(body, atoms):
            yield "a part of it is there or absent"
        case Sequence(strategy=Strategy.STRICT) | Kleene(strategy=Strategy.STRICT):
            yield NAMES[Strategy.STRICT]
        case Sequence(_, Strategy.NEXT, right) if _mentions(right, atoms):
            yield NAMES[Strategy.NEXT]
        case Kleene(body, strategy=Strategy.NEXT) if _mentions(body, atoms):
            yield NAMES[Strategy.NEXT]
    for part in operands(expression):
        yield from _in_sequence(part, atoms)


def _mentions(expression: SequenceExpression, atoms: frozenset[str]) -> bool:
    return any(place.name in atoms for place in occurrences(expression))


# ── graph patterns: an event may have fewer triples, where a match has several solutions ─────────────────
_EXISTS = "a graph pattern asks whether something EXISTS"


def _in_group(group: Group) -> Iterator[str]:
    for element in group.elements:
        yield from _in_element(element)


def _in_element(element: Element) -> Iterator[str]:
    match element:
        case Minus():
            yield "a graph pattern has MINUS"
        case Optional():
            yield "a graph pattern has OPTIONAL"
        case SubSelect():
            yield "a graph pattern has a nested SELECT"
        case Filter(expression) | Bind(expression) if _has_exists(expression):
            yield _EXISTS
        case Group():
            yield from _in_group(element)
        case Union(branches):
            for branch in branches:
                yield from _in_group(branch)


def _has_exists(expression: Expression) -> bool:
    return any(isinstance(part, Exists) for part in subexpressions(expression))
