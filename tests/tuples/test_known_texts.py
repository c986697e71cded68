"""Texts in CEQL that are not parsed mean what the parser says."""

from __future__ import annotations

from itertools import product

import pytest

from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.tuples import Engine, known_texts, prepare
from spaseq.tuples.known_texts import KnownTupleForms

FORM = """\
SELECT a, b -- 5 > '4'
FROM S WHERE A AS a ; (B AS b)+ /* 7 */
FILTER a[price > {0} AND name = {1} AND volume IN (1, 2)] AND b[`odd 9` <= {0} OR NOT (price * 2 >= {2})]
WITHIN {3} SECONDS LIMIT {4}
"""
CONSTANTS = (
    ("1", "2", "2.50", ".5", "1e3", "1E400", "0", "'it''s'", "TRUE", "9" * 400, "-- 1"),
    ("'x'", "'y'", "''", "'it''s -- 5'", "'a\\_b'", "7", "'", "name"),
    ("3", "4", "4.0"),
    ("10", "11", "0", "2.5", "99999999999999999999"),
    ("5", "6"),
)


def read(texts: KnownTupleForms, text: str) -> str:
    """What a text means, or what is wrong with it."""
    try:
        found = texts.read(text)
    except (QuerySyntaxError, QueryError) as error:
        return str(error)
    assert found.fingerprint == prepare(text).fingerprint
    return repr(found.query)


def parsed(text: str) -> str:
    try:
        return repr(prepare(text).query)
    except (QuerySyntaxError, QueryError) as error:
        return str(error)


def test_every_text_means_what_the_parser_says() -> None:
    texts = KnownTupleForms()
    for constants in product(*CONSTANTS):
        text = FORM.format(*constants)
        assert read(texts, text) == parsed(text), text


def test_a_known_form_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, calls = KnownTupleForms(), []
    for module in ("prepare_formula", "parse"):
        known = getattr(known_texts, module)
        noted = lambda text, *where, known=known: calls.append(text) or known(text, *where)  # noqa: E731
        monkeypatch.setattr(known_texts, module, noted)
    for number in range(300):
        texts.read(FORM.format(number, f"'n{number}'", number * 0.5, number + 1, 5))
    assert len(calls) < 12


@pytest.mark.parametrize("text", ["SELECT * WHERE A FILTER A[x > 'y]", "SELECT * WHERE A FILTER A[x > 1.]", "5", ""])
def test_what_is_no_query_is_told_as_ever(text: str) -> None:
    texts = KnownTupleForms()
    texts.read("SELECT * WHERE A FILTER A[x > 1]")
    texts.read("SELECT * WHERE A FILTER A[x > 2]")
    assert read(texts, text) == parsed(text)


def test_names_and_parameters_are_no_constants() -> None:
    texts = KnownTupleForms()
    for name in ("x1", "x2", "`1`", "`it's`"):
        text = f"SELECT * WHERE A FILTER A[{name} > 1]"
        assert read(texts, text) == parsed(text)
    with_rows = "SELECT * GIVEN $p {{ {0} }} WHERE A FILTER A[x > $p]"
    for number in range(12):
        assert texts.read(with_rows.format(number)).query.given == prepare(with_rows.format(number)).query.given


def test_an_engine_reads_a_form_once() -> None:
    engine = Engine()
    for number in range(20):
        engine.register(f"SELECT * WHERE A AS a FILTER a[x > {number}]", f"q{number}")
    found = {name: len(table) for name, table in engine.push([{"type": "A", "x": value} for value in range(10)])}
    assert found == {f"q{number}": 9 - number for number in range(9)}
