"""Rows of Python's values as events, one by one: their triples are lines of text, and no column is made.

What most mappings say is known here: columns, templates, constants, casts of what is of the type, and comparisons with
numbers.  Of a row that has something else, or is no event, None is given: columns know all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping as Mappings
from decimal import Decimal
from typing import TYPE_CHECKING

from gpm.algebra import XSD, Bind, BlankNode, Expression, Filter, Iri, Literal, Operation, Term, Triple, Variable
from gpm.native.row_lines import RowLines
from gpm.printing import print_term
from spaseq.pattern.mappings import EventTime, Mapping
from spaseq.sources.mapped.solutions import iri_pieces
from spaseq.streams.timestamps import GREATEST, LEAST, UNITS

if TYPE_CHECKING:
    from gpm.native.row_lines import Line, Step, Test

_EXACT = 1 << 53  # integers below are doubles
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_CASTS = {f"<{XSD}{name}>": name for name in ("decimal", "integer", "double", "string", "boolean", "dateTime")}
Registers = Mappings[str, int]


class NotKnownError(Exception):
    """What a mapping says is not known here."""


def row_lines(mapping: Mapping) -> RowLines:
    """What makes events of single rows by a mapping.  NotKnownError: it says what is not known here."""
    if mapping.each or any("." in path for path in mapping.asked.values()):
        raise NotKnownError
    registers, steps = {name: number for number, name in enumerate(mapping.asked)}, []
    for one in mapping.steps:
        if isinstance(one, Bind):
            steps.append(_step(one.expression, registers))
            registers[one.variable.name] = len(mapping.asked) + len(steps) - 1
    tests = [test for one in mapping.steps if isinstance(one, Filter) for test in _tests(one.expression, registers)]
    name = -1 if mapping.event is None else _register(mapping.event, registers)
    time, unit = _register(mapping.time.variable, registers), _unit(mapping.time)
    lines = [_line(triple, registers) for triple in mapping.template]
    return RowLines(tuple(mapping.asked.values()), steps, tests, lines, name, time, unit, (LEAST, GREATEST))


def _register(name: str, registers: Registers) -> int:
    if name not in registers:
        raise NotKnownError
    return registers[name]


def _unit(time: EventTime) -> int | None:
    return UNITS[time.unit or "us"] if time.form is None else None


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
def _step(expression: Expression, registers: Registers) -> Step:
    if (made := iri_pieces(expression)) is not None:
        pieces, variables = made
        return "iri", pieces, tuple(_register(name, registers) for name in variables)
    match expression:
        case Variable(name):
            return "copy", _register(name, registers)
        case Operation(function, (Variable(name),)) if function in _CASTS:
            return "cast", _register(name, registers), _CASTS[function]
    raise NotKnownError


def _tests(condition: Expression, registers: Registers) -> Iterator[Test]:
    match condition:
        case Operation("&&", arguments):
            for one in arguments:
                yield from _tests(one, registers)
        case Operation("BOUND", (Variable(name),)):
            yield _register(name, registers), "BOUND", None, False
        case Operation(sign, (Variable(name), Literal() as number)) if sign in _MIRRORED:
            yield _comparison(_register(name, registers), sign, number)
        case Operation(sign, (Literal() as number, Variable(name))) if sign in _MIRRORED:
            yield _comparison(_register(name, registers), _MIRRORED[sign], number)
        case _:
            raise NotKnownError


def _comparison(register: int, sign: str, literal: Literal) -> Test:
    """One of a value with a number: both exact, or both doubles."""
    if literal.datatype not in (f"{XSD}integer", f"{XSD}decimal"):
        raise NotKnownError
    number = Decimal(literal.lexical)
    return register, sign, number, number == int(number) and abs(number) < _EXACT


# ── triples ──────────────────────────────────────────────────────────────────────────────────────────────
def _line(triple: Triple, registers: Registers) -> Line:
    """The line of a triple, in which values of variables are left open."""
    assert isinstance(triple.predicate, Variable | Iri)
    places: tuple[Term, Term, Term] = triple.subject, triple.predicate, triple.object
    pieces, variables = [""], list[str]()
    for term, behind in zip(places, (" ", " ", " .\n"), strict=True):
        if isinstance(term, Variable):
            variables.append(term.name)
            pieces.append(behind)
        else:
            own = BlankNode(f"{term.label}.0") if isinstance(term, BlankNode) else term
            pieces[-1] += print_term(own) + behind
    iris = sum(isinstance(term, Variable) for term in places[:2])
    return tuple(piece.encode() for piece in pieces), tuple(_register(name, registers) for name in variables), iris
