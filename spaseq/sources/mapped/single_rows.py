"""One row of Python's values as an event, by itself: its triples are lines of text, and no column is made.

What most mappings say is known here: columns, templates, constants, casts of what is of the type, and comparisons with
numbers.  Of a row that has something else, or is no event, None is given: columns know all of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping as Mappings
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import quote

from gpm.algebra import XSD, Bind, BlankNode, Expression, Filter, Iri, Literal, Operation, Term, Triple, Variable
from spaseq.pattern.mappings import EventTime, Mapping
from spaseq.sources.mapped.solutions import iri_pieces
from spaseq.streams.timestamps import EPOCH, GREATEST, LEAST

_UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000, None: 1}
_EPOCH = EPOCH.replace(tzinfo=None)
_MOST = 1 << 63
_EXACT = 1 << 53  # integers below are doubles
_SIGNS = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
_COMPARED = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
Row = Mappings[str, Any]


class RowEvent(NamedTuple):
    """An event: its triples as lines of N-Triples, its time in microseconds, and its name, if it has one."""

    graph: bytes
    time: int
    name: str | None


class NotKnownError(Exception):
    """What a row has, or a mapping says, is not known here."""


class SingleRows:
    """Makes events of single rows by a mapping; NotKnownError: the mapping says what is not known here."""

    def __init__(self, mapping: Mapping) -> None:
        if mapping.each:
            raise NotKnownError
        self._columns = list(mapping.asked.items())
        if any("." in path for _, path in self._columns):
            raise NotKnownError
        filters = [step for step in mapping.steps if isinstance(step, Filter)]
        binds = [step for step in mapping.steps if isinstance(step, Bind)]
        self._binds = [(one.variable.name, _bound(one.expression)) for one in binds]
        self._filters = [_tested(one.expression) for one in filters]
        self._time = mapping.time
        self._event = mapping.event
        self._triples = [
            (_written(one.subject, True), _written(one.predicate, True), _written(one.object, False))
            for one in mapping.template
        ]
        parts = [_parts(triple) for triple in mapping.template]
        self._variables = _names(term for triple in parts for term in triple)
        self._distinct = list(dict.fromkeys(self._variables))
        made = {one.variable.name for one in binds if iri_pieces(one.expression) is not None}  # are IRIs, if bound
        self._iris = [name for name in _names(term for triple in parts for term in triple[:2]) if name not in made]
        self._whole = "".join(map(_form, mapping.template))  # the text of all triples, without the values of variables

    def event(self, row: Row) -> RowEvent | None:
        """The event of a row, or None: see above.  A row that a filter drops has an event without triples."""
        try:
            values = {}
            for column, path in self._columns:
                value = row[path]
                check = _KNOWN[type(value)]
                values[column] = value if check is None else check(value)
            for bound_name, bound in self._binds:
                values[bound_name] = bound(values)
            for held in self._filters:
                if not held(values):
                    return RowEvent(b"", 0, None)
            name = None if self._event is None else _iri_of(values[self._event])
            time = _time_of(values[self._time.variable], self._time)
            graph = self._graph(values)
        except (NotKnownError, KeyError, TypeError, UnicodeEncodeError):
            return None
        return RowEvent(graph, time, name) if graph else None

    def _graph(self, values: Row) -> bytes:
        """The lines of the whole triples: one text if all are."""
        terms = {name: _term(values[name]) for name in self._distinct}
        if None in terms.values() or (self._iris and not all(type(values[name]) is _MadeIri for name in self._iris)):
            return "".join(self._lines(values)).encode()
        return (self._whole % tuple([terms[name] for name in self._variables])).encode()

    def _lines(self, values: Row) -> list[str]:
        made = [(subject(values), predicate(values), object_(values)) for subject, predicate, object_ in self._triples]
        return [f"{one[0]} {one[1]} {one[2]} .\n" for one in made if None not in one]


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
class _MadeIri(str):
    """The IRI of a template."""

    __slots__ = ()


def _integer(value: int) -> int:
    if -_MOST <= value < _MOST:
        return value
    raise NotKnownError


def _number(value: float) -> float | None:
    return None if value != value else value


def _decimal(value: Decimal) -> Decimal:
    if value.is_finite() and value.adjusted() < 19 and int(value.as_tuple().exponent) > -19:
        return value
    raise NotKnownError


# By type that is known here: what gives the value that counts, as NULL for NaN; None: all of them do.
_KNOWN: dict[type, Callable[[Any], Any] | None] = {
    type(None): None, str: None, int: _integer, float: _number, bool: None, Decimal: _decimal, datetime: None,
    date: None,
}  # fmt: skip


def _term(value: Any) -> str | None:
    """A value as a term of N-Triples; None: unbound."""
    return None if value is None else _WRITERS[type(value)](value)


def _of_time(value: datetime) -> str:
    instant = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return f'"{instant.replace(tzinfo=None).isoformat()}Z"^^<{XSD}dateTime>'


def _of_double(value: float) -> str:
    text = repr(value).replace("inf", "INF")
    return f'"{text}"^^<{XSD}double>'


_WRITERS: dict[type, Callable[[Any], str]] = {
    str: lambda value: f'"{value if value.isalnum() else value.translate(_SIGNS)}"',
    int: lambda value: f'"{value}"^^<{XSD}integer>',
    float: _of_double,
    bool: lambda value: f'"{"true" if value else "false"}"^^<{XSD}boolean>',
    Decimal: lambda value: f'"{value:f}"^^<{XSD}decimal>',
    datetime: _of_time,
    date: lambda value: f'"{value.isoformat()}"^^<{XSD}date>',
    _MadeIri: lambda value: f"<{value}>",
}


def _iri_of(value: Any) -> str:
    if type(value) is not _MadeIri:
        raise NotKnownError
    return str(value)


def _time_of(value: Any, how: EventTime) -> int:
    if type(value) is datetime:
        past = value - (_EPOCH if value.tzinfo is None else EPOCH)
        return (past.days * 86_400 + past.seconds) * 1_000_000 + past.microseconds
    if type(value) is int and how.form is None and LEAST < (time := value * _UNITS[how.unit]) < GREATEST:
        return time
    raise NotKnownError


# ── what a mapping says ──────────────────────────────────────────────────────────────────────────────────
def _parts(triple: Triple) -> tuple[Term, Term, Term]:
    assert isinstance(triple.predicate, Variable | Iri)
    return triple.subject, triple.predicate, triple.object


def _names(terms: Iterable[Term]) -> list[str]:
    return [term.name for term in terms if isinstance(term, Variable)]


def _form(triple: Triple) -> str:
    """The line of a triple, in which values of variables are left out: a form for ``%``."""
    return f"{' '.join(map(_term_form, _parts(triple)))} .\n"


def _term_form(term: Term) -> str:
    return "%s" if isinstance(term, Variable) else str(_written(term, False)({})).replace("%", "%%")


def _written(term: object, is_iri: bool) -> Callable[[Row], str | None]:
    """What writes a term; ``is_iri``: a value is none, where the subject or the predicate stands."""
    match term:
        case Variable(name):
            return _template(name) if is_iri else lambda values: _term(values[name])
        case Iri(value):
            return lambda _: f"<{value}>"
        case BlankNode(label):
            return lambda _: f"_:{label}.0"
        case Literal(text, datatype, language):
            tail = f"@{language}" if language else "" if datatype == f"{XSD}string" else f"^^<{datatype}>"
            return lambda _: f'"{text.translate(_SIGNS)}"{tail}'
    raise NotKnownError


def _template(name: str) -> Callable[[Row], str | None]:
    def write(values: Row) -> str | None:
        value = values[name]
        return None if type(value) is not _MadeIri else f"<{value}>"

    return write


def _bound(expression: Expression) -> Callable[[Row], Any]:
    """What gives the value of an expression.  NotKnownError: it is not known here."""
    if (pieces := iri_pieces(expression)) is not None:
        return _iri(*pieces)
    match expression:
        case Variable(name):
            return lambda values: values[name]
        case Operation(function, (Variable(name),)) if function in _CASTS:
            return lambda values: _cast(function, values[name])
    raise NotKnownError


def _iri(constants: tuple[bytes, ...], variables: tuple[str, ...]) -> Callable[[Row], Any]:
    first, *others = (constant.decode() for constant in constants)

    def make_of_one(values: Row) -> Any:
        value = values[variables[0]]
        return None if value is None else _MadeIri(f"{first}{_encoded(value)}{others[0]}")

    def make(values: Row) -> Any:
        parts = [first]
        for name, constant in zip(variables, others, strict=True):
            value = values[name]
            if value is None:
                return None
            parts += _encoded(value), constant
        return _MadeIri("".join(parts))

    return make if len(variables) > 1 else make_of_one


def _encoded(value: Any) -> str:
    """ENCODE_FOR_URI(STR(value))."""
    if type(value) is str:
        return value if value.isascii() and value.isalnum() else quote(value, safe="")
    if type(value) is int:
        return str(value)
    raise NotKnownError


_CASTS: dict[str, tuple[type, ...]] = {
    f"<{XSD}decimal>": (Decimal,), f"<{XSD}integer>": (int,), f"<{XSD}double>": (float,), f"<{XSD}string>": (str,),
    f"<{XSD}boolean>": (bool,), f"<{XSD}dateTime>": (datetime,),
}  # fmt: skip


def _cast(function: str, value: Any) -> Any:
    """A value that is of the type already."""
    if value is None or type(value) in _CASTS[function]:
        return value
    if type(value) is int and function == f"<{XSD}decimal>":
        return Decimal(value)
    raise NotKnownError


def _tested(expression: Expression) -> Callable[[Row], bool]:
    """What tells whether a condition holds.  NotKnownError: it is not known here."""
    match expression:
        case Operation("&&", arguments):
            tests = list(map(_tested, arguments))
            return lambda values: all(test(values) for test in tests)
        case Operation("BOUND", (Variable(name),)):
            return lambda values: values[name] is not None
        case Operation(sign, (Variable(name), Literal() as number)) if sign in _COMPARED:
            return _comparison(sign, name, number)
        case Operation(sign, (Literal() as number, Variable(name))) if sign in _COMPARED:
            return _comparison(_MIRRORED[sign], name, number)
    raise NotKnownError


def _comparison(sign: str, name: str, literal: Literal) -> Callable[[Row], bool]:
    """One of a value with a number: both exact, or both doubles."""
    if literal.datatype not in (f"{XSD}integer", f"{XSD}decimal"):
        raise NotKnownError
    number, compared = Decimal(literal.lexical), _COMPARED[sign]
    is_whole = number == int(number) and abs(number) < _EXACT

    def held(values: Row) -> bool:
        value = values[name]
        if value is None:
            return False
        if type(value) in (int, Decimal) or (type(value) is float and is_whole):
            return bool(compared(value, number))
        raise NotKnownError

    return held
