"""Values that come, go and come again: whatever is forgotten and when, the results are the same, in the same order."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow
import pytest

from spaseq.tuples import Engine
from tests.tuples.eager import forget_at_once

SHOWN = "SELECT a, a.name, b.name, b.value FROM S WHERE A AS a ; B AS b"
COUNTED = "SELECT COUNT(*), SUM(a.value), MAX(b.value)"
QUERIES = {
    "first": f"{COUNTED}, a.name FROM S WHERE A AS a ; B AS b GROUP BY a.name WITHIN 6 SECONDS",
    "first two": f"{COUNTED}, a.name, a.id FROM S WHERE A AS a ; B AS b GROUP BY a.name, a.id WITHIN 9 EVENTS",
    "first and last": f"{COUNTED}, a.id, b.name FROM S WHERE A AS a ; B AS b GROUP BY a.id, b.name WITHIN 6 SECONDS",
    "last": f"{COUNTED}, b.id FROM S WHERE A AS a ; B AS b GROUP BY b.id WITHIN 6 SECONDS",
    "inside": "SELECT COUNT(*), m.name FROM S WHERE A AS a ; C AS m ; B AS b GROUP BY m.name WITHIN 12 EVENTS",
    "limited": "SELECT COUNT(*), m.id FROM S WHERE A AS a ; C AS m ; B GROUP BY m.id WITHIN 9 SECONDS LIMIT 2",
    "texts": "SELECT MIN(a.name), MAX(b.name) FROM S WHERE A AS a ; B AS b WITHIN 5 SECONDS",
    "texts by keys": "SELECT MIN(a.name), a.id FROM S WHERE A AS a ; B AS b PARTITION BY [name] GROUP BY a.id "
    "WITHIN 2 EVENTS",
    "chosen": "SELECT NEXT COUNT(*), SUM(a.value), a.id FROM S WHERE A AS a ; B PARTITION BY [name] GROUP BY a.id "
    "WITHIN 3 EVENTS",
    "by keys": f"{COUNTED}, a.name FROM S WHERE A AS a ; B+ ; C AS b PARTITION BY [name] GROUP BY a.name "
    "WITHIN 20 SECONDS",
    "by keys and events": f"{COUNTED}, a.id FROM S WHERE A AS a ; B AS b PARTITION BY [name] GROUP BY a.id "
    "WITHIN 3 EVENTS",
    "consumed": f"{COUNTED}, a.id FROM S WHERE A AS a ; B AS b PARTITION BY [name] GROUP BY a.id CONSUME BY PARTITION",
    "measured": f"{COUNTED}, a.id FROM S WHERE A AS a ; B AS b PARTITION BY [name] GROUP BY a.id WITHIN 30 [rising]",
    "falling": f"{COUNTED}, a.id FROM S WHERE A AS a ; B AS b PARTITION BY [name] GROUP BY a.id WITHIN 30 [nearly]",
    "keys": f"{SHOWN} PARTITION BY [name] WITHIN 8 SECONDS",
    "keys of two": f"{SHOWN} PARTITION BY [name, id] WITHIN 2 EVENTS",
    "events": f"{SHOWN} PARTITION BY [name] WITHIN 2 EVENTS",
    "events in turn": "SELECT a.name, b.value FROM S WHERE A AS a : (B OR C) AS b PARTITION BY [name] WITHIN 1 EVENTS",
    "strict": "SELECT STRICT a.value, b.value FROM S WHERE A AS a ; (B OR C) AS b PARTITION BY [id] WITHIN 3 EVENTS",
    "last one": "SELECT LAST b.value FROM S WHERE A AS a ; (B AS b)+ PARTITION BY [name] WITHIN 4 EVENTS",
    "most": "SELECT MAX b.value FROM S WHERE A AS a ; (B AS b)+ PARTITION BY [name] WITHIN 4 EVENTS",
    "compared": f"{SHOWN} FILTER b[value > a.value] PARTITION BY [name] WITHIN 3 EVENTS",
    "mixed": "SELECT a.value, c.name FROM S WHERE A AS a ; (B AS b)+ ; C AS c FILTER c[value + 19 > a.value + b.value] "
    "PARTITION BY [name] WITHIN 4 EVENTS",
    "ordered": f"{SHOWN} FILTER b[text > a.text] PARTITION BY [name] WITHIN 3 EVENTS",
    "no window": f"{SHOWN} PARTITION BY [name] CONSUME BY PARTITION",
    "any": f"{SHOWN} PARTITION BY [name] WITHIN 3 EVENTS CONSUME BY ANY",
    "equal texts": "SELECT a.value, c.text FROM S WHERE A AS a ; C+ ; B AS c FILTER c[text = a.text] WITHIN 6 SECONDS",
    "equal or": "SELECT a.value, c.text FROM S WHERE A AS a ; B AS c FILTER c[text = a.text OR value > a.value] "
    "WITHIN 15 EVENTS",
    "widest": f"{SHOWN} WITHIN 5 [value]",
}  # fmt: skip
ROWS = 400
SCHEMA = pyarrow.schema(
    [("type", pyarrow.string()), ("name", pyarrow.string()), ("text", pyarrow.string())]
    + [(name, pyarrow.int64()) for name in ("id", "value", "rising", "nearly", "time")]
)


def rows(chance: Random) -> list[dict[str, Any]]:
    """Each value comes for a while, and some come again long after that."""
    found = []
    for number in range(ROWS):
        at = number - chance.choice((0, 0, 0, 150)) // 2
        found.append(
            {
                "type": chance.choice("AABBC"),
                "name": f"k{at // 9 + chance.randrange(2)}" if chance.random() < 0.8 else None,
                "text": f"t{at // 9 + chance.randrange(2)}", "id": at // 7 + chance.randrange(2),
                "value": chance.randrange(20), "rising": number, "nearly": number if number != 200 else 150,
                "time": number // 2,
            }
        )  # fmt: skip
    return found


def started(text: str) -> Engine:
    types = {field.name: str(field.type) for field in SCHEMA}
    engine = Engine(time="time", unit="s", types=types)
    engine.register(text, "q")
    return engine


def pushed(text: str, chance: Random, moves: float) -> list[dict[str, Any]]:
    """The results, of rows that are cut anywhere, some of them in another engine than those before."""
    left, engine, found = rows(Random(text)), started(text), []
    while left:
        size = chance.choice((1, 2, 7, 40))
        found += engine.push(pyarrow.RecordBatch.from_pylist(left[:size], SCHEMA))
        left = left[size:]
        if chance.random() < moves:
            engine = Engine.restore(engine.snapshot(), {"q": text})
    return [row for _, table in [*found, *engine.close()] for row in table.to_pylist()]


@pytest.mark.parametrize("name", QUERIES)
def test_nothing_changes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = pushed(QUERIES[name], Random(0), moves=0)
    assert len(wanted) > 9
    forget_at_once(monkeypatch)
    for seed in range(6):
        assert pushed(QUERIES[name], Random(seed), moves=0.2 * (seed % 2)) == wanted


# ── what is new for ever ─────────────────────────────────────────────────────────────────────────────────
STAYS = ("measured", "falling", "widest")  # what may be in a window again


def fresh(number: int) -> dict[str, Any]:
    """Of each key seven events: A B C C C C C, after which nothing that has begun is in a window of four."""
    key, place = divmod(number, 7)
    return {
        "type": "ABCCCCC"[place], "name": f"k{key}", "text": f"t{key}", "id": key, "value": place, "rising": number,
        "nearly": number, "time": number,
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name in QUERIES if name not in STAYS])
def test_nothing_grows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither snapshots, where all that is known by number is, nor what is counted."""
    forget_at_once(monkeypatch)
    engine, sizes, counts = started(QUERIES[name]), [], []
    for first in range(0, 2100, 7):
        engine.push(pyarrow.RecordBatch.from_pylist([fresh(first + place) for place in range(7)], SCHEMA))
        if first in (700, 2093):
            sizes.append(len(engine.snapshot()))
            counts.append(engine.statistics()["queries"]["q"]["kernel"].get("partitions", 0))
    assert sizes[1] <= 1.1 * sizes[0]
    assert max(counts) <= 20
