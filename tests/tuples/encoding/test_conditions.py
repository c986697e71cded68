"""Filters that mix the events of several variables: the oracle's numbers, and nothing is left to Python."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow
import pytest
from hypothesis import given, strategies as st

from nfa_native.automata.complex_events import Condition, Instruction, Programs
from nfa_native.automata.kinds import Opcode
from nfa_native.events.recognizer import Recognizer
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import planned
from spaseq.tuples import match
from spaseq.tuples.encoding import correlation, encoder
from spaseq.tuples.encoding.conditions import Conditions
from spaseq.tuples.selection import selection
from tests.oracle.ceql import predicates as oracle
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.generate import Pair, mixed, random_pair
from tests.oracle.ceql.labels import labels_of
from tests.oracle.ceql.model import Filter, FilterOn, Query, Relation, Sequence as Sequencing
from tests.oracle.ceql.text import to_text
from tests.slices import first
from tests.tuples.encoding import test_correlation
from tests.tuples.tables import answers

kind = test_correlation.kind


# ── against the oracle ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("start", first(2, range(0, 800, 200)))
def test_the_definition(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(start, start + 200):
        pair, chance = random_pair(seed), random.Random(seed)
        query = mixed(replace(pair.query, aggregates=(), group_by=()), chance)
        monkeypatch.setattr(selection, "MOST", chance.choice([1, 2, 1000]))
        monkeypatch.setattr(encoder, "MANY", chance.choice([1, 1000]))
        given = answers(
            Pair(query, pair.events, labels_of(query, pair.events)),
            chance.randrange(1, 9), chance.choice([(), ("volume",), ("volume", "clock")]),
        )  # fmt: skip
        assert disagreement(query, pair.events, given) is None, (seed, to_text(query))


INTEGERS = st.sampled_from([0, 1, -1, 3, 2**53 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(2**53) - 1])
DOUBLES = st.sampled_from([0.0, -0.0, 0.5, 3.0, 2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63), 1e300, 5e-324, math.inf])
ATTRIBUTES = st.builds(oracle.Attribute, st.sampled_from(["real", "whole"]), st.sampled_from("ABC"))
CONSTANTS = st.sampled_from([0, 1, 7, 2**53, 2**63, 10**30, 0.5]).map(oracle.Constant)


def calculated(inner: st.SearchStrategy[oracle.Operand]) -> st.SearchStrategy[oracle.Operand]:
    binary = st.builds(oracle.Arithmetic, st.sampled_from("+-*/"), inner, inner)
    return binary | st.builds(oracle.Negative, inner)


OPERANDS = st.recursive(ATTRIBUTES | CONSTANTS, calculated, max_leaves=5)
EVENTS = st.fixed_dictionaries({"real": st.none() | DOUBLES, "whole": st.none() | INTEGERS})


@given(st.sampled_from(tuple(oracle.OPPOSITES)), OPERANDS, OPERANDS, st.tuples(EVENTS, EVENTS, EVENTS))
def test_numbers_are_exact(
    operator: str, left: oracle.Operand, right: oracle.Operand, events: Sequence[Mapping[str, Any]]
) -> None:
    """Of any size, whether they are added up in registers or event by event."""
    comparison = oracle.Comparison(operator, left, right)
    if len(oracle.names(comparison)) < 3:  # of two variables numbers may be too large
        return
    formula = Filter(Sequencing(Sequencing(Relation("A"), Relation("B")), Relation("C")), FilterOn("C", comparison))
    types = {"type": pyarrow.string(), "real": pyarrow.float64(), "whole": pyarrow.int64()}
    rows = [{"type": type_, **event} for type_, event in zip("ABC", events, strict=True)]
    found = match(to_text(Query(formula)), pyarrow.Table.from_pylist(rows, pyarrow.schema(types.items())))
    members = dict(zip("ABC", events, strict=True))
    assert found.count() == oracle.compare(operator, value(left, members), value(right, members))


def value(operand: oracle.Operand, members: Mapping[str, Mapping[str, Any]]) -> oracle.Value:
    """The oracle's value, but what is no number is NULL, and what is too large for a double is infinite."""
    match operand:
        case oracle.Negative(inner):
            found = value(inner, members)
            return None if found is None else 0 - found  # type: ignore[operator]
        case oracle.Arithmetic(sign, left, right):
            try:
                found = oracle.calculate(sign, value(left, members), value(right, members))
            except OverflowError:
                found = math.inf
            return None if isinstance(found, float) and math.isnan(found) else found
    return oracle.value_of(operand, members)  # type: ignore[arg-type]


# ── natively ─────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "filter_",
    [
        "C[v > A.v + B.v]",
        "C[v * 2 - A.v = B.v]",
        "C[v = A.v OR v > B.v]",
        "C[NOT (v + A.v IN (3, 5)) AND v - B.v IN (-1, 0, 1)]",
        "C[(v + A.v) IS NOT NULL AND name = A.name]",
        "C[name != B.name OR v / A.v < 0.5]",
        "C[v % 3 = A.v % B.v]",
    ],
)
@pytest.mark.parametrize("formula", ["A ; B ; C", "A+ ; B ; C", "A ; B+ : C", "(A OR B) ; C"])
def test_python_is_not_asked(filter_: str, formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked")

    chance = random.Random(1)
    events = [{"type": one, "v": chance.randrange(9), "name": chance.choice("xy")} for one in "AABCABBCCABC"]
    query = f"SELECT * FROM S WHERE {formula} FILTER {filter_}"
    with monkeypatch.context() as patched:
        patched.setattr(selection, "ConditionMemory", Asked)
        expected = match(query, events).to_arrow()
    monkeypatch.setattr(correlation.ConditionMemory, "answer", refuse)
    assert sorted(match(query, events).to_arrow().to_pylist(), key=str) == sorted(expected.to_pylist(), key=str)


class Asked(correlation.ConditionMemory):
    """All conditions are answered by Python."""

    def __init__(self, asked: Any, computed: Any, schema: pyarrow.Schema, forgets: bool) -> None:
        super().__init__(asked, computed, schema, forgets)
        self.conditions = Conditions((), (), schema)


def test_work_does_not_grow_with_what_cannot_hold() -> None:
    """What two events come to is found by zones: none of the 900 pairs is looked at, but the zones of 32."""
    rows = 600
    table = pyarrow.table({"type": ["A"] * 30 + ["B"] * 30 + ["C"] * rows, "v": [10] * 60 + [1] * rows})
    matches = match("SELECT * FROM S WHERE A ; B ; C FILTER C[v > A.v + B.v]", table)
    assert matches.count() == 0
    assert matches.statistics()["scanned"] < 40 * rows


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([Instruction(Opcode.AND)], "lacks operands"),
        ([Instruction(Opcode.CONSTANT)], "leave 1 numbers"),
        ([Instruction(Opcode.LOAD_TRUTH, 1, 0)], "is not there"),
        ([Instruction(Opcode.LOAD_TRUTH, 0, 1)], "is not there"),
        ([Instruction(Opcode.LOAD_TRUTH)] * 65, "more than 64"),
    ],
)
def test_programs_are_checked(steps: list[Instruction], message: str) -> None:
    parsed = parse("SELECT * FROM S WHERE A ; B FILTER B[v > A.v]")
    plan = planned(parsed.query, parsed.normal_form)
    with pytest.raises(ValueError, match=message):
        Recognizer(plan.automaton, programs=Programs((Condition((True,), tuple(steps)),), (), 1))
