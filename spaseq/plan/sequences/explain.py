"""EXPLAIN: the sequence, its atoms, and for each state what it keeps and why, as data, text, JSON, Mermaid or DOT."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, assert_never

from gpm.algebra import Aggregate, Expression, Literal, Operation, Parameter, Previous, Variable
from gpm.lists import aggregate_of
from gpm.printing import print_expression
from nfa_native.automata.automaton import Automaton, Transition
from nfa_native.automata.kinds import Cells, Govern
from spaseq.pattern.sequences import (
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
from spaseq.plan.description import Description, by_source, mermaid_text
from spaseq.plan.sequences.analysis import Analysis, Exit, Way
from spaseq.plan.sequences.cells import steps_from, why_no_views
from spaseq.plan.sequences.environment import RULES, UNBOUND, ZERO
from spaseq.plan.sequences.graph import START
from spaseq.plan.sequences.liveness import Liveness, SymbolicGuard, SymbolicStep
from spaseq.text import json_text

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
    kept = _cell_kind(liveness, state, steps)
    kind, why = kept or _compared(liveness.columns[state], automaton, number, transitions[number])
    if RULES in liveness.columns[state] and kind != "output":
        kind += ", for each set of rows"
    return {
        "number": number,
        "role": "initial" if state.node == START else "final" if state.ends else "waiting",
        "operator": _operator(analysis, state),
        "live": [name for name in liveness.columns[state] if name != RULES],
        "cells": kind,
        "why": why,
        "join_keys": sorted({", ".join(sorted(held for held, _ in step.joins)) for step in steps if step.joins}),
        "guards": [_guard(liveness, state, guard) for guard in liveness.guards[state]],
        "competes_with": [numbers[one] for one in analysis.competitors.get(state, ())],
    }


def _operator(analysis: Analysis, state: Exit) -> str | None:
    if state.strategy is None:
        return None
    return SYMBOLS[state.strategy] + (" in its partition" if analysis.passes(state) else "")


def _cell_kind(liveness: Liveness, state: Exit, steps: list[SymbolicStep]) -> tuple[str, str] | None:
    """The row of the table of cells (docs/how-it-works.md), and the reason; None: more than join keys is kept."""
    live = set(liveness.columns[state]) - {RULES}
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


def _compared(columns: tuple[str, ...], automaton: Automaton, number: int, steps: list[Transition]) -> tuple[str, str]:
    """The same where values are kept that are more than join keys."""
    state = automaton.states[number]
    compared = {columns[one.column] for step in steps for one in step.step.compared}
    rest = set(columns) - {RULES} - {columns[held] for step in steps for held, _ in step.step.joins}
    where = " in each join key" if any(state.indexes) else ""
    match state.cells:
        case Cells.VIEWS:
            return (
                f"zone-mapped list{where}",
                f"an event takes along at once all those whose {_listed(compared)} it accepts",
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


def _guard(liveness: Liveness, state: Exit, guard: SymbolicGuard) -> dict[str, Any]:
    if guard.early:
        how = "drops cells when it matches"
    elif state.node == START:
        how = "checked on the finished match: it stands before the first event"
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
    }


def _unjoined(analysis: Analysis, way: Way, step: SymbolicStep) -> str | None:
    """What a step is that has no join; None if it has one, or is the first."""
    if step.joins or way.source.node == START:
        return None
    if step.filters:
        return "joins nothing, its filter alone decides"
    before = dict.fromkeys(" & ".join(one.names) for one in analysis.ways_to.get(way.source, ()))
    which = "every" if way.source.strategy is Strategy.ANY else "the next"
    return f"joins nothing: every {' or '.join(before)} with {which} {' & '.join(way.names)}"


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


# ── as text, JSON, Mermaid or Graphviz DOT ───────────────────────────────────────────────────────────────
def render(description: Description, form: str) -> str:
    """The description in one of the formats of ``PLAN_FORMATS``; KeyError for another."""
    return PLAN_FORMATS[form](description)


def as_json(description: Description) -> str:
    """The description as it is."""
    return json_text(description, indent=2)


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────
def as_text(description: Description) -> str:
    """The description to be read."""
    steps = by_source(description["transitions"])
    given = description.get("given", {"parameters": [], "length": None})
    parts = [
        f"sequence  {description['sequence']}",
        *_given_lines(given),
        f"window    {_window_text(description['window'], given['length'])}",
        *_partition_lines(description["partition"]),
        f"cut       {_cut(description['split'])}",
        "",
        "tree",
        *_tree(description["tree"], ""),
        "",
        "graph patterns",
        *(line for atom in description["atoms"] for line in _atom_lines(atom)),
        "",
        "automaton",
        *(line for state in description["states"] for line in _state_lines(state, steps.get(state["number"], []))),
    ]
    if "aggregates" in description:
        parts += ["", "aggregates", f"  {description['aggregates']}"]
        parts += [f"  of the groups, those with {condition}" for condition in description.get("having", ())]
    if description["ambiguous"]:
        parts += ["", "one set of events may match along several paths: results are compared, each comes once"]
    return "\n".join(parts)


def _given_lines(given: Description) -> Iterator[str]:
    if given["parameters"]:
        names = " ".join("?" + name for name in given["parameters"])
        yield f"given     {names}: a query for each row, shown with parameters"
        yield f"rows      {_rows_text(**given['rows'])}"


def _rows_text(why_apart: str, apart: list[str]) -> str:
    """How they run; ``apart`` are parameters in which rows that run together agree."""
    if why_apart:
        return f"each by itself: {why_apart}"
    return "together" + (f", as far as they agree in {' '.join('?' + name for name in apart)}" if apart else "")


def _window_text(window: Description | None, given: str | None) -> str:
    if window is None:
        return "none: partial matches are kept until the input ends"
    times = "" if given is None else f"?{given} times "
    if window["unit"] == "events":
        return f"{times}{window['length']} events, {window['kind']}"
    return f"{times}{window['length'] / 1_000_000:g} seconds, {window['kind']}"


def _partition_lines(partition: Description | None) -> Iterator[str]:
    if partition is not None:
        using = ", found by USING" if partition["using"] else ""
        yield f"partition {' '.join('?' + key for key in partition['keys'])}{using}: {partition['how']}"


def _cut(split: Description) -> str:
    keys = " ".join("?" + key for key in split["keys"])
    return f"by {keys}: {split['why']}" if keys else f"nowhere: {split['why']}"


def _tree(node: Description, indent: str) -> Iterator[str]:
    label = node.get("name") or " ".join(str(node[key]) for key in ("kind", "operator", "count") if key in node)
    yield f"  {indent}{label}"
    for part in node.get("parts", ()):
        yield from _tree(part, indent + "  ")


def _atom_lines(atom: Description) -> Iterator[str]:
    yield f"  {atom['name']} on <{atom['stream']}> binds {' '.join('?' + v for v in atom['variables']) or 'nothing'}"
    yield f"    evaluated: {atom['evaluation']}"
    for one in atom["stateful_filters"]:
        yield f"    filter on the partial match: {one}"


def _state_lines(state: Description, steps: list[Description]) -> Iterator[str]:
    head = " ".join(part for part in (state["role"], state["operator"]) if part)
    yield f"  state {state['number']}: {head}"
    yield f"    cells: {state['cells']} ({state['why']})"
    for key in state["join_keys"]:
        yield f"    found by: {key}"
    for guard in state["guards"]:
        yield f"    not {guard['absent']} in between; {guard['how']}"
    for other in state["competes_with"]:
        yield f"    a step from here is also a step from state {other}"
    for one in steps:
        yield f"    --{_edge(one)}--> {', '.join(str(n) for n in one['to'])}"


def _edge(transition: Description) -> str:
    parts = [transition["picks"]]
    if transition["join"]:
        parts.append("join " + " ".join(transition["join"]))
    if transition["unjoined"]:
        parts.append(transition["unjoined"])
    parts += [f"filter {one}" for one in transition["filters"]]
    return "; ".join(parts)


# ── pictures ─────────────────────────────────────────────────────────────────────────────────────────────
def as_mermaid(description: Description) -> str:
    """The automaton as a state diagram for Mermaid."""
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{mermaid_text(_title(state))}" as s{state["number"]}' for state in description["states"]]
    lines += [f"    [*] --> s{one['number']}" for one in description["states"] if one["role"] == "initial"]
    for one in description["transitions"]:
        lines += [f"    s{one['from']} --> s{target}: {mermaid_text(_edge(one))}" for target in one["to"]]
    lines += [f"    s{one['number']} --> [*]" for one in description["states"] if one["role"] == "final"]
    return "\n".join(lines)


def as_dot(description: Description) -> str:
    """The automaton for Graphviz."""
    lines = ["digraph plan {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for state in description["states"]:
        shape = ", peripheries=2" if state["role"] == "final" else ""
        lines.append(f"  s{state['number']} [label={json.dumps(_title(state), ensure_ascii=False)}{shape}];")
    for one in description["transitions"]:
        label = json.dumps(_edge(one).replace("; ", "\n"), ensure_ascii=False)
        lines += [f"  s{one['from']} -> s{target} [label={label}];" for target in one["to"]]
    return "\n".join([*lines, "}"])


def _title(state: Description) -> str:
    parts = [f"{state['number']} {state['role']}"]
    parts += [part for part in (state["operator"], state["cells"]) if part]
    parts += [f"not {guard['absent']}" for guard in state["guards"]]
    return ", ".join(parts)


PLAN_FORMATS: dict[str, Callable[[Description], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "json": as_json,
}
