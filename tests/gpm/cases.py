"""Every construct of SPARQL 1.1 graph patterns twice: as text, and as the tree that prints to its equivalent."""

from __future__ import annotations

from gpm.algebra import (
    XSD_DATETIME,
    XSD_INTEGER,
    Aggregate,
    AlternativePath,
    Bind,
    BlankNode,
    Exists,
    Filter,
    Graph,
    Group,
    InversePath,
    Literal,
    Minus,
    NegatedPath,
    Optional,
    Projection,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from tests.gpm.worlds import bgp, call, event, group, iri, triple

P, Q, R = iri("p"), iri("q"), iri("r")
KB = iri("kb")
MOMENT = Literal("2020-01-01T00:00:00Z", XSD_DATETIME)

EVENTS = [
    event(":a :p :b . :b :p :c . :c :q 5 . :a :r 'text'@en, 'text' .", 0, 0),
    event(":a :q 5 ; :q 5.0 ; :r 'x\\ty\\n\"z\\\\' .", 1_000_000, 1),
    event(":x :p :x . :x :q 7, 8 .", 1_700_000_000_123_456, 2),
    event("_:n :p _:m . _:m :p _:n . _:n :q 3 .", 5, 3),
    event("_:n :p :a . :a :q 1.50, 2e0, true, '2026-01-01T00:00:00Z'^^xsd:dateTime .", 6, 4),
    event(":z :unrelated :thing .", 7, 5),
]

KNOWLEDGE = (
    b"@prefix : <http://example.org/> . :a :name 'A' ; :low 4 . :b :name 'B', 'b' . :x :low 7 . :x :p :deep . "
    b"_:k :name 'anonymous' ; :knows :a . :c :sub [ :sub :d ] ."
)


def _path(path: object) -> Group:
    return group(Triples((triple("?a", path, "?b"),)))  # type: ignore[arg-type]


def _in_kb(*texts: str) -> Graph:
    return Graph(KB, group(bgp(*texts)))


A_P_B = bgp("?a :p ?b")

PLAIN: dict[str, tuple[str, Group]] = {
    "empty": ("", group()),
    "triple": ("?a :p ?b", group(A_P_B)),
    "join": ("?a :p ?b . ?b :p ?c", group(bgp("?a :p ?b", "?b :p ?c"))),
    "constants": (":a :q 5", group(bgp(":a :q 5"))),
    "equal value": ("?a :q 05 . ?a :q 5.00", group(bgp("?a :q 05", "?a :q 5.00"))),
    "variable predicate": ("?a ?p ?b . ?b ?p ?c", group(bgp("?a ?p ?b", "?b ?p ?c"))),
    "same variable": ("?a :p ?a", group(bgp("?a :p ?a"))),
    "blank node": (
        "_:u :p ?b . _:u :q ?c",
        group(Triples((Triple(BlankNode("u"), P, Variable("b")), Triple(BlankNode("u"), Q, Variable("c"))))),
    ),
    "literal escapes": (
        "?a :r 'x\\ty\\n\"z\\\\'",
        group(Triples((Triple(Variable("a"), R, Literal('x\ty\n"z\\')),))),
    ),
    "language": ("?a :r 'text'@en", group(Triples((Triple(Variable("a"), R, Literal("text", "", "en")),)))),
    "optional": ("?a :p ?b OPTIONAL { ?b :q ?c }", group(A_P_B, Optional(group(bgp("?b :q ?c"))))),
    "optional first": ("OPTIONAL { ?a :p ?b }", group(Optional(group(A_P_B)))),
    "optional filter": (
        "?a :p ?b OPTIONAL { ?b :q ?c FILTER(?a = :b) }",
        group(A_P_B, Optional(group(bgp("?b :q ?c"), Filter(call("=", "?a", ":b"))))),
    ),
    "two optionals": (
        "OPTIONAL { ?a :p ?b } OPTIONAL { ?a :q ?c }",
        group(Optional(group(A_P_B)), Optional(group(bgp("?a :q ?c")))),
    ),
    "union": ("{ ?a :p ?b } UNION { ?a :q ?c }", group(Union((group(A_P_B), group(bgp("?a :q ?c")))))),
    "union with empty": ("{} UNION { ?a :p ?b }", group(Union((group(), group(A_P_B))))),
    "minus": ("?a :p ?b MINUS { ?a :q ?c }", group(A_P_B, Minus(group(bgp("?a :q ?c"))))),
    "minus nothing shared": ("?a :p ?b MINUS { ?c :q ?d }", group(A_P_B, Minus(group(bgp("?c :q ?d"))))),
    "minus empty": ("?a :p ?b MINUS {}", group(A_P_B, Minus(group()))),
    "minus from values": (
        "VALUES ?a { :a } MINUS { ?a :q ?b }",
        group(Values((Variable("a"),), ((iri("a"),),)), Minus(group(bgp("?a :q ?b")))),
    ),
    "minus from optional": (
        "OPTIONAL { ?a :p ?b } MINUS { ?a :p ?c }",
        group(Optional(group(A_P_B)), Minus(group(bgp("?a :p ?c")))),
    ),
    "values": (
        "VALUES (?a ?b) { (:a :b) (:x UNDEF) } ?a :p ?b",
        group(Values((Variable("a"), Variable("b")), ((iri("a"), iri("b")), (iri("x"), None))), A_P_B),
    ),
    "values alone": (
        "VALUES ?a { 1 2 }",
        group(Values((Variable("a"),), ((Literal("1", XSD_INTEGER),), (Literal("2", XSD_INTEGER),)))),
    ),
    "values then optional": (
        "VALUES ?a { :a } OPTIONAL { ?a :q ?b }",
        group(Values((Variable("a"),), ((iri("a"),),)), Optional(group(bgp("?a :q ?b")))),
    ),
    "bind": ("?a :q ?b BIND(?b * 2 AS ?c)", group(bgp("?a :q ?b"), Bind(call("*", "?b", "2"), Variable("c")))),
    "bind alone": ("BIND(1 AS ?c)", group(Bind(call("+", "1"), Variable("c")))),
    "bind error": ("?a :r ?b BIND(?b + 1 AS ?c)", group(bgp("?a :r ?b"), Bind(call("+", "?b", "1"), Variable("c")))),
    "bind exists": (
        "?a :p ?b BIND(EXISTS { ?b :p ?d } AS ?c)",
        group(A_P_B, Bind(Exists(group(bgp("?b :p ?d"))), Variable("c"))),
    ),
    "filter": ("?a :q ?b FILTER(?b > 5)", group(bgp("?a :q ?b"), Filter(call(">", "?b", "5")))),
    "filter logic": (
        "?a :q ?b FILTER(!(?b > 5) || ?b + 1 >= 9 && ?b != 4)",
        group(
            bgp("?a :q ?b"),
            Filter(
                call(
                    "||",
                    call("!", call(">", "?b", "5")),
                    call("&&", call(">=", call("+", "?b", "1"), "9"), call("!=", "?b", "4")),
                )
            ),
        ),
    ),
    "filter functions": (
        "?a :r ?b FILTER(REGEX(STR(?b), '^T', 'i') && LANG(?b) IN ('en', 'de') && BOUND(?a))",
        group(
            bgp("?a :r ?b"),
            Filter(
                call(
                    "&&",
                    call("REGEX", call("STR", "?b"), "^T", "i"),
                    call("&&", call("IN", call("LANG", "?b"), "en", "de"), call("BOUND", "?a")),
                )
            ),
        ),
    ),
    "cast": (
        "?a :q ?b FILTER(xsd:integer(?b) = 5)",
        group(bgp("?a :q ?b"), Filter(call("=", call("<http://www.w3.org/2001/XMLSchema#integer>", "?b"), "5"))),
    ),
    "filter foreign variable": ("?a :p ?b FILTER(?nowhere = 1)", group(A_P_B, Filter(call("=", "?nowhere", "1")))),
    "filter before": ("FILTER(?b > 5) ?a :q ?b", group(Filter(call(">", "?b", "5")), bgp("?a :q ?b"))),
    "exists": ("?a :p ?b FILTER EXISTS { ?b :p ?c }", group(A_P_B, Filter(Exists(group(bgp("?b :p ?c")))))),
    "not exists": ("FILTER NOT EXISTS { ?c :q ?d }", group(Filter(Exists(group(bgp("?c :q ?d")), negated=True)))),
    "exists with values": (
        "?a :p ?b FILTER EXISTS { VALUES ?b { :b } }",
        group(A_P_B, Filter(Exists(group(Values((Variable("b"),), ((iri("b"),),)))))),
    ),
    "group": ("{ ?a :p ?b } { ?c :q ?d }", group(group(A_P_B), group(bgp("?c :q ?d")))),
    "path inverse": ("?a ^:p ?b", _path(InversePath(P))),
    "path sequence": ("?a :p/:q ?b", _path(SequencePath((P, Q)))),
    "path alternative": ("?a :p|:q|:r ?b", _path(AlternativePath((P, Q, R)))),
    "path plus": ("?a :p+ ?b", _path(RepeatedPath(P, "+"))),
    "path star": ("?a :p* ?b", _path(RepeatedPath(P, "*"))),
    "path optional": ("?a (:p/:p)? ?b", _path(RepeatedPath(SequencePath((P, P)), "?"))),
    "path star constant": (":nowhere :p* ?b", group(Triples((triple(":nowhere", RepeatedPath(P, "*"), "?b"),)))),
    "path star constants": (":a :p* :c", group(Triples((triple(":a", RepeatedPath(P, "*"), ":c"),)))),
    "path negated": ("?a !(:p|^:q) ?b", _path(NegatedPath((P,), (Q,)))),
    "path negated one": ("?a !:p ?b", _path(NegatedPath((P,), ()))),
    "path negated inverse": ("?a !^:p ?b", _path(NegatedPath((), (P,)))),
    "sub-select": (
        "?a :p ?b { SELECT ?b { ?b :q ?c } }",
        group(A_P_B, SubSelect((Projection("b", Variable("b")),), group(bgp("?b :q ?c")))),
    ),
    "sub-select star": (
        "{ SELECT DISTINCT * { ?a :p ?b } }",
        group(SubSelect(None, group(A_P_B), distinct=True)),
    ),
    "sub-select aggregate": (
        "{ SELECT (COUNT(*) AS ?n) (GROUP_CONCAT(DISTINCT STR(?b); SEPARATOR='|') AS ?s) { ?a :r ?b } }",
        group(
            SubSelect(
                (
                    Projection("n", Aggregate("COUNT", None)),
                    Projection("s", Aggregate("GROUP_CONCAT", call("STR", "?b"), True, "|")),
                ),
                group(bgp("?a :r ?b")),
            )
        ),
    ),
    "sub-select group by": (
        "{ SELECT ?a (MAX(?b) AS ?m) { ?a :q ?b } GROUP BY ?a HAVING(COUNT(?b) > 1) }",
        group(
            SubSelect(
                (Projection("a", Variable("a")), Projection("m", Aggregate("MAX", Variable("b")))),
                group(bgp("?a :q ?b")),
                group_by=(Variable("a"),),
                having=(call(">", Aggregate("COUNT", Variable("b")), "1"),),
            )
        ),
    ),
    "sub-select group by expression": (
        "{ SELECT ?t (SUM(?b) AS ?m) { ?a :q ?b } GROUP BY (ISIRI(?a) AS ?t) }",
        group(
            SubSelect(
                (Projection("t", Variable("t")), Projection("m", Aggregate("SUM", Variable("b")))),
                group(bgp("?a :q ?b")),
                group_by=(Projection("t", call("ISIRI", "?a")),),
            )
        ),
    ),
    "sub-select order": (
        "{ SELECT ?b { ?a :q ?b } ORDER BY DESC(?b) LIMIT 1 OFFSET 0 }",
        group(
            SubSelect(
                (Projection("b", Variable("b")),),
                group(bgp("?a :q ?b")),
                order_by=((Variable("b"), True),),
                limit=1,
                offset=0,
            )
        ),
    ),
    "sub-select values": (
        "{ SELECT ?a ?b { ?a :p ?b } VALUES ?a { :a } }",
        group(
            SubSelect(
                (Projection("a", Variable("a")), Projection("b", Variable("b"))),
                group(A_P_B),
                values=Values((Variable("a"),), ((iri("a"),),)),
            )
        ),
    ),
}

WITH_KNOWLEDGE: dict[str, tuple[str, Group]] = {
    "kb join": ("?a :p ?b GRAPH :kb { ?b :name ?n }", group(A_P_B, _in_kb("?b :name ?n"))),
    "kb first": ("GRAPH :kb { ?b :name ?n } ?a :p ?b", group(_in_kb("?b :name ?n"), A_P_B)),
    "kb alone": ("GRAPH :kb { ?b :name ?n }", group(_in_kb("?b :name ?n"))),
    "kb unknown": (
        "?a :p ?b GRAPH :other { ?b :name ?n }",
        group(A_P_B, Graph(iri("other"), group(bgp("?b :name ?n")))),
    ),
    "kb cross": ("?a :p ?b GRAPH :kb { ?c :low ?n }", group(A_P_B, _in_kb("?c :low ?n"))),
    "kb filter": (
        "?a :q ?v GRAPH :kb { ?a :low ?n } FILTER(?v > ?n)",
        group(bgp("?a :q ?v"), _in_kb("?a :low ?n"), Filter(call(">", "?v", "?n"))),
    ),
    "kb regex": (
        "?a :p ?b GRAPH :kb { ?b :name ?n } FILTER(REGEX(?n, 'b'))",
        group(A_P_B, _in_kb("?b :name ?n"), Filter(call("REGEX", "?n", "b"))),
    ),
    "kb exists filter": (
        "?a :p ?b GRAPH :kb { ?b :low ?n } FILTER EXISTS { ?a :q ?n }",
        group(A_P_B, _in_kb("?b :low ?n"), Filter(Exists(group(bgp("?a :q ?n"))))),
    ),
    "kb in exists": (
        "?a :p ?b FILTER NOT EXISTS { GRAPH :kb { ?b :name ?n } }",
        group(A_P_B, Filter(Exists(group(_in_kb("?b :name ?n")), negated=True))),
    ),
    "kb in optional": (
        "?a :p ?b OPTIONAL { GRAPH :kb { ?b :name ?n } }",
        group(A_P_B, Optional(group(_in_kb("?b :name ?n")))),
    ),
    "kb in minus": (
        "?a :p ?b MINUS { GRAPH :kb { ?b :name ?n } }",
        group(A_P_B, Minus(group(_in_kb("?b :name ?n")))),
    ),
    "kb in union": (
        "{ ?a :p ?b } UNION { GRAPH :kb { ?a :name ?b } }",
        group(Union((group(A_P_B), group(_in_kb("?a :name ?b"))))),
    ),
    "kb after optional": (
        "?a :p ?b OPTIONAL { ?a :q ?v } GRAPH :kb { ?a :low ?v }",
        group(A_P_B, Optional(group(bgp("?a :q ?v"))), _in_kb("?a :low ?v")),
    ),
    "kb before optional": (
        "?a :p ?b GRAPH :kb { ?a :low ?v } OPTIONAL { ?a :q ?v }",
        group(A_P_B, _in_kb("?a :low ?v"), Optional(group(bgp("?a :q ?v")))),
    ),
    "kb before minus": (
        "?a :p ?b GRAPH :kb { ?a :low ?v } MINUS { ?a :q ?v }",
        group(A_P_B, _in_kb("?a :low ?v"), Minus(group(bgp("?a :q ?v")))),
    ),
    "kb optional inside": (
        "?a :p ?b GRAPH :kb { ?b :name ?n OPTIONAL { ?b :low ?l } } ",
        group(A_P_B, Graph(KB, group(bgp("?b :name ?n"), Optional(group(bgp("?b :low ?l")))))),
    ),
    "kb optional inside, joined": (
        "?b :q ?l GRAPH :kb { ?b :name ?n OPTIONAL { ?b :low ?l } } ",
        group(bgp("?b :q ?l"), Graph(KB, group(bgp("?b :name ?n"), Optional(group(bgp("?b :low ?l")))))),
    ),
    "kb then bind": (
        "?a :q ?v GRAPH :kb { ?a :low ?n } BIND(?v - ?n AS ?d) FILTER(?d >= 0)",
        group(
            bgp("?a :q ?v"),
            _in_kb("?a :low ?n"),
            Bind(call("-", "?v", "?n"), Variable("d")),
            Filter(call(">=", "?d", "0")),
        ),
    ),
    "kb then bind then optional": (
        "?a :q ?v GRAPH :kb { ?a :low ?n } BIND(?v - ?n AS ?d) OPTIONAL { ?a :p ?d }",
        group(
            bgp("?a :q ?v"),
            _in_kb("?a :low ?n"),
            Bind(call("-", "?v", "?n"), Variable("d")),
            Optional(group(bgp("?a :p ?d"))),
        ),
    ),
    "kb bind twice": (
        "?a :q ?v GRAPH :kb { ?a :low ?n } BIND(?v AS ?w) GRAPH :kb { ?a :name ?m }",
        group(bgp("?a :q ?v"), _in_kb("?a :low ?n"), Bind(Variable("v"), Variable("w")), _in_kb("?a :name ?m")),
    ),
    "kb path": (
        "?a :p ?b GRAPH :kb { :c :sub* ?d }",
        group(A_P_B, Graph(KB, group(Triples((triple(":c", RepeatedPath(iri("sub"), "*"), "?d"),))))),
    ),
    "kb blank nodes": (
        "?a :p ?b GRAPH :kb { ?k :knows ?a . ?k :name ?n }",
        group(A_P_B, _in_kb("?k :knows ?a", "?k :name ?n")),
    ),
    "kb variable predicate": ("?a :p ?b GRAPH :kb { ?a ?x ?y }", group(A_P_B, _in_kb("?a ?x ?y"))),
    "kb two joins": (
        "GRAPH :kb { ?a :low ?n } GRAPH :kb { ?a :name ?m } OPTIONAL { ?a :q ?n }",
        group(_in_kb("?a :low ?n"), _in_kb("?a :name ?m"), Optional(group(bgp("?a :q ?n")))),
    ),
}

TIMED: dict[str, tuple[str, Group]] = {
    "now filter": ("?a :p ?b FILTER(NOW() > {T})", group(A_P_B, Filter(call(">", call("NOW"), MOMENT)))),
    "now bind": ("?a :p ?b BIND(NOW() AS ?c)", group(A_P_B, Bind(call("NOW"), Variable("c")))),
    "now bind late": (
        "?a :p ?b GRAPH :kb {{ ?b :name ?n }} BIND(CONCAT(?n, STR(NOW())) AS ?c)",
        group(A_P_B, _in_kb("?b :name ?n"), Bind(call("CONCAT", "?n", call("STR", call("NOW"))), Variable("c"))),
    ),
    "now in kb": (
        "?a :p ?b GRAPH :kb {{ ?b :name ?n FILTER(NOW() > {T}) }}",
        group(A_P_B, Graph(KB, group(bgp("?b :name ?n"), Filter(call(">", call("NOW"), MOMENT))))),
    ),
}
