"""Cells in the order of a compared value: whatever comes, comparable or not, against all pairs of events."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product

import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st

from gpm.terms import term_bytes
from tests.kernel.driver import Driver, Happening, plan_of

XSD = "http://www.w3.org/2001/XMLSchema#"
SIGNS: dict[str, Callable[[object, object], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def literal(text: str, datatype: str) -> bytes:
    return term_bytes(pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode(XSD + datatype)))


# What stands in a row, and what it is worth: numbers and strings do not compare, and equal numbers may differ as terms.
WORTH: dict[int | bytes, float | str | Decimal] = {
    **{number: float(number) for number in range(6)},
    literal("2.5", "decimal"): 2.5,
    literal("3.25", "decimal"): 3.25,
    literal("3", "double"): 3.0,
    literal("1.5", "double"): 1.5,
    literal("b", "string"): "b",
    literal("c", "string"): "c",
}
Row = Mapping[str, int | bytes]
Step = tuple[int, str, Sequence[Row]]  # time, atom, rows


def joins(left: Row, right: Row, sign: str) -> bool:
    if "k" in left and "k" in right and left["k"] != right["k"]:
        return False
    if "va" not in left or "vb" not in right:
        return False
    one, other = WORTH[left["va"]], WORTH[right["vb"]]
    return type(one) is type(other) and SIGNS[sign](one, other)


def expected(steps: Sequence[Step], strategy: str, sign: str, within: int) -> set[tuple[int, int]]:
    """The pairs of events that `A strategy B` picks, by the definition."""
    out: set[tuple[int, int]] = set()
    for a, (start, kind, rows) in enumerate(steps):
        if kind != "A":
            continue
        able = [
            (time, b)
            for b, (time, atom, others) in enumerate(steps)
            if atom == "B" and start < time <= start + within
            if any(joins(row, other, sign) for row, other in product(rows, others))
        ]
        first = min((time for time, _ in able), default=0)
        out |= {(a, b) for time, b in able if strategy == ":" or time == first}
    return out


def happenings(steps: Sequence[Step]) -> Iterator[Happening]:
    for number, (time, atom, rows) in enumerate(steps):
        yield time, {atom: [{atom.lower(): number, **row} for row in rows]}


def found(
    steps: Sequence[Step], strategy: str, sign: str, within: int, cuts: Sequence[int] = ()
) -> set[tuple[int, int]]:
    test = f"FILTER(?va {sign} ?vb)"
    driver = Driver(
        plan_of(
            f"A {strategy} B",
            gpm={
                "A": "?a :va ?va . OPTIONAL { ?a :k ?k }",
                "B": f"?b :vb ?vb . OPTIONAL {{ ?b :k ?k }} {test}",
            },
            within=f"{within} MILLISECONDS SLIDING",
        )
    )
    events = [(time * 1000, rows) for time, rows in happenings(steps)]
    out = driver.run(events, cuts=[cut for cut in cuts if cut < len(events)], restore=bool(cuts))
    return {(picks[0][1], picks[1][1]) for _, _, _, picks, _ in out}


VALUES = st.sampled_from([*range(6), *WORTH])
ROWS = {
    atom: st.lists(
        st.fixed_dictionaries({}, optional={f"v{atom.lower()}": VALUES, "k": st.integers(0, 1)}),
        min_size=1,
        max_size=2,
        unique_by=lambda row: tuple(sorted(row.items(), key=str)),
    )
    for atom in "AB"
}


@st.composite
def streams(draw: st.DrawFn) -> list[Step]:
    time, steps = 0, []
    for _ in range(draw(st.integers(0, 40))):
        time += draw(st.sampled_from([0, 1, 1, 1, 2]))
        atom = draw(st.sampled_from("AAB"))
        steps.append((time, atom, draw(ROWS[atom])))
    return steps


@settings(max_examples=300, deadline=None)
@given(streams(), st.sampled_from(";:"), st.sampled_from(list(SIGNS)), st.integers(1, 30), st.lists(st.integers(1, 40)))
def test_any_rows(steps: list[Step], strategy: str, sign: str, within: int, cuts: list[int]) -> None:
    assert found(steps, strategy, sign, within, cuts) == expected(steps, strategy, sign, within)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("trend", [1, -1, 0])
@pytest.mark.parametrize("within", [60, 1000])
def test_trends(sign: str, trend: int, within: int) -> None:
    """Values that only rise, only fall, or stay within a hundred; some equal the one before."""
    steps: list[Step] = []
    for n in range(400):
        value = trend * (n - n % 5 // 4) if trend else n * 37 % 101
        WORTH[value] = float(value)
        steps.append((n, "A", [{"va": value, "k": 1}]))
        if n % 3 == 0:
            WORTH[value + 7 * trend] = float(value + 7 * trend)
            steps.append((n, "B", [{"vb": value + 7 * trend, "k": 1}]))
    for strategy in ";:":
        assert found(steps, strategy, sign, within) == expected(steps, strategy, sign, within)


# Neighbours that are one double, and decimals on both sides of what a double holds without rounding.
CLOSE: dict[int | bytes, Decimal] = {
    **{number: Decimal(number) for number in (2**57 - 1, 2**57, 2**57 + 1)},
    **{
        literal(f"900719925474099.{digits}", "decimal"): Decimal(f"900719925474099.{digits}")
        for digits in ("1", "2", "25", "3", "4")
    },
}


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("most", [3, len(CLOSE)])
def test_values_that_doubles_do_not_tell_apart(sign: str, most: int) -> None:
    WORTH.update(CLOSE)
    values = list(CLOSE)[:most]
    steps: list[Step] = []
    for n in range(120):
        steps.append((n, "A", [{"va": values[n % most], "k": 1}]))
        if n % 7 == 0:
            steps.append((n, "B", [{"vb": values[n // 7 % most], "k": 1}]))
    for strategy in ";:":
        assert found(steps, strategy, sign, 1000) == expected(steps, strategy, sign, 1000)
