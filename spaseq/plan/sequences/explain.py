"""EXPLAIN: a described plan as text, JSON, Mermaid or Graphviz DOT."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from spaseq.plan.drawing import Description, by_source, mermaid_text
from spaseq.showing import json_text


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
    parts = [
        f"sequence  {description['sequence']}",
        f"window    {_window(description['window'])}",
        *_partition(description["partition"]),
        f"cut       {_cut(description['split'])}",
        "",
        "tree",
        *_tree(description["tree"], ""),
        "",
        "graph patterns",
        *(line for atom in description["atoms"] for line in _atom(atom)),
        "",
        "automaton",
        *(line for state in description["states"] for line in _state(state, steps.get(state["number"], ()))),
    ]
    if "aggregates" in description:
        parts += ["", "aggregates", f"  {description['aggregates']}"]
        parts += [f"  of the groups, those with {condition}" for condition in description.get("having", ())]
    if description["ambiguous"]:
        parts += ["", "one set of events may match along several paths: results are compared, each comes once"]
    return "\n".join(parts)


def _window(window: Description | None) -> str:
    if window is None:
        return "none: partial matches are kept until the input ends"
    if window["unit"] == "events":
        return f"{window['length']} events, {window['kind']}"
    return f"{window['length'] / 1_000_000:g} seconds, {window['kind']}"


def _partition(partition: Description | None) -> Iterator[str]:
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


def _atom(atom: Description) -> Iterator[str]:
    yield f"  {atom['name']} on <{atom['stream']}> binds {' '.join('?' + v for v in atom['variables']) or 'nothing'}"
    yield f"    evaluated: {atom['evaluation']}"
    for one in atom["stateful_filters"]:
        yield f"    filter on the partial match: {one}"


def _state(state: Description, steps: Sequence[Description]) -> Iterator[str]:
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
