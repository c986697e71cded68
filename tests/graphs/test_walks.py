"""Random calls of an engine: collecting terms, snapshots, lists of events and the way of evaluation change nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings, strategies as st

import spaseq
from spaseq.sources.rdf.events import Event

EXAMPLES = int(os.environ.get("SPASEQ_EXAMPLES", "40"))
PREFIX = "PREFIX : <http://example.org/>"
S, T, D = "http://example.org/s", "http://example.org/t", "http://example.org/d"

QUERIES = {
    "join": f"""{PREFIX} SELECT ?x ?v ?b ?y WITHIN 5 MILLISECONDS SLIDING
        FROM STREAM s <{S}> FROM STREAM t <{T}> WHERE {{
        SEQ(A ; B) DEFINE GPM A ON s {{ ?x :p ?v . OPTIONAL {{ ?x :r ?b }} }} DEFINE GPM B ON t {{ ?y :q ?v }} }}""",
    "drops": f"""{PREFIX} CONSTRUCT {{ [] :v ?v ; :from ?x ; :b ?b }} INTO STREAM <{D}> WITHIN 4 MILLISECONDS SLIDING
        FROM STREAM s <{S}> WHERE {{ SEQ(A ; B)
        DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?z :r ?b ; :p ?v }} }}""",
    "derived": f"""{PREFIX} SELECT ?v ?n WITHIN 9 MILLISECONDS SLIDING FROM STREAM d <{D}> FROM STREAM t <{T}> WHERE {{
        SEQ(A ; B!) DEFINE GPM A ON d {{ ?n :v ?v }} DEFINE GPM B ON t {{ ?y :q ?v }} }}""",
    "counted": f"""{PREFIX} SELECT ?v ?w WITHIN 3 EVENTS SLIDING FROM STREAM s <{S}> WHERE {{
        SEQ(A , B) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?y ?any ?w . FILTER(?w != ?v) }} }}""",
    "aggregate": f"""{PREFIX} SELECT ?v (COUNT(*) AS ?n) WITHIN 6 MILLISECONDS SLIDING FROM STREAM s <{S}> WHERE {{
        SEQ(A+ , B) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?y :r ?w }} }} GROUP BY ?v""",
}  # fmt: skip
PARSED = {name: spaseq.parse(query) for name, query in QUERIES.items()}
PREPARED = {name: spaseq.prepare(query) for name, query in QUERIES.items()}

nodes = st.sampled_from(["<http://example.org/a>", "<http://example.org/b>", "_:n", "_:m"])
LONG = '"long enough to be in the table"'
values = st.one_of(nodes, st.sampled_from([LONG, LONG, LONG, '"01"^^<urn:t>', "1", '"x"@en']))
predicates = st.sampled_from([":p", ":p", ":p", ":q", ":q", ":r"])
triples = st.builds("{} {} {} .".format, nodes, predicates, values)
graphs = st.lists(triples, min_size=1, max_size=6).map(
    lambda lines: "PREFIX : <http://example.org/> " + " ".join(lines)
)
items = st.tuples(st.integers(-3, 3), graphs, st.booleans())


@dataclass
class Push:
    """Events of a stream: how much later than the one before, the graph, and whether it has a name."""

    stream: str
    items: list[tuple[int, str, bool]]


@dataclass
class Advance:
    """A promise about the next so many milliseconds."""

    by: int


@dataclass
class Register:
    """One more query."""

    name: str


steps = st.one_of(
    st.builds(Push, st.sampled_from([S, T]), st.lists(items, min_size=1, max_size=4)),
    st.builds(Push, st.sampled_from([S, T]), st.lists(items, min_size=1, max_size=4)),
    st.builds(Push, st.sampled_from([S, T]), st.lists(items, min_size=1, max_size=4)),
    st.builds(Advance, st.integers(0, 3)),
    st.builds(Register, st.sampled_from(sorted(QUERIES))),
)


class Walk:
    """Takes steps with an engine."""

    def __init__(
        self, first: str, gpm: str = "auto", one_by_one: bool = False, restored: bool = False, prepared: bool = False
    ) -> None:
        self.late: list[Event] = []
        self.engine = spaseq.Engine(lateness=2_000, gpm=gpm, on_late=self.late.append)
        self.gpm, self.one_by_one, self.restored = gpm, one_by_one, restored
        self.queries: dict[str, Any] = dict(PREPARED if prepared else PARSED)
        self.registered: dict[str, Any] = {}
        self.register("join")
        self.register(first)
        self.matches: list[spaseq.Match] = []
        self.seen: list[str] = []  # the same matches, looked at when they came
        self.time = self.number = 0

    def register(self, name: str) -> None:
        if name == "derived":
            self.register("drops")
        if name not in self.registered:
            self.engine.register(self.queries[name], name)
            self.registered[name] = self.queries[name]

    def take(self, step: Push | Advance | Register) -> None:
        match step:
            case Push(stream, some):
                self.push(stream, some)
            case Advance(by):
                self.time += 1_000 * by
                self.see(self.engine.advance(self.time))
            case Register(name):
                self.register(name)
        if self.restored:
            data = self.engine.snapshot()
            queries = dict(self.registered)
            self.engine = spaseq.Engine.restore(data, queries, on_late=self.late.append, gpm=self.gpm)

    def push(self, stream: str, some: list[tuple[int, str, bool]]) -> None:
        batch: list[Any] = []
        for later, graph, named in some:
            self.time, self.number = self.time + 1_000 * later, self.number + 1
            batch.append((self.time, graph.encode(), f"urn:event:{self.number}" if named else None))
        for part in [[item] for item in batch] if self.one_by_one else [batch]:
            self.see(self.engine.push_batch(stream, part))

    def see(self, matches: list[spaseq.Match]) -> None:
        self.matches += matches
        if not self.restored:
            self.seen += map(text, matches)

    def end(self) -> tuple[list[str], list[str]]:
        """All matches, and the late events."""
        self.see(self.engine.close())
        found = list(map(text, self.matches))
        assert self.restored or found == self.seen
        return sorted(found), [f"{e.stream} {e.timestamp} {e.name} {sorted(map(str, e.triples))}" for e in self.late]


def text(match: spaseq.Match) -> str:
    """A match; the triples of a derived event are a set."""
    shown = match.to_dict()
    return str({**shown, "triples": sorted(shown.get("triples", ()))})


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(steps, max_size=14), st.sampled_from(sorted(QUERIES)))
def test_walks(some: list[Push | Advance | Register], first: str) -> None:
    walks = [Walk(first), Walk(first, "pyoxigraph"), Walk(first, one_by_one=True), Walk(first, restored=True)]
    walks += [Walk(first, prepared=True)]
    forgetful = [Walk(first, "verify"), Walk(first, restored=True, one_by_one=True), Walk(first, one_by_one=True)]
    forgetful += [Walk(first, restored=True, prepared=True)]
    for step in some:
        for walk in walks:
            walk.take(step)
        with patch("spaseq.graphs.terms_in_use.FEW_TERMS", -1):
            for walk in forgetful:
                walk.engine.kind.forgetting.most_terms = -1
                walk.take(step)
    expected = walks[0].end()
    for walk in [*walks[1:], *forgetful]:
        assert walk.end() == expected
