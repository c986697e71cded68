"""GIVEN in CEQL: a query of a row is the query with its constants in place of the parameters (semantics.md 3.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spaseq.languages.ceql import format_query, parse
from spaseq.pattern.formulas.binding import bound, with_constants
from spaseq.pattern.formulas.parameters import Parameters, Placeholder
from spaseq.tuples import prepare

PARTS = {"select": "a, b", "condition": "b[v > 1]", "end": "WITHIN 9 EVENTS"}


def text(given: str, **parts: str) -> str:
    """A query with these parts, and with the parameters that ``given`` has."""
    part = PARTS | parts
    return f"SELECT {part['select']} FROM S {given} WHERE A AS a ; B AS b FILTER {part['condition']} {part['end']}"


PLACES = {
    "number": {"condition": "b[v > $x]"},
    "text": {"condition": "b[n = $x]", "row": "'it''s'"},
    "truth value": {"condition": "b[$x OR v > 1]", "row": "TRUE"},
    "negative": {"condition": "b[v > - $x]", "row": "2.5"},
    "sum": {"condition": "b[v > a.v * 2 + $x]"},
    "list": {"condition": "b[n IN ('x', $x)]", "row": "'y'"},
    "pattern": {"condition": "b[n NOT LIKE $x]", "row": "'y%'"},
    "range": {"condition": "b[v IN {$x..}]"},
    "bounds": {"condition": "b[v BETWEEN $x AND a.v]"},
    "two filters": {"condition": "a[v < $x] AND b[v > $x]"},
    "alternatives of several variables": {"condition": "a[v < $x] OR b[v > a.v + $x]"},
    "aggregate": {"select": "SUM(b.v * $x) AS s"},
    "events": {"end": "WITHIN $x EVENTS"},
    "time": {"end": "WITHIN $x HOURS 30 MINUTES"},
    "attribute": {"end": "WITHIN $x [v]", "row": "2.5"},
}


@pytest.mark.parametrize("place", PLACES)
def test_a_row_stands_for_its_constants(place: str) -> None:
    parts = dict(PLACES[place])
    constant = parts.pop("row", "5")
    given = parse(text(f"GIVEN $x {{ {constant} }}", **parts))
    wanted = parse(text("", **{name: part.replace("$x", constant) for name, part in parts.items()}))
    parameters = given.query.given
    assert parameters is not None and parameters.rows is not None
    (row,) = parameters.rows
    assert repr(bound(given.query, row)) == repr(wanted.query)
    assert repr(with_constants(given.normal_form, parameters, row)) == repr(wanted.normal_form)


@pytest.mark.parametrize(
    "given",
    [
        "GIVEN $x", "GIVEN $x { }", "GIVEN $x { 1, 2 -3 }", "given ($x) { (1) (2) }", "GIVEN $x, $y",
        "GIVEN ($x, $y) { (1, 'a') }",
    ],
)  # fmt: skip
def test_printing(given: str) -> None:
    parsed = parse(text(given, condition="b[v > $x]"))
    printed = format_query(parsed.tree)
    assert parse(printed).tree == parsed.tree
    assert format_query(parse(printed).tree) == printed


def test_given_is_a_name_where_it_was_one() -> None:
    filters = "FILTER given[given > given.given]"
    query = parse(f"SELECT given FROM given WHERE Given AS given {filters} WITHIN 9 EVENTS").query
    assert query.given is None
    assert (query.variables, query.streams) == (("given",), ("given",))


def test_parameters_that_are_shown() -> None:
    assert shown(text("GIVEN $x, $y", select="*")) == [(0, "x", "x"), (1, "y", "y")]
    assert shown(text("GIVEN $x, $y", select="a, $y, b.v, $x AS most")) == [(1, "y", "y"), (3, "x", "most")]
    assert shown(text("GIVEN $x, $y", select="COUNT(*), $x, MAX(b.v), $y")) == [(0, "x", "x"), (1, "y", "y")]
    assert shown(text("GIVEN $x, $y")) == []


def shown(query: str) -> list[tuple[int, str, str]]:
    given = parse(query).query.given
    assert given is not None
    return [tuple(one) for one in given.shown]


def test_fingerprints_are_of_the_query_with_any_rows() -> None:
    one, other = (prepare(text(given, condition="b[v > $x]")) for given in ("GIVEN $x { 1 }", "GIVEN $x"))
    assert one.fingerprint == other.fingerprint
    others = [("GIVEN $x, $y", "$x"), ("", "1"), ("GIVEN $x", "'x'"), ("GIVEN $x", "1")]
    found = {prepare(text(given, condition=f"b[v > {limit}]")).fingerprint for given, limit in others}
    assert len({one.fingerprint, *found}) == 5


def test_what_stands_for_a_constant_equals_nothing_else() -> None:
    assert Placeholder("x") == Placeholder("x") != Placeholder("y")
    assert Placeholder("x") != "x"
    assert len({Placeholder("x"), "x"}) == 2
    assert replace(Parameters(("x",)), rows=()) != Parameters(("x",))


def test_a_sign_may_stand_apart_in_a_list() -> None:
    apart, together = (text("", condition=f"b[v IN ({number}, 3)]") for number in ("- 5", "-5"))
    assert parse(apart).query == parse(together).query
