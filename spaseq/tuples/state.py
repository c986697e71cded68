"""The state of queries on tuples: as a tree of values, and as a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import pyarrow

from spaseq.errors import OptionError, QueryError, SnapshotError
from spaseq.pattern.formulas.parameters import ConstantRow, RowKey, row_key
from spaseq.plan.formulas.rule_conditions import why_apart
from spaseq.runtime.shed import Shed
from spaseq.runtime.snapshot.container import TUPLES, flattened, inflated
from spaseq.runtime.snapshot.validation import CLOCK, COUNT, DURATION, TIME, AnyNames, Shape, misfits, queries_given
from spaseq.sources.parameter_rows import RowSources, tables_by_name
from spaseq.streams.clock import StreamClock
from spaseq.tuples.aggregates.aggregation import AGGREGATION, AggregatingQuery
from spaseq.tuples.columns.schema import COLUMNS
from spaseq.tuples.columns.serialisation import met_of, require, schema_read, schema_stored
from spaseq.tuples.families import template_of
from spaseq.tuples.kind import TableKind
from spaseq.tuples.parameter_rows import STORED_ROW, row_read, row_stored, with_kept_rows, with_table
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery, ParametricTupleQuery, formula_query
from spaseq.tuples.queries import AnyPrepared, AnyQuery, Prepared, ReadingOptions, check_order, check_window, prepare
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.row_pattern_state import ROW_PATTERN, restore_row_pattern, row_pattern_state
from spaseq.tuples.rule_query import RuleQuery
from spaseq.tuples.selection.selection import SELECTION, SelectionQuery
from spaseq.tuples.table_query import ENDED, Allowed, Ended
from spaseq.tuples.tuple_family import FamilyMember, TupleFamily
from spaseq.tuples.tuple_input import INPUT_STATE, TupleInput
from spaseq.tuples.tuple_query import TupleQuery

_ENTRY: Shape = {
    "schema": bytes, "first": COUNT, "error": str, "masks": [str], "selection": [SELECTION],
    "aggregation": [AGGREGATION], "spent": [ENDED],
}  # fmt: skip
_MEMBER: Shape = {"row": STORED_ROW, "refused": str, "entry": [_ENTRY]}
_TOGETHER: Shape = {"rows": [STORED_ROW], "places": [COUNT], "refused": str, "entry": [_ENTRY]}
_ROWS: Shape = {"results": COUNT, "members": [_MEMBER], "together": [_TOGETHER]}
_QUERY: Shape = {
    "name": str, "streamset": COUNT, "refused": str, "entry": [_ENTRY], "rows": [_ROWS], "pattern": [ROW_PATTERN],
}  # fmt: skip
_RULE: Shape = {"key": [str], "queries": [(str, COUNT, COUNT)]}  # by name: the position of the first event, results
_FAMILY: Shape = {"streamset": COUNT, "rules": [_RULE], "refused": str, "entry": [_ENTRY]}
CORE: Shape = {
    "has_names": bool, "promised": TIME, "events": COUNT, "clocks": [CLOCK], "streamsets": [INPUT_STATE],
    "queries": [_QUERY], "families": [_FAMILY],
}  # fmt: skip


def with_rows_told(core: dict[str, Any]) -> None:
    """Let a state be as CORE in which none is in SQL, only those with parameters have rows, or none run together."""
    core.setdefault("families", [])
    for query in core["queries"]:
        query.setdefault("pattern", [])
        for rows in query.setdefault("rows", []):
            rows.setdefault("together", [])


# ── to a state ───────────────────────────────────────────────────────────────────────────────────────────
def core_state(kind: TableKind) -> dict[str, Any]:
    """What the future depends on, as CORE; all results are taken."""
    inputs = list(kind.inputs)
    families = [_family_state(one, inputs) for one in kind.core.at_work if isinstance(one, TupleFamily)]
    return {
        "has_names": kind.has_names,
        "promised": kind.promised,
        "events": kind.events,
        "clocks": [asdict(clock) for clock in kind.core.clocks.values()],
        "streamsets": [merged.state() for merged in inputs],
        "queries": [_query_state(name, query, inputs) for name, query in kind.core.running.items()],
        **({"families": families} if families else {}),
    }


def _number_of(query: AnyTupleQuery, inputs: list[TupleInput]) -> int:
    """That of its input."""
    return next(number for number, merged in enumerate(inputs) if query in merged.all_queries)


def _family_state(family: TupleFamily, inputs: list[TupleInput]) -> dict[str, Any]:
    family.settle()
    rules = [
        {"key": list(key), "queries": [[one.name, one.first, one.results] for one in members]}
        for key, members in family.by_key
    ]
    return {"streamset": _number_of(family, inputs), "rules": rules, **_member_state(family)}


def _query_state(name: str, query: AnyTupleQuery, inputs: list[TupleInput]) -> dict[str, Any]:
    state: dict[str, Any] = {"name": name, "streamset": _number_of(query, inputs)}
    if isinstance(query, TupleFamily):
        return state | {"refused": "", "entry": [], "rows": []}
    if isinstance(query, TupleQuery):
        return state | _member_state(query)
    if isinstance(query, RunningRowPattern):
        return state | row_pattern_state(query)
    return state | {"refused": "", "entry": [], "rows": [_rows_state(query)]}


def _rows_state(query: ParametricTupleQuery) -> dict[str, Any]:
    running = [(query.rows[key], row) for key, row in query.constants.items()]
    members = [
        _member_state(member) | {"row": row_stored(row)} for member, row in running if not isinstance(member, RuleQuery)
    ]
    together = [] if query.together is None else [_together_state(query.together, running)]
    return {"results": query.results, "members": members, "together": together}


def _together_state(member: RuleQuery, running: list[tuple[TupleQuery, ConstantRow]]) -> dict[str, Any]:
    """Rows that run together, and their places among all."""
    member.settle()
    places = [place for place, (one, _) in enumerate(running) if one is member]
    rows = [row_stored(row) for one, row in running if one is member]
    return _member_state(member) | {"rows": rows, "places": places}


def _member_state(query: TupleQuery) -> dict[str, Any]:
    entry = [_entry_state(query)] if query.has_begun else []
    return {"refused": "" if entry else query.error, "entry": entry}


def _entry_state(query: TupleQuery) -> dict[str, Any]:
    evaluation, schema = query.evaluation, query.schema
    assert schema is not None
    return {
        "schema": schema_stored({field.name: field.type for field in schema}),
        "first": query.first,
        "error": query.error,
        "masks": [] if query.reading is None else list(map(hex, query.reading.known())),
        "selection": [evaluation.state()] if isinstance(evaluation, SelectionQuery) else [],
        "aggregation": [evaluation.state()] if isinstance(evaluation, AggregatingQuery) else [],
        "spent": [] if query.ended is None else [query.ended.state()],
    }


# ── and back ─────────────────────────────────────────────────────────────────────────────────────────────
def restore_core(
    kind: TableKind, state: dict[str, Any], queries: Mapping[str, AnyPrepared], extra: tuple[str, ...] = ()
) -> None:
    """Let a core without queries go on where ``state`` was taken, with the same queries, keeping ``extra`` columns."""
    kind.promised, kind.events = state["promised"], state["events"]
    kind.core.clocks = {clock["iri"]: StreamClock(**clock) for clock in state["clocks"]}
    inputs = [_input(kind, one) for one in state["streamsets"]]
    states = {one["name"]: one for one in state["queries"]}
    require(list(states) == list(queries) and len(states) == len(state["queries"]), "the queries do not fit each other")
    kind.core.inputs = list(inputs)
    for its in state.get("families", ()):
        states |= dict.fromkeys((name for rule in its["rules"] for name, _, _ in rule["queries"]), its)
    begun = [name for one in state["streamsets"] for name in one["entries"]]
    require(set(begun) <= states.keys(), "a query is of other streams")
    for name in dict.fromkeys((*begun, *queries)):
        if name not in kind.core.running and "rules" in states[name]:
            _add_family(kind, _family(kind, states[name], queries), states[name], inputs)
        elif name not in kind.core.running:
            _add_query(kind, kind.query(name, queries[name], extra=extra), states[name], inputs)
    kind.core.running = {name: kind.core.running[name] for name in queries}
    kind.core.places = {name: place for place, name in enumerate(queries)}
    for merged, one in zip(inputs, state["streamsets"], strict=True):
        _fill(kind, merged, one, states)
    _restore_bounds(kind)
    formulas = {name: one for name, one in kind.core.running.items() if not isinstance(one, RunningRowPattern)}
    kind.wants_names = any(not (one.has_begun or one.is_over) for one in _row_patterns(kind))
    for name, query in formulas.items():
        begun = [state for _, state in _with_states(query, states[name]) if state["entry"]]
        require(len(begun) == sum(member.has_begun for member in query.members), "a query is of no streams")


def _row_patterns(kind: TableKind) -> Iterator[RunningRowPattern]:
    return (query for query in kind.core.at_work if isinstance(query, RunningRowPattern))


def _restore_bounds(kind: TableKind) -> None:
    """Let work have the bound that is asked for now, or none, unless ``check_restored`` will refuse it."""
    if kind.bound is not None and _run_together(kind):
        return
    for query in kind.core.at_work if kind.bound is None else ():
        for member in query.members:
            if member.shed != Shed():
                member.bound_work(Allowed())
    for merged in kind.inputs:
        merged.apportion()


def _run_together(kind: TableKind) -> bool:
    """Whether some queries or rows do."""
    return any(isinstance(member, RuleQuery) for query in kind.core.at_work for member in query.members)


def check_restored(kind: TableKind) -> None:
    """OptionError: its work is to have a bound, but queries run together."""
    if kind.bound is not None and _run_together(kind):
        raise OptionError(
            "queries run together in the snapshot, so that their work can have no bound: begin anew with one"
        )


def _input(kind: TableKind, state: dict[str, Any]) -> TupleInput:
    """One without queries."""
    require(len(state["time"]) <= (kind.setting.time is not None), "events have no times")
    streams = tuple(state["streams"])
    named = kind.has_names and streams
    require(not named or set(streams) <= kind.core.clocks.keys(), "a query is of streams that there are not")
    made = kind.new_input(streams, state["position"])
    made.time = state["time"][0] if state["time"] else None
    return made


def _add_query(kind: TableKind, query: AnyTupleQuery, state: dict[str, Any], inputs: list[TupleInput]) -> None:
    """A query; it may begin later, or be over."""
    require(state["streamset"] < len(inputs), "a query is of no streams")
    rows = state.get("rows", [])
    require(len(rows) == isinstance(query, ParametricTupleQuery), "a query has no rows")
    merged = inputs[state["streamset"]]
    kind.check_streams(query.prepared)
    is_pattern = isinstance(query, RunningRowPattern)
    require(is_pattern or not state.get("pattern"), "a query is in another language")
    if isinstance(query, RunningRowPattern):
        restore_row_pattern(kind, merged, query, state)
    elif isinstance(query, ParametricTupleQuery):
        query.results = rows[0]["results"]
        _arrange(query, rows[0])
    for member, its in () if isinstance(query, RunningRowPattern) else _with_states(query, state):
        _restore_begin(member, its)
    kind.core.start(query, merged)


def _family(kind: TableKind, state: dict[str, Any], every: Mapping[str, AnyPrepared]) -> TupleFamily:
    """Queries that ran together."""
    queries = {name: each for name, each in every.items() if isinstance(each, Prepared)}
    names = [name for rule in state["rules"] for name, _, _ in rule["queries"]]
    require(bool(names) and set(names) <= queries.keys() and len(set(names)) == len(names), "a family has no queries")
    found = {name: queries[name].instance for name in names}
    instances = {name: one for name, one in found.items() if one is not None}
    require(len({one.key for one in instances.values()}) == 1 and len(instances) == len(found), "a family is none")
    template = template_of(instances[names[0]], queries[names[0]])
    require(why_apart(template.query, template.plan) is None, "queries cannot run together")
    family = TupleFamily(names[0], template, kind.core.errors)
    for rule in state["rules"]:
        rows = {row_key(instances[name].row): instances[name].row for name, _, _ in rule["queries"]}
        require(len(rows) == 1 and tuple(rule["key"]) not in family.rows, "a rule is of several queries")
        for name, first, results in rule["queries"]:
            row = instances[name].row
            family.rows[tuple(rule["key"])] = row
            family.know(FamilyMember(name, queries[name], row, results=results), tuple(rule["key"]), first)
    family.queries = {name: family.queries[name] for name in queries if name in family.queries}
    return family


def _add_family(kind: TableKind, family: TupleFamily, state: dict[str, Any], inputs: list[TupleInput]) -> None:
    require(state["streamset"] < len(inputs), "a query is of no streams")
    require(not family.queries.keys() & kind.core.running.keys(), "a query is in two families")
    merged = inputs[state["streamset"]]
    require(all(one.first <= merged.position for one in family.queries.values()), "a query begins later")
    kind.check_streams(family.prepared)
    _restore_begin(family, state)
    kind.core.start(family, merged)
    kind.families.know(family)


def _with_states(query: AnyTupleQuery, state: dict[str, Any]) -> Iterator[tuple[TupleQuery, dict[str, Any]]]:
    """What runs of a query that ran when the state was taken; rows that are new run from now on."""
    query = formula_query(query)
    if isinstance(query, TupleQuery):
        yield query, state
        return
    for its in state["rows"][0]["members"]:
        member = query.rows.get(row_key(row_read(its["row"])))
        if member is not None:
            yield member, its
    for its in state["rows"][0]["together"]:
        if query.together is not None:
            yield query.together, its


def _arrange(query: ParametricTupleQuery, state: dict[str, Any]) -> None:
    """Let rows run together, or by themselves, as they did when the state was taken; these come first."""
    apart = [row_key(row_read(its["row"])) for its in state["members"]]
    together, places = _rows_together(state)
    order = dict(zip(places, together, strict=True))
    others = iter(apart)
    every = [order[place] if place in order else next(others, None) for place in range(len(apart) + len(together))]
    require(len(set(every)) == len(every) and None not in every, "rows are in no order")
    require(not together or why_apart(query.prepared.query, query.prepared.plan) is None, "rows cannot run together")
    query.arrange([key for key in every if key is not None], set(together))


def _rows_together(state: dict[str, Any]) -> tuple[list[RowKey], list[int]]:
    """The keys of rows that ran together, and their places."""
    require(len(state["together"]) < 2, "rows run together twice")
    for its in state["together"]:
        places = its["places"]
        require(len(its["rows"]) == len(places) and sorted(set(places)) == places, "rows are in no order")
        return [row_key(row_read(row)) for row in its["rows"]], places
    return [], []


def _restore_begin(query: TupleQuery, state: dict[str, Any]) -> None:
    require(len(state["entry"]) < 2, "a query is of no streams")
    query.error = state["refused"]
    for entry in state["entry"]:
        if entry["spent"]:
            _restore_ended(query, entry)


def _restore_ended(query: TupleQuery, state: dict[str, Any]) -> None:
    """A query that could not go on."""
    query.schema, query.first, query.error = _schema(state), state["first"], state["error"]
    query.plan = query.prepared.plan_for(query.schema)
    ended = state["spent"][0]
    shed = Shed.of_state(ended["shed"]) if "shed" in ended else Shed()
    query.ended = Ended(ended["found"], met_of(ended["met"], len(query.plan.atoms)), ended["kernel"], shed)
    require(bool(query.error), "a query is over for no reason")


def _fill(kind: TableKind, merged: TupleInput, state: dict[str, Any], states: dict[str, Any]) -> None:
    """Its queries, and what is known of its events."""
    for name in state["entries"]:
        query = kind.core.running.get(name)
        require(query is not None and query in merged.queries, "a query is of other streams")
        assert query is not None
        if isinstance(query, RunningRowPattern):
            require(query.is_fed, "a query has not begun")
            continue
        for member, its in _with_states(query, states[name]):
            if not member.is_over and (its["entry"] or isinstance(query, TupleQuery)):
                require(len(its["entry"]) == 1 and not member.has_begun, "a query has not begun")
                misfits = _restore_query(kind, merged, member, its)
                if isinstance(query, ParametricTupleQuery):
                    query.part(misfits)
    merged.restore(state, kind.columns)
    merged.check_time()


def _restore_query(kind: TableKind, merged: TupleInput, query: TupleQuery, its: dict[str, Any]) -> list[ConstantRow]:
    """A query at work, or rows that run together: those that did, which then become those that there are.

    Gives rows with which events cannot be compared, which are none of these.
    """
    if not isinstance(query, RuleQuery) or isinstance(query, TupleFamily):
        _restore_evaluation(kind, merged, query, its["entry"][0])
        return []
    wanted, query.rows = query.rows, {row_key(row): row for row in map(row_read, its["rows"])}
    _restore_evaluation(kind, merged, query, its["entry"][0])
    misfits = {key: row for key, row in wanted.items() if not query.may_run(row)}
    query.become({key: row for key, row in wanted.items() if key not in misfits})
    return list(misfits.values())


def _restore_evaluation(kind: TableKind, merged: TupleInput, query: TupleQuery, state: dict[str, Any]) -> None:
    schema = _schema(state)
    require(kind.columns.has(schema) and set(kind.named_columns) <= set(schema.names), "columns are of other types")
    kind.check_named_columns()
    require(state["first"] <= merged.position and not state["error"], "a query begins later")
    kind.begin_with(query, merged, schema, state["first"])
    evaluation, reading, plan = query.evaluation, query.reading, query.plan
    assert plan is not None
    assert reading is not None
    reading.before = _masks(state["masks"], len(plan.atoms))
    if isinstance(evaluation, SelectionQuery):
        require(len(state["selection"]) == 1, "a query has no state")
        evaluation.restore(state["selection"][0], merged.position, merged.time)
    elif isinstance(evaluation, AggregatingQuery):
        require(len(state["aggregation"]) == 1, "a query has no state")
        evaluation.restore(state["aggregation"][0], merged.position, merged.time, reading.before)


def _schema(state: dict[str, Any]) -> pyarrow.Schema:
    return pyarrow.schema(list(schema_read(state["schema"]).items()))


def _masks(texts: list[str], atoms: int) -> tuple[int, ...]:
    """The sets of atoms by number, the empty one first."""
    masks = tuple(met_of(text, atoms) for text in texts)
    require(masks[:1] in ((), (0,)), "sets of atoms are none")
    return masks


_TEXT: Shape = [str]  # at most one
_READING: Shape = {
    "type": _TEXT, "relation": _TEXT, "time": _TEXT, "unit": str, "time_format": _TEXT, "stream": _TEXT,
    "types": bytes, "on_error": str, "totals": str,
}  # fmt: skip
_COUNTERS: Shape = {"skipped": COUNT, "first_skipped": str, "first_late": str}
ENGINE: Shape = {
    "reading": _READING, "lateness": DURATION, "promised": TIME, "pushes": COUNT, "counters": AnyNames(_COUNTERS),
    "kept": [(str, bytes)], "columns": COLUMNS, "core": [CORE], "given": AnyNames([STORED_ROW]),
}  # fmt: skip
HEADER: Shape = {"queries": [(str, str)], "engine": ENGINE}


def taken(queries: Mapping[str, AnyPrepared], state: dict[str, Any]) -> bytes:
    """A state as ENGINE, of an engine with these queries: equal states that came about equally give equal bytes."""
    sections: dict[str, bytes] = {}
    header = {"queries": [[name, query.fingerprint] for name, query in queries.items()], "engine": state}
    return TUPLES.pack(flattened(header, sections), sections)


def opened(
    data: bytes, queries: Iterable[AnyQuery] | Mapping[str, AnyQuery], given: RowSources = None
) -> tuple[dict[str, Any], dict[str, AnyPrepared]]:
    """The state that was taken, as ENGINE, and its queries, which are those given; SnapshotError.

    Rows of parameters are those of ``given`` or of a query's text, else those of the state.
    """
    header = _header(data)
    state = header["engine"]
    found = _prepared(header["queries"], queries, state["reading"]["time"])
    tables = tables_by_name(given, list(found))
    return state, {
        name: with_kept_rows(prepared, tables.get(name), name, state["given"].get(name, ()))
        if isinstance(prepared, Prepared)
        else with_table(prepared, tables.get(name), name)
        for name, prepared in found.items()
    }


def _header(data: bytes) -> dict[str, Any]:
    """What a snapshot has, in the shape that it must have."""
    try:
        header: dict[str, Any] = inflated(*TUPLES.unpack(data))
        header["engine"].setdefault("given", {})
        for core in header["engine"]["core"]:
            with_rows_told(core)
        problem = next(misfits(header, HEADER, "header"), None)
    except RecursionError:
        problem = "its header is too deep"
    except (TypeError, LookupError, AttributeError):
        problem = "header has other keys than it should"
    if problem is not None:
        raise SnapshotError(f"the snapshot is damaged: {problem}")
    return header


def _prepared(
    states: list[tuple[str, str]], queries: Iterable[AnyQuery] | Mapping[str, AnyQuery], time: list[str]
) -> dict[str, AnyPrepared]:
    """The queries given, prepared, checked against those of the snapshot."""
    if not isinstance(queries, Iterable):
        queries = [queries]
    found = {}
    for (name, fingerprint), query in zip(states, queries_given([name for name, _ in states], queries), strict=True):
        found[name] = prepare(query)
        if found[name].fingerprint != fingerprint:
            raise SnapshotError(f'the snapshot was taken with another query "{name}"')
        _check_window(name, found[name], time)
    if len(found) < len(states):
        raise SnapshotError("the snapshot is damaged: two queries have one name")
    return found


def _check_window(name: str, prepared: AnyPrepared, time: list[str]) -> None:
    """SnapshotError if the query could not have been registered with an engine whose rows have this ``time``."""
    try:
        check_window(prepared, time[0] if time else None)
        check_order(prepared, time[0] if time else None)
    except QueryError:
        raise SnapshotError(
            f'the snapshot is damaged: query "{name}" has another measure of windows, or order of rows'
        ) from None


# ── options ──────────────────────────────────────────────────────────────────────────────────────────────
def reading_state(reading: ReadingOptions, types: Mapping[str, Any]) -> dict[str, Any]:
    """How rows are read, with the ``types`` that are declared."""
    return {
        "type": _some(reading.type), "relation": _some(reading.relation), "time": _some(reading.time),
        "unit": reading.unit, "time_format": _some(reading.form), "stream": _some(reading.stream),
        "types": schema_stored(types), "on_error": "skip" if reading.skip else "stop",
        "totals": reading.totals,
    }  # fmt: skip


def options(state: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an engine that reads rows so; SpaseqError: there is none."""
    given: dict[str, Any] = {}
    for name in ("type", "relation", "time", "time_format", "stream"):
        if len(state[name]) > 1:
            raise SnapshotError(f"the snapshot is damaged: there are two options {name}")
        given[name] = state[name][0] if state[name] else None
    same = {name: state[name] for name in ("unit", "on_error", "totals")}
    return given | same | {"types": schema_read(state["types"])}


def _some(text: str | None) -> list[str]:
    return [] if text is None else [text]
