"""How path queries are understood: their automata, and how their paths are searched for; as text, data or a drawing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpm.printing import print_expression
from spaseq.pattern.paths import (
    RELATION,
    EdgeStep,
    NegatedStep,
    PathQuery,
    Restrictor,
    SelectorKind,
    print_node,
    print_selector,
)
from spaseq.plan.description import Description, mermaid_text
from spaseq.plan.paths.automaton import PathAutomaton, Step, few_ends, goes_from_both_ends
from spaseq.text import json_text

_NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class ExplainedPath:
    """A query and the automaton of its expression; ``streamed``: on a stream of edges, not on a graph."""

    query: PathQuery
    automaton: PathAutomaton
    streamed: bool = False


def explain(queries: Sequence[ExplainedPath], form: str = "text") -> str:
    """All queries, in one of PATH_FORMATS; KeyError for another."""
    return PATH_FORMATS[form]([described(one) for one in queries])


def described(asked: ExplainedPath) -> Description:
    """What there is to say of a query, as data."""
    query, automaton = asked.query, asked.automaton
    return {
        "query": query.name,
        "from": [print_node(one) for one in query.starts],
        "to": [print_node(one) for one in query.ends],
        "selector": print_selector(query.selector),
        "restrictor": query.restrictor.value,
        "not_back_to_start": query.not_back,
        **({"kept": kept(query)} if asked.streamed else {"search": search(query)}),
        "conditions": [f"?{one.variable}: {print_expression(one.expression)}" for one in automaton.conditions],
        "states": [
            {
                "state": number,
                "step": None if state.step is None else shown(state.step),
                "accepts": [_conditions(guard) for guard in state.accepting],
                "next": [{"state": to, "conditions": _conditions(guard)} for to, guard in state.transitions],
            }
            for number, state in enumerate(automaton.states)
        ],
    }


def search(query: PathQuery) -> str:
    """How the kernel looks for the paths."""
    kind = query.selector.kind
    if kind is SelectorKind.ALL:
        return "depth first, one path after the other"
    if query.restrictor is not Restrictor.WALK:
        alone = "depth first, once for each length, until all ends that walks lead to have their paths"
        return f"{_LED}; {alone}, if TO are more than {few_ends(query)} nodes" if goes_from_both_ends(query) else alone
    if kind is SelectorKind.ALL_SHORTEST:
        return "breadth first over nodes and sets of states, then back from each end along what precedes it"
    if goes_from_both_ends(query):
        return (
            f"breadth first from both ends until they meet; from the starts if TO are more than {few_ends(query)} nodes"
        )
    times = "once" if query.selector.count == 1 else f"{query.selector.count} times at most"
    return f"breadth first over nodes and sets of states, from each {times}"


_LED = "depth first for each end, led by the distance to it, once for each length that may be"


def kept(query: PathQuery) -> str:
    """How the kernel keeps the paths of a stream of edges up to date."""
    selector = query.selector
    if selector.kind is SelectorKind.ALL:
        return f"{_TREES}; paths are found through each new edge, back to their start and on from there"
    if query.restrictor is not Restrictor.WALK:
        return f"{_TREES}; where a new edge concerns one, depth first, once for each length, old paths before new ones"
    if selector.kind is SelectorKind.ALL_SHORTEST:
        return f"{_TREES}; what a new edge makes shorter, or joins, is found back from its end"
    if selector.count == 1:
        return f"{_TREES}; results are read from them"
    return f"{_TREES}; where a new edge concerns one, breadth first, old walks before new ones"


_TREES = "a tree of shortest walks for each start, kept up to date"


def shown(step: Step) -> str:
    """A step in the language."""
    if isinstance(step, EdgeStep):
        return f"{'^' * step.inverse}{_iri(step.predicate)}"
    return f"!({' | '.join(_excluded(step))})"


def _excluded(step: NegatedStep) -> Iterator[str]:
    yield from map(_iri, step.forward or ())
    yield from (f"^{_iri(iri)}" for iri in step.inverse or ())
    if step.forward == () and step.inverse is not None:
        yield "along any edge"
    if step.inverse == ():
        yield "against any edge"


def _iri(iri: str) -> str:
    name = iri.removeprefix(RELATION)
    return f":{name}" if name != iri and _NAME.fullmatch(name) else f"<{iri}>"


def _conditions(guard: int) -> list[int]:
    """The numbers of the conditions of a guard, from 1."""
    return [bit + 1 for bit in range(guard.bit_length()) if guard >> bit & 1]


# ── forms ────────────────────────────────────────────────────────────────────────────────────────────────
def _text(queries: Sequence[Description]) -> str:
    return "\n\n".join("\n".join(_lines(one)) for one in queries) + "\n"


def _lines(one: Description) -> Iterator[str]:
    back = ", not back to the start" if one["not_back_to_start"] else ""
    yield f"query {one['query']}: {one['selector']} {one['restrictor']}{back}"
    yield f"  from    {', '.join(one['from']) or 'starts that the program gives'}"
    yield f"  to      {', '.join(one['to']) or 'any node'}"
    yield f"  search  {one['search']}" if "search" in one else f"  kept    {one['kept']}"
    for number, condition in enumerate(one["conditions"], 1):
        yield f"  [{number}]     {condition}"
    yield "  automaton"
    width = max(len(state["step"] or "start") for state in one["states"])
    for state in one["states"]:
        ways = ", ".join(f"{to['state']}{_marks(to['conditions'])}" for to in state["next"])
        ends = [f"accepts{_marks(conditions)}" for conditions in state["accepts"]]
        parts = [f"-> {ways}"] if ways else []
        yield f"    {state['state']}  {state['step'] or 'start':<{width}}  {', '.join([*parts, *ends])}".rstrip()


def _marks(conditions: Sequence[int]) -> str:
    return "".join(f" [{number}]" for number in conditions)


def _json(queries: Sequence[Description]) -> str:
    return json_text(queries if len(queries) > 1 else queries[0], indent=2) + "\n"


def _dot(queries: Sequence[Description]) -> str:
    lines = ["digraph paths {", "  rankdir=LR;"]
    for place, one in enumerate(queries):
        for state in one["states"]:
            label = json.dumps(state["step"] or one["query"], ensure_ascii=False)
            shape = "doublecircle" if state["accepts"] else "circle"
            lines.append(f"  q{place}s{state['state']} [label={label}, shape={shape}];")
        lines += [
            f'  q{place}s{state["state"]} -> q{place}s{to["state"]} [label="{_marks(to["conditions"]).strip()}"];'
            for state in one["states"]
            for to in state["next"]
        ]
    return "\n".join([*lines, "}", ""])


def _mermaid(queries: Sequence[Description]) -> str:
    lines = ["flowchart LR"]
    for place, one in enumerate(queries):
        for state in one["states"]:
            label = mermaid_text(state["step"] or one["query"])
            left, right = ('((("', '")))') if state["accepts"] else ('(("', '"))')
            lines.append(f"  q{place}s{state['state']}{left}{label}{right}")
        for state in one["states"]:
            for to in state["next"]:
                marks = _marks(to["conditions"]).strip()
                arrow = f'-->|"{mermaid_text(marks)}"|' if marks else "-->"
                lines.append(f"  q{place}s{state['state']} {arrow} q{place}s{to['state']}")
    return "\n".join([*lines, ""])


PATH_FORMATS: Mapping[str, Callable[[Sequence[Description]], str]] = {
    "text": _text,
    "json": _json,
    "dot": _dot,
    "mermaid": _mermaid,
}
