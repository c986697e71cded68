"""Background knowledge that changes while events pass: each event sees its own version."""

from __future__ import annotations

import weakref

import pytest

from gpm.algebra import Exists, Filter, Graph, Group, Minus, Optional
from gpm.background import BackgroundGraphs, KnowledgeGraph
from gpm.evaluator import CompiledPattern, Evaluator
from nfa_native.terms.dictionary import Terms
from tests.gpm.worlds import NS, bgp, event, group, iri

OLD = b"@prefix : <http://example.org/> . :a :sector :s1 ; :part [ :name 'x' ] . :b :sector :s2 ."
NEW = b"@prefix : <http://example.org/> . :a :sector :s3 ; :part [ :name 'x' ] . :c :sector :s1 ."
EVENTS = [event(":e :company :a ."), event(":e :company :b ."), event(":e :company :c .")]
IN_KB = Graph(iri("kb"), group(bgp("?c :sector ?s")))
COMPANY = bgp("?e :company ?c")


def found(evaluator: Evaluator, pattern: CompiledPattern, version: int | None = None) -> list[tuple[int, str]]:
    """The number of the event and the local name of the only slot, for each row."""
    (rows,) = evaluator.evaluate_graphs(EVENTS, [pattern], version)
    words = (int(word) for word in rows.columns[0])
    names = [evaluator.terms.bytes(word).decode().rpartition("/")[2] if word else "" for word in words]
    return list(zip(rows.row_event.tolist(), names, strict=True))


@pytest.mark.parametrize(
    ("elements", "slot", "before", "after"),
    [
        ((COMPANY, IN_KB), "s", [(0, "s1"), (1, "s2")], [(0, "s3"), (2, "s1")]),
        ((COMPANY, Optional(group(IN_KB))), "s", [(0, "s1"), (1, "s2"), (2, "")], [(0, "s3"), (1, ""), (2, "s1")]),
        ((COMPANY, Minus(group(IN_KB))), "c", [(2, "c")], [(1, "b")]),
        ((COMPANY, Filter(Exists(group(IN_KB)))), "c", [(0, "a"), (1, "b")], [(0, "a"), (2, "c")]),
        (
            (COMPANY, group(IN_KB, Filter(Exists(group(bgp("?e :company ?c")))))),
            "c",
            [(0, "a"), (1, "b")],
            [(0, "a"), (2, "c")],
        ),
    ],
    ids=["join", "optional", "minus", "exists", "event by event"],
)
def test_patterns_compiled_before_see_the_version_of_the_event(
    elements: tuple[object, ...], slot: str, before: list[tuple[int, str]], after: list[tuple[int, str]]
) -> None:
    background = BackgroundGraphs({NS + "kb": OLD})
    evaluator = Evaluator(Terms(), background)
    pattern = evaluator.compile(Group(elements), (slot,))  # type: ignore[arg-type]
    assert found(evaluator, pattern) == before
    assert evaluator.update_background(background.replaced(NS + "kb", NEW)) == evaluator.version == 1
    assert found(evaluator, pattern) == found(evaluator, pattern, 1) == after
    assert found(evaluator, pattern, 0) == before
    evaluator.forget_versions(1)
    assert found(evaluator, pattern) == after
    with pytest.raises(KeyError):
        found(evaluator, pattern, 0)


def test_a_graph_may_be_new() -> None:
    evaluator = Evaluator(Terms())
    pattern = evaluator.compile(group(COMPANY, IN_KB), ("s",))
    assert not found(evaluator, pattern)
    evaluator.update_background(evaluator.background.replaced(NS + "kb", OLD))
    assert found(evaluator, pattern) == [(0, "s1"), (1, "s2")]


def test_a_pattern_of_several_graphs() -> None:
    background = BackgroundGraphs({NS + "kb": OLD, NS + "more": b"<http://example.org/s1> <urn:in> <urn:x> ."})
    evaluator = Evaluator(Terms(), background)
    both = Optional(group(IN_KB, Graph(iri("more"), group(bgp("?s ?in ?x")))))
    pattern = evaluator.compile(group(COMPANY, both), ("s",))
    assert found(evaluator, pattern) == [(0, "s1"), (1, ""), (2, "")]
    evaluator.update_background(background.replaced(NS + "kb", NEW))
    assert found(evaluator, pattern) == [(0, ""), (1, ""), (2, "s1")]


def test_forgotten_versions_are_freed_and_unchanged_tables_shared() -> None:
    background = BackgroundGraphs({NS + "kb": OLD, NS + "other": OLD})
    evaluator = Evaluator(Terms(), background)
    other = Graph(iri("other"), group(bgp("?c :sector ?o")))
    pattern = evaluator.compile(group(COMPANY, IN_KB, other), ("s",))
    old = evaluator._versions[0].knowledge
    tables = {graphs[0]: table for (graphs, _, _), table in old._tables.items() if table is not None}
    evaluator.update_background(background.replaced(NS + "kb", NEW))
    assert found(evaluator, pattern) == [(0, "s3")]
    later = {graphs[0]: table for (graphs, _, _), table in evaluator._versions[1].knowledge._tables.items()}
    assert later[NS + "other"] is tables[NS + "other"]
    assert later[NS + "kb"] is not tables[NS + "kb"]
    gone = weakref.ref(old)
    evaluator.forget_versions(1)
    del old
    assert gone() is None


def test_fingerprints_and_blank_nodes_follow_the_contents() -> None:
    first = BackgroundGraphs({NS + "kb": OLD, NS + "other": OLD})
    second = first.replaced(NS + "kb", NEW)
    assert second.fingerprint() == BackgroundGraphs({NS + "kb": NEW, NS + "other": OLD}).fingerprint()
    assert second.replaced(NS + "kb", OLD).fingerprint() == first.fingerprint() != second.fingerprint()
    assert second.graphs[NS + "other"] is first.graphs[NS + "other"]
    assert not blank_nodes(first.graphs[NS + "kb"]) & blank_nodes(second.graphs[NS + "kb"])
    again = second.replaced(NS + "kb", OLD)
    assert blank_nodes(again.graphs[NS + "kb"]) == blank_nodes(first.graphs[NS + "kb"]) != set()


def blank_nodes(graph: KnowledgeGraph) -> set[str]:
    """The labels of the subjects that are blank nodes."""
    return {str(quad.subject) for quad in graph.store if str(quad.subject).startswith("_:")}
