"""Labels of a pair, to count what the generators cover, and to leave out what an engine does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .model import (
    All,
    AllFilters,
    AnyFilter,
    As,
    Contiguous,
    ContiguousKleene,
    Event,
    Filter,
    FilterOn,
    Formula,
    Kleene,
    Or,
    Query,
    Relation,
    Sequence as Sequencing,
    filters_in,
    walk_formulas,
)
from .predicates import (
    Arithmetic,
    Both,
    Comparison,
    Either,
    In,
    InRange,
    IsNull,
    Like,
    Negative,
    Not,
    names,
    operands,
    walk_operands,
    walk_predicates,
)

FORMULAS = {
    Relation: "relation",
    As: "AS",
    Filter: "FILTER",
    Or: "OR",
    All: "ALL",
    Sequencing: ";",
    Contiguous: ":",
    Kleene: "+",
    ContiguousKleene: ":+",
}
PREDICATES = {
    Both: "predicate AND",
    Either: "predicate OR",
    Not: "predicate NOT",
    Comparison: "comparison",
    Like: "LIKE",
    In: "IN",
    InRange: "RANGE",
    IsNull: "IS NULL",
}


def labels_of(query: Query, events: Sequence[Event]) -> frozenset[str]:
    """Labels such as `;`, `filter in Kleene`, `strategy NEXT`, `window EVENTS`, `correlated`, `equal times`."""
    return frozenset((*formula_labels(query.formula), *clause_labels(query), *event_labels(events)))


def formula_labels(formula: Formula) -> Iterator[str]:
    """Operators, how they are nested, and what is in FILTERs."""
    for part in walk_formulas(formula):
        yield FORMULAS[type(part)]
        if isinstance(part, Filter):
            yield from filter_labels(part)
        if isinstance(part, Kleene | ContiguousKleene):
            inner = {type(below) for below in walk_formulas(part.body)}
            yield from (f"{FORMULAS[kind]} in Kleene" for kind in inner - {Relation})
        if isinstance(part, As) and not isinstance(part.body, Relation):
            yield "AS of a formula"
    if isinstance(formula, Filter) and any(isinstance(part, Filter) for part in walk_formulas(formula.body)):
        yield "FILTER in FILTER"


def filter_labels(part: Filter) -> Iterator[str]:
    """What a FILTER's condition has."""
    if isinstance(part.condition, AllFilters | AnyFilter):
        yield "filter AND" if isinstance(part.condition, AllFilters) else "filter OR"
    for single in filters_in(part.condition):
        yield from predicate_labels(single)


def predicate_labels(single: FilterOn) -> Iterator[str]:
    """What a predicate has."""
    if names(single.predicate) - {None, single.variable}:
        yield "correlated"
    for predicate in walk_predicates(single.predicate):
        yield PREDICATES[type(predicate)]
        if not isinstance(predicate, Both | Either | Not):
            inner = [below for operand in operands(predicate) for below in walk_operands(operand)]
            yield from ("arithmetic" for below in inner if isinstance(below, Arithmetic | Negative))
            yield from ("division" for below in inner if isinstance(below, Arithmetic) and below.operator == "/")


def clause_labels(query: Query) -> Iterator[str]:
    """Strategy, selection, window, partitions, limit, consumption."""
    yield f"strategy {query.strategy or 'default'}"
    yield f"consume {query.consume or 'default'}"
    yield f"partition by {len(query.partition_by)}"
    if query.aggregates:
        yield from (f"{aggregate.function}({'…' if aggregate.operand else '*'})" for aggregate in query.aggregates)
        yield f"group by {len(query.group_by)}"
    else:
        yield "select *" if query.select is None else "select variables"
    if query.limit:
        yield "limit"
    window = query.within
    yield f"window {(window.unit or window.attribute) if window else 'none'}"


def event_labels(events: Sequence[Event]) -> Iterator[str]:
    """Equal times and NULLs."""
    if len({event.time for event in events}) < len(events):
        yield "equal times"
    if any(value is None for event in events for value in event.attributes.values()):
        yield "NULL"
