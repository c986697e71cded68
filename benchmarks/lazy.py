"""``A : B : C`` with filters over three events: made at once, lazily, and as it is chosen (``auto``).

Rows go straight into the kernel: an event gives one of A, B or C, and a number.  No key, or one of ten for negation; a
window of so many events, a second apart; C as often as the others, or one in a thousand.  Matches are counted.  Values
of *sums* and *squares* are nearly all different, those of *least* are of 315.  The last lines are negation that reads
the next step, beside negation that nothing is compared with; and sums and squares in CEQL beside SPAseq's, both as they
choose.

CPU time of one process, events a second, and what lazy and auto are to eager.  Run: ``python -m benchmarks.lazy``
(``make bench-lazy``).
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.kinds import Evaluating
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.tuples import match

Words = NDArray[np.uint64]
BATCH, SECOND, KEYS = 4096, 1_000_000, 10
WAYS = (Evaluating.EAGER, Evaluating.LAZY, Evaluating.AUTO)
SUM = "?av + ?bv + 100 < ?cv"
SQUARES = "(?av - ?bv) * (?av - ?bv) + (?bv - ?cv) * (?bv - ?cv) < 3"
LEAST = "?cv > ?av"
QUERY = """
SELECT * WITHIN {window} SECONDS SLIDING FROM STREAM s <urn:s>
WHERE {{
  SEQ({sequence})
  DEFINE GPM A ON s {{ ?{a} <urn:A> ?av }}
  DEFINE GPM B ON s {{ ?{b} <urn:B> ?bv }}
  DEFINE GPM C ON s {{ ?{c} <urn:C> ?cv {filter} }}
  DEFINE GPM D ON s {{ ?{d} <urn:D> ?dv }}
  DEFINE GPM N ON s {{ ?{n} <urn:N> ?nv {negated} }}
}}
"""
CEQL = """
SELECT * WHERE A AS a ; B AS b ; C AS c FILTER {filter} WITHIN {window} SECONDS
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """A query over events of ``kinds``, the third of which is one in ``rare``; eager takes ``few`` events."""

    filter: str = ""
    rare: int = 3
    values: int = 3000
    window: int = 3000
    sequence: str = "A : B : C"
    kinds: str = "ABC"
    negated: str = ""
    keyed: bool = False

    def plan(self) -> Plan:
        names = dict.fromkeys("abcdn", "k") if self.keyed else {one: one for one in "abcdn"}
        condition = f"FILTER({self.filter})" if self.filter else ""
        negated = f"FILTER({self.negated})" if self.negated else ""
        parts = {"window": self.window, "sequence": self.sequence, "filter": condition, "negated": negated}
        return compile_plan(parse(QUERY.format(**names, **parts)).query)


SHAPES = {
    "sum, C rare": (Shape(SUM, rare=1000), 10_000, 200_000),
    "squares, C rare": (Shape(SQUARES, rare=1000), 5_000, 200_000),
    "sum, C frequent": (Shape(SUM), 4_000, 12_000),
    "squares, C frequent": (Shape(SQUARES), 4_000, 12_000),
    "least, C frequent": (Shape(LEAST, values=315, window=1000), 6_000, 20_000),
    "least, C rare": (Shape(LEAST, rare=1000, values=315, window=1000), 20_000, 100_000),
}
NEGATED = {
    "N compared with C": Shape(sequence="A : N! : C : D", kinds="ANCD", negated="?nv < ?cv", keyed=True, window=1000),
    "N compared with nothing": Shape(sequence="A : N! : C : D", kinds="ANCD", keyed=True, window=1000),
}


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────
def kinds_of(shape: Shape, events: int) -> NDArray[np.int64]:
    """Which GPM each event is of."""
    chance = np.random.default_rng(1)
    if len(shape.kinds) > 3:
        return chance.integers(0, len(shape.kinds), events)
    return np.where(chance.random(events) < 1 / shape.rare, 2, chance.integers(0, 2, events))


def batches(
    shape: Shape, plan: Plan, terms: Terms, events: int, kinds: NDArray[np.int64] | None = None, size: int = BATCH
) -> Iterator[tuple[Any, Any, list[AtomRows | None]]]:
    """Times, event numbers and rows of the atoms."""
    chance = np.random.default_rng(2)
    kinds = kinds_of(shape, events) if kinds is None else kinds
    values = words(terms, shape.values)[chance.integers(0, shape.values, events)]
    keys = words(terms, KEYS)[chance.integers(0, KEYS, events)]
    for start in range(0, events, size):
        part = slice(start, min(start + size, events))
        numbers = np.arange(events)[part]
        rows = [rows_of(one, kinds[part], values[part], keys[part], shape.kinds) for one in plan.atoms]
        yield numbers * SECOND, numbers.astype(np.uint64), rows


def words(terms: Terms, count: int) -> Words:
    """Those of the first integers."""
    return np.array([terms.integer(number) for number in range(count)], np.uint64)


def rows_of(atom: Any, kinds: NDArray[np.int64], values: Words, keys: Words, names: str) -> AtomRows | None:
    """The rows of a GPM, if there are some; variables of two letters have values."""
    at = np.flatnonzero(kinds == names.index(atom.name))
    columns = [(values if len(name) > 1 else keys)[at] for name in atom.variables]
    return AtomRows(at.astype(np.uint32), np.array(columns, np.uint64)) if len(at) else None


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────
def speed(shape: Shape, events: int, way: Evaluating = Evaluating.AUTO) -> tuple[float, int]:
    """Events a second, and matches."""
    plan, terms = shape.plan(), Terms()
    matcher = plan.start(terms, enumerates=True)
    assert isinstance(matcher, Matcher)
    matcher.evaluation, matcher.count_only = way, True
    given = list(batches(shape, plan, terms, events))
    started = time.process_time()
    for batch in given:
        matcher.feed(*batch)
    matcher.finish()
    return events / (time.process_time() - started), matcher.count


def ways(name: str, shape: Shape, few: int, many: int) -> str:
    """The three ways over as many events as eager can take; lazy and auto over more, too."""
    found = {way: speed(shape, few, way) for way in WAYS}
    assert len({matches for _, matches in found.values()}) == 1, name
    eager, lazy, auto = (found[way][0] for way in WAYS)
    longer = [speed(shape, many, way)[0] for way in (Evaluating.LAZY, Evaluating.AUTO)]
    ratios = f"{longer[0] / eager:8.1f} {longer[1] / eager:8.1f}"
    return (
        f"  {name:<24} {eager:>10,.0f} {lazy:>10,.0f} {auto:>10,.0f} {longer[0]:>10,.0f} {longer[1]:>10,.0f} {ratios}"
    )


def of_tuples(shape: Shape, events: int) -> tuple[float, int]:
    """The same filter in CEQL."""
    chance = np.random.default_rng(2)
    types = np.array(list(shape.kinds))[kinds_of(shape, events)]
    table = pyarrow.table({
        "type": types, "v": chance.integers(0, shape.values, events), "t": np.arange(events, dtype=np.int64) * SECOND,
    })  # fmt: skip
    condition = re.sub(r"\?(.)v", r"\1.v", shape.filter)
    results = match(CEQL.format(filter=condition, window=shape.window), table, time="t")
    started = time.process_time()
    found = results.count()
    return events / (time.process_time() - started), found


def main() -> None:
    """Print all figures."""
    print("A : B : C, matches counted, one process, CPU time, events/s")
    heads = "".join(f" {one:>10}" for one in ("eager", "lazy", "auto", "lazy, more", "auto, more"))
    print(f"  {'':<20}{heads} {'lazy ×':>8} {'auto ×':>8}")
    for name, (shape, few, many) in SHAPES.items():
        print(ways(name, shape, few, many), flush=True)
    print("A : N! : C : D with a key of ten, window 1,000")
    for name, shape in NEGATED.items():
        print(f"  {name:<24} {speed(shape, 50_000)[0]:>10,.0f}", flush=True)
    for name in ("sum, C rare", "squares, C rare", "sum, C frequent", "squares, C frequent"):
        shape, few, _ = SHAPES[name]
        (tuples, found), (graphs, wanted) = of_tuples(shape, few), speed(shape, few)
        assert found == wanted, name
        print(f"CEQL's {name:<18} {tuples:>10,.0f} events/s, SPAseq's {graphs:,.0f}: {graphs / tuples:.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
