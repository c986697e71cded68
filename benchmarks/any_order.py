"""``A && B && …`` beside all its orders written out, and what an event leaves behind under ``:`` and ``;``.

An event is of one type and of one of ten keys, all equally often, and gives one row; events are a second apart, so that
none are simultaneous and both ways find the same.  Windows of 300 events.  From bytes, matches are counted, CPU time of
one process, medians of interleaved rounds.  The orders are 2 for two GPMs and 120 for five; eight have ``&&`` alone.

Then one key and a window of all events: nodes of partial matches per event, as statistics tell them, with an ``L`` for
every ten events.  Under ``L : (A && B)`` an event has ever more matches, under ``L ; (A && B)`` an ``L`` has one.

Run: ``python -m benchmarks.any_order [events]``.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np

import spaseq
from benchmarks.timing import Job, Preparation, interleaved

KEYS, WINDOW, ROUNDS = 10, 300, 3
SIDES, ALONE = (2, 3, 4, 5), 8
GROWING = (50, 100, 200, 400)
NAMES = "ABCDEFGH"
QUERY = """
SELECT * WITHIN {window} EVENTS SLIDING FROM STREAM s <urn:s>
WHERE {{
  SEQ({sequence})
  {gpms}
}}
"""


# ── queries and streams ──────────────────────────────────────────────────────────────────────────────────
def query(sequence: str, names: Sequence[str], window: int = WINDOW) -> str:
    """A query whose GPMs share the key."""
    gpms = "\n  ".join(f"DEFINE GPM {name} ON s {{ ?k <urn:{name}> ?v{name} }}" for name in names)
    return QUERY.format(sequence=sequence, gpms=gpms, window=window)


def any_order(count: int) -> str:
    """So many sides."""
    return query(" && ".join(NAMES[:count]), NAMES[:count])


def written_out(count: int) -> str:
    """All their orders, for who has no ``&&``."""
    orders = (" : ".join(order) for order in permutations(NAMES[:count]))
    return query(" | ".join(f"({order})" for order in orders), NAMES[:count])


def write(path: Path, kinds: Sequence[str], keys: int) -> Path:
    """A file of N-Quads with an event of each kind, a second apart."""
    chance = random.Random(1)
    path.write_text("".join(event(number, kind, chance.randrange(keys)) for number, kind in enumerate(kinds)))
    return path


def event(number: int, kind: str, key: int) -> str:
    """An event in N-Quads."""
    return (
        f"{triple(number, kind, key, f'<urn:g{number}>')}\n"
        f"<urn:g{number}> <http://www.w3.org/ns/prov#generatedAtTime> "
        f'"{np.datetime64(number, "s")}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
    )


def triple(number: int, kind: str, key: int, graph: str = "") -> str:
    """What it says, in N-Triples or N-Quads."""
    return f'<urn:k{key}> <urn:{kind}> "{number}"^^<http://www.w3.org/2001/XMLSchema#integer> {graph} .'


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────
def run_of(text: str, path: Path) -> spaseq.Run:
    """A run that counts the matches."""
    return spaseq.Run(text, {"s": path}, count_only=True)


def counting(text: str, path: Path) -> Preparation:
    """From bytes to the number of matches; the query is planned before."""

    def prepare() -> Job:
        run = run_of(text, path)
        return lambda: sum(map(len, run.tables()))

    return prepare


def matches(text: str, path: Path) -> int:
    """How many there are."""
    run = run_of(text, path)
    for _ in run.tables():
        pass
    return run.counts()["query1"]


def compare(count: int, path: Path, events: int) -> None:
    """A line for so many GPMs."""
    texts = {"&&": any_order(count)}
    if count in SIDES:
        texts["written out"] = written_out(count)
    found = {name: matches(text, path) for name, text in texts.items()}
    assert len(set(found.values())) == 1, found
    seconds = interleaved({name: counting(text, path) for name, text in texts.items()}, ROUNDS)
    cells = [f"{seconds[name] / events * 1e6:12.2f}" for name in texts]
    cells += [f"{seconds['written out'] / seconds['&&']:8.1f} times"] if "written out" in texts else []
    orders = f"{math.factorial(count):,} orders"
    print(f"  {count} GPMs, {orders:<14}{found['&&'] / events:>14,.1f} matches{''.join(cells)}", flush=True)


# ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────
def nodes(operator: str, events: int) -> tuple[float, float]:
    """Matches and nodes per event under ``L operator (A && B)``."""
    engine = spaseq.Engine()
    engine.register(query(f"L {operator} (A && B)", "LAB", 2 * events), "query")
    found = engine.push_batch("s", [(number * 1_000_000, graph) for number, graph in enumerate(graphs(events))])
    kept: int = engine.statistics()["queries"]["query"]["nodes"]
    return len(found) / events, kept / events


def graphs(events: int) -> Iterator[bytes]:
    """An L, then nine of A and B in turn, again and again."""
    for number in range(events):
        yield triple(number, "AB"[number % 2] if number % 10 else "L", 0).encode()


def growing() -> None:
    """Lines for ever more events."""
    print(f"  {'':<26}{':  matches':>14}{'nodes':>8}{';  matches':>14}{'nodes':>8}")
    for events in GROWING:
        cells = (f"{found:14,.1f}{kept:8.2f}" for found, kept in (nodes(operator, events) for operator in ":;"))
        print(f"  {events:>6,} events{'':<13}{''.join(cells)}", flush=True)


def main(events: int = 10_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"any order, {events:,} events of {KEYS} keys, windows of {WINDOW} events, counted, µs an event")
        print(f"  {'':<36}{'&&':>20}{'written out':>12}")
        for count in (*SIDES, ALONE):
            chance = random.Random(count)
            kinds = [chance.choice(NAMES[:count]) for _ in range(events)]
            compare(count, write(folder / f"{count}.nq", kinds, KEYS), events)
        print("L : (A && B) and L ; (A && B), one key, all events in the window, matches and nodes an event")
        growing()


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
