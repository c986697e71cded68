"""Queries for the kernel's tests, one of each kind of cell, guard and window, and random events for them."""

from __future__ import annotations

import random
from typing import Any

from tests.kernel.driver import Happening

SHORT = "6 SECONDS SLIDING"
SECOND = 1_000_000
RISING = {"A": "?a :A ?va FILTER(!BOUND(PREV(?va)) || PREV(?va) < ?va)"}
OPTIONAL = {"A": "?a :A ?va OPTIONAL { ?a :key ?k }", "B": "?b :B ?vb ; :key ?k"}

HIGHER = {"B": "?b :B ?vb ; :key ?k FILTER(?vb > ?va)", "C": "?c :C ?vc ; :key ?k FILTER(?vc <= ?vb)"}
BETWEEN = {"B": "?b :B ?vb FILTER(?vb >= ?va)", "C": "?c :C ?vc FILTER(?vc > ?va && ?vc - 1 < ?vb)"}
CLIMBING = {"A": "?a :A ?va FILTER(!BOUND(PREV(?va)) || PREV(?va) < ?va)", "B": "?b :B ?vb FILTER(?vb > ?va)"}
DOWN = {"B": "?b :B ?vb FILTER(?vb < ?va)", "C": "?c :C ?vc FILTER(?vc >= 2 * ?vb)"}

QUERIES: dict[str, dict[str, Any]] = {
    "next": {"seq": "A ; B ; C", "within": SHORT},
    "any": {"seq": "A : B : C", "within": SHORT},
    "strict": {"seq": "A , B , C"},
    "key": {"seq": "A ; B ; C", "keyed": True, "within": SHORT},
    "compared": {"seq": "A ; B", "within": SHORT, "gpm": {"B": "?b :B ?vb FILTER(?vb > ?va)"}},
    "viewed": {"seq": "A : B : C", "keyed": True, "within": SHORT, "gpm": HIGHER},
    "viewed twice": {"seq": "A : B : C", "within": SHORT, "gpm": BETWEEN},
    "viewed in mixed order": {"seq": "A : B ; C", "within": "12 EVENTS SLIDING", "gpm": DOWN},
    "viewed and repeated": {"seq": "A:+ : B", "within": SHORT, "gpm": CLIMBING},
    "unbound": {"seq": "A ; B", "within": SHORT, "gpm": OPTIONAL},
    "repeated": {"seq": "A;+ ; B", "within": SHORT, "gpm": RISING},
    "summed": {"seq": "A;+ ; B", "within": SHORT, "gpm": {"B": "?b :B ?vb FILTER(SUM(?va) > 4)"}},
    "conjunction": {"seq": "A & B ; C", "keyed": True, "within": SHORT},
    "ambiguous": {"seq": "A:+ : A:{1,2}", "within": SHORT, "gpm": {"A": "[] :A []"}, "select": "(1 AS ?one)"},
    "negated": {"seq": "A ; N! ; B", "keyed": True, "within": SHORT},
    "negated late": {"seq": "A ; N! ; B", "within": SHORT, "gpm": {"N": "?n :N ?vn FILTER(?vn > ?vb)"}},
    "negated at start": {"seq": "N! ; A ; B", "within": "10 EVENTS"},
    "negated at end": {"seq": "A ; B ; N!", "within": SHORT},
    "negated at end of events": {"seq": "A ; N!", "within": "5 EVENTS SLIDING", "keyed": True},
    "optional": {"seq": "A ; B? ; C", "within": "7 SECONDS", "keyed": True},
    "competing": {"seq": "A ; (B* | C*) ; D", "within": SHORT},
    "tumbling": {"seq": "A : B", "within": "7 SECONDS", "keyed": True},
    "events": {"seq": "A : B", "within": "5 EVENTS"},
}


def random_events(seed: int, count: int, most_rows: int = 2) -> list[Happening]:
    """Events of random atoms, now and then simultaneous, with several rows, or of no atom at all."""
    chance = random.Random(seed)
    time, events = 0, []
    for number in range(count):
        time += chance.choice((0, SECOND, SECOND, 2 * SECOND))
        atoms = chance.sample("ABCDN", chance.choice((0, 1, 1, 1, 2)))
        events.append((time, {name: random_rows(chance, name, number, most_rows) for name in atoms}))
    return events


def random_rows(chance: random.Random, name: str, number: int, most: int) -> list[dict[str, int]]:
    low = name.lower()
    rows = []
    for key in sorted(chance.sample(range(3), chance.randint(1, most))):
        row = {low: number, f"v{low}": chance.randint(0, 5), "k": key}
        rows.append({name: value for name, value in row.items() if name != "k" or chance.random() < 0.9})
    return rows
