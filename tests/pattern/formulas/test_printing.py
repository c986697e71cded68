"""Formulas and conditions as text: what is printed is read as the same condition."""

from __future__ import annotations

import pytest

from spaseq.languages.ceql import parse
from spaseq.pattern.formulas.printing import print_formula, print_predicate
from spaseq.pattern.formulas.query import Filtered, ForAll, parts
from tests.oracle.ceql import to_text
from tests.oracle.ceql.generate import Size, random_pair

CONDITIONS = [
    "a = 1 AND (b < 2 OR NOT c > 3)",
    "a - (b - 2 * -c) % 3 >= 1.5",
    "(a + b) * 2 != 4 AND NOT (a = 1 AND b = 2)",
    "name LIKE 'it''s 5\\%\\n' OR name IN ('x', 'y') OR active = TRUE",
    "name IS NOT NULL AND `order by` = 'a\\\\b'",
    "a < y.b AND y.`b c` > 2",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(condition: str) -> None:
    filters = read(condition)
    assert read(" AND ".join(print_predicate(one.predicate, 1) for one in filters)) == filters


def read(condition: str) -> list[ForAll]:
    """The filters of a formula with the condition on one of its events, all attributes with their variables."""
    formula = parse(f"SELECT * WHERE A AS y ; B AS x FILTER x[{condition}]").query.formula
    assert isinstance(formula, Filtered)
    return list(getattr(formula.filter, "filters", (formula.filter,)))


FORMULAS = {
    "A": "A",
    "S>A AS x": "S>A AS x",
    "A AS x ; B FILTER x[a < 3] AND B[b = 'x']": "A[a < 3] AS x ; B[b = 'x']",
    "(A OR B) AS x : (A ; B):+": "(A AS x OR B AS x) : (A ; B):+",
    "A ; (B : C) ; D+": "A ; (B : C) ; D+",
    "A ALL (B ALL C) ALL D": "A ALL (B ALL C) ALL D",
    "A ; (B ALL C OR D) ALL E : F": "A ; (B ALL C OR D) ALL E : F",
    "(A ALL B) ; (C ALL D) AS x": "(A ALL B) ; (C AS x ALL D AS x)",
    "(A ALL B ; C AS x FILTER x[b > A.a]) ALL D": "(A ALL B ; C AS x FILTER x.b > A.a) ALL D",
    "(A AS x)+ FILTER x[a IN (1, 2)]": "(A[a IN (1, 2)] AS x)+",
    "A AS x ; B AS y FILTER y[b > x.a]": "A AS x ; B AS y FILTER y.b > x.a",
    "(A AS x ; B AS y FILTER y[b > x.a]) ; C": "(A AS x ; B AS y FILTER y.b > x.a) ; C",
    "`a b` AS `c d`": "`a b` AS `c d`",
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas(formula: str) -> None:
    assert print_formula(parse(f"SELECT * FROM S WHERE {formula}").normal_form) == FORMULAS[formula]


def test_all_formulas_can_be_printed() -> None:
    for seed in range(300):
        parsed = parse(to_text(random_pair(seed, Size(any_order=seed % 2 == 1)).query))
        for part in parts(parsed.query.formula):
            assert print_formula(part)
        assert print_formula(parsed.normal_form).count("(") == print_formula(parsed.normal_form).count(")")
