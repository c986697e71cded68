"""Expression programs against pyoxigraph: every answer is pyoxigraph's, or "unknown"."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st

from nfa_native.terms.dictionary import Terms
from nfa_native.terms.operations import Op
from nfa_native.terms.program import Program
from tests.terms.boundary_values import FORMS, XSD, Node, literals, nodes, term_bytes
from tests.terms.expression_texts import (
    BINARY,
    FUNCTIONS,
    JUNCTIONS,
    LISTS,
    MEMBERSHIP,
    UNARY,
    Row,
    compile_expression,
    differences,
)

COMMON = ["integer", "decimal", "double", "dateTime", "string", "boolean"]
SLOTS = 3


def literal(datatype: str, form: str) -> pyoxigraph.Literal:
    """An XSD literal."""
    return pyoxigraph.Literal(form, datatype=pyoxigraph.NamedNode(XSD + datatype))


EVERYTHING = literals() + nodes()
VALUES = st.one_of(
    st.sampled_from([literal(datatype, form) for datatype in COMMON for form in FORMS[datatype]]),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: literal("integer", str(number))),
    st.decimals(-(10**20), 10**20, places=4).map(lambda number: literal("decimal", f"{number:f}")),
    st.floats().map(lambda number: literal("double", repr(number))),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4).map(pyoxigraph.Literal),
    st.sampled_from(EVERYTHING),
)
CONSTANTS = st.sampled_from([term for term in EVERYTHING if not isinstance(term, pyoxigraph.BlankNode)])
ROWS = st.lists(st.tuples(*[st.one_of(VALUES, VALUES, VALUES, st.none())] * SLOTS), min_size=8, max_size=30)


def operations(operands: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An operator with such operands."""
    several = st.lists(operands, min_size=1, max_size=3)
    unary_functions = sorted(name for name, (_, arity) in FUNCTIONS.items() if arity == 1)
    binary_functions = sorted(name for name, (_, arity) in FUNCTIONS.items() if arity == 2)
    return st.one_of(
        st.tuples(st.sampled_from([*BINARY, *JUNCTIONS, *binary_functions]), operands, operands),
        st.tuples(st.sampled_from([*UNARY, *unary_functions]), operands),
        st.tuples(st.just("IF"), operands, operands, operands),
        st.tuples(st.just("BOUND"), st.integers(0, SLOTS - 1)),
        st.builds(lambda name, rest: (name, *rest), st.sampled_from([*LISTS, *MEMBERSHIP, *JUNCTIONS]), several).filter(
            lambda expression: len(expression) > 2
        ),
    )


EXPRESSIONS = st.recursive(st.one_of(st.integers(0, SLOTS - 1), CONSTANTS), operations, max_leaves=6)


@settings(max_examples=600, deadline=None)
@given(EXPRESSIONS, ROWS)
def test_answers_are_those_of_pyoxigraph(expression: Any, rows: list[Row]) -> None:
    found, _ = differences(expression, rows, SLOTS)
    assert not found, found[0]


def shuffled_pairs(count: int) -> list[Row]:
    """Pairs of all kinds of values, half of them of one datatype."""
    chance = random.Random(7)
    pairs: list[Row] = [(chance.choice(EVERYTHING), chance.choice(EVERYTHING)) for _ in range(count)]
    for _ in range(count):
        forms = FORMS[chance.choice(COMMON)]
        kind = next(name for name, known in FORMS.items() if known is forms)
        pairs.append((literal(kind, chance.choice(forms)), literal(kind, chance.choice(forms))))
    return pairs


@pytest.mark.parametrize("name", [*BINARY, *JUNCTIONS, "sameTerm", "CONTAINS", "STRSTARTS", "STRENDS", "CONCAT"])
def test_binary_operations_on_all_kinds_of_values(name: str) -> None:
    found, known = differences((name, 0, 1), shuffled_pairs(1500), 2)
    assert not found, found[:5]
    assert known > 3000


@pytest.mark.parametrize("name", [*UNARY, *(name for name, (_, arity) in FUNCTIONS.items() if arity == 1)])
def test_unary_operations_on_all_values(name: str) -> None:
    rows: list[Row] = [(term,) for term in EVERYTHING] + [(None,)]
    found, known = differences((name, 0), rows, 1)
    assert not found, found[:5]
    assert known > len(rows)


def random_decimal(chance: random.Random) -> pyoxigraph.Literal:
    """A decimal with any number of digits before and after the point."""
    whole = "".join(chance.choices("0123456789", k=chance.choice([1, 1, 3, 6, 12, 18, 20])))
    fraction = "".join(chance.choices("0123456789", k=chance.choice([0, 0, 1, 2, 4, 9, 17, 18])))
    return literal("decimal", f"{chance.choice(['', '-'])}{whole}.{fraction}")


@pytest.mark.parametrize("name", ["+", "-", "*", "/", "<", "="])
def test_decimal_arithmetic_is_exact(name: str) -> None:
    chance = random.Random(11)
    rows: list[Row] = [(random_decimal(chance), random_decimal(chance)) for _ in range(2000)]
    found, known = differences((name, 0, 1), rows, 2)
    assert not found, found[:5]
    assert known > 3700


def evaluate(expression: Any, *values: Node | None, now: int = 0) -> tuple[int, bytes | None]:
    """Status and bytes of the value of an expression on one row."""
    terms = Terms()
    program = compile_expression(expression, terms)
    words = [[0 if value is None else terms.intern(term_bytes(value))] for value in values]
    columns = numpy.array(words, dtype=numpy.uint64).reshape(len(values), 1)
    results, statuses = program.compute_rows(columns, numpy.array([now]))
    return int(statuses[0]), terms.bytes(results[0]) if results[0] else None


def test_now_is_the_given_time() -> None:
    terms = Terms()
    program = Program([(Op.NOW, 0)], [], terms)
    results, statuses = program.compute_rows(numpy.empty((0, 2), numpy.uint64), numpy.array([0, 1_600_000_000_123_456]))
    assert statuses.tolist() == [0, 0]
    forms = [terms.bytes(word).split(b"\0")[1] for word in results]
    assert forms == [b"1970-01-01T00:00:00Z", b"2020-09-13T12:26:40.123456Z"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (("<", 0, literal("integer", "1")), literal("float", "0.5")),
        (("+", 0, 0), literal("dayTimeDuration", "PT1H")),
        (("-", 0, 0), literal("dateTime", "2020-01-01T00:00:00Z")),
        (("UCASE", 0), pyoxigraph.Literal("ä")),
    ],
)
def test_what_the_program_cannot_decide_is_unknown(expression: Any, value: Node) -> None:
    assert evaluate(expression, value) == (2, None)


def test_a_decisive_operand_settles_an_unknown_one() -> None:
    unknown = ("<", 0, literal("integer", "1"))
    true, false = literal("boolean", "true"), literal("boolean", "false")
    value = literal("float", "0.5")
    assert evaluate(("||", unknown, true), value)[0] == 0
    assert evaluate(("&&", unknown, false), value)[0] == 0
    assert evaluate(("&&", unknown, true), value)[0] == 2
    assert evaluate(("IN", 0, 0, literal("integer", "1")), value)[0] == 0


@pytest.mark.parametrize(
    ("instructions", "message"),
    [
        ([], "leave 0 values"),
        ([(Op.LOAD, 0), (Op.LOAD, 0)], "leave 2 values"),
        ([(Op.ADD, 0)], "lacks operands"),
        ([(Op.CONSTANT, 0)], "out of range"),
        ([(Op.LOAD, -1)], "out of range"),
        ([(999, 0)], "not a valid Op"),
        ([(Op.LOAD, 0)] * 65 + [(Op.AND, 65)], "more than 64"),
    ],
)
def test_malformed_programs_are_refused(instructions: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Program(instructions, [], Terms())


def test_columns_must_fit() -> None:
    program = Program([(Op.LOAD, 2)], [], Terms())
    with pytest.raises(ValueError, match="3 registers"):
        program.test_rows(numpy.zeros((2, 4), numpy.uint64), numpy.zeros(4, numpy.int64))


def test_a_program_shows_itself() -> None:
    terms = Terms()
    instructions = [(Op.LOAD, 1), (Op.CONSTANT, 0), (Op.LESS, 0)]
    program = Program(instructions, [terms.integer(5)], terms)
    assert program.instructions == instructions
    assert program.constants == [terms.integer(5)]
    assert program.registers == 2
