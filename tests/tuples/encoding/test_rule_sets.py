"""Sets of rules: for each rule a test says what its comparison says."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyarrow
import pytest

from spaseq.languages.ceql import parse
from spaseq.pattern.formulas.predicates import Attribute, Comparison, Constant, conjunction
from spaseq.plan.formulas.automaton import planned
from spaseq.plan.formulas.rule_conditions import RuleConditions, rule_conditions, why_apart
from spaseq.sources.tables.types import CODED_TEXT
from spaseq.tuples.columns.predicates import holds
from spaseq.tuples.columns.rows import FewRows
from spaseq.tuples.encoding import rule_sets
from spaseq.tuples.encoding.rule_sets import RuleSets

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
WHOLES = (0, 1, -1, 2, 3, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63), None)
REALS = (0.0, -0.0, 0.5, 1.0, 1.5, -2.0, 2.0**53, 2.0**63, 1e300, float("inf"), float("-inf"), float("nan"), None)
TEXTS = ("", "a", "ab", "b", "é", "\U0001f600", "z", None)
INSTANTS = (0, 1, -1, 1_700_000_000_000_000, None)
CONSTANTS: dict[str, tuple[Any, ...]] = {
    "whole": (*(one for one in WHOLES if one is not None), 2**70, 0.5, 1.0, -2.5, 2.0**53, 1e300, float("inf")),
    "real": (*(one for one in WHOLES if one is not None), 2**70, 0.5, 1.0, 1e300, float("-inf"), float("nan")),
    "text": tuple(one for one in TEXTS if one is not None),
    "coded": ("a", "b", "zz", ""),
    "time": ("1970-01-01T00:00:00", "1970-01-01T00:00:00.000001", "2023-11-14T22:13:20"),
    "truth": (True, False),
    "nothing": (1, 2),
}
TYPES = {
    "whole": pyarrow.int64(), "real": pyarrow.float64(), "text": pyarrow.string(), "coded": CODED_TEXT,
    "time": pyarrow.timestamp("us"), "truth": pyarrow.bool_(), "nothing": pyarrow.null(),
}  # fmt: skip
VALUES = {"whole": WHOLES, "real": REALS, "text": TEXTS, "coded": TEXTS, "time": INSTANTS, "truth": (True, False, None),
          "nothing": (None,)}  # fmt: skip


def conditions(text: str) -> RuleConditions:
    """What a query asks of events."""
    parsed = parse(text)
    plan = planned(parsed.query, parsed.normal_form)
    assert why_apart(parsed.query, plan) is None
    return rule_conditions(plan)


def batch_of(column: str) -> pyarrow.RecordBatch:
    """All values of a column."""
    values = pyarrow.array(VALUES[column], pyarrow.int64() if column == "time" else None, from_pandas=False)
    if column == "real":
        values = pyarrow.array(VALUES[column], pyarrow.float64(), from_pandas=True)
    if column == "coded":
        values = values.dictionary_encode()
    return pyarrow.record_batch({column: values.cast(TYPES[column])})


def few_of(column: str) -> FewRows:
    """The same as a few rows."""
    values = [None if one != one else one for one in VALUES[column]]
    return FewRows(pyarrow.schema([(column, TYPES[column])]), {column: values}, len(values))


def truths(sets: RuleSets, rows: Any, count: int) -> np.ndarray[Any, Any]:
    """Of the one test: by event and rule, whether it holds."""
    ((places, known),) = sets.read(rows)
    bits = np.unpackbits(known[places].view(np.uint8), axis=1, bitorder="little")
    assert not bits[:, count:].any()
    return bits[:, :count].astype(bool)


@pytest.mark.parametrize("column", VALUES)
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("turned", [False, True])
def test_each_rule_has_its_comparison(column: str, operator: str, turned: bool) -> None:
    compared = f"$c {operator} {column}" if turned else f"{column} {operator} $c"
    sets = RuleSets(conditions(f"SELECT * GIVEN $c WHERE A FILTER A[{compared}]"), batch_of(column).schema)
    rules = [(one,) for one in CONSTANTS[column] for _ in range(9)]
    assert all(sets.fits({"c": constant}) for (constant,) in rules)
    sets.change(["c"], rules)
    sides = [(Constant(one), Attribute(column)) if turned else (Attribute(column), Constant(one)) for (one,) in rules]
    expected = np.stack([holds(Comparison(operator, *some), batch_of(column)) for some in sides], axis=1)
    for rows in (batch_of(column), few_of(column), batch_of(column)):
        assert (truths(sets, rows, len(rules)) == expected).all()


@pytest.mark.parametrize(("column", "constant"), [("whole", "a"), ("text", 1), ("time", "yesterday"), ("truth", 2)])
def test_what_cannot_be_compared_does_not_fit(column: str, constant: Any) -> None:
    sets = RuleSets(conditions(f"SELECT * GIVEN $c WHERE A FILTER A[{column} = $c]"), batch_of(column).schema)
    assert not sets.fits({"c": constant})
    assert sets.fits({"c": CONSTANTS[column][0]})


def test_calculated_values_and_several_constants() -> None:
    asked = "(whole * 2 > $c AND whole < 3) OR whole = $d OR NOT (whole % 2 != $d)"
    found = conditions(f"SELECT * GIVEN $c, $d WHERE A FILTER A[{asked}]")
    assert len(found.tests) == 4
    ((condition,), (atom,)) = found.conditions, found.atoms
    assert atom.predicate == conjunction()
    assert [step for step in condition if step < rule_sets.MOST_TEXTS] == [0, 1, 2, 3]
    sets, rules = RuleSets(found, batch_of("whole").schema), [(one, one % 3) for one in range(-5, 70)]
    sets.change(["c", "d"], rules)
    assert len(sets.read(batch_of("whole"))) == 4


def test_sets_that_take_too_much_memory_are_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_sets, "MOST_WORDS", 64)
    sets, chance = (
        RuleSets(conditions("SELECT * GIVEN $c WHERE A FILTER A[whole > $c]"), batch_of("whole").schema),
        Random(1),
    )
    rules = [(number,) for number in range(200)]
    sets.change(["c"], rules)
    for _ in range(40):
        values = [chance.randrange(-5, 210) for _ in range(20)]
        rows = pyarrow.record_batch({"whole": pyarrow.array(values, pyarrow.int64())})
        assert (truths(sets, rows, 200) == [[one > number for number in range(200)] for one in values]).all()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT COUNT(*) GIVEN $c WHERE A FILTER A[p > $c]", "there are aggregates"),
        ("SELECT * GIVEN $c WHERE A ; B FILTER B[p > A.p + $c]", "events are compared by a parameter"),
        ("SELECT * GIVEN $c WHERE A ; B FILTER B[p > A.p] WITHIN $c SECONDS", "a parameter has the length of a window"),
        ("SELECT * GIVEN $c WHERE A ; B WITHIN $c EVENTS", "a parameter has the length of a window"),
        ("SELECT * GIVEN $c WHERE A FILTER A[p > $c] PARTITION BY [q] CONSUME BY ANY", "results of a part"),
        ("SELECT * GIVEN $c WHERE A FILTER A[p + $c > 1]", "a parameter is not compared by itself"),
        ("SELECT * GIVEN $c WHERE A FILTER A[p IN (1, $c)]", "a parameter is not compared by itself"),
        ("SELECT * GIVEN $c WHERE A OR B OR C OR D OR E OR F OR G OR H OR I FILTER A[p > $c]", "more than 8 different"),
    ],
)  # fmt: skip
def test_what_runs_apart(text: str, reason: str) -> None:
    parsed = parse(text)
    told = why_apart(parsed.query, planned(parsed.query, parsed.normal_form))
    assert told is not None
    assert told.startswith(reason)
