"""GIVEN: a query of a row is the query with its terms in place of the parameters (semantics.md 3.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpm import algebra as g
from gpm.rewrite import walk
from spaseq.languages.spaseq import format_query, parse
from spaseq.pattern.sequences import Selection, bound

PARTS = {
    "select": "*",
    "within": "WITHIN 5 SECONDS",
    "a": "?a ex:p ?x",
    "b": "?b ex:q ?y",
    "end": "",
}


def text(given: str, **parts: str) -> str:
    """A query with these parts, and with the parameters that ``given`` has."""
    part = PARTS | parts
    form = part["select"] if part["select"].startswith("CONSTRUCT") else f"SELECT {part['select']}"
    return (
        f"PREFIX ex: <http://e/> {form} {part['within']} FROM STREAM S <http://e/s> {given} {part.get('keys', '')} "
        f"WHERE {{ SEQ(A ; B) DEFINE GPM A ON S {{ {part['a']} }} DEFINE GPM B ON S {{ {part['b']} }} }} {part['end']}"
    )


# What has parameters, ?l always among them; where SELECT has no *, both texts have the same columns.
PLACES = {
    "object": {"a": "?a ex:p ?l"},
    "subject": {"a": "?l ex:p ?x"},
    "property": {"a": "?a ?l ?x", "row": "ex:r"},
    "list": {"a": "?a ex:p (1 ?l)"},
    "property list": {"a": "?a ex:p [ ex:q ?l ]"},
    "filter": {"b": "?b ex:q ?y FILTER(?y > ?l)"},
    "filter of two events": {"b": "?b ex:q ?y FILTER(?y > ?x + ?l)"},
    "negated": {"b": "?b ex:q ?y FILTER(!(?y = ?l))"},
    "list of IN": {"b": "?b ex:q ?y FILTER(?y IN (1, ?l))"},
    "optional": {"a": "?a ex:p ?x OPTIONAL { ?a ex:r ?l }"},
    "exists": {"a": "?a ex:p ?x FILTER EXISTS { ?a ex:r ?l }"},
    "minus": {"a": "?a ex:p ?x MINUS { ?a ex:r ?l }"},
    "union": {"a": "{ ?a ex:p ?l } UNION { ?a ex:q ?l }"},
    "knowledge": {"a": "?a ex:p ?x GRAPH <http://e/kb> { ?x ex:of ?l }"},
    "bind": {"a": "?a ex:p ?x BIND(?x + ?l AS ?z)"},
    "sub-select": {"a": "{ SELECT ?a ?x { ?a ex:p ?x FILTER(?x > ?l) } }"},
    "sub-select with *": {"a": "{ SELECT * { ?a ex:p ?x FILTER(?x > ?l) } }"},
    "using": {"keys": "PARTITION BY ?k USING { ?e ex:k ?k ; ex:r ?l }"},
    "aggregate": {"select": "(SUM(?x * ?l) AS ?s)"},
    "having": {"select": "(COUNT(*) AS ?n)", "end": "HAVING (COUNT(*) > ?l)"},
    "window": {"within": "WITHIN ?l MINUTES", "row": "7"},
    "window of events": {"within": "WITHIN ?l EVENTS SLIDING", "row": "7"},
    "window in parentheses": {"within": "WITHIN (?l DAYS)", "row": "+7"},
    "template": {"select": "CONSTRUCT { ?a ex:over ?l ; ?l ex:r } INTO STREAM <http://e/t>", "row": "ex:r"},
    "select": {"select": "?a (?x + ?l AS ?z)"},
}


@pytest.mark.parametrize("place", PLACES)
def test_a_row_stands_for_its_terms(place: str) -> None:
    parts = dict(PLACES[place])
    for term in (parts.pop("row", None),) if "row" in parts else ("5", '"x"@en', "<http://e/c>", '"1"^^ex:unit'):
        given = parse(text(f"GIVEN (?l) {{ ({term}) }}", **parts)).query
        assert given.given is not None and given.given.rows is not None
        (row,) = given.given.rows
        wanted = parse(text("", **{name: part.replace("?l", str(term)) for name, part in parts.items()})).query
        found = bound(given, row)
        if isinstance(found.form, Selection) and PARTS["select"] == parts.get("select", "*"):
            first, *others = found.form.projections  # * shows parameters
            assert first == g.Projection("l", row[0])
            found = replace(found, form=replace(found.form, projections=tuple(others)))
        assert replace(found, row=None) == wanted
        assert not any(isinstance(part, g.Parameter) for part in walk(found))


def test_parameters_are_shown_first_and_may_be_selected() -> None:
    everything = parse(text("GIVEN ?rule ?l", b="?b ex:q ?y FILTER(?y > ?l)")).query.form
    assert isinstance(everything, Selection)
    assert [one.name for one in everything.projections] == ["rule", "l", "a", "x", "b", "y"]
    some = parse(text("GIVEN ?rule ?l", select="?x ?rule ?x ?rule")).query.form
    assert isinstance(some, Selection)
    assert some.projections == (g.Projection("x", g.Variable("x")), g.Projection("rule", g.Parameter("rule")))


def test_rows_are_distinct_terms() -> None:
    given = parse(text('GIVEN (?l ?m) { (1 "1") (1 1) (1 "1") }')).query.given
    assert given is not None and given.rows is not None
    assert len(given.rows) == 2
    assert parse(text("GIVEN (?l) { }")).query.given.rows == ()  # type: ignore[union-attr]
    assert parse(text("GIVEN ?l")).query.given.rows is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "given", ["GIVEN ?l", "GIVEN ?l { 5 ex:a }", "GIVEN (?l ?m) { (1 2) (3 4) }", "GIVEN (?l) { }", "given $l {5}"]
)
def test_printing(given: str) -> None:
    parsed = parse(text(given, b="?b ex:q ?y FILTER(?y > ?l)"))
    printed = format_query(parsed.tree)
    assert parse(printed).tree == parsed.tree
    assert format_query(parse(printed).tree) == printed


def test_where_may_be_left_out_before_rows_come() -> None:
    query = text("GIVEN ?l", b="?b ex:q ?y FILTER(?y > ?l)").replace("WHERE", "")
    assert parse(query) == parse(text("GIVEN ?l", b="?b ex:q ?y FILTER(?y > ?l)"))


@pytest.mark.parametrize("name", ["GIVEN", "given"])
def test_names_may_be_called_given(name: str) -> None:
    query = text("", b="?given ex:q ?GIVEN").replace("STREAM S", f"STREAM {name}").replace("ON S", f"ON {name}")
    assert parse(query.replace("SEQ(A", f"SEQ({name}").replace("GPM A", f"GPM {name}"))
