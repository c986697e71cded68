"""``Engine`` against the oracle, and against ``match`` on the whole: wherever rows are cut, however late they are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pyarrow
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from spaseq.tuples import Engine, match
from spaseq.tuples.encoding import symbol_groups
from spaseq.tuples.selection import selection
from tests.cli.conftest import ROOT
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.generate import Pair, joined, mixed, pairs, random_pair
from tests.oracle.ceql.text import to_text
from tests.slices import first
from tests.tuples.aggregated import Calculating, pair_of
from tests.tuples.eager import forget_at_once
from tests.tuples.pushed import SCHEMA, TYPES, answers, arrival, rows

EXAMPLES = ROOT / "examples" / "tuples"
TRADES = pyarrow.csv.read_csv(EXAMPLES / "trades.csv")
SECOND = 1_000_000


def agree(pair: Pair, chance: Random, lateness: int, moves: float = 0) -> str | None:
    """Whether an engine answers as the definition says of the events in their order."""
    order = arrival(pair.events, chance, lateness)
    return disagreement(pair.query, order.ordered, answers(pair, order, chance, moves))


def joined_pair(seed: int) -> Pair:
    """A query that compares events, with keys or with filters that mix them."""
    pair, chance = random_pair(seed), Random(f"joined {seed}")
    query = chance.choice((joined, mixed))(replace(pair.query, aggregates=(), group_by=()), chance)
    return Pair(query, pair.events, pair.labels)


def compare(seeds: range, moves: float = 0) -> None:
    for seed in seeds:
        chance = Random(seed)
        for pair in (random_pair(seed), pair_of(seed), pair_of(seed, Calculating), joined_pair(seed)):
            lateness = chance.choice((0, SECOND, 5 * SECOND))
            assert agree(pair, chance, lateness, moves) is None, (seed, to_text(pair.query))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are taken a few at a time, and what no match can have any more is forgotten at once."""
    monkeypatch.setattr(selection, "MOST", 2)
    forget_at_once(monkeypatch)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", first(2, range(0, 400, 100)))
def test_random_pairs(start: int) -> None:
    compare(range(start, start + 100))


@pytest.mark.deep
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", first(3, range(1000, 4_000, 500)))
def test_many_random_pairs(start: int) -> None:
    """Of each number a query that selects, and one that aggregates."""
    compare(range(start, start + 500))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", range(20_000, 20_200, 100))
def test_random_pairs_that_move(start: int) -> None:
    """Other engines go on where snapshots were taken."""
    compare(range(start, start + 100), moves=0.5)


@pytest.mark.deep
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", first(3, range(21_000, 24_000, 500)))
def test_many_random_pairs_that_move(start: int) -> None:
    compare(range(start, start + 500), moves=0.5)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(pairs(), st.randoms(use_true_random=False), st.integers(0, 3 * SECOND))
def test_any_pair(pair: Pair, chance: Random, lateness: int) -> None:
    assert agree(replace(pair, query=replace(pair.query, group_by=())), chance, lateness) is None


# ── many queries ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(40))
def test_many_queries_are_each_what_it_is_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of other pairs, too, so that events fit some of them; in one group or in several."""
    chance = Random(seed)
    monkeypatch.setattr(symbol_groups, "MOST_SETS", chance.choice((1, 30, 1000)))
    drawn = [random_pair(40 * seed + number) for number in range(20)]
    texts = {f"q{number}": to_text(pair.query) for number, pair in enumerate(drawn) if pair.query.strategy != "ANY"}
    events = sorted((event for pair in drawn[:3] for event in pair.events), key=lambda event: event.time)
    table = pyarrow.Table.from_pylist(rows(events), SCHEMA)
    alone = {name: match(text, table, time="time").to_arrow().to_pylist() for name, text in texts.items()}
    together = match(texts, table, time="time").to_arrow()
    assert {name: found.to_pylist() for name, found in together.items()} == alone
    assert match(texts, table, time="time").counts() == {name: len(found) for name, found in alone.items()}
    engine = Engine(time="time", types=TYPES)
    for name, text in texts.items():
        engine.register(text, name)
    found = {name: [] for name in texts}
    cuts = sorted(chance.randrange(len(events) + 1) for _ in range(3))
    for begin, end in pairwise([0, *cuts, len(events)]):
        for name, some in engine.push(table.slice(begin, end - begin)):
            found[name] += some.to_pylist()
    assert engine.close() == []
    assert {name: sorted(map(str, some)) for name, some in found.items()} == {
        name: sorted(map(str, some)) for name, some in alone.items()
    }


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_examples(size: int) -> None:
    """All of them at once, on the trades of the examples."""
    queries = {path.stem: path for path in sorted(EXAMPLES.glob("*.ceql"))}
    engine = Engine(time="time")
    for name, path in queries.items():
        engine.register(path, name)
    found = {name: [] for name in queries}
    for start in range(0, TRADES.num_rows, size):
        for name, some in engine.push(TRADES.slice(start, size)):
            found[name] += some.to_pylist()
    for name, path in queries.items():
        assert found[name] == match(path, TRADES, time="time").to_arrow().to_pylist(), name

    assert sum(map(bool, found.values())) > len(queries) / 2
