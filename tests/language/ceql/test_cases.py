"""The case files: formulas, conditions and normal forms, one case a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from spaseq.languages.ceql import ParsedFormulaQuery, format_query, parse
from spaseq.languages.ceql.normal_form import normal_form
from spaseq.languages.ceql.parser import GRAMMAR
from spaseq.languages.grammars import build_grammar, grammar_text
from spaseq.languages.parsing import MOST_DEPTH
from spaseq.pattern.formulas.query import Filtered, ForAll
from tests.language.ceql.shown import formula_in_prefix, in_prefix, normal

HERE = Path(__file__).parent


def cases(name: str) -> list[tuple[str, str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    found = [line.split(" => ") for line in lines if line.strip() and not line.startswith("#")]
    return [(text.strip(), meaning.strip()) for text, meaning in found]


def read(formula: str) -> ParsedFormulaQuery:
    """The query of a formula, once it has been printed and read again."""
    parsed = parse(f"SELECT * WHERE {formula}\nWITHIN 1 DAY")
    text = format_query(parsed.tree)
    again = parse(text)
    assert again.tree == parsed.tree and again.query == parsed.query
    assert format_query(again.tree) == text
    return parsed


@pytest.mark.parametrize(("text", "meaning"), cases("formulas.txt"))
def test_formula(text: str, meaning: str) -> None:
    assert formula_in_prefix(read(text).tree.formula) == meaning


@pytest.mark.parametrize(("text", "meaning"), cases("conditions.txt"))
def test_condition(text: str, meaning: str) -> None:
    formula = read(f"A AS y ; B AS x FILTER x[{text}\n]").query.formula
    assert isinstance(formula, Filtered) and isinstance(formula.filter, ForAll)
    assert in_prefix(formula.filter.predicate) == meaning


@pytest.mark.parametrize(("text", "meaning"), cases("normal_forms.txt"))
def test_normal_form(text: str, meaning: str) -> None:
    found = read(text).normal_form
    assert normal(found) == meaning
    assert normal_form(found) == found


def test_deepest_formulas() -> None:
    """What the limit of depth lets through is no burden for the recursive functions."""
    steps = " ; ".join(["A"] * (MOST_DEPTH - 40))
    conditions = " OR ".join(f"A[x = {i}]" for i in range(20))
    repeated = "(" * 150 + "A" + ")+" * 150
    for formula in (f"{steps} FILTER {conditions}", f"{repeated} FILTER {conditions}", f"{repeated} AS x"):
        assert parse(f"SELECT * WHERE {formula}").normal_form


def test_terminals_do_not_overlap() -> None:
    pytest.importorskip("interegular")
    build_grammar(grammar_text(GRAMMAR), check_terminals=True)
