"""What a mapping means: which columns it asks for, what its steps bind, and that IRI templates are SPARQL."""

from __future__ import annotations

import pyoxigraph
import pytest
from pyoxigraph import Literal, NamedNode

from gpm.algebra import XSD_INTEGER, Bind, Filter, Variable
from gpm.printing import print_expression
from spaseq.errors import QueryError
from spaseq.languages.mappings import parse
from spaseq.pattern.mappings import EventTime, MappedColumn

QUOTES = """
PREFIX stock: <https://spaseq.org/ontology/stock#>
BASE <https://spaseq.org/data/stock/>
COLUMN "payload.company.id" AS ?company
EACH "readings" AS ?r
EVENT <quote/{?quote}>
AT ?time UNIT ms
CONSTRUCT { <quote/{?quote}> stock:company <company/{?company}> ; stock:price ?p ; stock:reading ?r }
WHERE { BIND(xsd:decimal(?price) AS ?p) FILTER(?volume > 0) }
"""


def test_the_example() -> None:
    mapping = parse(QUOTES).mapping
    assert mapping.columns == (MappedColumn("payload.company.id", "company"),)
    assert mapping.each == (MappedColumn("readings", "r"),)
    assert mapping.time == EventTime("time", "ms")
    assert mapping.event == "<quote/{?quote}>"
    assert [type(step) for step in mapping.steps] == [Bind, Filter, Bind, Bind]
    assert mapping.template[0].subject == Variable("<quote/{?quote}>")
    assert mapping.asked == {
        "price": "price", "volume": "volume", "quote": "quote", "company": "payload.company.id", "r": "readings",
        "time": "time",
    }  # fmt: skip


def test_columns_are_what_no_step_binds() -> None:
    text = "EVENT ?e AT ?t CONSTRUCT { ?s ?p ?x } WHERE { BIND(IRI(?id) AS ?e) FILTER(?y > ?e) }"
    assert list(parse(text).mapping.asked) == ["id", "y", "s", "p", "x", "t"]


def iri_of(template: str, value: Literal) -> str | None:
    """The IRI of a template over ?v, by pyoxigraph."""
    mapping = parse(f"BASE <http://example.org/a/b> EVENT {template} AT ?t CONSTRUCT {{ ?s ?p ?v }}").mapping
    (step,) = mapping.steps
    text = f"SELECT ({print_expression(step.expression)} AS ?iri) WHERE {{ VALUES ?v {{ {value} }} }}"
    (found,) = pyoxigraph.Store().query(text)
    return None if found["iri"] is None else found["iri"].value


@pytest.mark.parametrize(
    ("template", "value", "iri"),
    [
        ("<q/{?v}>", Literal("x"), "http://example.org/a/q/x"),
        ("</q/{?v}#{?v}>", Literal("a b"), "http://example.org/q/a%20b#a%20b"),
        ("<../{?v}>", Literal("ä/b?"), "http://example.org/%C3%A4%2Fb%3F"),
        ("<{?v}>", Literal("http://other.org/"), "http://example.org/a/http%3A%2F%2Fother.org%2F"),
        ("<urn:x:{?v}:{?v}>", Literal("7", datatype=NamedNode(XSD_INTEGER)), "urn:x:7:7"),
        ("<{?v}/x>", Literal(""), "http://example.org/a//x"),
        ("<q/{$v}>", Literal(".."), "http://example.org/a/q/.."),
        (r"<q\u00E4/{?v}>", Literal("m0-"), "http://example.org/a/qä/m0-"),
    ],
)
def test_iri_templates(template: str, value: Literal, iri: str) -> None:
    assert iri_of(template, value) == iri


@pytest.mark.parametrize(
    ("variable", "line", "column"), [("id", 1, 7), ("a", 2, 23), ("b", 2, 29), ("c", 3, 20), ("nowhere", 1, 1)]
)
def test_where_a_variable_stands_first(variable: str, line: int, column: int) -> None:
    text = "EVENT <x:{?id}>\nAT ?t CONSTRUCT { ?id ?a 1, ?b }\nWHERE { FILTER(1 > ?c) }"
    error = parse(text).error(variable, "there is no such column")
    assert isinstance(error, QueryError)
    assert (error.line, error.column) == (line, column)
