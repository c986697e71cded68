"""``φ ALL ψ``: what is refused is what the oracle never makes, and `all` is a name wherever it was one."""

from __future__ import annotations

import pytest

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.lower_query import lower_query
from spaseq.languages.ceql.parser import parse_tree
from spaseq.languages.query_text import Problem
from spaseq.pattern.formulas.query import Alternation, FormulaQuery, Relation, Sequencing, Unordered, bound
from tests.oracle.ceql.exhaustive import formulas
from tests.oracle.ceql.generate import Size, is_all, random_pair
from tests.oracle.ceql.model import Formula
from tests.oracle.ceql.text import formula_text

SIZE = Size(operators=4, any_order=True)
A, B, C, D = map(Relation, "ABCD")
FORMULAS = [*formulas(any_order=True), *(random_pair(seed, SIZE).query.formula for seed in range(300))]


def lowered(text: str) -> FormulaQuery:
    return lower_query(parse_tree(f"SELECT * WHERE {text}"))


def test_what_it_means() -> None:
    assert lowered("A ALL B ALL C").formula == Unordered(Unordered(A, B), C)
    wanted = Alternation(Unordered(Sequencing(A, B), Sequencing(C, D, contiguous=True)), A)
    assert lowered("A ; B ALL C : D OR A").formula == wanted
    assert bound(lowered("A AS x ALL S>B").formula) == {"A", "x", "B", "S>B"}


@pytest.mark.parametrize("plus", ["+", ":+"])
def test_repeated(plus: str) -> None:
    """Whatever AS, FILTER and parentheses stand around it."""
    refused = 0
    for formula in FORMULAS:
        lowered(f"A ; {formula_text(formula)}")
        refused += is_refused(formula, plus)
        assert is_refused(formula, plus) == is_all(formula), formula
    assert 50 < refused < len(FORMULAS) - 50


def is_refused(formula: Formula, plus: str) -> bool:
    try:
        lowered(f"A ; (({formula_text(formula)})){plus}")
    except Problem as problem:
        assert problem.message == "an ALL cannot be repeated"
        return True
    return False


NAMED_ALL = (
    "SELECT ALL ALL, x.all AS all FROM ALL, all GIVEN $ALL WHERE ALL ; all AS x",
    "SELECT ALL all FROM ALL WHERE ALL>ALL ; all>all AS all",
    "SELECT x, ALL, all.ALL WHERE ALL+ AS all : all:+ AS x OR ALL",
    "SELECT * WHERE (ALL AS ALL) AS all FILTER ALL[all > 1 AND all < ALL.all] AND all.all = ALL.all FILTER all[ALL]",
    "SELECT SUM(ALL.all) AS ALL, all.all WHERE ALL ; all PARTITION BY all, ALL WITHIN 3 [all] GROUP BY all.all",
    "SELECT * WHERE ALL PARTITION BY [ALL, all] LIMIT 3",
    "SELECT COUNT(*) AS all WHERE all FILTER all[ALL IN RANGE (1, all)] OR all[all IS NULL]",
)


@pytest.mark.parametrize("query", NAMED_ALL)
def test_a_name(query: str) -> None:
    """ALL is an operator only where no name can stand."""
    other = query.replace("ALL", "`ALL`").replace("all", "`all`").replace("$`ALL`", "$ALL")
    other = other.replace("SELECT `ALL` ", "SELECT ALL ").replace("SELECT `ALL`,", "SELECT ALL,")
    assert parse_tree(other) == parse_tree(query)


def test_the_strategy() -> None:
    query = parse_tree("SELECT ALL all WHERE A AS all ALL all")
    assert query.select == tree.Select("ALL", (tree.Reference("all"),))
    assert isinstance(query.formula, tree.Unordered)
