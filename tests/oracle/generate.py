"""Seeded random pairs of a query and a stream: make_pair with any Chooser, random_pair with a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .chooser import Chooser, Seeded
from .definitions import Definitions
from .expressions import Aggregate, Binary, Const, Var
from .labels import labels_of
from .model import Atom, Column, Event, Node, Partition, Query, Select, Window, walk_nodes
from .plan import Plan, plan_of
from .sequences import Sequences, Word
from .values import XSD

SECOND = 10**6
BASE = "http://example.org/"
SOURCES = {name: f"{BASE}stream/{name}" for name in ("s", "t", "u")}


@dataclass(frozen=True)
class Size:
    """How many operators and events a pair has, at most and about at least, and whether its sequence has an `&&`."""

    operators: int = 4
    events: int = 6
    least_operators: int = 1
    least_events: int = 1
    any_order: bool = False


@dataclass(frozen=True)
class Pair:
    """A query, events for it in order of arrival, and labels of both."""

    query: Query
    events: tuple[Event, ...]
    labels: frozenset[str]


def random_pair(seed: int, size: Size | None = None) -> Pair:
    """The pair of a seed."""
    return make_pair(Seeded(seed), size or Size())


def make_pair(chooser: Chooser, size: Size) -> Pair:
    """A pair made by a chooser's choices."""
    return Maker(chooser, size).pair()


class Maker:
    """Makes one pair; its query has ``partition``."""

    partition: Partition | None = None
    definitions_type: type[Definitions] = Definitions

    def __init__(self, chooser: Chooser, size: Size) -> None:
        self.chooser = chooser
        self.size = size
        self.sequences = Sequences(chooser, size.any_order)
        self.values = self.palette()
        self.definitions = self.definitions_type(chooser, mixed=f'"1.0"^^<{XSD}decimal>' in self.values)

    def palette(self) -> tuple[str, ...]:
        """Integers; in some pairs also decimals, an unusual spelling, or a decimal equal to an integer."""
        plain = tuple(f'"{value}"^^<{XSD}integer>' for value in (2, 1, 2, 3))
        more = (f'"02"^^<{XSD}integer>', f'"2.50"^^<{XSD}decimal>', f'"1.0"^^<{XSD}decimal>')
        extra = self.chooser.pick(((), (), (), more[:1], more[1:2], more[2:]))
        return plain + extra

    def pair(self) -> Pair:
        """The query first, then events that resemble one of its matches."""
        query = self.query()
        events = self.events(query)
        return Pair(query, events, labels_of(query, events))

    def query(self) -> Query:
        """A valid query."""
        sequence = self.sequence()
        streams = self.streams()
        names = list(dict.fromkeys(node.gpm for node in walk_nodes(sequence) if isinstance(node, Atom)))
        gpms = tuple(self.definitions.gpm(name, self.place(streams)) for name in names)
        query = self.definitions.with_filters(Query(sequence, gpms, streams, partition=self.partition))
        return replace(query, window=self.window(), select=self.select(plan_of(query)))

    def sequence(self) -> Node:
        """The sequence expression."""
        return self.sequences.sequence(self.chooser.integer(self.size.least_operators, self.size.operators))

    def streams(self) -> tuple[tuple[str, str], ...]:
        """One stream or two, now and then a third or two names for one."""
        names = self.chooser.pick((("s",), ("s",), ("s",), ("s", "t"), ("t", "s"), ("s", "t", "u")))
        streams = tuple((name, SOURCES[name]) for name in names)
        return (*streams, ("alias", SOURCES["s"])) if self.chooser.chance(5) else streams

    def place(self, streams: tuple[tuple[str, str], ...]) -> str:
        """The stream a GPM reads: by name, or by IRI."""
        name, iri = self.chooser.pick(streams)
        return f"<{iri}>" if self.chooser.chance(8) else name

    def window(self) -> Window | None:
        """No window or one of each kind."""
        length = self.chooser.integer(1, 5)
        sliding = self.chooser.chance(50)
        match self.chooser.pick(("none", "none", "time", "time", "events")):
            case "none":
                return None
            case "events":
                return Window(length + 1, "EVENTS", sliding)
        origin = None if sliding or self.chooser.chance(60) else self.chooser.integer(-2, 7) * SECOND // 2
        unit = self.chooser.pick(("SECONDS", "SECONDS", "MILLISECONDS"))
        length = length * 1000 if unit == "MILLISECONDS" else length
        return Window(length, "SECOND" if (length, unit) == (1, "SECONDS") else unit, sliding, origin)

    def select(self, plan: Plan) -> Select:
        """All variables, some, or aggregates over iterations or matches."""
        visible = plan.visible()
        numeric = sorted({name for names in self.definitions.numeric.values() for name in names} & set(visible))
        groups = [name for name in numeric if plan.innermost(name) is not None]
        match self.chooser.pick(("all", "all", "all", "some", "some", "distinct", "groups", "groups", "matches")):
            case "groups" if groups:
                return Select((*self.some(visible), *self.over_iterations(groups)))
            case "matches":
                return self.over_matches(visible, [name for name in numeric if name not in groups])
            case "distinct":
                return Select(tuple(self.some(visible)), distinct=True)
            case "some":
                computed = (Column(Binary("+", Var(self.chooser.pick(numeric)), Const(1)), "next"),) if numeric else ()
                return Select((*self.some(visible), *(computed if self.chooser.chance(25) else ())))
        return Select()

    def some(self, names: list[str]) -> list[str]:
        """At least one of the names."""
        chosen = [name for name in names if self.chooser.chance(50)]
        return chosen or [self.chooser.pick(names)]

    def over_iterations(self, groups: list[str]) -> list[Column]:
        """One or two aggregates of group variables."""
        functions = ("COUNT", "SUM", "FIRST", "LAST", "GROUP_CONCAT", "AVG", "MIN", "MAX")
        usable = functions[: 6 if self.definitions.mixed else 8]
        count = self.chooser.integer(1, 2)
        return [
            Column(Aggregate(self.chooser.pick(usable), self.chooser.pick(groups)), f"g{number}")
            for number in range(count)
        ]

    def over_matches(self, visible: list[str], numeric: list[str]) -> Select:
        """COUNT(*), perhaps with a sum, perhaps grouped."""
        columns = [Column(Aggregate("COUNT", None), "count")]
        if numeric and self.chooser.chance(40):
            columns.append(Column(Aggregate("SUM", self.chooser.pick(numeric)), "sum"))
        grouped = tuple(self.some(visible)[:1]) if self.chooser.chance(50) else ()
        return Select((*grouped, *columns), group_by=grouped)

    def events(self, query: Query) -> tuple[Event, ...]:
        """Events like those of a match, with others between."""
        wanted = self.chooser.integer(self.size.least_events, self.size.events)
        word: Word = []
        while len(word) < wanted:
            word += self.sequences.word(query.sequence) or [[query.gpms[0].name]]
        events: list[Event] = []
        time = self.chooser.integer(0, 2)
        while word and len(events) < wanted:
            noise = [self.chooser.pick([gpm.name for gpm in query.gpms])]
            step = noise if self.chooser.chance(15) else word.pop(0)
            for names in self.split(query, step):
                events.append(self.event(query, names, time * SECOND, len(events)))
            time += self.chooser.pick((1, 1, 1, 1, 2, 0))
        return tuple(events[:wanted])

    def split(self, query: Query, step: list[str]) -> list[list[str]]:
        """Which GPMs share an event: only of one stream, and then not always."""
        shared: dict[tuple[str, int], list[str]] = {}
        for position, name in enumerate(step):
            apart = position if self.chooser.chance(40) else 0
            shared.setdefault((query.stream_iri(query.gpm(name)), apart), []).append(name)
        return list(shared.values())

    def event(self, query: Query, names: list[str], time: int, number: int) -> Event:
        """An event that the named GPMs match; now and then with a second mapping, or in a stream out of place."""
        subjects = ["k2"] if self.chooser.chance(15) else ["k1"]
        if not query.select.group_by and not self.over_all(query) and self.chooser.chance(12):
            subjects = ["k1", "k2"]
        triples = [triple for name in names for subject in subjects for triple in self.triples(query, name, subject)]
        stream = query.stream_iri(query.gpm(names[0]))
        if self.chooser.chance(4):
            stream = self.chooser.pick(tuple(SOURCES.values()))
        return Event(stream, time, f"e{number}", tuple(dict.fromkeys(triples)))

    def over_all(self, query: Query) -> bool:
        """Whether the query counts matches."""
        return any(isinstance(item, Column) and item.name == "count" for item in query.select.items or ())

    def triples(self, query: Query, name: str, subject: str) -> list[tuple[str, str, str]]:
        """The triples that a GPM matches on a subject."""
        pattern = query.gpm(name).pattern
        start = f"<{BASE}{subject}>"
        predicate = "Z" if "UNION" in pattern and self.chooser.chance(40) else name
        triples = [(start, f"<{BASE}{predicate}>", self.chooser.pick(self.values))]
        if ":o" in pattern and self.chooser.chance(50):
            triples.append((start, f"<{BASE}o>", self.chooser.pick(self.values)))
        if ":n" in pattern:
            triples.append((start, f"<{BASE}n>", self.chooser.pick(('"a"', '"b"'))))
        return triples
