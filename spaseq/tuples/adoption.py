"""Columns that had no values get types: what runs goes on in another core, where that changes nothing that it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow

from spaseq.errors import QueryError, SnapshotError
from spaseq.pattern.formulas.predicates import attributes
from spaseq.plan.formulas.clauses import Joined
from spaseq.sources.tables.types import column_named
from spaseq.tuples.columns.numbering import numbering
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.columns.serialisation import rows_read, rows_stored, schema_read, schema_stored
from spaseq.tuples.encoding.conditions import Conditions
from spaseq.tuples.encoding.correlation import RegisterColumns
from spaseq.tuples.kind import TableKind
from spaseq.tuples.parametric_tuple_query import formula_query
from spaseq.tuples.queries import AnyPrepared
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.selection.selection import SelectionQuery
from spaseq.tuples.state import core_state, restore_core
from spaseq.tuples.tuple_query import TupleQuery

Types = Mapping[str, pyarrow.DataType]


def adopting(kind: TableKind, types: Types, queries: Mapping[str, AnyPrepared]) -> TableKind | None:
    """Another core that goes on where this one is, in which columns that were NULL so far are of these types.

    None: what some query knows of its past would not be the same, or results wait to be taken.
    """
    formulas = [query for query in kind.core.at_work if not isinstance(query, RunningRowPattern)]
    members = [member for query in formulas for member in formula_query(query).members]
    begun = [member for member in members if member.evaluation is not None]
    try:
        if not kind.core.is_settled or not all(_may_adopt(query, types) for query in begun):
            return None
        columns, known = ColumnTypes({}), kind.columns.state()
        columns.restore(known | {"types": _retyped(known["types"], types)})
        found = TableKind(
            kind.setting, columns, kind.core.soundness, kind.core.lateness, sharing=kind.sharing,
            evaluation=kind.evaluation, bound=kind.bound, max_steps=kind.max_steps, in_order=kind.in_order,
        )  # fmt: skip
        found.names = dict(kind.names)
        restore_core(found, _state(kind, types), queries)
    except (QueryError, SnapshotError, ValueError):  # a query makes no sense for the types
        return None
    return found


# ── which queries ────────────────────────────────────────────────────────────────────────────────────────
def _may_adopt(query: TupleQuery, types: Types) -> bool:
    """Whether what a query keeps of events is the same whatever type the columns without values have."""
    before, reading = query.schema, query.reading
    assert before is not None
    assert reading is not None
    after = pyarrow.schema([(field.name, types.get(field.name, field.type)) for field in before])
    if reading.measure in types or query.prepared.plan_for(after) != query.plan:
        return False
    if not isinstance(query.evaluation, SelectionQuery):
        return not _counted(query) & types.keys()
    nulls = frozenset(field.name for field in before if pyarrow.types.is_null(field.type))
    return not _computed(query) & types.keys() and _forms(query, before, nulls) == _forms(query, after, nulls)


def _counted(query: TupleQuery) -> set[str]:
    """The attributes on which numbers of matches, and what is added up, depend beside conditions of single events."""
    assert query.plan is not None
    asked, plan = query.prepared.query, query.plan
    compared = [one.comparison for one in plan.measured]
    predicates = [one.asked.predicate if isinstance(one, Joined) else one.written for one in compared]
    found = [key.attribute for key in asked.group_by]
    found += [one for each in asked.aggregates if each.value is not None for one in attributes(each.value)]
    found += [
        one for each in (*predicates, *(inquiry.asked.predicate for inquiry in plan.asked)) for one in attributes(each)
    ]
    return {one.name for one in found} | _computed(query)


def _computed(query: TupleQuery) -> set[str]:
    """The attributes of bounds that are computed of several events."""
    assert query.plan is not None
    return {one.name for each in query.plan.computed for one in attributes(each.joined.asked.predicate)}


def _forms(query: TupleQuery, schema: pyarrow.Schema, nulls: frozenset[str]) -> tuple[object, ...]:
    """As what the values are kept that may be other than NULL; and all that conditions ask for."""
    assert query.plan is not None
    plan = query.plan
    conditions = Conditions(plan.asked, plan.computed, schema)
    return conditions.remembered, RegisterColumns(plan.measured, schema).forms(nulls)


# ── the state ────────────────────────────────────────────────────────────────────────────────────────────
def _state(kind: TableKind, types: Types) -> dict[str, Any]:
    """The state of a core, as CORE, with the types in the place of those of nulls."""
    state = core_state(kind)
    for entry in _entries(state):
        entry["schema"] = _retyped(entry["schema"], types)
        for selection in entry["selection"]:
            for kept in [*selection["past"], *selection["remembered"]]:
                kept["rows"] = _cast(kept["rows"], types)
    exact = {column_named(name): type_ for name, type_ in types.items() if name != column_named(name)}
    for pattern in (one for query in state["queries"] for one in query.get("pattern", ())):
        pattern["schema"] = _retyped(pattern["schema"], types)
        for stream in pattern["stream"]:
            stream |= {part: _cast(stream[part], exact) for part in ("rows", "tied", "keys")}
    for merged in state["streamsets"]:
        for keyed in merged["encoder"]["keyed"]:
            values = keyed["partitions"]["values"]
            known = zip(keyed["columns"], values, strict=True)
            values[:] = [numbering(types[name]).stored() if name in types else old for name, old in known]
    return state


def _entries(state: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Of the queries that go on."""
    for family in state.get("families", ()):
        yield from (entry for entry in family["entry"] if not entry["spent"])
    for query in state["queries"]:
        members = [one for rows in query.get("rows", ()) for one in (*rows["members"], *rows["together"])]
        for each in (query, *members):
            yield from (entry for entry in each["entry"] if not entry["spent"])


def _retyped(stored: bytes, types: Types) -> bytes:
    return schema_stored({name: types.get(name, type_) for name, type_ in schema_read(stored).items()})


def _cast(stored: bytes, types: Types) -> bytes:
    """Rows with columns of these types, as they are kept: texts without dictionaries."""
    rows = rows_read(stored)
    for place, field in enumerate(rows.schema):
        if field.name in types:
            type_ = types[field.name]
            plain = type_.value_type if pyarrow.types.is_dictionary(type_) else type_
            rows = rows.set_column(place, pyarrow.field(field.name, plain), pyarrow.nulls(rows.num_rows, plain))
    return rows_stored(rows)
