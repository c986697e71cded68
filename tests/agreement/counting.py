"""Random queries that aggregate over matches, most of them of the kind that totals can do, with streams for them."""

from __future__ import annotations

from tests.oracle.chooser import Chooser, Seeded
from tests.oracle.expressions import Aggregate, Binary, Const, Expression
from tests.oracle.generate import BASE, SECOND, SOURCES, Pair
from tests.oracle.model import (
    And,
    Atom,
    Column,
    Event,
    Gpm,
    Kleene,
    Maybe,
    Node,
    Not,
    Or,
    Query,
    Select,
    Seq,
    Window,
    walk_nodes,
)
from tests.oracle.values import XSD

NAMES = "ABCDEF"
FEW = 10  # events, of which all matches can be enumerated without a window


def counting_pair(seed: int, events: int = 9) -> Pair:
    """The pair of a seed."""
    return make_counting_pair(Seeded(seed), events)


def make_counting_pair(chooser: Chooser, events: int = 9) -> Pair:
    """A query and a stream of at most so many events, made by a chooser's choices; if they are many, with a window."""
    return _Maker(chooser, events).pair()


class _Maker:
    def __init__(self, chooser: Chooser, most: int) -> None:
        self.chooser = chooser
        self.most = most
        self.keyed = chooser.chance(50)
        self.names = list(NAMES)
        self.odd = chooser.chance(25)  # some events have several solutions, or values that are no exact numbers

    def pair(self) -> Pair:
        query = self.query()
        return Pair(query, self.events(query), frozenset())

    # ── the query ────────────────────────────────────────────────────────────────────────────────────────
    def query(self) -> Query:
        sequence = self.sequence(self.chooser.integer(1, 4))
        names = dict.fromkeys(node.gpm for node in walk_nodes(sequence) if isinstance(node, Atom))
        streams = self.chooser.pick((("s",), ("s",), ("s", "t")))
        gpms = tuple(self.gpm(name, self.chooser.pick(streams)) for name in names)
        return Query(
            sequence, gpms, tuple((name, SOURCES[name]) for name in streams), self.select(sequence, gpms), self.window()
        )

    def sequence(self, steps: int) -> Node:
        node = self.step()
        for _ in range(steps - 1):
            node = Seq(node, self.operator(), self.step())
        return node

    def operator(self) -> str:
        return self.chooser.pick((":", ":", ";", ";", ","))

    def step(self) -> Node:
        match self.chooser.pick((*["atom"] * 6, *["kleene"] * 5, *["or"] * 3, *["and"] * 2, *["odd"] * 3)):
            case "kleene":
                body = self.atom() if self.chooser.chance(80) else Seq(self.atom(), self.operator(), self.atom())
                least = self.chooser.pick((1, 1, 1, 2))
                operator = self.operator() if self.chooser.chance(70) else None
                return Kleene(body, least, self.chooser.pick((None, None, 2, 3)), operator)
            case "or":
                return Or((self.atom(), self.atom()))
            case "and":
                return And((self.atom(), self.atom()))
            case "odd":
                other = Maybe(self.atom()) if self.chooser.chance(50) else Not(self.atom())
                return Seq(self.atom(), self.operator(), Seq(other, self.operator(), self.atom()))
        return self.atom()

    def atom(self) -> Atom:
        """A GPM that has not stood before, but for some."""
        name = self.chooser.pick(self.names or NAMES)
        if not self.chooser.chance(10) and name in self.names:
            self.names.remove(name)
        return Atom(name)

    def gpm(self, name: str, stream: str) -> Gpm:
        subject, value = "k" if self.keyed else "k" + name.lower(), name.lower()
        if self.chooser.chance(10):
            pattern = f"?{subject} :T ?t OPTIONAL {{ ?{subject} :{name} ?{value} }}"
            return Gpm(name, stream, pattern, (subject, "t", value))
        return Gpm(name, stream, f"?{subject} :{name} ?{value}", (subject, value))

    def select(self, sequence: Node, gpms: tuple[Gpm, ...]) -> Select:
        kleenes = [node for node in walk_nodes(sequence) if isinstance(node, Kleene)]
        inside = {node.gpm for kleene in kleenes for node in walk_nodes(kleene) if isinstance(node, Atom)}
        single = [gpm.variables[-1] for gpm in gpms if gpm.name not in inside]
        aggregates = [Aggregate("COUNT", None)]
        for function in ("COUNT", "SUM", "AVG", "MIN", "MAX"):
            if single and self.chooser.chance(25):
                aggregates.append(Aggregate(function, self.chooser.pick(single)))
        columns = tuple(Column(one, f"x{number}") for number, one in enumerate(aggregates))
        grouped = ("k",) if self.keyed and self.chooser.chance(60) else ()
        return Select((*grouped, *columns), group_by=grouped, having=self.having(aggregates))

    def having(self, aggregates: list[Aggregate]) -> tuple[Expression, ...]:
        """Now and then a condition on groups, mostly one that some of them satisfy."""
        if not self.chooser.chance(25):
            return ()
        sign, least = self.chooser.pick((">", "<=", "!=")), self.chooser.integer(0, 3)
        return (Binary(sign, self.chooser.pick(aggregates), Const(least)),)

    def window(self) -> Window | None:
        length = self.chooser.integer(1, 6)
        match self.chooser.pick(("none" if self.most <= FEW else "time", "time", "time", "time", "events")):
            case "none":
                return None
            case "events":
                return Window(length + 1, "EVENTS", self.chooser.chance(60))
        sliding = self.chooser.chance(70)
        origin = None if sliding or self.chooser.chance(60) else self.chooser.integer(-2, 7) * SECOND // 2
        return Window(length + 1, "SECONDS", sliding, origin)

    # ── the stream ───────────────────────────────────────────────────────────────────────────────────────
    def events(self, query: Query) -> tuple[Event, ...]:
        time = self.chooser.integer(-2, 2)
        found: list[Event] = []
        for number in range(self.chooser.integer(1, self.most)):
            found.append(self.event(query, time * SECOND, number))
            time += self.chooser.pick((1, 1, 1, 0, 0, 2, 3))
        return tuple(found)

    def event(self, query: Query, time: int, number: int) -> Event:
        gpm = self.chooser.pick(query.gpms)
        names = [gpm.name] + ([self.chooser.pick(query.gpms).name] if self.chooser.chance(20) else [])
        subjects = [self.chooser.pick(("k1", "k1", "k2"))]
        if self.odd and self.chooser.chance(15):
            subjects.append(self.chooser.pick(("k1", "k2", "k3")))
        triples = dict.fromkeys(
            (f"<{BASE}{subject}>", f"<{BASE}{name}>", self.value()) for subject in subjects for name in names
        )
        if "OPTIONAL" in gpm.pattern:
            triples |= dict.fromkeys((f"<{BASE}{subject}>", f"<{BASE}T>", self.value()) for subject in subjects)
        return Event(query.stream_iri(gpm), time, f"e{number}", tuple(triples))

    def value(self) -> str:
        if self.odd and self.chooser.chance(8):
            return self.chooser.pick(('"a"', f'"1.5e0"^^<{XSD}double>'))
        kind = self.chooser.pick(("integer", "integer", "integer", "decimal"))
        number = self.chooser.integer(-3, 4)
        return f'"{number}{".5" if kind == "decimal" else ""}"^^<{XSD}{kind}>'
