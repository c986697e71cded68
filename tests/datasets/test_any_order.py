"""The workloads for ``&&``: how many matches their bundled streams have, and that both orders are among them."""

from __future__ import annotations

from collections import defaultdict

import pytest

from spaseq.datasets import workloads
from spaseq.datasets.event import START, Event, about
from spaseq.datasets.merging import by_time
from tests.datasets.any_order import COUNTS
from tests.datasets.facts import flat
from tests.datasets.test_examples import bundled_events

# counted by hand from the bundled streams; ``test_examples.py`` compares the oracle, the counters and the engine
MATCHES = {
    "port/ready.spaseq": 8,
    "port/overweight.spaseq": 4,
    "port/complete.spaseq": 5,
    "port/inspected.spaseq": 2,
    "port/pieces.spaseq": 4,
    "port/held.spaseq": 4,
    "accounts/takeover.spaseq": 4,
    "accounts/drained.spaseq": 11,
    "accounts/two_places.spaseq": 4,
    "accounts/guessed.spaseq": 10,
}


@pytest.mark.parametrize("query", COUNTS)
def test_bundled_streams_have_so_many_matches(query: str) -> None:
    name, count = COUNTS[query]
    assert count(bundled_events(workloads()[name]), workloads()[name]) == MATCHES[query]


@pytest.mark.parametrize(
    ("name", "entity", "left", "right"),
    [("port", "consignment", "Clearance", "Unloading"), ("accounts", "account", "Login", "AddressChange")],
)
def test_both_orders_come(name: str, entity: str, left: str, right: str) -> None:
    rows = [flat(event) for event in bundled_events(workloads()[name])]
    times: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        times[row[entity]].setdefault(row["type"], row["time"])
    both = [found for found in times.values() if left in found and right in found]
    assert {(found[left] > found[right]) - (found[left] < found[right]) for found in both} >= {-1, 1}


def test_papers_come_with_the_goods_now_and_then() -> None:
    rows = [flat(event) for event in workloads()["port"].events(2_000, 0)]
    cleared, unloaded = (
        {(row["consignment"], row["time"]) for row in rows if row["type"] == kind}
        for kind in ("Clearance", "Unloading")
    )
    assert len(cleared & unloaded) > 20


def test_groups_are_merged_by_time() -> None:
    def event(name: str, second: int) -> Event:
        return about("s", name, START + second, [])

    groups = [(START, [event("c", 5), event("a", 0)]), (START + 5, [event("d", 5), event("e", 9)]), (START + 7, [])]
    assert [one.name for one in by_time(groups)] == ["a", "c", "d", "e"]
