"""Rows of parameters in a snapshot: what their matchers hold, and what runs them again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gpm.algebra import Iri, Literal
from gpm.terms import term_bytes
from spaseq.errors import SnapshotError
from spaseq.graphs.background import Compiled, compiled
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.parameter_rows import key_of, keyed
from spaseq.graphs.parametric_graph_query import ParametricGraphQuery, rows_of
from spaseq.graphs.queries import AnyQuery
from spaseq.pattern.sequences import Row
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.rule_plan import Key, RulePlan, plan_of_rows

Called: TypeAlias = Callable[[int], tuple[str, str]]  # the sections of a member's matcher and results, by its number


def sections_of_rows(name: str) -> Called:
    """Those of a query with parameters."""
    return lambda number: (f"row matcher {number} {name}", f"row results {number} {name}")


def row_states(
    query: ParametricGraphQuery, merged: GraphInput, sections: dict[str, bytes], called: Called
) -> list[dict[str, Any]]:
    """The rows of a query with parameters and their counters; what their matchers hold is put into sections."""
    merged.forget_idle(query)
    states, ages = [], merged.row_ages()
    for number, member in enumerate(() if query.is_over else query.members):
        counters, matcher, results = member.snapshot()
        sections |= dict(zip(called(number), (matcher, results), strict=True))
        rows, places, gone = rows_of(member)
        terms = [[written(term) for term in row] for row in rows]
        states.append({"rows": terms, "places": places, "gone": gone, "counters": counters,
                       "together": isinstance(member.plan, RulePlan), "age": ages.get(member, 0)})  # fmt: skip
    return states


def written(term: Iri | Literal) -> list[str]:
    """A term of a row."""
    return [term.value] if isinstance(term, Iri) else [term.lexical, term.datatype, term.language or ""]


def read_rows(state: Mapping[str, Any]) -> list[Row]:
    """The rows of a member, by rank."""
    return [tuple(map(_read, row)) for row in state.get("rows") or [state["row"]]]


def _read(one: Sequence[str]) -> Iri | Literal:
    """A term of a row; SnapshotError: it is none."""
    term = Iri(*one) if len(one) == 1 else Literal(one[0], one[1], one[2] or None) if len(one) == 3 else None
    try:
        if term is not None and term_bytes(term):
            return term
    except ValueError:
        pass
    raise SnapshotError("the snapshot is damaged: a row has a term that is none")


def gone_of(state: Mapping[str, Any], rows: Sequence[Row]) -> list[bool]:
    """Which of them are gone."""
    gone = set(state.get("gone", ()))
    return [rank in gone for rank in range(len(rows))]


def kept_rows(states: Iterable[Mapping[str, Any]]) -> dict[Key, Row]:
    """The rows that a query had, in their order."""
    kept: list[tuple[int, Row]] = []
    for number, state in enumerate(states):
        rows = read_rows(state)
        places = state.get("places", [number])
        found = zip(places, rows, gone_of(state, rows), strict=True)
        kept += [(place, row) for place, row, gone in found if not gone]
    return keyed(row for _, row in sorted(kept, key=lambda pair: pair[0]))


# ── what runs them again ─────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Wanted:
    """A query that is given again, its plan, and the rows that it is to have, if it has parameters."""

    query: AnyQuery
    plan: Plan
    rows: Mapping[Key, Row]


@dataclass(frozen=True, slots=True)
class MadeMember:
    """What runs rows, with their keys, by rank (None: gone), and places; and its number in the snapshot, if any."""

    plan: Plan
    compiled: Compiled
    keys: Sequence[Key | None]
    places: Sequence[int]
    number: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """A query, compiled before the words of the snapshot are read; of one with parameters its members, not itself."""

    plan: Plan
    compiled: Compiled | None
    members: Sequence[MadeMember]


def made_of(kind: GraphKind, wanted: Wanted, states: Iterable[Mapping[str, Any]]) -> Made:
    """A query compiled again, with the rows of the snapshot that are still wanted."""
    if wanted.plan.query.given is None:
        return Made(wanted.plan, kind.compiled(wanted.query, wanted.plan), ())
    members = [
        MadeMember(plan, compiled(plan, kind.evaluator), keys, places, number)
        for plan, keys, places, number in _plans(kind, wanted, states)
    ]
    return Made(wanted.plan, None, members)


def _plans(
    kind: GraphKind, wanted: Wanted, states: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Plan, Sequence[Key | None], Sequence[int], int | None]]:
    """What runs the rows that are wanted: those of the snapshot as there, then new ones; all in the order wanted."""
    order = {key: place for place, key in enumerate(wanted.rows)}
    new = dict(wanted.rows)
    for number, state in enumerate(states):
        rows = read_rows(state)
        keys = [None if gone else key for key, gone in zip(map(key_of, rows), gone_of(state, rows), strict=True)]
        keys = [key if key in new else None for key in keys]
        if any(key is not None for key in keys):
            places = [0 if key is None else order[key] for key in keys]
            known = list(map(key_of, rows))
            plan = plan_of_rows(wanted.plan, rows[0], known, places, state.get("together", False))
            yield plan, keys, places, number
        for key in keys:
            new.pop(key, None)  # type: ignore[arg-type]
    for plan, its, _ in kind.plans(wanted.plan, new, 0):
        places = [order[key] for key in its]
        yield plan.placed(places) if isinstance(plan, RulePlan) else plan, its, places, None
