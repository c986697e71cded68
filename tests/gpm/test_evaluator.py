"""The evaluator agrees with one query per event, construct by construct."""

from __future__ import annotations

import pyoxigraph
import pytest

from gpm.algebra import (
    Exists,
    Filter,
    Graph,
    Group,
    Iri,
    Operation,
    Optional,
    Projection,
    SubSelect,
    Variable,
)
from gpm.background import BackgroundGraphs
from gpm.core import Route, lexical_time
from gpm.errors import PatternError
from gpm.evaluator import Evaluator
from gpm.rewrite import rename
from gpm.rows import EventGraph
from gpm.scope import in_scope
from nfa_native.terms.dictionary import Terms
from tests.gpm.cases import EVENTS, KNOWLEDGE, PLAIN, TIMED, WITH_KNOWLEDGE
from tests.gpm.worlds import NS, bgp, call, event, group, node, plain, sets

N_QUADS = pyoxigraph.RdfFormat.N_QUADS
KB = BackgroundGraphs({NS + "kb": KNOWLEDGE})


ALL = PLAIN | WITH_KNOWLEDGE


@pytest.mark.parametrize(("text", "pattern"), ALL.values(), ids=ALL)
def test_agrees_with_one_query_per_event(text: str, pattern: Group) -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    variables = tuple(sorted(in_scope(pattern)))
    (rows,) = evaluator.evaluate_graphs(EVENTS, [evaluator.compile(pattern, variables)])
    assert sets(rows, len(EVENTS)) == plain(text, EVENTS, variables, terms, KB)


@pytest.mark.parametrize(("text", "pattern"), TIMED.values(), ids=TIMED)
def test_now_is_the_events_time(text: str, pattern: Group) -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    variables = tuple(sorted(in_scope(pattern)))
    (rows,) = evaluator.evaluate_graphs(EVENTS, [evaluator.compile(pattern, variables)])
    date_time = "<http://www.w3.org/2001/XMLSchema#dateTime>"
    body = text.format(T=f'"2020-01-01T00:00:00Z"^^{date_time}')
    for n, found in enumerate(sets(rows, len(EVENTS))):
        now = f'"{lexical_time(EVENTS[n].timestamp)}"^^{date_time}'
        assert [found] == plain(body.replace("NOW()", now), [EVENTS[n]], variables, terms, KB)


def test_all_at_once_gives_the_same_as_one_by_one() -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    compiled = [evaluator.compile(pattern, tuple(sorted(in_scope(pattern)))) for _, pattern in ALL.values()]
    together = evaluator.evaluate_graphs(EVENTS * 3, compiled)
    for pattern, rows in zip(compiled, together, strict=True):
        (alone,) = evaluator.evaluate_graphs(EVENTS * 3, [pattern])
        assert sets(alone, len(EVENTS) * 3) == sets(rows, len(EVENTS) * 3)


def test_batches_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    patterns = [evaluator.compile(group(bgp("?a :p ?b")), ("b", "a")), evaluator.compile(PLAIN["path star"][1], ("a",))]
    whole = [sets(rows, 12) for rows in evaluator.evaluate_graphs(EVENTS * 2, patterns)]
    for size in (1, 2, 5):
        monkeypatch.setattr("gpm.evaluator.BATCH", size)
        assert [sets(rows, 12) for rows in evaluator.evaluate_graphs(EVENTS * 2, patterns)] == whole


def test_patterns_equal_up_to_names_are_evaluated_once() -> None:
    evaluator = Evaluator(Terms())
    one = evaluator.compile(group(bgp("?a :p ?b")), ("a", "b"))
    two = evaluator.compile(rename(group(bgp("?a :p ?b")), lambda name: name + "2"), ("b2", "a2"))
    assert one.shape == two.shape
    first, second = evaluator.evaluate_graphs(EVENTS, [one, two])
    assert (first.columns == second.columns[::-1]).all()


def test_slots_without_binding_and_without_slots() -> None:
    evaluator = Evaluator(Terms())
    pattern = group(bgp("?a :p ?b"))
    compiled = [evaluator.compile(pattern, columns) for columns in (("zz", "a"), ())]
    some, none = evaluator.evaluate_graphs(EVENTS, compiled)
    assert (some.columns[0] == 0).all()
    assert none.columns.shape == (0, 4)
    assert none.row_event.tolist() == [0, 2, 3, 4]


def test_no_events() -> None:
    evaluator = Evaluator(Terms())
    (rows,) = evaluator.evaluate_graphs([], [evaluator.compile(group(bgp("?a :p ?b")), ("a",))])
    assert rows.columns.shape == (1, 0)


def test_blank_nodes_of_two_events_differ() -> None:
    terms = Terms()
    evaluator = Evaluator(terms)
    events = [event("_:b :p 1 .", 0, 10), event("_:b :p 1 .", 0, 11), event("_:b :p 1 .", 0, 10)]
    (rows,) = evaluator.evaluate_graphs(events, [evaluator.compile(group(bgp("?a :p 1")), ("a",))])
    first, second, again = rows.columns[0].tolist()
    assert first == again != second
    assert terms.bytes(first) == b"Be10." + events[0].triples[0].subject.value.encode()


def test_blank_nodes_beside_strange_strings() -> None:
    terms = Terms()
    evaluator = Evaluator(terms)
    text = '_:a <u:b> _:c .\r\n\x0b\x0c\x1c\x85\u2028 \\ "'
    triple = pyoxigraph.Triple(pyoxigraph.BlankNode("x"), node("p"), pyoxigraph.Literal(text))
    nested = pyoxigraph.Triple(node("a"), node("p"), pyoxigraph.Triple(triple.subject, node("q"), triple.subject))
    pattern = evaluator.compile(group(bgp("?a :p ?b")), ("a", "b"))
    for triples in ([triple], [triple, nested]):
        (rows,) = evaluator.evaluate_graphs([EventGraph(triples, 0, 8)], [pattern])
        found = {terms.bytes(int(b)): terms.bytes(int(a)) for a, b in rows.columns.T}
        assert found[b"S" + text.encode()] == b"Be8.x"
        assert len(found) == len(triples)
    assert any(b"<<( _:e8.x <http://example.org/q> _:e8.x )>>" in value for value in found)


def test_graph_never_sees_other_events() -> None:
    evaluator = Evaluator(Terms())
    inside = Optional(group(Graph(Iri("urn:e:0"), group(bgp("?x :p ?y")))))
    patterns = [evaluator.compile(group(bgp("?a :p ?b"), inside), ("x",))]
    patterns.append(evaluator.compile(group(bgp("?a :p ?b"), Graph(Iri("urn:e:0"), group(bgp("?x :p ?y")))), ("x",)))
    optional, joined = evaluator.evaluate_graphs(EVENTS, patterns)
    assert (optional.columns == 0).all()
    assert not len(joined.row_event)


@pytest.mark.parametrize(
    ("name", "route"),
    [
        ("join", Route.BATCH), ("minus", Route.BATCH), ("minus empty", Route.SINGLE), ("values", Route.BATCH),
        ("values alone", Route.SINGLE), ("path star", Route.BATCH), ("sub-select", Route.SINGLE),
        ("kb join", Route.BATCH), ("kb filter", Route.BATCH), ("kb after optional", Route.BATCH),
        ("kb then bind", Route.BATCH), ("kb in optional", Route.BATCH), ("kb before minus", Route.KNOWLEDGE),
        ("kb in minus", Route.BATCH), ("kb in exists", Route.BATCH), ("kb in union", Route.KNOWLEDGE),
        ("kb exists filter", Route.KNOWLEDGE),
    ],
)  # fmt: skip
def test_routes(name: str, route: Route) -> None:
    pattern = ALL[name][1]
    assert Evaluator(Terms(), KB).compile(pattern, ()).prepared.core.route is route


def test_too_much_knowledge_is_looked_at_event_by_event() -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    evaluator._versions[0].knowledge.limit = 2
    text, pattern = WITH_KNOWLEDGE["kb join"]
    compiled = evaluator.compile(pattern, ("a", "n"))
    assert compiled.prepared.core.route is Route.KNOWLEDGE
    (rows,) = evaluator.evaluate_graphs(EVENTS, [compiled])
    assert sets(rows, len(EVENTS)) == plain(text, EVENTS, ("a", "n"), terms, KB)


def test_large_joins_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = Terms()
    evaluator = Evaluator(terms, KB)
    text, pattern = WITH_KNOWLEDGE["kb cross"]
    compiled = evaluator.compile(pattern, ("a", "c", "n"))
    monkeypatch.setattr("gpm.steps.LARGEST_JOIN", 3)
    (rows,) = evaluator.evaluate_graphs(EVENTS, [compiled])
    assert sets(rows, len(EVENTS)) == plain(text, EVENTS, ("a", "c", "n"), terms, KB)


def test_unknown_functions_are_named() -> None:
    with pytest.raises(PatternError, match=r"http://example\.org/f"):
        Evaluator(Terms()).compile(group(bgp("?a :p ?b"), Filter(call("<http://example.org/f>", "?a"))), ("a",))


def test_quads_lenient_terms_and_empty_graphs() -> None:
    terms = Terms()
    evaluator = Evaluator(terms)
    odd = list(pyoxigraph.parse(b"<urn:a b> <http://example.org/p> <urn:c> <urn:g> .", N_QUADS, lenient=True))
    events = [EventGraph(odd, 0, 0), EventGraph([], 0, 1)]
    patterns = [group(bgp("?a :p ?b")), PLAIN["optional first"][1]]
    triples, anything = evaluator.evaluate_graphs(events, [evaluator.compile(pattern, ("a",)) for pattern in patterns])
    assert [terms.bytes(word) for word in triples.columns[0].tolist()] == [b"Iurn:a b"]
    assert anything.row_event.tolist() == [0, 1]


def test_a_sub_select_in_exists_sees_the_row() -> None:
    """pyoxigraph puts the row's values in the place of variables that the sub-SELECT does not project, too."""
    inner = SubSelect(
        (Projection("d", Variable("d")),), group(bgp("?b :q ?d"), Filter(Operation("BOUND", (Variable("c"),))))
    )
    pattern = group(bgp("?a :p ?c"), Filter(Exists(group(inner))))
    events = [event(":a :p :c . :b :q :d ."), event(":a :p :c .", scope=1)]
    evaluator = Evaluator(Terms())
    compiled = evaluator.compile(pattern, ("a",))
    assert compiled.route.endswith("sub-SELECT in EXISTS")
    (rows,) = evaluator.evaluate_graphs(events, [compiled])
    assert rows.row_event.tolist() == [0]
