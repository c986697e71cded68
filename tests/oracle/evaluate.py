"""evaluate(query, events): every result of a query, by definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from .expressions import Aggregate, walk
from .formulas import Environment, evaluate as value, holds
from .model import Column, Event, Query
from .partial import Partial, Solution
from .partition import substreams
from .plan import Plan, plan_of
from .search import World
from .values import SparqlError, term_of
from .windows import Edges, edges

Row = tuple[tuple[str, str], ...]
Picks = tuple[tuple[str, tuple[str, ...]], ...]
Match = tuple[Picks, int, int]
PlainEvent = tuple[str, int, str, tuple[tuple[str, str, str], ...]]


@dataclass(frozen=True)
class Result:
    """One result.

    picks: (GPM name, names of its events, sorted), sorted by GPM name; first and last in microseconds; row: (variable,
    canonical term) of what is bound, sorted by variable; decided: its decision time, infinity for the end of the input.
    Under DISTINCT there are no picks and no first; a result over matches has no picks, first and last.
    """

    picks: Picks
    first: int | None
    last: int | None
    row: Row
    decided: float

    @property
    def identity(self) -> tuple[Picks, int | None, int | None, Row]:
        """All but the decision time."""
        return self.picks, self.first, self.last, self.row


def evaluate(query: Query, events: Iterable[Event | PlainEvent]) -> list[Result]:
    """All results of the query over the events, in order of decision; each once, at its earliest decision time.

    Over matches there is one for every group, and two groups may have equal rows if SELECT leaves their names out.
    """
    plan = plan_of(query)
    sigma = streamset(query, [e if isinstance(e, Event) else Event(*e) for e in events])
    worlds = [World(plan, substream, key) for key, substream in substreams(query, sigma)]
    found = [(world, match, edge) for world in worlds for match, edge in matches(world)]
    if over_matches(plan):
        results = grouped_results(plan, [(match, edge) for _, match, edge in found])
        return earliest(results) if query.select.distinct else sorted(results, key=in_order)
    return earliest([result for world, match, edge in found for result in match_results(world, match, edge)])


def streamset(query: Query, events: Sequence[Event]) -> tuple[Event, ...]:
    """The events of Σ in Σ's order: time, then stream in the order of FROM STREAM, then arrival."""
    iris = list(dict.fromkeys(iri for _, iri in query.streams))
    known = [event for event in events if event.stream in iris]
    return tuple(sorted(known, key=lambda event: (event.time, iris.index(event.stream))))


def matches(world: World) -> list[tuple[Partial, Edges]]:
    """All matches of one world, with the edges of their windows."""
    return [(match, edge) for match in world.search() if (edge := survives(world, match)) is not None]


def survives(world: World, match: Partial) -> Edges | None:
    """The edges of the match's window, if it lies in one and no negation or absence drops it."""
    edge = edges(world.plan.query.window, match.events, world.events)
    if edge is None or any(world.violated(match, place, edge.inside) for place in match.places):
        return None
    return edge


def decision(match: Partial, edge: Edges) -> float:
    """The last event's time; if the match ends in a negation or absence, the time of the upper edge."""
    waits = any(place.before is None for place in match.places)
    return edge.closes if waits else match.steps[-1].time


def picks_of(match: Partial) -> Picks:
    """The set of events picked per GPM name."""
    picked = sorted({(o.gpm.name, event.name) for step in match.steps for o, event in step.events})
    return tuple((name, tuple(event for _, event in group)) for name, group in groupby(picked, key=itemgetter(0)))


def match_results(world: World, match: Partial, edge: Edges) -> Iterable[Result]:
    """One result per row of a match."""
    distinct = world.plan.query.select.distinct
    first, last = match.steps[0].time, match.steps[-1].time
    for solution in match.solutions:
        row = project(world, solution)
        decided = decision(match, edge)
        yield Result((), None, last, row, decided) if distinct else Result(picks_of(match), first, last, row, decided)


def columns(query: Query) -> list[str]:
    """The names of the result's columns, in order."""
    items = query.select.items
    if items is None:
        return plan_of(query).visible()
    return [item if isinstance(item, str) else item.name for item in items]


def project(world: World, solution: Solution) -> Row:
    """The SELECTed part of a final solution."""
    plan = world.plan
    environment = world.environment(solution, None, world.so_far)
    items = plan.query.select.items
    return make_row(plan.visible() if items is None else items, environment)


def make_row(items: Iterable[str | Column], environment: Environment) -> Row:
    """Variables as they are bound, expressions as they evaluate; what is unbound or an error is left out.

    An expression sees the names given before it.
    """
    row: dict[str, str] = {}
    for item in items:
        if isinstance(item, str):
            if item in environment.bindings:
                row[item] = environment.bindings[item]
            continue
        try:
            seen = replace(environment, bindings={**environment.bindings, **row})
            row[item.name] = term_of(value(item.expression, seen))
        except SparqlError:
            continue
    return tuple(sorted(row.items()))


def over_matches(plan: Plan) -> bool:
    """Whether SELECT or HAVING aggregates over matches: COUNT(*), or an aggregate of what is no group variable."""
    select = plan.query.select
    expressions = [item.expression for item in select.items or () if isinstance(item, Column)]
    expressions += select.having
    aggregates = [part for expression in expressions for part in walk(expression) if isinstance(part, Aggregate)]
    return any(all(plan.innermost(name) is None for name in part.names) for part in aggregates)


def grouped_results(plan: Plan, found: Iterable[tuple[Partial, Edges]]) -> list[Result]:
    """One row per decision time, key and GROUP BY values, over the distinct (picks, solution) decided then.

    HAVING chooses groups; it sees what SELECT names.
    """
    names = (*plan.query.keys, *plan.query.select.group_by)
    members: dict[tuple[Match, Row], float] = {}
    for match, edge in found:
        picked = (picks_of(match), match.steps[0].time, match.steps[-1].time)
        for solution in match.solutions:
            key = (picked, tuple(sorted(solution.bindings)))
            members[key] = min(decision(match, edge), members.get(key, float("inf")))
    groups: dict[tuple[float, Row], list[tuple[Match, Row]]] = {}
    for (picked, row), decided in members.items():
        group = tuple(pair for pair in row if pair[0] in names)
        groups.setdefault((decided, group), []).append((picked, row))
    found = ((decided, grouped_row(plan, group, rows)) for (decided, group), rows in groups.items())
    return [Result((), None, None, row, decided) for decided, row in found if row is not None]


def grouped_row(plan: Plan, group: Row, rows: list[tuple[Match, Row]]) -> Row | None:
    """The row of one group, None if HAVING leaves it out.

    COUNT(*) counts the group's matches, other aggregates range over all their solutions.
    """
    matches = len({picked for picked, _ in rows})
    found = [dict(row) for _, row in rows]
    environment = Environment(
        dict(group), lambda name: [row.get(name) for row in found], matches, solutions=lambda expression: found
    )
    row = make_row(plan.query.select.items or (), environment)
    seen = replace(environment, bindings={**environment.bindings, **dict(row)})
    return row if all(holds(condition, seen) for condition in plan.query.select.having) else None


def earliest(results: Iterable[Result]) -> list[Result]:
    """Each result once, at its earliest decision time (results over matches: once per decision time)."""
    kept: dict[object, Result] = {}
    for result in results:
        key = (result.identity, result.decided) if result.last is None else result.identity
        if key not in kept or result.decided < kept[key].decided:
            kept[key] = result
    return sorted(kept.values(), key=in_order)


def in_order(result: Result) -> tuple[float, int, int, Picks, Row]:
    """What results are sorted by: their decision time, then anything."""
    return result.decided, result.last or 0, result.first or 0, result.picks, result.row
