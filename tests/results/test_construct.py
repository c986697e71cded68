"""CONSTRUCT: events of matches."""

from __future__ import annotations

import pyoxigraph
from pyoxigraph import BlankNode, Literal

from gpm.algebra import BlankNode as Blank, Iri, Triple, Variable
from nfa_native.terms.dictionary import Terms
from spaseq.results.match import DerivedEvent
from spaseq.results.projection import NEVER, Constructor
from spaseq.results.table import MatchTable
from tests.results.plans import HandMadePlan, Row, construct_plan, raw_matches
from tests.results.tables import OxTerm, iri

X, Y = Variable("x"), Variable("y")
P, Q = Iri("http://example.org/p"), Iri("http://example.org/q")


def construct(plan: HandMadePlan, rows: list[Row], shift: int = 0) -> MatchTable:
    terms = Terms()
    constructor = Constructor(plan, terms, lambda handle: f"http://example.org/e{handle - shift}")
    rows = [row._replace(picks=(row.picks[0] + shift, row.picks[1] + shift)) for row in rows]
    return constructor.construct(raw_matches(terms, len(plan.columns), rows))


def events(plan: HandMadePlan, rows: list[Row]) -> list[DerivedEvent]:
    table = construct(plan, rows)
    assert table.derived is not None and len(table.derived) == len(table)
    return list(table.derived)


def test_one_event_a_match_from_all_its_rows() -> None:
    plan = construct_plan(("x", "y"), (Triple(X, P, Y),))
    rows = [
        Row((1, 2, 3), (1, 2), (iri("a"), Literal(1))),
        Row((1, 2, 3), (1, 9), (iri("a"), Literal(3))),
        Row((1, 2, 3), (1, 2), (iri("a"), Literal(2))),
        Row((1, 2, 3), (1, 2), (iri("a"), Literal(2))),
    ]
    one, two = events(plan, rows)
    assert one.triples == [pyoxigraph.Triple(iri("a"), iri("p"), Literal(n)) for n in (1, 2)]
    assert two.triples == [pyoxigraph.Triple(iri("a"), iri("p"), Literal(3))]
    assert (one.stream, one.timestamp) == ("http://example.org/out", 3)
    assert one.name.startswith("urn:spaseq:derived:") and one.name != two.name


def test_unbound_and_misplaced_terms_are_skipped() -> None:
    plan = construct_plan(("x", "y"), (Triple(X, P, Y), Triple(Y, Q, X), Triple(X, Y, X)))

    def of(x: OxTerm | None, y: OxTerm | None) -> list[str]:
        return [str(t) for event in events(plan, [Row((1, 2, 2), (1, 2), (x, y))]) for t in event.triples]

    assert of(iri("a"), Literal(1)) == [str(pyoxigraph.Triple(iri("a"), iri("p"), Literal(1)))]
    assert of(None, iri("b")) == []
    assert len(of(iri("a"), iri("b"))) == 3
    assert len(of(iri("a"), BlankNode("e1.b"))) == 2


def test_nothing_left_no_event() -> None:
    plan = construct_plan(("x",), (Triple(X, P, X),))
    table = construct(plan, [Row((1, 2, 2), (1, 2), (None,)), Row((1, 2, 2), (1, 3), (iri("a"),))])
    assert [match.events for match in table] == [{"A": ["http://example.org/e1"], "B": ["http://example.org/e3"]}]
    assert construct(plan, []).derived == ()


def test_names_depend_on_events_and_not_on_their_numbers() -> None:
    plan = construct_plan(("x",), (Triple(Blank("b"), P, X),))
    rows = [Row((1, 2, 2), (1, 2), (iri("a"),)), Row((1, 2, 2), (1, 3), (iri("a"),))]
    first, again = construct(plan, rows), construct(plan, rows, shift=100)
    assert first.derived == again.derived
    assert len({event.name for event in first.derived or ()}) == 2


def test_blank_nodes_are_new_in_every_row() -> None:
    plan = construct_plan(("x",), (Triple(Blank("b"), P, X), Triple(Blank("b"), Q, Blank("c"))))
    rows = [Row((1, 2, 2), (1, 2), (iri(name),)) for name in ("a", "b")]
    (event,) = events(plan, rows)
    subjects = [triple.subject for triple in event.triples]
    assert len(event.triples) == 4 and len(set(subjects)) == 2
    assert subjects[0] == subjects[1] != event.triples[1].object


def test_events_that_only_the_end_decides_get_its_time() -> None:
    plan, terms = construct_plan(("x",), (Triple(X, P, X),)), Terms()
    raw = raw_matches(terms, 1, [Row((1, 2, NEVER), (1, 2), (iri("a"),))])
    table = Constructor(plan, terms, str).construct(raw, end=7)
    assert table.derived is not None and table.derived[0].timestamp == 7
