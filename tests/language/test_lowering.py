"""What queries mean: graph patterns, scope, stateful filters, windows, streams, SELECT and CONSTRUCT."""

from __future__ import annotations

import pytest

from gpm import algebra as g
from spaseq.errors import QueryError, QuerySyntaxError
from spaseq.languages.grammars import build_grammar, grammar_text
from spaseq.languages.spaseq import format_query, parse
from spaseq.languages.spaseq.parser import GRAMMAR
from spaseq.pattern.sequences import AtomDefinition, Construction, Query, Selection, Stream, Window

E = "http://e/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def v(name: str) -> g.Variable:
    return g.Variable(name)


def iri(local: str) -> g.Iri:
    return g.Iri(E + local)


def integer(number: int) -> g.Literal:
    return g.Literal(str(number), g.XSD_INTEGER)


def read(
    body: str = "?s ex:p ?x",
    second: str = "?s ex:q ?y",
    select: str = "*",
    within: str = "WITHIN 1 DAY",
    seq: str = "A ; B",
) -> Query:
    text = f"""PREFIX ex: <{E}> SELECT {select} {within} FROM STREAM S <{E}stream> WHERE {{ SEQ({seq})
        DEFINE GPM A ON S {{ {body} }} DEFINE GPM B ON S {{ {second} }} }}"""
    parsed = parse(text)
    assert parse(format_query(parsed.tree)).query == parsed.query
    return parsed.query


def elements(body: str) -> tuple[g.Element, ...]:
    return read(body).atoms[0].pattern.elements


def triples(body: str) -> tuple[g.Triple, ...]:
    (element,) = elements(body)
    assert isinstance(element, g.Triples)
    return element.triples


def condition(text: str) -> g.Expression:
    found = elements(f"?s ex:p ?x FILTER({text})")[1]
    assert isinstance(found, g.Filter)
    return found.expression


# ── triples ──────────────────────────────────────────────────────────────────────────────────────────────
def test_abbreviations() -> None:
    assert triples("?s a ex:C ; ex:p 1, 2.0 , 3e0 ; ex:q true, 'x'@EN, '1'^^ex:t .") == (
        g.Triple(v("s"), g.Iri(RDF + "type"), iri("C")),
        g.Triple(v("s"), iri("p"), integer(1)),
        g.Triple(v("s"), iri("p"), g.Literal("2.0", g.XSD_DECIMAL)),
        g.Triple(v("s"), iri("p"), g.Literal("3e0", g.XSD_DOUBLE)),
        g.Triple(v("s"), iri("q"), g.Literal("true", g.XSD_BOOLEAN)),
        g.Triple(v("s"), iri("q"), g.Literal("x", language="en")),
        g.Triple(v("s"), iri("q"), g.Literal("1", E + "t")),
    )


def test_blank_nodes_keep_apart() -> None:
    first, second, third = triples("_:g1 ex:p [] . [] ex:p _:g1")[0:2] + triples("[ ex:p ?x ]")
    assert first.subject == second.object
    assert len({first.subject, first.object, second.subject}) == 3
    assert isinstance(third.subject, g.BlankNode)


def test_collections_and_property_lists() -> None:
    found = triples("?s ex:p (?x [ ex:q ?y ]) , ()")
    first, rest = g.Iri(RDF + "first"), g.Iri(RDF + "rest")
    assert [each.predicate for each in found] == [iri("p"), first, rest, first, iri("q"), rest, iri("p")]
    assert found[0].object == found[1].subject
    assert found[5].object == found[6].object == g.Iri(RDF + "nil")


def test_paths() -> None:
    (found,) = triples("?s ^ex:a/(ex:b|ex:c)*/!(ex:d|^a) ?x")
    assert found.predicate == g.SequencePath(
        (
            g.InversePath(iri("a")),
            g.RepeatedPath(g.AlternativePath((iri("b"), iri("c"))), "*"),
            g.NegatedPath((iri("d"),), (g.Iri(RDF + "type"),)),
        )
    )


def test_escapes_and_relative_iris() -> None:
    text = r"""BASE <http://b/x/> SELECT * WITHIN 1 DAY FROM STREAM <s> WHERE { SEQ(A)
    DEFINE GPM A ON <s> { ?s <#p> "a\t\"\u00e9" . ?s <../q\u00e9> '''b
"c''' } }"""
    query = parse(text).query
    (element,) = query.atoms[0].pattern.elements
    assert isinstance(element, g.Triples)
    assert query.streams == (Stream("http://b/x/s", "http://b/x/s"),)
    assert element.triples == (
        g.Triple(v("s"), g.Iri("http://b/x/#p"), g.Literal('a\t"é')),
        g.Triple(v("s"), g.Iri("http://b/qé"), g.Literal('b\n"c')),
    )


def test_prefixes_like_keywords() -> None:
    text = """PREFIX filter: <http://f/> PREFIX : <http://d/> PREFIX a: <http://a/>
      SELECT * WITHIN 1 DAY FROM STREAM : WHERE { SEQ(filter:Optional)
      DEFINE GPM filter ON : { ?s filter:optional a:a.b ; a :x\\,y } DEFINE GPM Optional ON : { :bind : :values } }"""
    query = parse(text).query
    (element,) = query.atoms[0].pattern.elements
    assert isinstance(element, g.Triples)
    assert element.triples[0] == g.Triple(v("s"), g.Iri("http://f/optional"), g.Iri("http://a/a.b"))
    assert element.triples[1].object == g.Iri("http://d/x,y")


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
def operation(name: str, *arguments: g.Expression) -> g.Operation:
    return g.Operation(name, arguments)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("?x-1-2 < 3", operation("<", operation("-", operation("-", v("x"), integer(1)), integer(2)), integer(3))),
        ("1 + 2 * ?x = 3", operation("=", operation("+", integer(1), operation("*", integer(2), v("x"))), integer(3))),
        ("?x || ?s && !?x", operation("||", v("x"), operation("&&", v("s"), operation("!", v("x"))))),
        ("?x<?s&&?s>?x", operation("&&", operation("<", v("x"), v("s")), operation(">", v("s"), v("x")))),
        ("?x = -1", operation("=", v("x"), g.Literal("-1", g.XSD_INTEGER))),
        ("?x = - 1", operation("=", v("x"), operation("-", integer(1)))),
        ("?x IN (1, ex:a)", operation("IN", v("x"), integer(1), iri("a"))),
        ("?x not  in ()", operation("NOT IN", v("x"))),
        ("isUri(?x)", operation("ISIRI", v("x"))),
        ("xsd:integer(?x)", operation(f"<{g.XSD_INTEGER}>", v("x"))),
        ("coalesce()", operation("COALESCE")),
        ("NOW()", operation("NOW")),
    ],
)
def test_expression(text: str, meaning: g.Expression) -> None:
    assert condition(text) == meaning


# ── scope and stateful filters ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("body", "variables"),
    [
        ("?b ex:p ?a . ?c ?d ?a", "b a c d"),
        ("?s ex:p* ?o . _:x ex:p ?z", "s o z"),
        ("?s ex:p [ ex:q ?x ] ; ex:r ?y", "s x y"),
        ("OPTIONAL { ?a ex:p ?b } { ?c ex:p 1 } UNION { ?d ex:p 1 }", "a b c d"),
        ("?a ex:p 1 MINUS { ?b ex:p 1 } FILTER EXISTS { ?c ex:p ?a }", "a"),
        ("?a ex:p 1 GRAPH ex:kb { ?b ex:p 1 } BIND(1 AS ?c) VALUES (?d ?e) { (1 2) }", "a b c d e"),
        ("{ SELECT ?a (COUNT(?c) AS ?n) { ?a ?b ?c } GROUP BY ?a }", "a n"),
        ("{ SELECT * { ?a ?b 1 } }", "a b"),
    ],
)
def test_in_scope(body: str, variables: str) -> None:
    assert read(body).atoms[0].variables == tuple(variables.split())


def test_stateful_filters_are_split_off() -> None:
    atom = read(second="?s ex:q ?y FILTER(?y > ?x) FILTER(?y > 1) FILTER(?y = ?x && ?y > 2)").atoms[1]
    assert atom.stateful == (
        operation(">", v("y"), v("x")),
        operation("&&", operation("=", v("y"), v("x")), operation(">", v("y"), integer(2))),
    )
    assert atom.pattern.elements[1:] == (g.Filter(operation(">", v("y"), integer(1))),)


def test_foreign_variables_elsewhere_are_not_stateful() -> None:
    inner = "FILTER EXISTS { ?s ex:r ?x } OPTIONAL { ?s ex:r ?z FILTER(?z > ?x) } { FILTER(?x > 1) }"
    assert read(second=f"?s ex:q ?y {inner}").atoms[1].stateful == ()


def test_previous_and_aggregates() -> None:
    body = "?s ex:p ?x FILTER(COALESCE(?x > PREV(?x), true)) FILTER(COUNT(?x) < 3) FILTER(FIRST(?x) <= ?x)"
    assert read(body, seq="A+ ; B").atoms[0].stateful == (
        operation("COALESCE", operation(">", v("x"), g.Previous(v("x"))), g.Literal("true", g.XSD_BOOLEAN)),
        operation("<", g.Aggregate("COUNT", v("x")), integer(3)),
        operation("<=", g.Aggregate("FIRST", v("x")), v("x")),
    )


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("WITHIN 30 MINUTES", Window(1800 * SECOND)),
        ("within (1 minute)", Window(60 * SECOND)),
        ("WITHIN 5 MILLISECONDS SLIDING", Window(5000, sliding=True)),
        ("WITHIN 2 DAYS", Window(2 * 86400 * SECOND)),
        ("WITHIN 1 HOUR", Window(3600 * SECOND)),
        ("WITHIN 7 EVENTS", Window(7, events=True)),
        ("WITHIN 7 EVENTS SLIDING", Window(7, sliding=True, events=True)),
        ('WITHIN 1 SECOND FROM "1970-01-01T00:00:02.1234567"^^xsd:dateTime', Window(SECOND, origin=2_123_456)),
        ('WITHIN 1 SECOND FROM "1970-01-01T02:00:00+01:00"^^xsd:dateTime', Window(SECOND, origin=3600 * SECOND)),
        ('WITHIN 1 SECOND FROM "1969-12-31T23:59:59.5Z"^^xsd:dateTime SLIDING', Window(SECOND, True, False, -500_000)),
        ("", None),
    ],
)
def test_window(text: str, window: Window | None) -> None:
    assert read(within=text).window == window


def test_select_star_shows_bound_variables_in_order_of_mention() -> None:
    assert read(seq="B ; A").form == Selection(tuple(g.Projection(name, v(name)) for name in ("s", "y", "x")))
    assert read(seq="A ; B!").form == Selection(tuple(g.Projection(name, v(name)) for name in ("s", "x")))


def test_select_names_can_be_used_after_they_are_given() -> None:
    form = read(select="DISTINCT ?s ?s (?x + 1 AS ?z) (?z * 2 AS ?w)").form
    more = operation("+", v("x"), integer(1))
    assert form == Selection(
        (g.Projection("s", v("s")), g.Projection("z", more), g.Projection("w", operation("*", more, integer(2)))),
        distinct=True,
    )


def test_match_aggregates() -> None:
    text = f"SELECT ?s (COUNT(*) AS ?n) (SUM(?x) AS ?t) WITHIN 1 DAY FROM STREAM S <{E}s> WHERE {{ SEQ(A)"
    form = parse(text + f" DEFINE GPM A ON S {{ ?s <{E}p> ?x }} }} GROUP BY ?s").query.form
    assert form == Selection(
        (
            g.Projection("s", v("s")),
            g.Projection("n", g.Aggregate("COUNT", None)),
            g.Projection("t", g.Aggregate("SUM", v("x"))),
        ),
        group_by=("s",),
    )


def test_streams_are_distinct_and_keep_their_order() -> None:
    text = f"""PREFIX ex: <{E}>
      SELECT * FROM STREAM B ex:b WITHIN 1 DAY FROM STREAM ex:a FROM STREAM C ex:b
      WHERE {{ DEFINE GPM X ON C {{ ?s ex:p ?x }} SEQ(X;Y;Z)
      DEFINE GPM Y ON ex:a {{ ?s ex:p ?x }} DEFINE GPM Z ON <{E}b> {{ ?s ex:p ?x }} }}"""
    query = parse(text).query
    assert query.streams == (Stream("B", E + "b"), Stream(E + "a", E + "a"))
    assert [atom.stream for atom in query.atoms] == [E + "b", E + "a", E + "b"]


def test_sequence_before_the_braces() -> None:
    """As the first publications of the language write it."""
    text = f"SELECT ?s WITHIN 10 SECONDS FROM STREAM S <{E}s> WHERE SEQ(A) {{ DEFINE GPM A ON S {{ ?s <{E}p> ?x . }} }}"
    atom = parse(text).query.atoms[0]
    pattern = g.Group((g.Triples((g.Triple(v("s"), iri("p"), v("x")),)),))
    assert atom == AtomDefinition("A", E + "s", pattern, ("s", "x"))


def test_construct() -> None:
    text = f"""PREFIX ex: <{E}> CONSTRUCT {{ ?s ex:saw [ ex:of ?x ] }} INTO STREAM Alerts ex:alerts WITHIN 1 DAY
      FROM STREAM S ex:s WHERE {{ SEQ(A) DEFINE GPM A ON S {{ ?s ex:p ?x }} }}"""
    form = parse(text).query.form
    assert isinstance(form, Construction) and form.into == E + "alerts"
    outer, inner = form.template
    assert outer == g.Triple(v("s"), iri("saw"), inner.subject) and inner.object == v("x")


def test_comments_and_case() -> None:
    text = f"""# a comment with ) and "
      select * # another
      within 1 day from stream S <{E}s#x> where {{ seq(A ; # between
      +) define gpm A on S {{ ?s <{E}p#q> "#no comment" filter(?s != <{E}>) }} }} # the end"""
    query = parse(text).query
    assert query.streams[0].iri == E + "s#x"


# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────
def test_too_long() -> None:
    with pytest.raises(QueryError, match="at most 1,048,576"):
        parse("#" * (1 << 20) + "\n")


@pytest.mark.parametrize(
    "body",
    [
        "?s ex:p ?x FILTER(" + "!" * 5000 + "?x)",
        "?s ex:p ?x FILTER(" + "?x + " * 5000 + "1)",
        "?s ex:p " + "[ ex:p " * 3000 + "?x" + " ]" * 3000,
        "{" * 3000 + "?s ex:p ?x" + "}" * 3000,
        "?s " + "^(" * 3000 + "ex:p" + ")" * 3000 + " ?x",
    ],
)
def test_too_deep(body: str) -> None:
    with pytest.raises(QueryError, match="nested more than 200 levels deep"):
        read(body)


def test_too_deep_sequence() -> None:
    with pytest.raises(QueryError, match="nested more than 200 levels deep"):
        read(seq=" ; ".join("A" * 3000))


@pytest.mark.parametrize("change", [{"seq": "A{" + "9" * 5000 + "}"}, {"within": f"WITHIN {'9' * 5000} DAYS"}])
def test_numbers_beyond_measure(change: dict[str, str]) -> None:
    with pytest.raises((QueryError, QuerySyntaxError), match=r"too large|longer than time"):
        read(**change)
    with pytest.raises(QuerySyntaxError, match="too large"):
        read("{ SELECT * { ?s ex:p ?x } LIMIT " + "1" * 5000 + " }")


def test_deep_but_fine() -> None:
    parentheses = "(" * 3000 + "?x" + ")" * 3000
    assert condition(parentheses + " > 1") == operation(">", v("x"), integer(1))
    assert len(read("VALUES ?x { " + "1 " * 5000 + "}").atoms[0].pattern.elements) == 1


def test_odd_characters() -> None:
    for text in ("\ufeff", "\x00", "SELECT \ud800", "🙂", "SELECT * \t\v\f", "\r\n\r"):
        with pytest.raises(QuerySyntaxError):
            parse(text)


def test_no_terminals_overlap() -> None:
    """The check that lark's strict mode makes; parsing itself skips it, because it takes seconds."""
    pytest.importorskip("interegular")
    build_grammar(grammar_text(GRAMMAR), check_terminals=True)


def test_quiet_when_all_is_well() -> None:
    text = f"""SELECT ?s ?x (COUNT(?y) AS ?n) WITHIN 1 DAY FROM STREAM S <{E}s> WHERE {{ SEQ(A ; C! ; B+)
      DEFINE GPM A ON S {{ ?s <{E}p> ?x }} DEFINE GPM C ON S {{ ?s <{E}r> ?z FILTER(?z > ?y) }}
      DEFINE GPM B ON S {{ ?s <{E}q> ?y FILTER(!BOUND(PREV(?y)) || ?y > PREV(?y))
        FILTER(?y > ?x || BOUND(?nothing)) }} }}"""
    assert parse(text).warnings == ()
