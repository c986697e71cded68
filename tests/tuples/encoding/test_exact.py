"""What several events come to, compared with another one: by registers where that is exact, asked only elsewhere."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pyarrow
import pytest

from nfa_native.automata.complex_events import Condition
from spaseq.languages.ceql import parse
from spaseq.plan.formulas import correlation as plans
from spaseq.plan.formulas.automaton import recognition
from spaseq.plan.formulas.correlation import Inquiry
from spaseq.tuples import Engine, match
from spaseq.tuples.columns.vectors import COMPARISONS
from spaseq.tuples.encoding import correlation
from spaseq.tuples.encoding.conditions import _UNDECIDED, Conditions
from tests.slices import first
from tests.tuples.encoding import test_correlation

kind = test_correlation.kind

Row = dict[str, Any]
EXACT, MOST, LEAST = 2**53, 2**63 - 1, -(2**63)
TYPES = {"type": pyarrow.string(), "i": pyarrow.int64(), "u": pyarrow.uint64(), "f": pyarrow.float64()}
SCHEMA = pyarrow.schema(list(TYPES.items()))


def row(type_: str, **values: Any) -> Row:
    return {"type": type_, "i": None, "u": None, "f": None, **values}


def picks(query: str, rows: Sequence[Row]) -> list[tuple[int, ...]]:
    """The results in their order."""
    found = match(query, pyarrow.Table.from_pylist(list(rows), SCHEMA))
    return [tuple(one["positions"]) for batch in found for one in batch.to_pylist()]


# ── what is asked ────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many combinations conditions are asked of, event by event: none of them has a native form."""
    counts: list[int] = []
    answer = correlation.ConditionMemory.answer

    def counted(memory: Any, number: int, position: int, cases: Any) -> Any:
        counts.append(len(cases))
        return answer(memory, number, position, cases)

    def undecided(_: Conditions, inquiry: Inquiry) -> Condition:
        return Condition(inquiry.held, _UNDECIDED)

    monkeypatch.setattr(Conditions, "_condition", undecided)
    monkeypatch.setattr(correlation.ConditionMemory, "answer", counted)
    return counts


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "="])
@pytest.mark.parametrize("sum_", ["A.i + B.i", "A.f + B.f", "A.i * 2 - B.i", "A.i + B.f", "A.f / B.i"])
def test_nothing_is_asked_where_numbers_are_exact(operator: str, sum_: str, asked: list[int]) -> None:
    chance = random.Random(1)
    rows = [row(type_, i=chance.randrange(1, 9), f=chance.randrange(9) / 2) for type_ in "ABABCABCCBAC"]
    found = picks(f"SELECT * FROM S WHERE A ; B ; C FILTER {sum_} {operator} C.f", rows)
    assert sorted(found) == sorted(by_loops(rows, sum_, operator, "C.f"))
    assert asked == []


@pytest.mark.parametrize(
    ("sum_", "bound", "values", "cases"),
    [
        ("A.i + B.i", "C.i", (2**62, 2**62 - 1, MOST), 1),  # a bound beyond what registers have
        ("A.i + B.i", "C.i", (2**62, 2**62, MOST - 4), 0),  # a sum beyond 64 bits passes no such bound
        ("A.i - B.i", "C.i", (LEAST + 2, MOST, LEAST + 5), 0),
        ("A.i * B.i", "C.u", (2**62, 2, 2**63), 1),
        ("A.i + B.i", "C.f", (EXACT, 1, float(EXACT - 2)), 0),
        ("A.i + B.i", "C.f", (EXACT, 1, float(EXACT)), 1),  # an integer that is no double
        ("A.f + B.f", "C.f", (1e308, 1e308, math.inf), 0),
        ("A.f + B.f", "C.i", (0.5, 0.5, EXACT + 1), 1),
        ("A.i / B.i", "C.f", (EXACT + 1, 3, 1.0), 1),  # a quotient that native programs do not know
        ("A.i + B.i + 9223372036854775808", "C.f", (0, 1, 2.0**63), 1),
    ],
)
@pytest.mark.parametrize("operator", ["<=", ">="])
def test_what_is_not_exact_is_asked(
    sum_: str, bound: str, values: tuple[Any, ...], cases: int, operator: str, asked: list[int]
) -> None:
    """At most: what a bound leaves out need not be asked."""
    names = [name.partition(".")[2][0] for name in (*sum_.replace("(", "").split(" ")[:3:2], bound)]
    rows = [row(type_, **{name: value}) for type_, name, value in zip("ABC", names, values, strict=True)]
    found = picks(f"SELECT * FROM S WHERE A ; B ; C FILTER {sum_} {operator} {bound}", rows)
    assert found == list(by_loops(rows, sum_, operator, bound))
    assert sum(asked) <= cases
    assert cases == 0 or not found or sum(asked) == cases


def test_one_number_of_many_is_not_exact(asked: list[int]) -> None:
    """Only that is asked, at each event."""
    sums = [(2**62, 2**62), (1, 2), (3, 4)]
    rows = [row(type_, i=value) for pair in sums for type_, value in zip("AB", pair, strict=True)]
    rows += [row("C", i=5), row("C", i=MOST - 9), row("C", i=MOST)]
    found = picks("SELECT * FROM S WHERE A ; B ; C FILTER A.i + B.i < C.i", rows)
    assert sorted(found) == sorted(by_loops(rows, "A.i + B.i", "<", "C.i"))
    assert asked == [6]  # all, of the one bound that is itself beyond what registers have


# ── against loops ────────────────────────────────────────────────────────────────────────────────────────
def by_loops(rows: Sequence[Row], left: str, operator: str, right: str) -> Iterator[tuple[int, ...]]:
    """All A, B, C in this order whose numbers compare so, as Python calculates; what has NULL does not."""
    for places in combinations(range(len(rows)), 3):
        if [rows[place]["type"] for place in places] != list("ABC"):
            continue
        names = {name: Fields(rows[place]) for name, place in zip("ABC", places, strict=True)}
        sides = [calculated(side, names) for side in (left, right)]
        if None not in sides and COMPARISONS[operator](*sides):
            yield places


class Fields:
    """A row whose values are attributes."""

    def __init__(self, values: Row) -> None:
        self.__dict__.update(values)


def calculated(expression: str, names: dict[str, Fields]) -> Any:
    """None: it has a NULL, divides by zero, or is no number."""
    try:
        found = eval(expression, None, names)
    except (TypeError, ZeroDivisionError):
        return None
    return None if found != found else found


NEAR = [0, 1, -1, 2**31, EXACT, -EXACT, 2**61, 2**62, -(2**62), MOST - 3, LEAST + 3]
REALS = [0.0, -0.0, 0.5, 0.1, 0.2, 2.0**53, -(2.0**53) - 2, 2.0**62, 1e308, -1e308, math.inf, -math.inf, math.nan, None]
SUMS = ["A.{} + B.{}", "A.{} - B.{}", "A.{} * B.{}", "A.{} + B.{} + 3", "2 * A.{} - 4611686018427387904 - B.{}"]


def random_row(chance: random.Random) -> Row:
    whole = chance.choice(NEAR) + chance.randrange(-3, 4)
    return row(
        chance.choice("ABC"),
        i=None if chance.random() < 0.05 else whole if chance.random() < 0.6 else chance.randrange(-5, 6),
        u=chance.choice([0, 1, EXACT + 1, 2**63 - 1, 2**63, 2**64 - 1]),
        f=chance.choice(REALS),
    )


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("seed", first(20, range(40)))
def test_numbers_of_any_size(seed: int) -> None:
    """In the table's order, in whatever form they come; registers that are exact and that are not, side by side."""
    chance = random.Random(seed)
    rows = [random_row(chance) for _ in range(24)]
    for _ in range(5):
        sides = [chance.choice(SUMS).format(chance.choice("iif"), chance.choice("iif")), f"C.{chance.choice('iuf')}"]
        chance.shuffle(sides)
        operator = chance.choice(["<", "<=", ">", ">=", "="])
        query = f"SELECT * FROM S WHERE A ; B ; C FILTER {sides[0]} {operator} {sides[1]}"
        found = picks(query, rows)
        assert sorted(found) == sorted(by_loops(rows, sides[0], operator, sides[1])), query
        if "C.u" not in query:
            assert sorted(pushed(query, rows, chance)) == sorted(found), query


def pushed(query: str, rows: Sequence[Row], chance: random.Random) -> list[tuple[int, ...]]:
    """The results of rows that are pushed by a few, over a snapshot."""
    engine = Engine(types=TYPES)
    engine.register(query, "q")
    cut, found = chance.randrange(len(rows)), []
    for at, one in enumerate(rows):
        if at == cut:
            engine = Engine.restore(engine.snapshot(), {"q": query})
        found += engine.push([{**one, "u": None}])
    found += engine.close()
    return [tuple(one) for _, table in found for one in table.column("positions").to_pylist()]


# ── cells ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("formula", "cells"),
    [
        ("A ; B ; C FILTER C[v > A.v + B.v]", "groups apart head"),
        ("A ; B ; C ; D FILTER D[v > A.v + B.v - C.v]", "groups apart apart head"),
        ("A ; B ; C ; D FILTER C[v > A.v + B.v]", "groups apart head head"),
        ("A ; B : C FILTER C[v > A.v + B.v]", "groups merged head"),  # what came last is kept with its registers
        ("A+ ; B ; C FILTER C[v > A.v + B.v]", "merged merged head"),  # two ways in
        ("(A ; B)+ FILTER A.v % B.v = 1", "merged merged"),
        ("A ; B ; X ; C FILTER C[v > A.v + B.v]", "groups apart merged head"),  # an X is in no list
        ("A ; B ; C FILTER C[v > A.v] AND B[v != A.v]", "groups merged head"),
    ],
)
def test_groups_apart(formula: str, cells: str) -> None:
    """Where lists tell all groups apart, none is looked for."""
    assert cells_of(formula) == cells


def cells_of(formula: str) -> str:
    found = recognition(parse(f"SELECT * FROM S WHERE {formula}").normal_form, None).automaton.correlation
    assert found is not None
    return " ".join(cell.name.lower() for cell in found.cells)


def test_results_come_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    rows = [row(chance.choice("ABC"), i=chance.randrange(9)) for _ in range(120)]
    query = "SELECT * FROM S WHERE A ; B ; C FILTER A.i + B.i < C.i WITHIN 30 EVENTS"
    apart = picks(query, rows)
    monkeypatch.setattr(plans, "told_apart", lambda *_: {})  # so groups are looked for
    assert cells_of("A ; B ; C FILTER A.i + B.i < C.i") == "groups merged head"
    assert picks(query, rows) == apart
    assert len(apart) > 200
