"""A mapping for a table of which nothing is known but its columns: a beginning that somebody goes on with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow
import pyarrow.compute as pc
from pyarrow import types

from spaseq.sources.tables.source import TableSource
from spaseq.sources.tables.types import column_named, exact_name

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TIMES = ("time", "timestamp", "ts", "datetime", "date", "at", "when", "generatedat", "resulttime", "eventtime")
_UNITS = (("s", 10**8, 10**10), ("ms", 10**11, 10**13), ("us", 10**14, 10**16))  # by what numbers of our days are
_LEAF = 8  # levels of structs within structs


@dataclass(frozen=True, slots=True)
class _Field:
    """Values of a table: a column, or a field within, of which some ``values`` are there."""

    path: str
    variable: str
    values: pyarrow.Array
    in_list: bool

    @property
    def name(self) -> str:
        """The last name of the path, in small letters and without signs."""
        return re.sub(r"[^a-z0-9]", "", self.path.rpartition(".")[2].lower())


def proposed(source: TableSource, base: str) -> str:
    """The text of a mapping for a table, by its first rows; IRIs begin with ``base``.  StreamError: as of sources."""
    source.choose([exact_name(name) for name in source.names])
    first = next(iter(source.batches()), None)
    columns = {column_named(name): first.column(name) for name in first.schema.names} if first is not None else {}
    each = next((name for name, values in columns.items() if _is_list(values) and _can_be_named(name)), None)
    taken: set[str] = set()
    every = [field for name, values in columns.items() for field in _fields(name, values, each, taken)]
    fields = [field for field in every if _can_be_named(field.path)]
    notes = [f"# no COLUMN can name {_quoted(field.path)}" for field in every if not _can_be_named(field.path)]
    return "\n".join((*notes, *_lines(fields, each, base))) + "\n"


def _fields(path: str, values: pyarrow.Array, each: str | None, taken: set[str], depth: int = 0) -> Iterator[_Field]:
    """The single values within a column; of lists those of elements, if it is the one whose elements are solutions."""
    if _is_list(values) and path == each:
        values = pc.list_flatten(values)
    if types.is_struct(values.type) and depth < _LEAF:
        for field in values.type:
            yield from _fields(f"{path}.{field.name}", pc.struct_field(values, field.name), each, taken, depth + 1)
    elif not (_is_list(values) or types.is_struct(values.type) or types.is_map(values.type)):
        yield _Field(path, _variable(path, taken), values, each is not None and path.split(".")[0] == each)


def _can_be_named(path: str) -> bool:
    return all(path.split("."))


def _is_list(values: pyarrow.Array) -> bool:
    return bool(types.is_list(values.type) or types.is_large_list(values.type))


def _variable(path: str, taken: set[str]) -> str:
    """A variable for a path that no other has."""
    name = "_".join(re.findall(r"[A-Za-z0-9_]+", path)) or "column"
    name = f"v{name}" if name[0].isdigit() else name
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _lines(fields: Sequence[_Field], each: str | None, base: str) -> Iterator[str]:
    time, event = _time(fields), _event(fields)
    yield "# What a row means as an event.  Proposed by spaseq map: names and triples are yours to choose."
    yield f"PREFIX : <{base}>"
    yield f"BASE <{base}>"
    for field in fields:
        if field.path != field.variable or not _NAME.fullmatch(field.path):
            yield f"COLUMN {_quoted(field.path)} AS ?{field.variable}"
    if each is not None:
        yield f"EACH {_quoted(each)} AS ?{_variable(f'{each}_element', {field.variable for field in fields})}"
    if event is not None:
        yield f"EVENT <event/{{?{event.variable}}}>"
    yield "# AT ?time: no column looks like a time; events need one" if time is None else _at(time)
    subject = "[]" if event is None else f"<event/{{?{event.variable}}}>"
    said = [field for field in fields if field is not time]
    verbs = {field.variable: _property(field) for field in said}
    yield "CONSTRUCT {"
    yield f"  {subject} a :Event"
    for field in said:
        yield f"    ; {verbs[field.variable]} ?{field.variable}"
    yield "}"


def _property(field: _Field) -> str:
    return f":{re.sub(r'[^A-Za-z0-9_]', '_', field.path.replace('.', '_'))}"


def _time(fields: Sequence[_Field]) -> _Field | None:
    """The field that looks like the time of the event."""
    plain = [field for field in fields if not field.in_list]
    typed = [field for field in plain if types.is_timestamp(field.values.type)]
    named = [field for field in plain if field.name in _TIMES and _may_be_time(field.values)]
    dated = [field for field in plain if types.is_date(field.values.type)]
    ordered = [*(field for field in typed if field.name in _TIMES), *typed, *named, *dated]
    return next(iter(ordered), None)


def _may_be_time(values: pyarrow.Array) -> bool:
    if types.is_integer(values.type):
        return _unit(values) is not None
    plain = values.type.value_type if types.is_dictionary(values.type) else values.type
    return bool(types.is_string(plain) or types.is_temporal(plain))


def _unit(values: pyarrow.Array) -> str | None:
    greatest = pc.max(values).as_py()
    return next((unit for unit, least, most in _UNITS if greatest is not None and least <= greatest < most), None)


def _at(time: _Field) -> str:
    if types.is_integer(time.values.type):
        return f"AT ?{time.variable} UNIT {_unit(time.values)}"
    return f"AT ?{time.variable}"


def _event(fields: Sequence[_Field]) -> _Field | None:
    """The field that names each row, if one is called so and has a value of its own in each."""
    for field in fields:
        is_name = field.name in ("id", "uuid", "eventid", "key") and not field.in_list
        if is_name and field.values.null_count == 0 and pc.count_distinct(field.values).as_py() == len(field.values):
            return field
    return None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
