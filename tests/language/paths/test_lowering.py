"""What path queries mean: text to the algebra of ``spaseq.pattern.paths``."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from gpm.algebra import XSD_INTEGER, Iri, Literal, Operation, Variable
from spaseq.errors import OptionError, QueryError, QuerySyntaxError
from spaseq.languages.grammars import build_grammar, grammar_text
from spaseq.languages.paths import format_queries, parse, tree
from spaseq.languages.paths.lowering import PathLowering
from spaseq.languages.paths.parser import GRAMMAR
from spaseq.languages.spaseq.terms import Prefixes
from spaseq.pattern.paths import (
    EdgeStep,
    LabelledNodes,
    NegatedStep,
    NodeCondition,
    PathAlternatives,
    PathExpression,
    PathQuery,
    PathRepetition,
    PathSelector,
    PathSequence,
    Restrictor,
    SelectorKind,
    inverted,
)
from tests.language.paths.strategies import paths

P, Q, R = (EdgeStep(f"urn:relation:{name}") for name in "pqr")
BACK = EdgeStep("urn:relation:p", True)
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
ALL, WALK = PathSelector(), Restrictor.WALK
ANY_SHORTEST = PathSelector(SelectorKind.ANY_SHORTEST)


def only(text: str) -> PathQuery:
    (query,) = parse(text).queries
    return query


def expression(text: str) -> PathExpression:
    return only(f"QUERY q ANY {text}").expression


def sequence(*parts: PathExpression) -> PathSequence:
    return PathSequence(parts)


def either(*parts: PathExpression) -> PathAlternatives:
    return PathAlternatives(parts)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (":p", P),
        ("^:p", BACK),
        ("<urn:relation:p>", P),
        ("a", EdgeStep(TYPE)),
        (":p/:q/:r", sequence(P, Q, R)),
        ("(:p/:q)/:r", sequence(sequence(P, Q), R)),
        (":p|:q/:r", either(P, sequence(Q, R))),
        ("(:p|:q)/:r", sequence(either(P, Q), R)),
        ("^:p/:q", sequence(BACK, Q)),
        ("^:p*", PathRepetition(BACK)),
        ("(^:p)*", PathRepetition(BACK)),
        ("^(:p/:q)", sequence(EdgeStep("urn:relation:q", True), BACK)),
        ("^(^:p/(:p|^:p)+)", sequence(PathRepetition(either(BACK, P), 1), P)),
        (":p?", PathRepetition(P, 0, 1)),
        (":p*", PathRepetition(P, 0, None)),
        (":p+", PathRepetition(P, 1, None)),
        (":p{3}", PathRepetition(P, 3, 3)),
        (":p{2,3}", PathRepetition(P, 2, 3)),
        (":p{2,}", PathRepetition(P, 2, None)),
        (":p{,3}", PathRepetition(P, 0, 3)),
        (":p{ 0 , 1000 }", PathRepetition(P, 0, 1000)),
        ("(:p{2})+", PathRepetition(PathRepetition(P, 2, 2), 1, None)),
        ("!:p", NegatedStep(("urn:relation:p",), None)),
        ("!^:p", NegatedStep(None, ("urn:relation:p",))),
        ("^!:p", NegatedStep(None, ("urn:relation:p",))),
        ("!(:p|a)", NegatedStep(("urn:relation:p", TYPE), None)),
        ("!(^:p|:q|^a)", NegatedStep(("urn:relation:q",), ("urn:relation:p", TYPE))),
        ("^!(^:p|:q)", NegatedStep(("urn:relation:p",), ("urn:relation:q",))),
        ("!()", NegatedStep((), None)),
        ("^!()", NegatedStep(None, ())),
        ("^^!(:p)".replace("^^", "^"), NegatedStep(None, ("urn:relation:p",))),
    ],
)
def test_expressions(text: str, meaning: PathExpression) -> None:
    assert expression(text) == meaning


def test_node_conditions() -> None:
    is_late = Operation(">", (Variable("x"), Literal("1990", XSD_INTEGER)))
    assert expression(":p/[?x: ?x > 1990]") == sequence(P, NodeCondition("x", is_late))
    assert expression("^(:p/[$x: ?x > 1990])") == sequence(NodeCondition("x", is_late), BACK)
    assert expression("[?x:?x=:p]") == NodeCondition("x", Operation("=", (Variable("x"), Iri("urn:relation:p"))))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(paths)
def test_inverse_is_that_of_the_algebra(path: tree.Path) -> None:
    lowering = PathLowering(Prefixes((), dict.fromkeys(("", "ex", "filter", "a"), "http://e/")))
    try:
        meaning = lowering.lower(path)
    except Exception as error:  # a random condition that has no meaning
        assert type(error).__name__ == "Problem"
        return
    assert lowering.lower(tree.Inverse(path)) == inverted(meaning)


@pytest.mark.parametrize(
    ("mode", "selector", "restrictor"),
    [
        ("ALL", ALL, WALK),
        ("ANY", PathSelector(SelectorKind.ANY), WALK),
        ("any 3", PathSelector(SelectorKind.ANY, 3), WALK),
        ("All Shortest", PathSelector(SelectorKind.ALL_SHORTEST), WALK),
        ("ANY SHORTEST PATH", ANY_SHORTEST, WALK),
        ("SHORTEST", PathSelector(SelectorKind.SHORTEST), WALK),
        ("SHORTEST 12 PATHS", PathSelector(SelectorKind.SHORTEST, 12), WALK),
        ("WALK", ALL, WALK),
        ("TRAIL", ALL, Restrictor.TRAIL),
        ("acyclic paths", ALL, Restrictor.ACYCLIC),
        ("ALL SIMPLE", ALL, Restrictor.SIMPLE),
        ("SHORTEST 2 TRAIL PATHS", PathSelector(SelectorKind.SHORTEST, 2), Restrictor.TRAIL),
        ("", ALL, WALK),
    ],
)
def test_selectors_and_restrictors(mode: str, selector: PathSelector, restrictor: Restrictor) -> None:
    assert only(f"QUERY q {mode} :p/:q") == PathQuery("q", sequence(P, Q), (), (), selector, restrictor)


@pytest.mark.parametrize("text", [":p*", ":p/(:q|^:r+)", "(:p/:q){3,}"])
def test_without_a_bound_any_shortest_walk_is_meant(text: str) -> None:
    query = only(f"QUERY q {text}")
    assert (query.selector, query.restrictor) == (ANY_SHORTEST, WALK)
    assert only(f"QUERY q TRAIL {text}").selector == ALL
    for mode in ("ALL", "WALK", "ALL WALK"):
        with pytest.raises(QueryError, match="infinitely many walks"):
            parse(f"QUERY q {mode} {text}")


@pytest.mark.parametrize("text", [":p{,9}", "[?x: ?x > 1]*", "(:p*){0}", "([?x: ?x > 1]|:p{0})+", ":p?"])
def test_with_a_bound_all_walks_are_meant(text: str) -> None:
    assert only(f"QUERY q {text}").selector == ALL
    assert only(f"QUERY q ALL WALK {text}").selector == ALL


def test_nodes() -> None:
    query = only(
        "PREFIX e: <http://e/> QUERY q FROM e:a, <http://e/b>, LABEL \"K\", e:a TO LABEL 'K', :c :p NOT BACK TO START"
    )
    assert query.starts == (Iri("http://e/a"), Iri("http://e/b"), LabelledNodes("K"))
    assert query.ends == (LabelledNodes("K"), Iri("urn:relation:c"))
    assert query.not_back


def test_declarations_hold_for_what_follows() -> None:
    text = """QUERY one :p  PREFIX : <http://e/> QUERY two :p
    BASE <http://b/> QUERY three <p>  prefix : <q#> query four :p"""
    assert [query.expression for query in parse(text).queries] == [
        P,
        EdgeStep("http://e/p"),
        EdgeStep("http://b/p"),
        EdgeStep("http://b/q#p"),
    ]


def test_only_the_empty_prefix_has_a_default() -> None:
    assert expression(":%C3%A9") == EdgeStep("urn:relation:%C3%A9")
    assert expression("xsd:date") == EdgeStep("http://www.w3.org/2001/XMLSchema#date")
    with pytest.raises(QueryError, match="undeclared prefix ex:"):
        parse("QUERY q ex:p")


def test_a_file_and_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "films.paths"
    file.write_text("\ufeffQUERY films :p\n", encoding="utf-8")
    assert parse(file).queries[0].name == "films"
    file.write_text("QUERY films :p/\n", encoding="utf-8")
    with pytest.raises(QuerySyntaxError, match=r"films\.paths:1:16"):
        parse(file)
    with pytest.raises(OptionError):
        parse(7)  # type: ignore[arg-type]


def test_errors_of_later_stages_have_a_place() -> None:
    parsed = parse("QUERY one :p\nQUERY two ALL :q{2}", "two.paths")
    error = parsed.error("two", "too large", "write less")
    assert (error.location.path, error.line, error.column, error.hint) == ("two.paths", 2, 15, "write less")


def test_many_queries() -> None:
    text = "".join(f"QUERY q{number} FROM :n{number} :p/^:p NOT BACK TO START\n" for number in range(2_000))
    assert len(parse(text).queries) == 2_000


def test_bounds_on_the_input() -> None:
    with pytest.raises(QuerySyntaxError, match=r"more than 40,000 words[^§]*hint: one query can have many starts"):
        parse("QUERY q " + "/".join([":p"] * 20_001))
    with pytest.raises(QueryError, match="nested more than 200 levels"):
        parse("QUERY q " + "(" * 10_000 + ":p")
    with pytest.raises(QuerySyntaxError, match="at most 65,536 are read"):
        parse(f'QUERY q FROM LABEL "{"x" * 70_000}" :p')
    assert expression("(" * 150 + ":p" + ")" * 150) == P


def test_long_lists_are_printed_as_read() -> None:
    parsed = parse("QUERY q " + "|".join(f":p{number}" for number in range(5_000)))
    assert parse(format_queries(parsed.tree)).queries == parsed.queries


def test_grammar_has_no_conflicts_and_no_overlapping_terminals() -> None:
    build_grammar(grammar_text(GRAMMAR), check_terminals=True)
