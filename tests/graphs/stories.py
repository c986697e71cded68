"""Queries, and streams with disorder and promises for them: those of the case files, and random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from typing import Any

import spaseq
from spaseq.graphs.queries import Prepared, prepare
from tests.cases.loader import BASE, SECOND, Case, query_text, read_stream
from tests.oracle.aggregated import aggregated_pair
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.partitions import partitioned_pair
from tests.oracle.text import to_text

LEAST = -(2**63)
SIZE = Size(operators=4, events=9, least_events=4)


@dataclass(frozen=True)
class Step:
    """An event of a stream with its IRI; or, without ``name``, a promise of one stream, or of all ("")."""

    stream: str
    time: int
    name: str = ""
    graph: bytes = b""


@dataclass(frozen=True)
class Story:
    """Texts of queries by name, and what happens to an engine of them."""

    texts: Mapping[str, str]
    steps: Sequence[Step]
    background: spaseq.Background = field(default_factory=lambda: spaseq.Background.load({}))
    lateness: int = 0

    @cached_property
    def queries(self) -> dict[str, Prepared]:
        return {name: prepare(text) for name, text in self.texts.items()}

    def engine(self) -> spaseq.Engine:
        engine = spaseq.Engine(self.background, self.lateness)
        for name, query in self.queries.items():
            engine.register(query, name)
        return engine

    def copied(self, engine: spaseq.Engine) -> spaseq.Engine:
        return spaseq.Engine.restore(engine.snapshot(), self.queries, self.background)

    def __str__(self) -> str:
        steps = (f"{one.time:>20} {one.stream} {one.name or 'promise'} {one.graph.decode()}" for one in self.steps)
        return "\n".join([*self.texts.values(), f"lateness {self.lateness}", *steps])


@dataclass(frozen=True)
class Told:
    """What a story showed: how much a law was about."""

    steps: int = 0
    results: int = 0
    due: int = 0
    engines: int = 0
    forgotten: int = 0

    def __add__(self, other: Told) -> Told:
        return Told(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def case_story(case: Case) -> Story:
    """A case with each of its events."""
    return Story(case.queries, list(map(step_of, case.words)), spaseq.Background.load(case.background))


def compact_story(spec: Mapping[str, Any], stream: str, lateness: int = 0) -> Story:
    """A query and a stream in the notation of the case files."""
    return Story({"query": query_text(dict(spec))}, list(map(step_of, read_stream(stream))), lateness=lateness)


def step_of(word: Any) -> Step:
    """The step of a ``Word``."""
    return Step(word.stream, word.time, word.name and word.iri, word.turtle.encode())


# ── random ones ──────────────────────────────────────────────────────────────────────────────────────────
def random_story(seed: int) -> Story:
    """The story of a seed, with windows in time: of the oracle's queries, of small ones, and of chains."""
    chance = random.Random(seed)
    maker = chance.choice((with_window, with_window, several, chained, chained))
    return maker(chance)


def with_window(chance: random.Random) -> Story:
    """``generated``, the query with a window in time."""
    while True:
        story = generated(chance)
        window = story.queries["q0"].query.window
        if window is not None and not window.events:
            return story


def generated(chance: random.Random) -> Story:
    """A query of the oracle's generators."""
    make = chance.choice((random_pair, partitioned_pair, aggregated_pair))
    pair = make(chance.randrange(10**9), SIZE)
    return with_promises([to_text(pair.query)], list(pair_steps(pair)), chance)


def pair_steps(pair: Pair) -> Iterator[Step]:
    known = {iri for _, iri in pair.query.streams}
    for event in pair.events:
        if event.stream in known:
            graph = "".join(f"{s} {p} {o} .\n" for s, p, o in event.triples)
            yield Step(event.stream, event.time, BASE + event.name, graph.encode())


def with_promises(texts: Sequence[str], steps: list[Step], chance: random.Random) -> Story:
    """The steps in some disorder, with promises between them, some of which make events late."""
    if chance.random() < 0.5:
        steps.sort(key=lambda step: step.time + chance.choice((0, 0, 1, 2)) * SECOND)
    told = []
    for step in steps:
        told.append(step)
        if chance.random() < 0.4:
            time = step.time + chance.choice((-2, -1, 0, 0, 1, 3)) * SECOND // chance.choice((1, 2))
            told.append(Step(chance.choice(("", "", step.stream)), time))
    lateness = chance.choice((0, 0, SECOND, 3 * SECOND, 10**15))
    return Story({f"q{number}": text for number, text in enumerate(texts)}, told, lateness=lateness)


SEQUENCES = (
    "A", "A ; B", "A : B", "A , B", "A & B", "A | B ; C*", "A+ ; B", "(A ; B)+", "A ; N! ; B", "A ; B ; N!", "A ; B*",
    "A ; B?", "N! ; A", "N! , A , B", "A? ; B", "B* ; A ; B*", "N! ; A ; B*", "N! ; A ; B!", "A:{1,2} ; N! ; B ; C?",
)  # fmt: skip
SELECTS = (
    "*", "*", "?va", "DISTINCT ?va", "DISTINCT (1 AS ?one)", "DISTINCT (1 AS ?one)", "(COUNT(*) AS ?n)",
    "(COUNT(*) AS ?n) (SUM(?va) AS ?sum)",
)  # fmt: skip


def several(chance: random.Random) -> Story:
    """One query or two in the notation of the case files."""
    texts = [query_text(small_query(chance)) for _ in range(chance.choice((1, 1, 2)))]
    return with_promises(texts, random_steps(chance), chance)


def small_query(chance: random.Random) -> dict[str, Any]:
    sequence = chance.choice(SEQUENCES)
    selects = SELECTS[:-1] if "+" in sequence or "{" in sequence else SELECTS
    keys = {"keyed": True, "partition": "?k"} if chance.random() < 0.3 else {}
    return {"seq": sequence, "within": window(chance), "select": chance.choice(selects), **keys}


def window(chance: random.Random) -> str:
    length = chance.randint(1, 5)
    text = f"{length} SECOND{'S' * (length > 1)}"
    origin = '"1970-01-01T00:00:00.500Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    return text + chance.choice(("", " SLIDING", " SLIDING", f" FROM {origin}"))


def chained(chance: random.Random) -> Story:
    """A query that derives a stream, perhaps with others, and one that reads it, perhaps by way of another."""
    specs = [derived(chance, "D", ("S",), chance.choice(("A", "A ; B*", "A ; N!", "N! ; A ; B!", "A+ ; B?", "B? ; A")))]
    if chance.random() < 0.2:
        specs.append(derived(chance, "D", ("S",), "A ; C*"))
    read = "D"
    if chance.random() < 0.4:
        read = "E"
        specs.append(derived(chance, "E", ("D", "S"), chance.choice(("P", "P ; N!", "N! ; P", "N! ; P ; C*", "P ; C"))))
    last = chance.choice(("P", "P ; C", "N! ; P ; C*", "P ; C!", "C ; P", "P ; P", "P ; N! ; P", "P , C", "P+ ; C?"))
    select = chance.choice(("*", "DISTINCT ?p", "(COUNT(*) AS ?n)"))
    specs.append(reading((read, "S"), last, window(chance)) | {"select": select})
    chance.shuffle(specs)
    return with_promises(list(map(query_text, specs)), random_steps(chance), chance)


def derived(chance: random.Random, into: str, streams: tuple[str, ...], sequence: str) -> dict[str, Any]:
    template = "?a :P ?va . _:new :of ?a" if "A" in sequence else "?x :P ?p"
    return reading(streams, sequence, window(chance)) | {"construct": template, "into": into}


def reading(streams: tuple[str, ...], sequence: str, within: str) -> dict[str, Any]:
    """A query of which P is on the first of its streams, and all else on the last."""
    on = dict.fromkeys("ABCN", streams[-1])
    return {"seq": sequence, "streams": list(streams), "gpm": {"P": "?x :P ?p"}, "on": on, "within": within}


def random_steps(chance: random.Random) -> list[Step]:
    """Events of the letters that the small queries know, at times that go on by whole and half seconds."""
    words, time = [], 0.0
    for number in range(chance.randint(4, 12)):
        letters = "".join(sorted(set(chance.choices("aabbcn", k=chance.choice((1, 1, 1, 2))))))
        words.append(f"{time:g}: {letters}{number}@{chance.choice('kl')}={chance.randint(1, 2)}")
        time += chance.choice((0, 0.5, 1, 1, 1, 2, 4))
    return list(map(step_of, read_stream(" ".join(words))))
