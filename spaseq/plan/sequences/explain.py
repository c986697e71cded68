"""EXPLAIN for people and programs: what ``describe`` tells of a plan as text, JSON, Mermaid or Graphviz DOT."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise

from spaseq.plan.description import Description, by_source, mermaid_text
from spaseq.text import json_text


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
        *(line for junction in description.get("junctions", ()) for line in _junction_lines(junction)),
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
    head = " ".join(part for part in (state["role"], state["operator"], *_completed(state)) if part)
    yield f"  state {state['number']}: {head}"
    yield f"    cells: {state['cells']} ({state['why']})"
    for key in state["join_keys"]:
        yield f"    found by: {key}"
    if "may_wait" in state:
        step = state["may_wait"]
        what = f"{step['picks']} and what is in state {step['after']}"
        yield f"    {what} may wait until {' or '.join(step['for'])} comes, if that takes less"
    for guard in state["guards"]:
        yield f"    not {guard['absent']} in between; {guard['how']}"
    for other in state["competes_with"]:
        yield f"    a step from here is also a step from state {other}"
    yield from _branch_lines(state.get("branches", []))
    for one in steps:
        yield f"    --{'; '.join([_edge(one), *_begun(one)])}--> {_numbers(one['to'])}"


def _branch_lines(branches: list[Description]) -> Iterator[str]:
    """What is taken of a partial match one by one, and what excludes what."""
    pairs = [
        f"{one['picks']} or {branches[other]['picks']}"
        for number, one in enumerate(branches)
        for other in one["competes_with"]
        if other > number
    ]
    if branches:
        until = "has begun or is excluded" if pairs else "has begun"
        yield f"    a partial match is kept until each {until}: {', '.join(one['picks'] for one in branches)}"
    if pairs:
        yield f"    which of two begins first excludes the other: {', '.join(pairs)}"


def _completed(state: Description) -> list[str]:
    """The side of an && that is complete in a state."""
    return [_side(state["completes"])] if "completes" in state else []


def _begun(transition: Description) -> Iterator[str]:
    """The sides that begin with a step."""
    return (f"begins {_side(one)}" for one in transition.get("begins", ()))


def _side(one: Description) -> str:
    return f"side {one['side']} of junction {one['junction']}"


def _junction_lines(junction: Description) -> Iterator[str]:
    yield f"  junction {junction['number']}: {junction['element']}"
    for number, side in enumerate(junction["sides"]):
        yield f"    side {number}: {side['element']}, complete in state {side['state']}"
    for one in junction["filters_of_matches"]:
        yield f"    filter {one}, each time; checked on the finished match"
    yield f"    --{_meeting(junction)}--> {_numbers(junction['to'])}"


def _meeting(junction: Description) -> str:
    """What ways of all sides must have in common, and what they are asked, to meet."""
    parts = ["all sides" + " from one partial match" * junction["anchored"]]
    parts += ["join " + " ".join(junction["join"])] * bool(junction["join"])
    return "; ".join([*parts, *(f"filter {one}" for one in junction["filters"])])


def _numbers(states: list[int]) -> str:
    return ", ".join(map(str, states))


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
    lines += [f"    state {node} <<fork>>" for node in _forks(description).values()]
    lines += [f"    {source} --> {node}" for source, node in _forks(description)]
    for one in description["transitions"]:
        lines += [f"    {_source(one)} --> s{target}: {mermaid_text(_edge(one))}" for target in one["to"]]
    for one in description.get("junctions", ()):
        lines += [f"    state j{one['number']} <<join>>"]
        lines += [f"    s{side['state']} --> j{one['number']}" for side in one["sides"]]
        lines += [f"    j{one['number']} --> s{target}: {mermaid_text(_meeting(one))}" for target in one["to"]]
    lines += [f"    s{one['number']} --> [*]" for one in description["states"] if one["role"] == "final"]
    return "\n".join(lines)


def as_dot(description: Description) -> str:
    """The automaton for Graphviz."""
    lines = ["digraph plan {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for state in description["states"]:
        shape = ", peripheries=2" if state["role"] == "final" else ""
        lines.append(f"  s{state['number']} [label={json.dumps(_title(state), ensure_ascii=False)}{shape}];")
    lines += [f'  {node} [label="", shape=point];' for node in _forks(description).values()]
    lines += [f"  {source} -> {node};" for source, node in _forks(description)]
    for one in description["transitions"]:
        lines += [f"  {_source(one)} -> s{target} [label={_dot_label(_edge(one))}];" for target in one["to"]]
    for one in description.get("junctions", ()):
        lines += [f'  j{one["number"]} [label="&&", shape=circle, style=solid];']
        lines += [f"  s{side['state']} -> j{one['number']};" for side in one["sides"]]
        lines += [f"  j{one['number']} -> s{target} [label={_dot_label(_meeting(one))}];" for target in one["to"]]
    return "\n".join([*lines, "}"])


def _dot_label(edge: str) -> str:
    return json.dumps(edge.replace("; ", "\n"), ensure_ascii=False)


def _forks(description: Description) -> dict[tuple[str, str], str]:
    """The nodes behind states from which sides of && begin, by what is drawn before them and by themselves."""
    found: dict[tuple[str, str], str] = {}
    for one in description["transitions"]:
        nodes = [f"s{one['from']}", *_fork_nodes(one)]
        found |= {(before, node): node for before, node in pairwise(nodes)}
    return found


def _fork_nodes(transition: Description) -> list[str]:
    return [f"f{transition['from']}_{one['junction']}" for one in transition.get("begins", ())]


def _source(transition: Description) -> str:
    """The node that a step is drawn from."""
    return [f"s{transition['from']}", *_fork_nodes(transition)][-1]


def _title(state: Description) -> str:
    parts = [" ".join([f"{state['number']} {state['role']}", *_completed(state)])]
    parts += [part for part in (state["operator"], state["cells"]) if part]
    parts += [f"not {guard['absent']}" for guard in state["guards"]]
    return ", ".join(parts)


PLAN_FORMATS: dict[str, Callable[[Description], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "json": as_json,
}
