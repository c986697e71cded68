"""Random streams whose events have keys, queries with PARTITION BY, and what each substream gives by itself."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from pyoxigraph import Literal, NamedNode, Triple

import spaseq

E = "http://e/"
SECOND = 1_000_000
ATOMS = {"A": ("a", "?x"), "B": ("b", "?y"), "C": ("c", "?z")}
SEQUENCES = (
    "A ; B", "A , B", "A : B", "A+ ; B", "A ; B+", "A , B+ , C", "A ; B! ; C", "A , B! , C", "A ; B? ; C", "A , B? , C",
    "A & B", "A & B , C", "(A | B) , C", "B! ; A", "A ; B!", "A , B!", "B! ; A , C", "A{2,}", "A,{2,}", "(A , B)+",
    "A ; (B , C)+", "A ; B?", "A , B?", "A* ; B", "(A ; B!)+ ; C", "A , A", "A;+", "(A & B)! ; C", "A , (B & C)",
    "A? , B", "A , B , C",
)  # fmt: skip
WINDOWS = (
    "", "WITHIN 3 SECONDS SLIDING", "WITHIN 2 SECONDS", "WITHIN 100 SECONDS SLIDING", "WITHIN 2 EVENTS SLIDING",
    "WITHIN 3 EVENTS", "WITHIN 2 EVENTS", "WITHIN 3 EVENTS SLIDING",
)  # fmt: skip
SELECTED = (
    "?k ?sA ?x ?sB ?y ?sC ?z", "?x ?k", "?z", "(COUNT(*) AS ?n)", "?k (COUNT(*) AS ?n)", "DISTINCT ?k",
    "(COUNT(*) AS ?n) (SUM(?x) AS ?t)",
)  # fmt: skip
FILTERS = ({}, {}, {"B": "FILTER(?y > ?x)"}, {"C": "FILTER(?z > ?x)"})


@dataclass(frozen=True, slots=True)
class Event:
    """``kinds`` are the GPMs (small letters) that it matches, ``keys`` its keys."""

    time: int
    number: int
    kinds: tuple[str, ...]
    keys: tuple[str, ...]
    value: int

    @property
    def graph(self) -> list[Triple]:
        """Its triples, never none."""
        node = NamedNode(f"{E}s{self.number}")
        found = [Triple(node, NamedNode(E + kind), Literal(self.value)) for kind in self.kinds]
        found += [Triple(node, NamedNode(E + "key"), NamedNode(E + key)) for key in self.keys]
        return found or [Triple(node, NamedNode(E + "nothing"), Literal(0))]


@dataclass(frozen=True, slots=True)
class Case:
    """A query without PARTITION BY, ``using`` a pattern for the keys or not, and a stream."""

    sequence: str
    window: str
    select: str
    filters: dict[str, str]
    using: bool
    events: tuple[Event, ...]

    @property
    def keys(self) -> list[str]:
        """All keys of the stream."""
        return sorted({key for event in self.events for key in event.keys})

    def query(self, key: str = "") -> str:
        """With PARTITION BY, or as one substream has it."""
        clause = "" if key else "PARTITION BY ?k" + (" USING { ?e :key ?k }" if self.using else "")
        definitions = " ".join(self._define(name, key) for name in ATOMS)
        group = " GROUP BY ?k" if key and "COUNT" in self.select else ""
        return (
            f"PREFIX : <{E}> SELECT {self.select} {self.window} FROM STREAM S :S {clause} "
            f"WHERE {{ SEQ({self.sequence}) {definitions} }}{group}"
        )

    def _define(self, name: str, key: str) -> str:
        kind, variable = ATOMS[name]
        bound = f"VALUES ?k {{ :{key} }}" if key else ""
        keyed = f"?t{name} :key ?k ." if key and self.using else "" if self.using else f"?s{name} :key ?k ."
        return f"DEFINE GPM {name} ON S {{ {keyed} {bound} ?s{name} :{kind} {variable} {self.filters.get(name, '')} }}"

    def substream(self, key: str) -> tuple[Event, ...]:
        """The events that have the key."""
        return tuple(one for one in self.events if key in one.keys and (self.using or one.kinds))


def random_case(random: Random) -> Case:
    """One of many."""
    keys = ["k1", "k2", "k3"][: random.randint(1, 3)]
    time, events = 0, []
    for number in range(random.randint(1, 8)):
        time += random.choice([0, 1, 1, 2]) * SECOND
        kinds = random.choice([("a",), ("b",), ("c",), ("a", "b"), ("b", "c"), (), ("a", "b", "c")])
        own = tuple(key for key in keys if random.random() < 0.4)
        events.append(Event(time, number, kinds, own, random.randint(0, 3)))
    choices = (random.choice(SEQUENCES), random.choice(WINDOWS), random.choice(SELECTED), random.choice(FILTERS))
    return Case(*choices, random.random() < 0.3, tuple(events))


def results(query: str, events: tuple[Event, ...], cuts: frozenset[int] = frozenset()) -> list[str]:
    """The results in a fixed order; after the events ``cuts`` the engine is saved and restored."""
    engine = spaseq.Engine()
    engine.register(query, "q")
    found = []
    for number, event in enumerate(events):
        found += engine.push("S", event.graph, event.time, f"{E}e{event.number}")
        if number in cuts:
            engine = spaseq.Engine.restore(engine.snapshot(), {"q": query})
    return sorted(str(match.to_dict()) for match in [*found, *engine.close()])
