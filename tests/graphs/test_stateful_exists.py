"""EXISTS in a filter that also looks at other events: it sees its own event's graph, the rest the partial match."""

from __future__ import annotations

import spaseq

QUERY = """PREFIX : <urn:>
SELECT ?a ?b FROM STREAM s <urn:s> WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?x :p ?a }
  DEFINE GPM B ON s { ?y :p ?b FILTER(?b > ?a && (NOT EXISTS { ?y :bad ?z } || EXISTS { ?y :good ?z })) }
}"""
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def graph(value: int, *marks: str) -> bytes:
    lines = [f'<urn:e> <urn:p> "{value}"^^<{INTEGER}> .', *(f"<urn:e> <urn:{mark}> <urn:x> ." for mark in marks)]
    return "\n".join(lines).encode()


def test_exists_sees_the_event_and_the_comparison_the_partial_match() -> None:
    events = [(1, graph(1)), (2, graph(2, "bad")), (3, graph(3, "bad", "good")), (4, graph(4))]
    found = [(int(m.bindings["a"]), int(m.bindings["b"])) for m in spaseq.run(QUERY, {"s": events})]
    assert sorted(found) == [(1, 3), (2, 3), (3, 4)]
