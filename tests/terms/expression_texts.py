"""Expressions as nested tuples: printed as SPARQL for pyoxigraph, and as programs for the native room.

A leaf is an integer (the variable ``?v<n>``, register n) or a pyoxigraph term; anything else is (operator, operand, …).
"""

from __future__ import annotations

from typing import Any

import numpy
import pyoxigraph

from nfa_native.terms.dictionary import Terms
from nfa_native.terms.operations import Op
from nfa_native.terms.program import Program
from tests.terms.boundary_values import Node, term_bytes

BINARY = {
    "=": Op.EQUAL, "!=": Op.NOT_EQUAL, "<": Op.LESS, "<=": Op.LESS_EQUAL, ">": Op.GREATER, ">=": Op.GREATER_EQUAL,
    "+": Op.ADD, "-": Op.SUBTRACT, "*": Op.MULTIPLY, "/": Op.DIVIDE,
}  # fmt: skip
JUNCTIONS = {"&&": Op.AND, "||": Op.OR}
UNARY = {"!": Op.NOT, "negate": Op.NEGATE, "plus": Op.PLUS}
FUNCTIONS = {
    "sameTerm": (Op.SAME_TERM, 2), "isIRI": (Op.IS_IRI, 1), "isBlank": (Op.IS_BLANK, 1),
    "isLiteral": (Op.IS_LITERAL, 1), "isNumeric": (Op.IS_NUMERIC, 1), "ABS": (Op.ABS, 1),
    "CEIL": (Op.CEIL, 1), "FLOOR": (Op.FLOOR, 1), "ROUND": (Op.ROUND, 1), "YEAR": (Op.YEAR, 1),
    "MONTH": (Op.MONTH, 1), "DAY": (Op.DAY, 1), "HOURS": (Op.HOURS, 1), "MINUTES": (Op.MINUTES, 1),
    "SECONDS": (Op.SECONDS, 1), "TZ": (Op.TZ, 1), "STR": (Op.STR, 1), "LANG": (Op.LANG, 1),
    "DATATYPE": (Op.DATATYPE, 1), "STRLEN": (Op.STRLEN, 1), "CONTAINS": (Op.CONTAINS, 2),
    "STRSTARTS": (Op.STRSTARTS, 2), "STRENDS": (Op.STRENDS, 2), "LCASE": (Op.LCASE, 1),
    "UCASE": (Op.UCASE, 1), "IF": (Op.IF, 3),
}  # fmt: skip
LISTS = {"COALESCE": Op.COALESCE, "CONCAT": Op.CONCAT}
MEMBERSHIP = {"IN": Op.IN, "NOT IN": Op.NOT_IN}
SIGNS = {"!": "!", "negate": "-", "plus": "+"}

Expression = Any
Row = tuple[Node | None, ...]


def to_sparql(expression: Expression) -> str:
    """The expression in SPARQL, fully parenthesised."""
    if isinstance(expression, int):
        return f"?v{expression}"
    if not isinstance(expression, tuple):
        return str(expression)
    name, *operands = expression
    texts = [to_sparql(operand) for operand in operands]
    if name in BINARY or name in JUNCTIONS:
        return "(" + f" {name} ".join(texts) + ")"
    if name in UNARY:
        return f"({SIGNS[name]} {texts[0]})"
    if name in MEMBERSHIP:
        return f"({texts[0]} {name} ({', '.join(texts[1:])}))"
    return f"{name}({', '.join(texts)})"


def compile_expression(expression: Expression, terms: Terms) -> Program:
    """The expression as a program."""
    instructions: list[tuple[int, int]] = []
    constants: list[int] = []
    emit(expression, terms, instructions, constants)
    return Program(instructions, constants, terms)


def emit(expression: Expression, terms: Terms, instructions: list[tuple[int, int]], constants: list[int]) -> None:
    """Append the expression's instructions."""
    if isinstance(expression, int):
        instructions.append((Op.LOAD, expression))
    elif not isinstance(expression, tuple):
        constants.append(terms.intern(term_bytes(expression)))
        instructions.append((Op.CONSTANT, len(constants) - 1))
    elif expression[0] == "BOUND":
        instructions.append((Op.BOUND, expression[1]))
    else:
        name, *operands = expression
        for operand in operands:
            emit(operand, terms, instructions, constants)
        instructions.append(operation(name, len(operands)))


def operation(name: str, count: int) -> tuple[int, int]:
    """Operation code and argument of an operator with so many operands."""
    if name in FUNCTIONS:
        return FUNCTIONS[name][0], 0
    if name in MEMBERSHIP:
        return MEMBERSHIP[name], count - 1
    counted = {**JUNCTIONS, **LISTS}
    if name in counted:
        return counted[name], count
    return {**BINARY, **UNARY}[name], 0


def rows_store(rows: list[Row]) -> pyoxigraph.Store:
    """A Store with a node for each row and a triple for each of its values."""
    store = pyoxigraph.Store()
    kind = pyoxigraph.NamedNode("urn:row")
    quads = []
    for number, row in enumerate(rows):
        node = pyoxigraph.NamedNode(f"urn:row:{number}")
        quads.append(pyoxigraph.Quad(node, kind, pyoxigraph.Literal(number)))
        for slot, value in enumerate(row):
            if value is not None:
                quads.append(pyoxigraph.Quad(node, pyoxigraph.NamedNode(f"urn:v{slot}"), value))
    store.extend(quads)
    return store


def ask_pyoxigraph(expression: Expression, rows: list[Row], slots: int) -> list[tuple[Node | None, bool | None]]:
    """For each row: the value of the expression, and its effective boolean value; None for errors."""
    optionals = " ".join(f"OPTIONAL {{ ?row <urn:v{slot}> ?v{slot} }}" for slot in range(slots))
    text = to_sparql(expression)
    query = f"SELECT ?n ({text} AS ?value) (IF({text}, true, false) AS ?truth) {{ ?row <urn:row> ?n {optionals} }}"
    answers: list[tuple[Node | None, bool | None]] = [(None, None)] * len(rows)
    solutions: Any = rows_store(rows).query(query)
    for solution in solutions:
        truth = solution["truth"]
        answers[int(solution["n"].value)] = (solution["value"], None if truth is None else truth.value == "true")
    return answers


def differences(expression: Expression, rows: list[Row], slots: int) -> tuple[list[str], int]:
    """What the native program answers otherwise than pyoxigraph, and how many of its answers are known."""
    terms = Terms()
    program = compile_expression(expression, terms)
    words = [[0 if value is None else terms.intern(term_bytes(value)) for value in row] for row in rows]
    columns = numpy.array(words, dtype=numpy.uint64).reshape(len(rows), slots).T
    now = numpy.zeros(len(rows), dtype=numpy.int64)
    truths = program.test_rows(columns, now)
    values, statuses = program.compute_rows(columns, now)
    found = []
    for number, (value, truth) in enumerate(ask_pyoxigraph(expression, rows, slots)):
        expected_truth = -1 if truth is None else int(truth)
        expected_word = 0 if value is None else terms.intern(term_bytes(value))
        context = f"{to_sparql(expression)} on {[str(v) for v in rows[number]]}: "
        if truths[number] not in (2, expected_truth):
            found.append(context + f"truth {truths[number]} instead of {expected_truth}")
        if statuses[number] == 2:
            continue
        if values[number] != expected_word or statuses[number] != (0 if expected_word else -1):
            native = terms.bytes(values[number]) if values[number] else None
            found.append(context + f"value {native!r} instead of {value}")
    return found, int((truths != 2).sum() + (statuses != 2).sum())
