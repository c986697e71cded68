"""EXPLAIN as data: the sequence, its atoms, for each state what it keeps and why, and where sides of && meet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from gpm.algebra import Aggregate, Expression, Literal, Operation, Parameter, Previous, Variable
from gpm.lists import aggregate_of
from gpm.printing import print_expression
from nfa_native.automata.automaton import Automaton, Transition
from nfa_native.automata.kinds import Cells, Govern
from spaseq.pattern.sequences import (
    AnyOrder,
    Atom,
    Conjunction,
    Disjunction,
    Given,
    Kleene,
    Negation,
    Optional,
    Sequence,
    SequenceExpression,
    Strategy,
    Window,
)
from spaseq.plan.sequences.analysis import Analysis
from spaseq.plan.sequences.cells import steps_from, why_no_views
from spaseq.plan.sequences.environment import RULES, UNBOUND, ZERO, substitute
from spaseq.plan.sequences.graph import START, Fork
from spaseq.plan.sequences.liveness import Liveness, SymbolicGuard, SymbolicStep
from spaseq.plan.sequences.sides import anchor, part_at
from spaseq.plan.sequences.states import Exit, Way

BEFORE = " before"  # behind a value of the partial match, where it is compared with the event's
SYMBOLS = {Strategy.ANY: "skip-till-any", Strategy.NEXT: "skip-till-next", Strategy.STRICT: "strict contiguity"}


def describe(analysis: Analysis, liveness: Liveness, automaton: Automaton) -> dict[str, Any]:
    """The whole plan; every value is a string, number, list or dict."""
    numbers = {state: number for number, state in enumerate(analysis.exits)}
    steps = steps_from(automaton)
    return {
        "sequence": write(analysis.query.expression),
        "tree": tree(analysis.query.expression),
        "window": _window(analysis.query.window),
        "atoms": [_atom(analysis, number) for number in range(len(analysis.atoms))],
        "ambiguous": analysis.is_ambiguous,
        "states": [_state(analysis, liveness, automaton, steps, numbers, state) for state in analysis.exits],
        "transitions": [_transition(analysis, liveness, numbers, way) for way in analysis.ways],
        "taken_away_from": [one.source for one in automaton.transitions if not one.targets],
        **_junctions(analysis, liveness, numbers),
        "partition": _partition(analysis),
        **_given(analysis.query.given),
    }


# ── the sequence ─────────────────────────────────────────────────────────────────────────────────────────
def write(expression: SequenceExpression) -> str:
    """A sequence expression in the notation of SEQ, with every default written out."""
    match expression:
        case Atom(name):
            return name
        case Conjunction(left, right):
            return f"({write(left)} & {write(right)})"
        case AnyOrder(sides):
            return f"({' && '.join(map(write, sides))})"
        case Disjunction(left, right):
            return f"({write(left)} | {write(right)})"
        case Sequence(left, strategy, right):
            return f"({write(left)} {strategy.value} {write(right)})"
        case Kleene(body, least, most, strategy):
            return f"{write(body)}{strategy.value}{quantifier(least, most)}"
        case Optional(body):
            return f"{write(body)}?"
        case Negation(body):
            return f"{write(body)}!"


def quantifier(least: int, most: int | None) -> str:
    """How often, as ``SEQ`` writes it: ``+``, ``{2}``, ``{2,}``, ``{2,3}``."""
    if (least, most) == (1, None):
        return "+"
    return f"{{{least},{'' if most is None else most}}}" if least != most else f"{{{least}}}"


def tree(expression: SequenceExpression) -> dict[str, Any]:
    """The same as nested dicts: ``kind``, ``name`` or ``operator``, ``parts``."""
    match expression:
        case Atom(name):
            return {"kind": "atom", "name": name}
        case Conjunction(left, right) | Disjunction(left, right):
            return {"kind": type(expression).__name__.lower(), "parts": [tree(left), tree(right)]}
        case AnyOrder(sides):
            return {"kind": "any order", "parts": [tree(side) for side in sides]}
        case Sequence(left, strategy, right):
            return {"kind": "sequence", "operator": strategy.value, "parts": [tree(left), tree(right)]}
        case Kleene(body, least, most, strategy):
            counts = quantifier(least, most)
            return {"kind": "kleene", "operator": strategy.value, "count": counts, "parts": [tree(body)]}
        case Optional(body) | Negation(body):
            return {"kind": type(expression).__name__.lower(), "parts": [tree(body)]}


def _window(window: Window | None) -> dict[str, Any] | None:
    if window is None:
        return None
    kind = "sliding" if window.sliding else "tumbling"
    unit = "events" if window.events else "microseconds"
    return {"kind": kind, "length": window.length, "unit": unit, "origin": window.origin}


def _given(given: Given | None) -> dict[str, Any]:
    """The parameters; ``length`` names the one of which the window has so many times its length."""
    return {} if given is None else {"given": {"parameters": list(given.names), "length": given.length}}


def _partition(analysis: Analysis) -> dict[str, Any] | None:
    query = analysis.query
    if query.partition is None:
        return None
    return {"keys": list(query.keys), "using": query.partition.using is not None, "how": _partitioned(analysis)}


def _partitioned(analysis: Analysis) -> str:
    if analysis.by_partition:
        return "a matcher for each key, as EVENTS windows count the events of each partition"
    if analysis.needs_every_event:
        return "a join key of all GPMs; any event of its partition takes away what waits for the very next one"
    return "a join key of all GPMs"


def _atom(analysis: Analysis, number: int) -> dict[str, Any]:
    atom = analysis.atoms[number]
    return {
        "name": atom.name,
        "stream": atom.stream,
        "variables": list(atom.variables),
        "stateful_filters": [readable(one) for one in atom.stateful],
    }


# ── states ───────────────────────────────────────────────────────────────────────────────────────────────
def _state(
    analysis: Analysis,
    liveness: Liveness,
    automaton: Automaton,
    transitions: list[list[Transition]],
    numbers: dict[Exit, int],
    state: Exit,
) -> dict[str, Any]:
    number = numbers[state]
    steps = [liveness.live_steps[way] for way in analysis.ways_from.get(state, ())]
    kept = _complete_side(analysis, liveness, state) or _cell_kind(liveness, state, steps)
    live = [name for name in liveness.columns[state] if not _is_hidden(analysis, name)]
    kind, why = kept or _compared(set(live), liveness.columns[state], automaton, number, transitions[number])
    if RULES in liveness.columns[state] and kind != "output":
        kind += ", for each set of rows"
    if state.arrives is None:
        kind += "".join(f", {_apart(analysis)[name]}" for name in liveness.columns[state] if name in _apart(analysis))
    return {
        "number": number,
        "role": _role(state),
        "operator": _operator(analysis, state),
        "live": live,
        "cells": kind,
        "why": why,
        "join_keys": sorted({", ".join(sorted(held for held, _ in step.joins)) for step in steps if step.joins}),
        "guards": [
            _guard(analysis, state, guard, one.first_chance)
            for guard, one in zip(liveness.guards[state], automaton.states[number].guards, strict=True)
        ],
        "competes_with": [numbers[one] for one in analysis.competitors.get(state, ())],
        **({} if state.arrives is None else {"completes": _side(state.arrives)}),
        **_branches(analysis, state),
        **_waiting(analysis, automaton, number),
    }


def _waiting(analysis: Analysis, automaton: Automaton, number: int) -> dict[str, Any]:
    """The step into a state that may wait, and for what; nothing where none may."""
    for segment in automaton.lazy:
        if segment.state == number:
            first = _picked(analysis, automaton.transitions[segment.transition])
            closing = [_picked(analysis, automaton.transitions[one]) for one, _ in segment.closing]
            return {"may_wait": {"picks": first, "after": segment.source, "for": list(dict.fromkeys(closing))}}
    return {}


def _picked(analysis: Analysis, transition: Transition) -> str:
    return " & ".join(analysis.atoms[number].name for number in transition.choice.atoms)


def _role(state: Exit) -> str:
    if state.arrives is not None:
        return "complete"
    return "initial" if state.node == START else "final" if state.ends else "waiting"


def _is_hidden(analysis: Analysis, name: str) -> bool:
    """Whether what is kept is no value of an event: the set of rows, or a mark of &&."""
    return name == RULES or name in analysis.sides.marks


def _operator(analysis: Analysis, state: Exit) -> str | None:
    if state.strategy is None:
        return None
    return SYMBOLS[state.strategy] + (" in its partition" if analysis.passes(state) else "")


def _cell_kind(liveness: Liveness, state: Exit, steps: list[SymbolicStep]) -> tuple[str, str] | None:
    """The row of the table of cells (docs/how-it-works.md), and the reason; None: more than join keys is kept."""
    live = {name for name in liveness.columns[state] if not _is_hidden(liveness.analysis, name)}
    joined = {held for step in steps for held, _ in step.joins}
    if state.node == START:
        return "the empty match", "every match starts here"
    if state.ends and not liveness.guards[state]:
        return "output", "matches are complete and leave at once"
    if not live:
        return "one cell", "nothing that comes later reads a value of an earlier event"
    if live <= joined:
        return "hash on the join key", f"later events are joined on {_listed(live)} and compared with nothing else"
    return None


def _compared(
    live: set[str], columns: tuple[str, ...], automaton: Automaton, number: int, steps: list[Transition]
) -> tuple[str, str]:
    """The same where values are kept that are more than join keys."""
    state = automaton.states[number]
    compared = {columns[one.column] for step in steps for one in step.step.compared}
    rest = live - {columns[held] for step in steps for held, _ in step.step.joins}
    where = " in each join key" if any(state.indexes) else ""
    match state.cells:
        case Cells.VIEWS:
            return (
                f"zone-mapped list{where}",
                f"an event takes along at once all those whose {_listed(compared)} it accepts; "
                "where values repeat, groups by them",
            )
        case Cells.ORDERED:
            why = why_no_views(automaton, number, steps) if state.govern is Govern.ANY else ""
            return f"groups by {_listed(compared)}{where}", "in order as long as there is one, else with a zone map" + (
                f"; one by one, for {why}" if why else ""
            )
        case Cells.HASH | Cells.FLAT:
            return f"group list{where}", f"{_listed(rest)} is kept for filters, negations or later joins"
        case other:
            assert_never(other)


def _listed(names: set[str]) -> str:
    return ", ".join(f"?{name}" if name.isidentifier() else name for name in sorted(names))


def _guard(analysis: Analysis, state: Exit, guard: SymbolicGuard, has_first_chance: bool) -> dict[str, Any]:
    if guard.early:
        how = "drops cells when it matches"
    elif has_first_chance:
        how = "looked for when the next step comes"
    elif state.node == START:
        how = "checked on the finished match: it stands before the first event"
    elif state in analysis.forking:
        how = "checked on the finished match: it stands before sides of &&"
    else:
        how = "checked on the finished match: it reads what comes later"
    return {"absent": " & ".join(guard.names), "how": how, "filters": [readable(one) for one in guard.whole.filters]}


def _transition(analysis: Analysis, liveness: Liveness, numbers: dict[Exit, int], way: Way) -> dict[str, Any]:
    step = liveness.live_steps[way]
    return {
        "from": numbers[way.source],
        "to": [numbers[one] for one in analysis.exits_of(way.node)],
        "picks": " & ".join(way.names),
        "join": sorted(f"?{column}" for _, column in step.joins),
        "filters": [readable(one, BEFORE) for one in step.filters],
        "unjoined": _unjoined(analysis, way, step),
        **_begins(way.forks),
    }


def _unjoined(analysis: Analysis, way: Way, step: SymbolicStep) -> str | None:
    """What a step is that has no join; None if it has one, or is the first."""
    if step.joins or way.source.node == START:
        return None
    if step.filters:
        return "joins nothing, its filter alone decides"
    before = dict.fromkeys(" & ".join(one.names) for one in analysis.ways_to.get(way.source, ()))
    before |= dict.fromkeys(_meeting_in(analysis, way.source))
    which = "every" if way.source.strategy is Strategy.ANY else "the next"
    return f"joins nothing: every {' or '.join(before)} with {which} {' & '.join(way.names)}"


# ── sides of && ──────────────────────────────────────────────────────────────────────────────────────────
def _begins(forks: Iterable[Fork]) -> dict[str, Any]:
    """The sides that begin with a step, outermost first."""
    sides = list(map(_side, forks))
    return {"begins": sides} if sides else {}


def _side(fork: Fork) -> dict[str, int]:
    return {"junction": fork.junction, "side": fork.side}


def _branches(analysis: Analysis, state: Exit) -> dict[str, Any]:
    """What of a partial match is taken one by one: the branches that begin in a state, and which exclude each other."""
    beaten = analysis.branches.beaten(state)
    picked: list[dict[str, None]] = [{} for _ in beaten]
    for way in analysis.ways_from.get(state, ()) if beaten else ():
        picked[analysis.branches.of_way(way)][" & ".join(way.names)] = None
    if beaten and analysis.passes(state):
        picked[analysis.branches.away(state)]["any other event of the partition"] = None
    branches = [
        {
            "picks": " or ".join(picks),
            "competes_with": [one for one in range(len(beaten)) if bits >> one & 1 and one != number],
        }
        for number, (picks, bits) in enumerate(zip(picked, beaten, strict=True))
    ]
    return {"branches": branches} if branches else {}


def _complete_side(analysis: Analysis, liveness: Liveness, state: Exit) -> tuple[str, str] | None:
    """As ``_cell_kind``, of a state where a side of && is complete; None: it is another."""
    if state.arrives is None:
        return None
    number, columns = state.arrives.junction, set(liveness.columns[state])
    everyone = frozenset(range(len(analysis.sides.arrivals(number))))
    common = {name for name in columns if analysis.sides.keepers(number, name) == everyone} - {anchor(number)}
    rest = {name for name in columns - common if not _is_hidden(analysis, name)}
    agree = [_listed(common)] * bool(common) + ["the partial match before"] * (anchor(number) in columns)
    kept = f"; {_listed(rest)} is kept for filters, negations or later joins" * bool(rest)
    if agree:
        return "hash on what all sides have", f"those meet that agree in {' and '.join(agree)}{kept}"
    return "group list" if rest else "one cell", f"all complete sides meet each other{kept}"


def _apart(analysis: Analysis) -> dict[str, str]:
    """Marks that keep partial matches of equal values apart, in words."""
    found = {anchor(number): f"for each partial match before junction {number}" for number in analysis.sides.anchored}
    return found | {
        one.passed: f"with and without {one.name}" for some in analysis.sides.across.values() for one in some
    }


def _junctions(analysis: Analysis, liveness: Liveness, numbers: dict[Exit, int]) -> dict[str, Any]:
    """Where sides meet; nothing where there is no &&."""
    found = [_junction(analysis, liveness, numbers, number) for number in range(len(analysis.graph.junctions))]
    return {"junctions": found} if found else {}


def _junction(analysis: Analysis, liveness: Liveness, numbers: dict[Exit, int], number: int) -> dict[str, Any]:
    sides, meeting = analysis.sides, analysis.graph.junctions[number]
    element = part_at(analysis.query.expression, meeting.path)
    assert isinstance(element, AnyOrder)
    arrivals = sides.arrivals(number)
    return {
        "number": number,
        "element": write(element),
        "sides": [
            {"element": write(side), "state": numbers[state]}
            for side, state in zip(element.sides, arrivals, strict=True)
        ],
        "anchored": number in sides.anchored,
        "join": _shared(analysis, liveness, number),
        **_across(analysis, number),
        "to": [numbers[state] for state in analysis.exits_of(meeting.node)],
    }


def _shared(analysis: Analysis, liveness: Liveness, number: int) -> list[str]:
    """The variables that several sides bring along."""
    arrivals = analysis.sides.arrivals(number)
    kept = [set(liveness.columns[state]) for state in arrivals]
    keepers = {name: analysis.sides.keepers(number, name) for name in set().union(*kept)}
    shared = (name for name, some in keepers.items() if sum(name in kept[side] for side in some) > 1)
    return sorted(f"?{name}" for name in shared if name != anchor(number))


def _across(analysis: Analysis, number: int) -> dict[str, Any]:
    """The filters that wait until sides meet: what is asked then, and what of finished matches only."""
    asked: dict[str, None] = {}
    late: dict[str, None] = {}
    for one in analysis.sides.judged(number):
        held = analysis.cells if one.repeated else analysis.sides.held(number)
        filter_ = readable(substitute(analysis.sides.resolved(one), held))
        sure = one.repeated or analysis.sides.is_certain(one)
        (late if one.repeated else asked)[filter_ if sure else f"{filter_} if there is {one.name}"] = None
    return {"filters": list(asked), "filters_of_matches": list(late)}


def _meeting_in(analysis: Analysis, state: Exit) -> list[str]:
    """The && after which a state is entered."""
    return [
        write(part_at(analysis.query.expression, one.path))
        for one in analysis.graph.junctions
        if state in analysis.exits_of(one.node)
    ]


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
_AS_IT_IS = "\0"  # before what is no name, but the text of an expression


def readable(expression: Expression, before: str = "") -> str:
    """An expression as a user would write it: where a value lies does not show; ``before`` as of ``_plain``."""
    return print_expression(_plain(expression, before)).replace(f"?{_AS_IT_IS}", "")


def _plain(expression: Expression, before: str = "") -> Expression:
    """``before`` is put behind values of the partial match, which are older than the event."""
    match expression:
        case Variable(name) if name.startswith("c:"):
            return Variable(name[2:] + before)
        case Variable(name) if name.startswith("r:"):
            return Variable(name[2:])
        case Operation("SAMETERM", (value, Parameter(name))) if _plain(value) == Variable(name):  # of a pattern
            return Variable(f"{name} as given")
        case Operation("COALESCE", (Variable(a), Variable(b))) if a[:2] == "c:" and a[2:] == b[2:]:
            return Variable(a[2:])
        case Operation("||", (Operation("BOUND", (Variable(a),)), Operation("BOUND", (Variable(b),)))) if (
            a[2:] == b[2:]
        ):
            return Operation("BOUND", (Variable(a[2:]),))
        case Operation(name, (Variable() as values,)) if (found := aggregate_of(name)) is not None:
            of = values.name[2:].removeprefix("VALUES(").removesuffix(")")
            return _called(*found, Variable(of if of.isidentifier() else _AS_IT_IS + of))
        case Operation(name, (Literal(),)) if (found := aggregate_of(name)) is not None:  # of no values
            return ZERO if found[0] == "COUNT" else UNBOUND
        case Operation(name, arguments):
            return Operation(name, tuple(_plain(one, before) for one in arguments))
        case Previous(variable):  # it and those below are not SPARQL, so as functions they are printed
            return Operation("PREV", (_plain(variable, before),))
        case Aggregate(("FIRST" | "LAST" | "STDEV" | "VARIANCE" | "MEDIAN") as name, argument, distinct) if argument:
            return _called(name, distinct, _plain(argument, before))
        case _:
            return expression


def _called(function: str, distinct: bool, argument: Expression) -> Expression:
    return Operation(function, (Operation("DISTINCT", (argument,)) if distinct else argument,))
