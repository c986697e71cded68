"""Labels of a pair, to count what the generators cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .across import bound_by_steps, filters_across
from .expressions import Aggregate, Bound, Coalesce, First, If, Prev, names_in, reads_history, walk
from .model import (
    And,
    AnyOrder,
    Atom,
    Column,
    Event,
    Kleene,
    Maybe,
    Node,
    Not,
    Or,
    Query,
    Seq,
    is_bop,
    parts,
    walk_nodes,
)
from .plan import Plan, is_stateful, plan_of
from .sequences import has_any_order
from .text import quantifier


def labels_of(query: Query, events: Sequence[Event]) -> frozenset[str]:
    """Labels such as `operator ;`, `quantifier +`, `iteration default`, `negation end`, `window sliding`."""
    return query_labels(query) | event_labels(events)


def query_labels(query: Query) -> frozenset[str]:
    """The labels of the query alone."""
    labels = (*sequence_labels(query.sequence), *any_order_labels(query.sequence), *filter_labels(query))
    return frozenset((*labels, *across_labels(plan_of(query)), *clause_labels(query)))


def event_labels(events: Sequence[Event]) -> frozenset[str]:
    """The labels of the events alone."""
    return frozenset(_event_labels(events))


def sequence_labels(root: Node) -> Iterator[str]:
    """Operators, quantifiers, nesting and where negations stand."""
    for node in walk_nodes(root):
        match node:
            case Seq(_, sign, right):
                yield f"operator {sign}"
                if isinstance(right, Seq):
                    yield "group on the right"
            case And():
                yield "operator &"
            case Or():
                yield "operator |" if is_bop(node) else "operator | of sequences"
            case Maybe():
                yield "quantifier ?"
            case Kleene(body, least, most, sign):
                yield f"quantifier {quantifier(least, most)}"
                yield f"iteration {sign or 'default'}"
                if any(isinstance(inner, Kleene) for inner in walk_nodes(body)):
                    yield "nested Kleene"
            case Not(body):
                yield "negation" if isinstance(body, Atom) else "negation of a BOp"
    yield from negation_labels(root)
    if max(Counter(node.gpm for node in walk_nodes(root) if isinstance(node, Atom)).values()) > 1:
        yield "GPM twice"


def any_order_labels(root: Node) -> Iterator[str]:
    """The sides of `&&`, and where it stands."""
    for node in walk_nodes(root):
        match node:
            case AnyOrder(sides):
                yield "operator &&"
                yield f"&& of {len(sides)} sides"
                yield from (f"&& with a {'BOp' if is_bop(side) else type(side).__name__}" for side in sides)
            case Or(branches) if any(isinstance(branch, AnyOrder) for branch in branches):
                yield "&& in |"
            case Kleene(body, _, _, _) | Maybe(body) if has_any_order(body):
                yield "&& under a quantifier"
            case Seq(left, sign, right):
                yield from [f"&& before {sign}"] if isinstance(left, AnyOrder) else []
                yield from [f"&& after {sign}"] if isinstance(right, AnyOrder) else []


def across_labels(plan: Plan) -> Iterator[str]:
    """Filters across, and those that name a variable both of their own side and of another one."""
    bound, across = bound_by_steps(plan), filters_across(plan)
    for own in plan.occurrences:
        for filter_, number in across.get(own.number, ()):
            yield "filter across"
            yield from ["filter across in a Kleene"] if own.kleenes else []
            yield from ["filter across with history"] if reads_history(filter_) else []
            yield from ["filter across of an outer &&"] if own.around.sides[-1][0] != number else []
        beside = {name for o in plan.occurrences if own.is_beside(o) and not o.negated for name in o.gpm.variables}
        foreign = [filter_ for filter_ in own.gpm.filters if is_stateful(filter_, own.gpm)]
        if any(names_in(filter_) & bound[own.number] & beside for filter_ in foreign):
            yield "filter of what another side has too"


def negation_labels(root: Node) -> Iterator[str]:
    """Whether negations stand at the start, in the middle, at the end."""
    signs = list(_signs(root))
    for position, positive in enumerate(signs):
        if not positive:
            before, after = any(signs[:position]), any(signs[position:])
            yield "negation " + ("middle" if before and after else "end" if before else "start")


def _signs(node: Node) -> Iterator[bool]:
    if isinstance(node, Atom | Not):
        yield isinstance(node, Atom)
    else:
        for part in parts(node):
            yield from _signs(part)


def filter_labels(query: Query) -> Iterator[str]:
    """What filters read, and OPTIONAL and UNION in the patterns."""
    negated = {a for n in walk_nodes(query.sequence) if isinstance(n, Not) for a in walk_nodes(n)}
    for gpm in query.gpms:
        yield from (f"pattern {word}" for word in ("OPTIONAL", "UNION") if word in gpm.pattern)
        for expression in gpm.filters:
            stateful = is_stateful(expression, gpm)
            yield "filter stateful" if stateful else "filter local"
            if stateful and Atom(gpm.name) in negated:
                yield "filter stateful in a negated atom"
            for part in walk(expression):
                match part:
                    case Prev() | First() | Coalesce() | Bound() | If():
                        yield f"filter {type(part).__name__.upper()}"
                    case Aggregate(function, name, distinct):
                        yield f"filter {function}"
                        yield from [] if isinstance(name, str | None) else ["filter aggregate of an expression"]
                        yield from ["filter DISTINCT in an aggregate"] if distinct else []


def clause_labels(query: Query) -> Iterator[str]:
    """Window, SELECT and streams."""
    window = query.window
    if window is None:
        yield "window none"
    else:
        kind = "events " if window.unit.startswith("EVENT") else ""
        yield f"window {kind}" + ("sliding" if window.sliding else "tumbling")
        if window.origin is not None:
            yield "window origin"
    yield f"streams {len({iri for _, iri in query.streams})}"
    select = query.select
    yield "select *" if select.items is None else "select items"
    yield from (["select DISTINCT"] if select.distinct else []) + (["select GROUP BY"] if select.group_by else [])
    yield from ["select HAVING"] if select.having else []
    expressions = [item.expression for item in select.items or () if isinstance(item, Column)]
    for one in (part for expression in (*expressions, *select.having) for part in walk(expression)):
        if isinstance(one, Aggregate):
            yield f"select {one.function}{'(*)' if one.name is None else ''}"
            yield from ["select DISTINCT in an aggregate"] if one.distinct else []
            yield from [] if isinstance(one.name, str | None) else ["select aggregate of an expression"]


def _event_labels(events: Sequence[Event]) -> Iterator[str]:
    """Number of events, simultaneous ones."""
    yield f"events {len(events)}"
    times = [event.time for event in events]
    if len(set(times)) < len(times):
        yield "simultaneous events"
    if any(len({triple[0] for triple in event.triples}) > 1 for event in events):
        yield "several mappings"
