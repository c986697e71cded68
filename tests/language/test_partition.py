"""PARTITION BY: what is read, printed, in scope, and grouped."""

from __future__ import annotations

import pytest

from gpm import algebra as g
from spaseq.errors import QueryError
from spaseq.languages.spaseq import format_query, parse
from spaseq.pattern.sequences import Partition, Query, Selection

E = "http://e/"
CARD = g.Triple(g.Variable("e"), g.Iri(E + "card"), g.Variable("card"))


def read(partition: str, select: str = "*", seq: str = "A ; B", own: str = "?p :card ?card .") -> Query:
    parsed = parse(f"""PREFIX : <{E}> SELECT {select} WITHIN 1 DAY FROM STREAM S <{E}s> {partition}
        WHERE {{ SEQ({seq}) DEFINE GPM A ON S {{ {own} ?p :sum ?x }} DEFINE GPM B ON S {{ {own} ?p :tip ?y }} }}""")
    assert parse(format_query(parsed.tree)).query == parsed.query
    assert parsed.warnings == ()
    return parsed.query


def shown(query: Query) -> list[str]:
    assert isinstance(query.form, Selection)
    return [one.name for one in query.form.projections]


def test_without_using() -> None:
    query = read("PARTITION BY ?card $card")
    assert query.partition == Partition(("card",))
    assert query.keys == ("card",)


def test_without_partition() -> None:
    assert read("").partition is None
    assert read("").keys == ()


def test_using_a_pattern() -> None:
    query = read("partition by ?card using { ?e :card ?card FILTER(?nobody > 1) }", own="")
    assert query.partition is not None and query.partition.using is not None
    triples, condition = query.partition.using.elements
    assert triples == g.Triples((CARD,))
    assert condition == g.Filter(g.Operation(">", (g.Variable("nobody"), g.Literal("1", g.XSD_INTEGER))))


def test_using_background_knowledge() -> None:
    using = "PARTITION BY ?owner USING { ?e :card ?card GRAPH :kb { ?card :owner ?owner } }"
    query = read(using, own="")
    assert query.partition is not None and query.partition.using is not None
    assert isinstance(query.partition.using.elements[1], g.Graph)


def test_keys_are_variables_of_every_match() -> None:
    assert shown(read("PARTITION BY ?card USING { ?e :card ?card }", own="")) == ["card", "p", "x", "y"]
    assert shown(read("PARTITION BY ?card", seq="A+ ; B")) == ["card", "p", "x", "y"]


def test_keys_are_no_group_variables() -> None:
    with pytest.raises(QueryError, match=r"\?card is no group variable"):
        read("PARTITION BY ?card", "(FIRST(?card) AS ?c)", "A+ ; B")


def test_keys_count_as_grouped() -> None:
    assert shown(read("PARTITION BY ?card", "?card (COUNT(*) AS ?n)")) == ["card", "n"]
    with pytest.raises(QueryError, match=r"\?x is neither grouped"):
        read("PARTITION BY ?card", "?x (COUNT(*) AS ?n)")


def test_using_sees_the_event_alone() -> None:
    for inner in ("FILTER(PREV(?x) > 1)", "FILTER(SUM(?x) > 1)", "SERVICE :s { ?a ?b ?c }"):
        with pytest.raises(QueryError):
            read(f"PARTITION BY ?card USING {{ ?e :card ?card {inner} }}")
