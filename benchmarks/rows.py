"""Rows of three GPMs `{ ?e :company ?c ; :price ?p }` with different variable names on 100,000 events of 6 triples.

Prints microseconds per event, encoding to words included; one process.  Usage: python benchmarks/rows.py [events]
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence

from pyoxigraph import Literal, NamedNode, Triple

from gpm.algebra import Graph, Group, Iri, Triple as TriplePattern, Triples, Variable
from gpm.background import BackgroundGraphs
from gpm.evaluator import Evaluator
from gpm.rows import EventGraph
from nfa_native.terms.dictionary import Terms

NS = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
CALL = 4000  # events handed over at once


def stock_events(count: int, seed: int = 1) -> list[EventGraph]:
    """Trades of 100 companies in turn, one every 10 ms."""
    generator = random.Random(seed)
    predicate = {name: NamedNode(NS + name) for name in ("company", "price", "volume", "time", "exchange", "seller")}
    decimal, date_time = NamedNode(XSD + "decimal"), NamedNode(XSD + "dateTime")
    events = []
    for n in range(count):
        values: dict[str, NamedNode | Literal] = {
            "company": NamedNode(f"{NS}company/{n % 100}"),
            "price": Literal(f"{generator.random() * 100:.2f}", datatype=decimal),
            "volume": Literal(generator.randrange(1000)),
            "time": Literal(f"2026-01-01T00:00:{n % 60:02}Z", datatype=date_time),
            "exchange": NamedNode(f"{NS}exchange/{n % 12}"),
            "seller": NamedNode(f"{NS}seller/{generator.randrange(5000)}"),
        }
        subject = NamedNode(f"{NS}trade/{n}")
        triples = [Triple(subject, predicate[name], value) for name, value in values.items()]
        events.append(EventGraph(triples, n * 10_000, n))
    return events


def star(*names: str) -> Group:
    """`{ ?e :company ?c ; :price ?p }` with these three names."""
    subject, company, price = map(Variable, names)
    return Group((Triples((_pattern(subject, "company", company), _pattern(subject, "price", price))),))


def _pattern(subject: Variable, predicate: str, value: Variable) -> TriplePattern:
    return TriplePattern(subject, Iri(NS + predicate), value)


def measure(
    title: str, events: list[EventGraph], groups: Sequence[tuple[Group, tuple[str, ...]]], kb: BackgroundGraphs
) -> None:
    """Prints the cost of these patterns and how many rows they gave."""
    evaluator = Evaluator(Terms(), kb)
    patterns = [evaluator.compile(group, names) for group, names in groups]
    start, rows = time.process_time(), 0
    for first in range(0, len(events), CALL):
        rows += sum(len(found.row_event) for found in evaluator.evaluate_graphs(events[first : first + CALL], patterns))
    spent = time.process_time() - start
    print(f"{title:<46}{spent / len(events) * 1e6:8.2f} µs/event{rows:10} rows")


def main(count: int) -> None:
    """All measurements on ``count`` events."""
    events = stock_events(count)
    sectors = "".join(f"<{NS}company/{n}> <{NS}sector> <{NS}sector/{n % 7}> .\n" for n in range(100))
    background = BackgroundGraphs({NS + "kb": sectors.encode()})
    sector = Graph(Iri(NS + "kb"), Group((Triples((_pattern(Variable("c1"), "sector", Variable("s1")),)),)))
    three = [(star(f"e{n}", f"c{n}", f"p{n}"), (f"c{n}", f"p{n}")) for n in (1, 2, 3)]
    with_subject = [(group, (f"e{n}", *names)) for n, (group, names) in enumerate(three, 1)]
    joined = Group((*star("e1", "c1", "p1").elements, sector))
    measure("one GPM", events, three[:1], background)
    measure("three GPMs, equal up to names", events, three, background)
    measure("three GPMs, the trade's IRI as a slot", events, with_subject, background)
    measure("one GPM with background knowledge", events, [(joined, ("c1", "p1", "s1"))], background)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
