"""Trees print to SPARQL that means what the tree says."""

from __future__ import annotations

import pyoxigraph
import pytest

from gpm.algebra import Aggregate, Group, Iri, Literal, Previous, Variable
from gpm.errors import PatternError
from gpm.printing import print_expression, print_group, print_term
from gpm.rewrite import canonical
from tests.gpm.cases import PLAIN, WITH_KNOWLEDGE
from tests.gpm.worlds import bgp, call, group

GROUPS = [pattern for _, pattern in (PLAIN | WITH_KNOWLEDGE).values()]


@pytest.mark.parametrize("pattern", GROUPS, ids=[*PLAIN, *WITH_KNOWLEDGE])
def test_prints_legal_sparql(pattern: Group) -> None:
    pyoxigraph.Store().query("SELECT * " + print_group(pattern))
    pyoxigraph.Store().query("SELECT * " + print_group(canonical(pattern)[0]))


def test_text() -> None:
    assert print_group(group(bgp("?a :p ?b"))) == "{ ?a <http://example.org/p> ?b . }"
    assert print_term(Literal('a"\\\n', "", "en")) == '"a\\"\\\\\\n"@en'
    assert print_expression(call("NOT IN", "?a", "x")) == '(?a NOT IN ("x"))'
    assert print_expression(call("-", call("-", "?a"))) == "(- (- ?a))"


@pytest.mark.parametrize("text", ["", 'quote " and \\', "tab\t line\n return\r", "\b\f", "☃ and 𝄞", "\u0000\x7f"])
def test_strings_come_back(text: str) -> None:
    (solution,) = pyoxigraph.Store().query(f"SELECT ({print_term(Literal(text))} AS ?x) {{}}")
    assert solution["x"].value == text


@pytest.mark.parametrize("expression", [Previous(Variable("a")), Aggregate("FIRST", Variable("a"))])
def test_what_sparql_does_not_have(expression: Previous | Aggregate) -> None:
    with pytest.raises(PatternError, match="no meaning inside a graph pattern"):
        print_expression(expression)


def test_iris_cannot_leave_their_brackets() -> None:
    with pytest.raises(PatternError, match="not an IRI"):
        print_term(Iri("urn:a> ?b <urn:c"))
    with pytest.raises(PatternError, match="not an IRI"):
        print_term(Literal("1", "urn:a> ?b <urn:c"))


def test_canonical_names() -> None:
    tree, names = canonical(group(bgp("?x :p ?y", "?y :p ?x")))
    assert names == {"x": "v0", "y": "v1"}
    assert tree == canonical(group(bgp("?y :p ?z", "?z :p ?y")))[0]
    assert tree != canonical(group(bgp("?x :p ?y", "?x :p ?y")))[0]
