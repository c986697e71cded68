"""Seeded random pairs whose query has PARTITION BY: partitioned_pair with a seed, make_partitioned with any Chooser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .chooser import Chooser, Seeded
from .definitions import Definitions
from .expressions import Binary, Bound, Const, Expression, Iri, Negated, Var
from .generate import BASE, SECOND, Maker, Pair, Size
from .labels import labels_of
from .model import Event, Gpm, Partition, Query, Select, Window
from .partition import keys_of
from .sequences import Word
from .values import XSD

KEYS = ("x", "y", "z")


@dataclass(frozen=True)
class Scheme:
    """Where keys come from.

    forced: the name that every GPM must use for its subject (`k`) or its value (`v`), if it is a key. mentions: what
    GPMs may say of their subject; with chance, or if there is no USING always, one of them is in each GPM.
    """

    partition: Partition
    forced: str = ""
    mentions: tuple[str, ...] = ()

    @property
    def needs_mention(self) -> bool:
        """Whether GPMs must bind the keys."""
        return self.partition.using is None and bool(self.mentions)


KEY, ZONE = "?{0} :key ?p", "?{0} :zone ?q"
BOTH = f"{KEY} ; :zone ?q"
SCHEMES = (
    Scheme(Partition(("p",)), mentions=(KEY,)),
    Scheme(Partition(("k",)), "k"),
    Scheme(Partition(("v",)), "v"),
    Scheme(Partition(("p", "q")), mentions=(BOTH,)),
    Scheme(Partition(("q", "k")), "k", (ZONE,)),
    Scheme(Partition(("p",)), mentions=(KEY, KEY, "OPTIONAL {{ ?{0} :key ?p }}")),
    Scheme(Partition(("p", "q")), mentions=(BOTH, BOTH, KEY + " OPTIONAL {{ ?{0} :zone ?q }}")),
    Scheme(Partition(("p",), "?any :key ?p")),
    Scheme(Partition(("p",), "?k :key ?p"), mentions=(KEY, "OPTIONAL {{ ?{0} :key ?p }}")),
    Scheme(Partition(("p",), "{ ?any :key ?p } UNION { ?any :zone ?p }"), mentions=(KEY,)),
    Scheme(Partition(("p",), f"?any :key ?p FILTER(?p != <{BASE}y>)"), mentions=(KEY,)),
    Scheme(Partition(("p", "q"), "?any :key ?p ; :zone ?q"), mentions=(KEY, ZONE, BOTH)),
    Scheme(Partition(("q", "p"), "?any :key ?p OPTIONAL { ?any :zone ?q }"), mentions=(BOTH,)),
)


def partitioned_pair(seed: int, size: Size | None = None) -> Pair:
    """The pair of a seed."""
    return make_partitioned(Seeded(seed), size or Size())


def make_partitioned(chooser: Chooser, size: Size) -> Pair:
    """A pair made by a chooser's choices."""
    return PartitionMaker(chooser, size).pair()


class KeyedDefinitions(Definitions):
    """Makes GPMs that bind the keys of a scheme."""

    scheme: Scheme = SCHEMES[0]

    def gpm(self, name: str, stream: str) -> Gpm:
        """A GPM without filters."""
        made = self.forced(super().gpm(name, stream))
        if not self.scheme.mentions or not (self.scheme.needs_mention or self.chooser.chance(30)):
            return made
        mention = self.chooser.pick(self.scheme.mentions).format(made.variables[0])
        bound = [key for key in re.findall(r"\?([pq])\b", mention) if key not in made.variables]
        return replace(made, pattern=f"{made.pattern} . {mention}", variables=(*made.variables, *bound))

    def forced(self, made: Gpm) -> Gpm:
        """The GPM with the name of its subject or value that the scheme asks for."""
        low, forced = made.name.lower(), self.scheme.forced
        own = {"k": "k" + low, "v": low}.get(forced)
        if own is None or own not in made.variables:
            return made
        self.numeric[made.name] = [forced if name == own else name for name in self.numeric[made.name]]
        names = tuple(forced if name == own else name for name in made.variables)
        return replace(made, pattern=re.sub(rf"\?{own}\b", f"?{forced}", made.pattern), variables=names)

    def key_filter(self) -> Expression:
        """What a filter may say of a key that its GPM may not mention."""
        key = Var(self.chooser.pick([name for name in self.scheme.partition.keys if name in "pq"]))
        value = Const(Iri(BASE + self.chooser.pick(KEYS)))
        forms: tuple[Expression, ...] = (Binary("!=", key, value), Binary("=", key, value), Bound(key))
        return self.chooser.pick((*forms, Negated(Bound(key))))


class PartitionMaker(Maker):
    """Makes one pair: events of two or three keys, each with a stream of its own that resembles a match."""

    definitions_type = KeyedDefinitions

    def __init__(self, chooser: Chooser, size: Size) -> None:
        super().__init__(chooser, size)
        self.scheme = chooser.pick(SCHEMES)
        self.partition = self.scheme.partition
        assert isinstance(self.definitions, KeyedDefinitions)
        self.definitions.scheme = self.scheme

    def pair(self) -> Pair:
        """The query first, then its events."""
        query = self.query()
        events = self.events(query)
        return Pair(query, events, labels_of(query, events) | frozenset(partition_labels(query, events)))

    def query(self) -> Query:
        """A valid query, partitioned."""
        return self.with_key_filter(super().query())

    def with_key_filter(self, query: Query) -> Query:
        """The query, now and then with a filter on a key in a GPM."""
        if self.scheme.partition.using is None or not self.chooser.chance(15):
            return query
        assert isinstance(self.definitions, KeyedDefinitions)
        chosen = self.chooser.integer(0, len(query.gpms) - 1)
        one = query.gpms[chosen]
        one = replace(one, filters=(*one.filters, self.definitions.key_filter()))
        return replace(query, gpms=(*query.gpms[:chosen], one, *query.gpms[chosen + 1 :]))

    def window(self) -> Window | None:
        """Half of the windows count events."""
        if self.chooser.chance(40):
            return Window(self.chooser.integer(1, 4), "EVENTS", self.chooser.chance(50))
        return super().window()

    def over_matches(self, visible: list[str], numeric: list[str]) -> Select:
        """Aggregates over matches, with keys beside them that GROUP BY does not name."""
        made = super().over_matches(visible, numeric)
        keys = [key for key in self.scheme.partition.keys if key not in made.group_by and self.chooser.chance(40)]
        return replace(made, items=(*keys, *(made.items or ())))

    def events(self, query: Query) -> tuple[Event, ...]:
        """Events of several keys in turn, each like those of a match, with others between."""
        wanted = self.chooser.integer(self.size.least_events, self.size.events)
        keys = KEYS[: self.chooser.pick((2, 2, 3))]
        words: dict[str, Word] = {key: [] for key in keys}
        events: list[Event] = []
        time = self.chooser.integer(0, 2)
        while len(events) < wanted:
            key = self.chooser.pick((keys[0], *keys))
            for names in self.split(query, self.step(query, words[key])):
                events.append(self.keyed_event(query, names, time * SECOND, len(events), key))
            time += self.chooser.pick((1, 1, 1, 1, 2, 0))
        return tuple(events[:wanted])

    def step(self, query: Query, word: Word) -> list[str]:
        """The next step of a word, begun anew at its end; now and then a GPM out of turn."""
        if self.chooser.chance(12):
            return [self.chooser.pick(query.gpms).name]
        if not word:
            word += self.sequences.word(query.sequence) or [[query.gpms[0].name]]
        return word.pop(0)

    def keyed_event(self, query: Query, names: list[str], time: int, number: int, key: str) -> Event:
        """An event of a key, now and then of another one too, or of none."""
        others = [self.chooser.pick(KEYS)] if self.chooser.chance(15) else []
        keys = [] if self.chooser.chance(6) else list(dict.fromkeys((key, *others)))
        triples = [triple for name in names for triple in self.keyed_triples(query, name, keys)]
        place = query.stream_iri(query.gpm(names[0]))
        return Event(place, time, f"e{number}", tuple(dict.fromkeys(triples)) or (self.noise(),))

    def keyed_triples(self, query: Query, name: str, keys: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """The triples that a GPM matches, with the keys where the scheme wants them."""
        subjects = keys if self.scheme.forced == "k" else ["k2" if self.chooser.chance(15) else "k1"]
        for subject in subjects:
            (start, predicate, value), *more = self.triples(query, name, subject)
            values = [self.number(key) for key in keys] if self.scheme.forced == "v" else [value]
            yield from ((start, predicate, value) for value in values)
            yield from more
            yield from self.key_triples(subject, keys)

    def number(self, key: str) -> str:
        """The number of a key, now and then in an unusual spelling."""
        return f'"{"0" * self.chooser.chance(15)}{1 + KEYS.index(key)}"^^<{XSD}integer>'

    def key_triples(self, subject: str, keys: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """What an event says of its keys."""
        start = f"<{BASE}{subject}>"
        yield from ((start, f"<{BASE}key>", f"<{BASE}{key}>") for key in keys)
        if "q" in self.scheme.partition.keys or "zone" in (self.scheme.partition.using or ""):
            zones = self.chooser.pick((("x",), ("x",), ("x",), ("y",), ("x", "y"), ()))
            yield from ((start, f"<{BASE}zone>", f"<{BASE}{zone}>") for zone in zones)

    def noise(self) -> tuple[str, str, str]:
        """A triple that no GPM matches."""
        return f"<{BASE}k1>", f"<{BASE}other>", f"<{BASE}k1>"


def partition_labels(query: Query, events: Sequence[Event]) -> Iterator[str]:
    """How many keys a query has and where they come from, and how many the events have."""
    partition = query.partition
    assert partition
    mentioned = {name for gpm in query.gpms for name in gpm.variables}
    yield f"partition {len(partition.keys)} keys"
    yield "partition USING" if partition.using else "partition by GPMs"
    if not mentioned >= set(partition.keys):
        yield "partition key in no GPM"
    if any(re.search(r"OPTIONAL { \?\w+ :(key|zone)", gpm.pattern) for gpm in query.gpms):
        yield "partition key perhaps"
    counts = [len(keys_of(query, event)) for event in events]
    yield f"partition substreams {min(len({key for event in events for key in keys_of(query, event)}), 4)}"
    yield from (f"partition event of {word}" for word in {("no", "one", "several")[min(count, 2)] for count in counts})
