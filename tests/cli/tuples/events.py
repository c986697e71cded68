"""A few events, queries on them, and what these find."""

from __future__ import annotations

import json

EVENTS = """\
type,name,price,at
BUY,ACME,10,100
SELL,ACME,12.5,200
BUY,ZOO,,300
SELL,ZOO,9,300
"""
PAIRS = "SELECT * WHERE BUY ; SELL WITHIN 3 EVENTS"
ATTRIBUTES = "SELECT BUY.price, SELL.name AS who, SELL WHERE BUY ; SELL WITHIN 3 EVENTS"
SUMS = "SELECT COUNT(*) AS n WHERE BUY ; SELL WITHIN 3 EVENTS"
JSONL = """\
{"start": 0, "end": 1, "picked": {"BUY": [0], "SELL": [1]}}
{"start": 2, "end": 3, "picked": {"BUY": [2], "SELL": [3]}}
{"start": 0, "end": 3, "picked": {"BUY": [0], "SELL": [3]}}
"""


def results(output: str) -> list[tuple[int, int, dict[str, list[int]]]]:
    return [(row["start"], row["end"], row["picked"]) for row in map(json.loads, output.splitlines())]
