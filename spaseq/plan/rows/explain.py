"""EXPLAIN of row patterns: what variables read, how matches are found, what is kept; as text, data or a picture.

Texts of conditions are as the query writes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spaseq.pattern.rows.query import PastLastRow, RowOrder, RowPatternQuery, Skipping, ToNextRow, columns_read
from spaseq.plan.description import mermaid_text
from spaseq.plan.rows.automaton import ACCEPT, Follower
from spaseq.plan.rows.held import held_rows
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.text import json_text


@dataclass(frozen=True, slots=True)
class ExplainedRows:
    """What there is to say something about: a query and its plan, its pattern and conditions as it writes them."""

    query: RowPatternQuery
    plan: RowPatternPlan
    pattern: str
    conditions: Mapping[str, str]


def explain(asked: ExplainedRows, form: str = "text") -> str:
    """All of it, or the picture of the positions, in one of ROW_FORMATS; KeyError for another."""
    return ROW_FORMATS[form](asked)


# ── what is said ─────────────────────────────────────────────────────────────────────────────────────────
ANY_ROW, OF_ROW, OF_MATCH = "any row", "a row and its neighbours", "the match"


def variable_class(asked: ExplainedRows, variable: str) -> str:
    """What the condition of a variable reads: the greatest class of all of its positions."""
    plan = asked.plan
    places = [place for place, position in enumerate(plan.automaton.positions) if position.variable == variable]
    if any(plan.conditions.searched[place] is not None for place in places):
        return OF_MATCH
    return OF_ROW if any(plan.conditions.asked[place] is not None for place in places) else ANY_ROW


def described(asked: ExplainedRows) -> dict[str, Any]:
    """All that is said, as plain data."""
    query, automaton = asked.query, asked.plan.automaton
    names = dict.fromkeys(position.variable for position in automaton.positions)
    return {
        "table": query.table,
        "partition_by": list(query.partition),
        "order_by": [_order(key) for key in query.order],
        "pattern": asked.pattern,
        "variables": [_variable(asked, name) for name in names],
        "rows_per_match": query.shown.value,
        "after_match": _skipping(query.skipping),
        "within_microseconds": query.within,
        "columns": None if query.columns is None else list(columns_read(query)),
        "in_a_stream": _in_a_stream(asked),
        "evaluation": "search" if asked.plan.reads_match else "two passes",
        "positions": [
            {"number": number, "variable": position.variable, "excluded": position.excluded,
             "followers": [_follower(one) for one in position.followers]}
            for number, position in enumerate(automaton.positions)
        ],
        "first": [_follower(one) for one in automaton.first],
    }  # fmt: skip


def _in_a_stream(asked: ExplainedRows) -> dict[str, Any]:
    held = held_rows(asked.query, asked.plan)
    return {
        "rows_before_a_start": held.before, "holds_rows": list(held.loops), "keeps_keys": held.keys or None,
    }  # fmt: skip


def _variable(asked: ExplainedRows, name: str) -> dict[str, Any]:
    return {"name": name, "reads": variable_class(asked, name), "condition": asked.conditions.get(name)}


def _order(key: RowOrder) -> str:
    return key.column + (" DESC" if key.descending else "") + (" NULLS FIRST" if key.nulls_first else "")


def _skipping(skipping: Skipping) -> str:
    match skipping:
        case PastLastRow():
            return "PAST LAST ROW"
        case ToNextRow():
            return "TO NEXT ROW"
        case _:
            return f"TO {'FIRST' if skipping.first else 'LAST'} {skipping.name}"


def _follower(one: Follower) -> dict[str, Any]:
    where = {"at": "first row" if one.at_start else "end"} if one.at_start or one.at_end else {}
    return {"to": None if one.position == ACCEPT else one.position, **where}


_EVALUATION = {
    "two passes": (
        "two passes: backwards, where a match can still end; forwards, the preferred position of these",
        "time grows with the rows, whatever the pattern",
    ),
    "search": (
        "a search in the order of preference, for a condition reads the match; only where rows let it end",
        "dead ends are remembered, which takes memory; time may grow with the square of a partition's rows, or more",
    ),
}  # fmt: skip


def as_text(asked: ExplainedRows) -> str:
    """Lines to read."""
    return "\n".join(_lines(asked))


def _lines(asked: ExplainedRows) -> Iterator[str]:
    said = described(asked)
    parted = f", partitions by {', '.join(said['partition_by'])}" if said["partition_by"] else ", one partition"
    ordered = f", in the order of {', '.join(said['order_by'])}" if said["order_by"] else ", in the order of its rows"
    yield f"rows: of {said['table']}{parted}{ordered}"
    yield f"pattern: {asked.pattern} ({len(said['positions']):,} positions)"
    yield "variables:"
    width = max((len(one["name"]) for one in said["variables"]), default=0)
    for one in said["variables"]:
        condition = f": {one['condition']}" if one["condition"] else ""
        yield f"  {one['name']:<{width}}  {one['reads']}{condition}"
    within = f", within {asked.query.within / 1_000_000:g} s" if asked.query.within is not None else ""
    yield f"matches: {said['rows_per_match']}{within}; the next one begins {_where_next(asked.query.skipping)}"
    how, cost = _EVALUATION[said["evaluation"]]
    yield f"evaluation: {how}"
    yield f"cost: {cost}"
    columns = "" if said["columns"] is None else f" ({', '.join(said['columns'])})"
    yield f"kept: all rows of the table{columns}, which is sorted unless it lies in order"
    yield from _kept_of_stream(said["in_a_stream"])


def _kept_of_stream(said: Mapping[str, Any]) -> Iterator[str]:
    """In words."""
    before, holds = said["rows_before_a_start"], said["holds_rows"]
    more = f", and {before:,} row{'s' if before > 1 else ''} before it" if before else ""
    yield f"kept of a stream: all rows from the first undecided one on{more}"
    if holds:
        yield f"    these may be any number, as there is no WITHIN: those of {', '.join(holds)}"
    yield (
        f"    keys stay: {said['keeps_keys']}"
        if said["keeps_keys"]
        else "    keys of which all is decided are forgotten"
    )


def _where_next(skipping: Skipping) -> str:
    match skipping:
        case PastLastRow():
            return "past its last row"
        case ToNextRow():
            return "with the row behind its first"
        case _:
            return f"with its {'first' if skipping.first else 'last'} {skipping.name}"


# ── pictures ─────────────────────────────────────────────────────────────────────────────────────────────
Edge = tuple[int | None, int | None, str]  # from (None: before a match) to (None: behind it), and what it says


def _edges(asked: ExplainedRows) -> Iterator[Edge]:
    """The ways between positions; where there are several, which is preferred."""
    automaton = asked.plan.automaton
    for source, followers in [(None, automaton.first), *((n, p.followers) for n, p in enumerate(automaton.positions))]:
        for rank, one in enumerate(followers, 1):
            where = " at the first row" if one.at_start else " at the end" if one.at_end else ""
            label = f"{rank if len(followers) > 1 else ''}{where}".strip()
            yield source, None if one.position == ACCEPT else one.position, label


def as_mermaid(asked: ExplainedRows) -> str:
    """The positions as a state diagram for Mermaid."""
    lines = ["stateDiagram-v2"]
    for number, position in enumerate(asked.plan.automaton.positions):
        lines.append(f'    state "{mermaid_text(f"{number} {position.variable}")}" as p{number}')
    for source, target, label in _edges(asked):
        ends = ("[*]" if end is None else f"p{end}" for end in (source, target))
        lines.append(f"    {' --> '.join(ends)}{f': {label}' if label else ''}")
    return "\n".join(lines)


def as_dot(asked: ExplainedRows) -> str:
    """The positions for Graphviz."""
    lines = ["digraph plan {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    lines += ["  begin [shape=point];", '  end [shape=doublecircle, label=""];']
    for number, position in enumerate(asked.plan.automaton.positions):
        lines.append(f"  p{number} [label={json.dumps(f'{number} {position.variable}', ensure_ascii=False)}];")
    for source, target, label in _edges(asked):
        told = f" [label={json.dumps(label)}]" if label else ""
        begin, end = "begin" if source is None else f"p{source}", "end" if target is None else f"p{target}"
        lines.append(f"  {begin} -> {end}{told};")
    return "\n".join([*lines, "}"])


ROW_FORMATS: dict[str, Callable[[ExplainedRows], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "json": lambda asked: json_text(described(asked), indent=2),
}
