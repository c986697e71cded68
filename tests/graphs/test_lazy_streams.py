"""Random streams with many simultaneous events: the same matches whether dear patterns wait or see everything."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from spaseq import Engine
from tests.graphs.test_lazy import S, T, graph, query
from tests.slices import first

SEQUENCES = [
    *(
        "A : B",
        "A ; P",
        "A , B",
        "O : B",
        "O ; B : B",
        "A : N ; B",
        "N : P? : B",
        "O : N , P",
        "E : U : P",
        "O , N , B",
    ),
    *("A & P", "A & B : P", "O & N : B", "P & U", "A : (B & U)", "(A & N) ; P", "(N & O) : (B & P)", "(O | A & N) : B"),
    *("(A | N) , B,+", "A : B:+", "A ; (B | U) ; P", "A ; B! ; P", "A : (B ; P):{1,2}"),
]
WINDOWS = ["", "WITHIN 3 SECONDS SLIDING", "WITHIN 2 SECONDS", "WITHIN 4 EVENTS", "WITHIN 5 EVENTS SLIDING"]
Arrival = tuple[str, int, bytes]


def stream(chance: random.Random) -> list[Arrival]:
    """Events in order of time; most timestamps have several."""
    time, found = 0, []
    for _ in range(40):
        time += chance.choice([0, 0, 1, 1, 2]) * 500_000
        kinds = " ".join(chance.choice("anbo") + chance.choice("112") for _ in range(chance.choice([1, 1, 2])))
        found.append((T if chance.random() < 0.25 else S, time, graph(kinds)))
    return found


def matches(text: str, events: list[Arrival], gpm: str, cuts: list[int], restart: bool) -> Counter[str]:
    """The matches of a run in batches that end at the cuts."""
    engine = Engine(gpm=gpm)
    engine.register(text, "q")
    found: Counter[str] = Counter()
    for start, end in pairwise([0, *cuts, len(events)]):
        for iri in (S, T):
            batch = [
                (time, data, f"http://example.org/e{start + n}")
                for n, (one, time, data) in enumerate(events[start:end])
                if one == iri
            ]
            found.update(str(match.to_dict()) for match in engine.push_batch(iri, batch))
        time = events[end - 1][1] if end else 0
        found.update(str(match.to_dict()) for match in engine.advance(time))
        if restart:
            engine = Engine.restore(engine.snapshot(), {"q": text}, gpm=gpm)
    found.update(str(match.to_dict()) for match in engine.close())
    return found


@pytest.mark.parametrize("seeds", first(1, [range(6), range(12)]))
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_nothing_is_missed(sequence: str, seeds: range) -> None:
    some = 0
    for seed in seeds:
        chance = random.Random(f"{sequence} {seed}")
        text, events = query(sequence, chance.choice(WINDOWS)), stream(chance)
        wanted = matches(text, events, "pyoxigraph", [], False)
        cuts = sorted(chance.sample(range(1, len(events)), chance.choice([0, 2, 10, 30])))
        assert matches(text, events, "auto", cuts, chance.random() < 0.3) == wanted, (seed, cuts)
        some += len(wanted)
    assert some
