"""Types of the columns of JSON lines: those of their first values, and in which types Arrow reads them.

| values | types |
| --- | --- |
| `true`, `false` | bool |
| integers; other numbers, or integers beyond 64 bits | int64; double |
| texts; if all are days or times of ISO 8601 | string; date32 or timestamp |
| objects, arrays | struct, list |
| nothing but `null` | null |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow
from pyarrow import types

from spaseq.sources.tables.json_text import WrittenNumber
from spaseq.sources.tables.source import is_text
from spaseq.sources.tables.types import CODED_TEXT

INTEGER = re.compile(r"-?\d+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_FEW = 64  # distinct texts that are always worth a dictionary
# As CSV has them: a day, whole seconds, or fractions of them, with a zone or without; the last of years far away.
_TIMES = (
    pyarrow.date32(), *(pyarrow.timestamp(unit, zone) for unit in ("s", "ns", "us") for zone in (None, "UTC")),
)  # fmt: skip


class ValueShape:
    """What the values of a column, of a field, or the elements of arrays are: of one kind, which the first one has.

    Values of another kind do not count: they are errors where they are read.
    """

    def __init__(self) -> None:
        self.kind = "null"
        self.fields: dict[str, ValueShape] = {}
        self.texts: list[str] = []
        self.column: pyarrow.StringArray | None = None  # the texts, where Arrow has read them
        self._elements: ValueShape | None = None

    def add(self, value: Any) -> None:
        """One more value."""
        kind = _kind_of(value)
        if self.kind == "null":
            self.kind = kind
        elif self.kind != kind:
            self.kind = "double" if {self.kind, kind} == {"integer", "double"} else self.kind
            return
        if kind == "text":
            self.texts.append(value)
        elif kind == "object":
            for name, member in value.items():
                if is_text(name):
                    self.fields.setdefault(name, ValueShape()).add(member)
        elif kind == "array":
            self._elements = self._elements or ValueShape()
            for element in value:
                self._elements.add(element)

    @staticmethod
    def of_column(column: pyarrow.Array) -> ValueShape:
        """What the values are that Arrow has read in the types which it found."""
        shape, column = ValueShape(), column.drop_null()
        if not len(column):
            return shape
        shape.kind = next(kind for test, kind in _KINDS if test(column.type))
        if shape.kind == "text":
            shape.column = column
        elif shape.kind == "object":
            members = zip(column.type, column.flatten(), strict=True)
            shape.fields = {field.name: ValueShape.of_column(member) for field, member in members}
        elif shape.kind == "array":
            shape._elements = ValueShape.of_column(column.flatten())
        return shape

    def type(self, declared: Mapping[str, pyarrow.DataType], path: str = "") -> pyarrow.DataType:
        """The type of the values at a path; that of a member is declared by its path."""
        if path in declared:
            return timed(declared[path], self)
        if self.kind == "text":
            return time_type(self) or pyarrow.string()
        if self.kind == "array":
            assert self._elements is not None
            return pyarrow.list_(self._elements.type(declared, path))
        if self.kind == "object":
            names = dict.fromkeys([*self.fields, *_below(path, declared)])
            shapes = ((name, self.fields.get(name, ValueShape())) for name in names)
            return pyarrow.struct([(name, shape.type(declared, f"{path}.{name}")) for name, shape in shapes])
        return _SCALARS[self.kind]


_SCALARS = {
    "null": pyarrow.null(), "boolean": pyarrow.bool_(), "integer": pyarrow.int64(), "double": pyarrow.float64(),
}  # fmt: skip

_KINDS: tuple[tuple[Callable[[pyarrow.DataType], bool], str], ...] = (
    (types.is_boolean, "boolean"), (types.is_integer, "integer"), (types.is_floating, "double"),
    (types.is_decimal, "double"), (types.is_string, "text"), (types.is_struct, "object"), (types.is_list, "array"),
)  # fmt: skip


def _kind_of(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case WrittenNumber():
            return "integer" if INTEGER.fullmatch(value) and fits_int64(value) else "double"
        case str():
            return "text"
        case dict():
            return "object"
        case list():
            return "array"
    return "null"


def fits_int64(digits: str) -> bool:
    """Whether an integer has 64 bits."""
    return len(digits) < 21 and -(2**63) <= int(digits) < 2**63


def _below(path: str, declared: Iterable[str]) -> list[str]:
    """The members of the object at a path for which something is declared."""
    begin = f"{path}."
    return [name[len(begin) :].partition(".")[0] for name in declared if name.startswith(begin)]


def time_type(shape: ValueShape) -> pyarrow.DataType | None:
    """The type of days or times that all of the texts of a shape are; None: they are not."""
    column, texts = shape.column, shape.texts
    if column is None and texts and _DAY.match(texts[0]) and all(map(is_text, texts)):
        column = pyarrow.array(texts, pyarrow.string())
    if column is None or not _DAY.match(column[0].as_py()):
        return None
    type_ = next((type_ for type_ in _TIMES if _are(column, type_)), None)
    if type_ is None or not types.is_timestamp(type_) or type_.unit != "s":
        return type_
    return pyarrow.timestamp("us", type_.tz)


def _are(column: pyarrow.StringArray, type_: pyarrow.DataType) -> bool:
    """Whether texts are times of a type: some first, as Arrow writes an error for each that is none."""
    try:
        return all(column.slice(0, size).cast(type_) is not None for size in (1, _FEW, len(column)))
    except pyarrow.ArrowInvalid:
        return False


def timed(declared: pyarrow.DataType, shape: ValueShape) -> pyarrow.DataType:
    """A declared type; of times the one in which they are written, so that what is finer can be cut."""
    written = time_type(shape) if types.is_timestamp(declared) and shape.kind == "text" else None
    return written if written is not None and types.is_timestamp(written) else declared


def coded(type_: pyarrow.DataType, distinct: Callable[[], int], count: int) -> pyarrow.DataType:
    """The type, with a dictionary if it has few texts, as of CSV: so many ``distinct`` ones in ``count`` values."""
    return CODED_TEXT if types.is_string(type_) and distinct() <= max(_FEW, count // 4) else type_


def with_declared(schema: pyarrow.Schema, declared: Mapping[str, pyarrow.DataType]) -> pyarrow.Schema:
    """Columns with the types that are declared for them, or for members of their objects, by the paths to these."""
    return pyarrow.schema([(field.name, _declared_in(field.type, field.name, declared)) for field in schema])


def _declared_in(type_: pyarrow.DataType, path: str, declared: Mapping[str, pyarrow.DataType]) -> pyarrow.DataType:
    if path in declared:
        return declared[path]
    if types.is_list(type_):
        return pyarrow.list_(_declared_in(type_.value_type, path, declared))
    if not types.is_struct(type_):
        return type_
    known = {field.name: field.type for field in type_}
    names = dict.fromkeys([*known, *_below(path, declared)])
    members = ((name, known.get(name, pyarrow.null())) for name in names)
    return pyarrow.struct([(name, _declared_in(its, f"{path}.{name}", declared)) for name, its in members])


# ── how Arrow reads them ─────────────────────────────────────────────────────────────────────────────────
_SIMPLE: tuple[Callable[[pyarrow.DataType], bool], ...] = (
    types.is_null, types.is_boolean, types.is_integer, types.is_float32, types.is_float64, types.is_decimal128,
    types.is_decimal256, types.is_string,
)  # fmt: skip
_TEXTUAL: tuple[Callable[[pyarrow.DataType], bool], ...] = (
    types.is_large_string, types.is_timestamp, types.is_date32,
)  # fmt: skip


def reading_type(type_: pyarrow.DataType, is_text: bool = False) -> pyarrow.DataType:
    """In which type Arrow reads values of a type; ``is_text``: they are written as texts.  ValueError: in none."""
    if types.is_struct(type_):
        return pyarrow.struct([(field.name, reading_type(field.type)) for field in type_])
    if types.is_list(type_):
        return pyarrow.list_(reading_type(type_.value_type))
    if types.is_dictionary(type_):
        return reading_type(type_.value_type)
    if any(test(type_) for test in _TEXTUAL):
        return pyarrow.string()
    if not any(test(type_) for test in _SIMPLE):
        raise ValueError(f"values of JSON do not become {type_}")
    return pyarrow.string() if is_text and not types.is_decimal(type_) else type_
