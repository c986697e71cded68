"""The examples, against what their queries say in words."""

from __future__ import annotations

import csv
import json
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Invoke
from tests.cli.tuples.events import results

EXAMPLES = ROOT / "examples" / "tuples"
TRADES = ["--events", str(EXAMPLES / "trades.csv"), "--time", "time"]


def trades() -> list[dict[str, Any]]:
    with (EXAMPLES / "trades.csv").open(encoding="utf-8", newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file)]
    for position, row in enumerate(rows):
        numbers = {"price": float(row["price"]), "volume": int(row["volume"])}
        row |= {"position": position, "time": datetime.fromisoformat(row["time"]), **numbers}
    return rows


def rebounds() -> list[Any]:
    rows = [row for row in trades() if row["name"] == "NORD"]
    lows = [row for row in rows if row["type"] == "SELL" and row["price"] < 49.5]
    highs = [row for row in rows if row["type"] == "BUY" and row["price"] > 50.5]
    pairs = [(low, high) for low in lows for high in highs if low["position"] < high["position"]]
    near = [
        (low["position"], high["position"]) for low, high in pairs if high["time"] - low["time"] <= timedelta(minutes=2)
    ]
    return [(low, high, {"low": [low], "high": [high]}) for low, high in near]


def by_name() -> list[list[dict[str, Any]]]:
    rows = sorted(trades(), key=lambda row: (row["name"], row["position"]))
    return [list(group) for _, group in groupby(rows, key=lambda row: row["name"])]


def sprees() -> list[Any]:
    found = []
    for rows in by_name():
        sales = [index for index, row in enumerate(rows) if row["type"] == "SELL"]
        for before, after in pairwise(sales):
            run = [row["position"] for row in rows[before : after + 1]]
            if len(run) >= 4 and rows[after]["time"] - rows[before]["time"] <= timedelta(minutes=5):
                picked = {"before": run[:1], "first": run[1:2], "more": run[2:-1], "after": run[-1:]}
                found.append((run[0], run[-1], picked))
    return found


def accumulations() -> list[Any]:
    found = []
    for rows in by_name():
        bought = [row for row in rows if row["type"] == "BUY"]
        for index, large in enumerate(bought):
            near = [row for row in bought[:index] if large["time"] - row["time"] <= timedelta(minutes=1)]
            small = [row["position"] for row in near if row["volume"] <= 300]
            if small and large["volume"] >= 700:
                found.append((small[0], large["position"], {"small": small}))
    return found


@pytest.mark.parametrize(
    ("name", "expected"), [("rebound", rebounds), ("buying_spree", sprees), ("accumulation", accumulations)]
)
def test_examples(invoke: Invoke, name: str, expected: Any) -> None:
    result = invoke("tuples", str(EXAMPLES / f"{name}.ceql"), *TRADES)
    assert (result.exit_code, result.stderr) == (0, "")
    assert results(result.stdout) == sorted(expected(), key=lambda one: one[1])
    assert len(expected()) >= 3


def sold_before() -> list[Any]:
    """For each purchase with sales before it: its position and company, and what the sales come to."""
    rows = trades()
    found = []
    for buy in rows:
        window = [row for row in rows if row["position"] < buy["position"] and row["name"] == buy["name"]]
        sales = [row for row in window if row["type"] == "SELL" and buy["time"] - row["time"] <= timedelta(seconds=30)]
        if buy["type"] == "BUY" and sales:
            sold, mean = sum(row["volume"] for row in sales), sum(row["price"] for row in sales) / len(sales)
            values = {"sales": len(sales), "sold": sold, "mean": pytest.approx(mean)}
            found.append({"end": buy["position"], "company": buy["name"], **values})
    return found


def test_aggregates(invoke: Invoke) -> None:
    result = invoke("tuples", str(EXAMPLES / "sold_before.ceql"), *TRADES)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [json.loads(line) for line in result.stdout.splitlines()] == sold_before()
    assert len(sold_before()) >= 10
