"""EXPLAIN of CEQL: a query over tuples as sections, in text, JSON, Mermaid or Graphviz DOT.

Each function of ``SECTIONS`` says one thing of the query, as plain data and as lines to read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from nfa_native.automata.complex_events import Correlation, PickState, RegisterTransition
from nfa_native.automata.kinds import EnumerationKind, RegisterCells, StepKind
from spaseq.pattern.formulas.parameters import Parameters
from spaseq.pattern.formulas.predicates import Predicate
from spaseq.pattern.formulas.printing import given_names, print_event, print_formula, print_predicate, print_value
from spaseq.pattern.formulas.query import (
    AttributeWindow,
    Consumption,
    EventWindow,
    Formula,
    FormulaQuery,
    MatchAggregate,
    SelectionStrategy,
    TimeWindow,
    Window,
)
from spaseq.plan.description import by_source, mermaid_text
from spaseq.plan.formulas import aggregation, glushkov as strategies
from spaseq.plan.formulas.automaton import RecognitionPlan, chosen_lanes, followers, split, twin_paths, waiting
from spaseq.plan.formulas.rule_conditions import why_apart
from spaseq.text import json_text


@dataclass(frozen=True, slots=True)
class Explained:
    """What there is to say something about: a query, its formula in normal form, and what recognizes it."""

    query: FormulaQuery
    formula: Formula
    plan: RecognitionPlan


@dataclass(frozen=True, slots=True)
class Section:
    """One thing that is said: under ``key`` as plain data in JSON, as text under ``title``.

    ``text`` stands beside the title, ``lines`` stand below it.
    """

    key: str
    title: str
    value: Any
    text: str = ""
    lines: tuple[str, ...] = ()


def explain(query: FormulaQuery, formula: Formula, plan: RecognitionPlan, form: str = "text") -> str:
    """All sections, or the picture of the automaton, in one of FORMULA_FORMATS; KeyError for another."""
    return FORMULA_FORMATS[form](Explained(query, formula, plan))


# ── what is asked ────────────────────────────────────────────────────────────────────────────────────────
def normal_form(asked: Explained) -> Section:
    """The formula as it is planned."""
    text = print_formula(asked.formula)
    return Section("normal_form", "normal form", text, text)


def select(asked: Explained) -> Section:
    """What results show."""
    query = asked.query
    names = None if query.variables is None else list(query.variables)
    rows = [_aggregate(one) for one in query.aggregates]
    groups = [f"{key.attribute.variable}.{key.attribute.name}" for key in query.group_by]
    found_by = aggregation.way(query, asked.plan) if rows else None
    attributes = [f"{one.attribute.variable}.{one.attribute.name}" for one in query.projected]
    value = {
        "variables": names, "attributes": attributes, "aggregates": rows, "group_by": groups, "found_by": found_by,
    }  # fmt: skip
    if rows:
        each = f"each end and each {', '.join(groups)}" if groups else "each end"
        return Section("select", "results", value, f"for {each} {', '.join(rows)}; {found_by}")
    held = "all events that are picked" if names is None else f"the events of {', '.join(names)}"
    shown = f"start, end, {', '.join(attributes)}, and {held}" if attributes else f"start, end, and {held}"
    return Section("select", "results", value, shown)


def _aggregate(one: MatchAggregate) -> str:
    return f"{one.function}({'*' if one.value is None else print_value(one.value)})"


KEPT = {
    SelectionStrategy.ALL: "all results",
    SelectionStrategy.ANY: "one result of each end",
    SelectionStrategy.NEXT: "of each end the result whose events come earliest",
    SelectionStrategy.LAST: "of each end the result whose events come latest",
    SelectionStrategy.MAX: "of each end the results that no other contains",
    SelectionStrategy.STRICT: "the results without a gap",
}


def given(parameters: Parameters) -> Section:
    """The parameters of the query."""
    names = list(parameters.names)
    rows = None if parameters.rows is None else len(parameters.rows)
    text = f"{', '.join(f'${name}' for name in names)}: a query for each row, shown with parameters"
    return Section("given", "given", {"parameters": names, "rows": rows}, text)


def rows(asked: Explained) -> Section:
    """How the rows of parameters run."""
    reason = why_apart(asked.query, asked.plan)
    text = "together" if reason is None else f"each by itself: {reason}"
    return Section("rows", "rows", {"why_apart": reason or ""}, text)


def strategy(asked: Explained) -> Section:
    """The selection strategy, and how it is evaluated."""
    chosen = asked.query.strategy
    how, why = evaluation(asked)
    value = {"name": chosen.value, "keeps": KEPT[chosen], "evaluation": how, "why": why}
    return Section("strategy", "strategy", value, f"{chosen.value}, {KEPT[chosen]}: {how} ({why})")


def evaluation(asked: Explained) -> tuple[str, str]:
    """How the results that the strategy keeps are found, and why so."""
    if asked.query.aggregates and aggregation.why_enumerated(asked.query, asked.plan) is None:
        return "by construction", "matches are not enumerated"
    return strategies.way(asked.query, asked.plan.automaton)


def window(asked: Explained) -> Section:
    """The window, and whether partial matches that are too old for it are forgotten."""
    found, forgets, lengths = asked.query.window, asked.query.forgets, asked.query.lengths
    what = _window(found, " + ".join(f"${one.parameter} x {one.unit / _unit(found):g}" for one in lengths))
    value: dict[str, Any] | None = None
    if found is not None:
        value = {"kind": what.partition(": ")[0], "length": _length(found), "forgets": forgets}
        value |= {"given": [one.parameter for one in lengths]} if lengths else {}
    return Section("window", "window", value, f"{what}; {_kept(asked.query)}")


def _kept(query: FormulaQuery) -> str:
    """How long partial matches are kept."""
    if query.forgets:
        return "what is older is forgotten"
    if isinstance(query.window, EventWindow):
        return "what is older is forgotten when the next events of its partition come"
    return "partial matches are kept until the input ends"


def _length(found: Window) -> int | float:
    match found:
        case TimeWindow(length) | EventWindow(length) | AttributeWindow(length, _):
            return length
        case _:
            assert_never(found)


def _unit(found: Window | None) -> int:
    """In which lengths are shown: seconds, or as they are."""
    return 1_000_000 if isinstance(found, TimeWindow) else 1


def _window(found: Window | None, given: str) -> str:
    """The kind and the length of a window, with what is given of it."""
    if found is None:
        return "none"
    length = _length(found)
    own = f"{length / _unit(found):g}" if isinstance(found, TimeWindow) else f"{length}"
    shown = " + ".join(part for part in (given, own if length or not given else "") if part)
    match found:
        case TimeWindow():
            return f"time: {shown} seconds, sliding"
        case EventWindow():
            return f"events: {shown}, sliding"
        case AttributeWindow(_, name):
            return f"attribute {name}: {shown}, sliding"
        case _:
            assert_never(found)


def partition(asked: Explained) -> Section:
    """Attributes that are equal in all events of a match, asked for or found."""
    names, found = list(asked.query.partition), asked.plan.partition
    said = [f"by {', '.join(names)}: each combination of values is a stream of its own"] if names else []
    joined = [name for name in found if name not in names]
    if joined:
        said.append(f"by {', '.join(joined)}, in which the filters join all events: each value is looked at on its own")
    value = {"by": names, "joined_by": joined}
    return Section("partition", "partition", value, "; ".join(said) or "none")


def cut(asked: Explained) -> Section:
    """Where the query may be cut."""
    found = split(asked.query, asked.plan)
    text = f"by {', '.join(found.keys)}: {found.why}" if found.keys else f"nowhere: {found.why}"
    return Section("split", "cut", {"keys": list(found.keys), "why": found.why}, text)


def limit(asked: Explained) -> Section:
    """How many results an end has at most."""
    most = asked.query.limit
    return Section("limit", "limit", most, "none" if most is None else f"{most} results for each end")


CONSUMED = {
    Consumption.NONE: "none",
    Consumption.ANY: "an event with results ends all partial matches",
    Consumption.PARTITION: "an event with results ends the partial matches of its partition",
}


def consumption(asked: Explained) -> Section:
    """What a result takes from later ones."""
    policy = asked.query.consume
    return Section("consumption", "consumption", policy.value, CONSUMED[policy])


# ── how it is found ──────────────────────────────────────────────────────────────────────────────────────
def events(asked: Explained) -> Section:
    """What is asked of single events, each once."""
    tests = [print_event(one.type, one.stream, one.predicate) for one in asked.plan.atoms]
    return Section("atoms", "tests of single events", tests, lines=tuple(tests))


def automaton(asked: Explained) -> Section:
    """States, transitions and registers."""
    plan = asked.plan
    states = [_state(plan, number) for number in range(len(plan.automaton.states))]
    twins = twin_paths(plan) if plan.automaton.ambiguous else None
    value: dict[str, Any] = {
        "chain": plan.automaton.is_chain,
        "ambiguous": plan.automaton.ambiguous,
        "twin_paths": None if twins is None else [list(path) for path in twins],
        "states": states,
        "transitions": _transitions(plan),
    }
    leaving = by_source(value["transitions"])
    lines = [line for state in states for line in _state_lines(state, leaving.get(state["number"], []))]
    return Section("automaton", "automaton", value, lines=(*lines, *_ambiguity(value)))


def _state(plan: RecognitionPlan, number: int) -> dict[str, Any]:
    state = plan.automaton.states[number]
    kinds = [plan.atoms[atom] for atom in state.atoms]
    called = sorted({name for kind in kinds for name in given_names(plan.variables[number], kind.type, kind.stream)})
    return {
        "number": number,
        "role": _role(state),
        "picks": [print_event(kind.type, kind.stream, kind.predicate) for kind in kinds],
        "variables": [name for name in called if name not in {kind.type for kind in kinds}],
        "selected": state.marked,
        "cost": _cost(plan.automaton.correlation, number),
        "ways_in": len(state.after) + len(state.directly_after) + state.initial,
    }


CELLS = {
    RegisterCells.HEAD: "constant for each event",
    RegisterCells.GROUPS: "a step for each group that fits, of matches that entered with one event",
    RegisterCells.MERGED: "a step for each group that fits, of matches with equal values",
    RegisterCells.APART: "a step for each group that fits, of matches with equal values",
}


def _cost(correlation: Correlation | None, number: int) -> str:
    """What an event costs that looks for partial matches in the state."""
    if correlation is None:
        return CELLS[RegisterCells.HEAD]
    found = ", found by an equal value" if correlation.keys[number] >= 0 else ""
    leaving = [one for one in correlation.transitions if one.source == number]
    if correlation.cells[number] is RegisterCells.GROUPS and all(map(correlation.is_viewed, leaving)):
        return f"one view of all matches that fit{found}"
    return CELLS[correlation.cells[number]] + found


def _role(state: PickState) -> str:
    return " and ".join(name for name in ("initial", "final") if getattr(state, name)) or "waiting"


def _transitions(plan: RecognitionPlan) -> list[dict[str, Any]]:
    """From state to state, with what is compared."""
    if plan.automaton.correlation is None:
        steps = list(_steps(plan.automaton.states))
    else:
        steps = sorted(plan.automaton.correlation.transitions, key=lambda one: (one.source, one.target))
    return [
        {
            "from": one.source,
            "to": one.target,
            "when": "directly after" if one.contiguous else "later",
            "if": [print_predicate(predicate) for predicate in dict.fromkeys(_conditions(plan, one))],
        }
        for one in steps
    ]


def _steps(states: tuple[PickState, ...]) -> Iterator[RegisterTransition]:
    for number, entered in enumerate(followers(states)):
        for to in entered:
            yield RegisterTransition(number, to, contiguous=number not in states[to].after)


def _conditions(plan: RecognitionPlan, one: RegisterTransition) -> Iterator[Predicate]:
    yield from (plan.measured[guard.column].comparison.written for guard in one.guards)
    yield from (plan.asked[question.number].asked.predicate for question in one.questions)


def _state_lines(state: dict[str, Any], leaving: list[dict[str, Any]]) -> Iterator[str]:
    yield f"state {state['number']}: {state['role']}"
    yield f"  picks: {_picks(state)}" + ("" if state["selected"] else ", which is not selected")
    ways = f"{state['ways_in']} way{'s' * (state['ways_in'] != 1)} in"
    yield f"  cost: {state['cost']}; {ways}"
    yield from (f"  --{_edge(one)}--> {one['to']}" for one in leaving)


def _edge(transition: dict[str, Any]) -> str:
    return "; ".join([transition["when"], *(f"if {condition}" for condition in transition["if"])])


def _picks(state: dict[str, Any]) -> str:
    called = f" AS {', '.join(state['variables'])}" if state["variables"] else ""
    return " or ".join(state["picks"]) + called


def _ambiguity(value: dict[str, Any]) -> Iterator[str]:
    if value["chain"]:
        yield "a chain: every match has one event of each state, in this order"
    if not value["ambiguous"]:
        yield "unambiguous: no two paths pick the same events"
    elif value["twin_paths"] is None and all(state["selected"] for state in value["states"]):
        yield "ambiguous: two paths may pick the same events"
    elif value["twin_paths"] is None:
        yield "ambiguous: matches that differ in what is not selected may be the same result"
    else:
        first, second = (" ".join(map(str, path)) for path in value["twin_paths"])
        yield f"ambiguous: the states {first} and {second} may pick the same events"


STEPS = {StepKind.GENERAL: "general", StepKind.PLAIN: "plain", StepKind.SWIFT: "swift"}
ENUMERATIONS = {
    EnumerationKind.EACH: "one after the other",
    EnumerationKind.ROWS: "as rows and columns",
    EnumerationKind.DISTINCT: "each once, all its paths together",
    EnumerationKind.MAXIMAL: "each beside all that contain it",
    EnumerationKind.BEST: "from the best one of each set",
}


def lanes(asked: Explained) -> Section:
    """By which step an event enters each state, and how results are enumerated; nothing of totals."""
    if asked.query.aggregates and aggregation.why_enumerated(asked.query, asked.plan) is None:
        return Section("lanes", "lanes", None, "totals by state")
    chosen = chosen_lanes(asked.query, asked.plan)
    steps, results = [STEPS[step] for step in chosen.steps], ENUMERATIONS[chosen.enumeration]
    into = ", ".join(f"{step} into {_numbers(steps, step)}" for step in dict.fromkeys(steps))
    wait = _waiting(asked)
    value = {"steps": steps, "results": results, **({"may_wait": wait} if wait else {})}
    told = [f"that into {one['state']} may wait until {_enters(one)}, if that takes less" for one in wait]
    return Section("lanes", "lanes", value, "; ".join([f"steps {into}", *told, f"results {results}"]))


def _waiting(asked: Explained) -> list[dict[str, Any]]:
    """The steps that may wait: into which state, until an event enters one of others."""
    is_shared = asked.query.given is not None and why_apart(asked.query, asked.plan) is None
    steps = () if is_shared else waiting(asked.query, asked.plan)
    return [{"state": one.state, "until": list(one.closing)} for one in steps]


def _enters(one: dict[str, Any]) -> str:
    return f"an event comes for {' or '.join(map(str, one['until']))}"


def _numbers(steps: list[str], step: str) -> str:
    """The states that are entered by a step."""
    numbers = [str(number) for number, one in enumerate(steps) if one == step]
    return "all states" if len(numbers) == len(steps) else ", ".join(numbers)


SECTIONS: tuple[Callable[[Explained], Section], ...] = (
    normal_form, select, strategy, window, partition, cut, limit, consumption, lanes, events, automaton,
)  # fmt: skip


def sections_of(asked: Explained) -> Iterator[Section]:
    """All that there is to say."""
    if asked.query.given is not None:
        yield given(asked.query.given)
        yield rows(asked)
    yield from (section(asked) for section in SECTIONS)


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────────
def as_text(asked: Explained) -> str:
    """All sections to be read."""
    sections = list(sections_of(asked))
    width = max(len(section.title) for section in sections if section.text)
    return "\n".join(line for section in sections for line in _section_lines(section, width))


def _section_lines(section: Section, width: int) -> Iterator[str]:
    if section.text:
        yield f"{section.title:<{width}}  {section.text}"
    else:
        yield from ("", section.title, *(f"  {line}" for line in section.lines))


def as_json(asked: Explained) -> str:
    """All sections as data."""
    found = {section.key: section.value for section in sections_of(asked)}
    return json_text(found, indent=2)


def as_mermaid(asked: Explained) -> str:
    """The automaton as a state diagram for Mermaid."""
    found = automaton(asked).value
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{mermaid_text(_title(one))}" as s{one["number"]}' for one in found["states"]]
    lines += [f"    [*] --> s{one['number']}" for one in found["states"] if "initial" in one["role"]]
    lines += [f"    s{one['from']} --> s{one['to']}: {mermaid_text(_edge(one))}" for one in found["transitions"]]
    lines += [f"    s{one['number']} --> [*]" for one in found["states"] if "final" in one["role"]]
    return "\n".join(lines)


def as_dot(asked: Explained) -> str:
    """The automaton for Graphviz."""
    found = automaton(asked).value
    lines = ["digraph plan {", "  rankdir=LR;", "  node [shape=box, style=rounded];", "  start [shape=point];"]
    for one in found["states"]:
        shape = ", peripheries=2" if "final" in one["role"] else ""
        lines.append(f"  s{one['number']} [label={json.dumps(_title(one), ensure_ascii=False)}{shape}];")
    lines += [f"  start -> s{one['number']};" for one in found["states"] if "initial" in one["role"]]
    for one in found["transitions"]:
        label = json.dumps(_edge(one).replace("; ", "\n"), ensure_ascii=False)
        lines.append(f"  s{one['from']} -> s{one['to']} [label={label}];")
    return "\n".join([*lines, "}"])


def _title(state: dict[str, Any]) -> str:
    return f"{state['number']} {_picks(state)}"


FORMULA_FORMATS: dict[str, Callable[[Explained], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "json": as_json,
}
