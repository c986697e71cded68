"""Writes the trades of this folder again: python examples/tuples/make.py"""

from __future__ import annotations

import csv
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

COLUMNS = ("type", "time", "name", "price", "volume")
START = datetime(2026, 1, 2, 9, 30)
PRICES = {"ALFA": 20.0, "NORD": 50.0, "ZETA": 75.0}


def main(trades: int = 60, seed: int = 9) -> None:
    """Trades of three companies, a few seconds apart; prices walk at random."""
    random, prices, time = Random(seed), dict(PRICES), START
    with (Path(__file__).resolve().parent / "trades.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for _ in range(trades):
            time += timedelta(seconds=int(random.random() * 8) + 1)
            name = list(PRICES)[int(random.random() * len(PRICES))]
            prices[name] *= 0.985 + 0.03 * random.random()
            type_ = "BUY" if random.random() < 0.6 else "SELL"
            volume = 100 * (int(random.random() ** 2 * 10) + 1)
            writer.writerow([type_, f"{time:%Y-%m-%dT%H:%M:%SZ}", name, f"{prices[name]:.2f}", volume])


if __name__ == "__main__":
    main()
