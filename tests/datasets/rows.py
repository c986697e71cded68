"""The six queries of the paper and their variants for the reference counter, on rows read from the wire; and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spaseq.datasets import Workload
from spaseq.datasets.event import Event
from tests.datasets import any_order
from tests.datasets.facts import flat, knowledge, local
from tests.datasets.reference import Row, State, Step, count

SECOND = 1_000_000
MINUTE = 60 * SECOND


def _priced(events: Iterable[Event]) -> list[Row]:
    rows = [flat(event) for event in events]
    return [row | {"key": row["company"], "price": float(row["price"])} for row in rows]


def _price_step(operator: str, test: Callable[[list[float], float], bool], repeat: str = "") -> Step:
    """A quote of the same company whose price passes ``test(prices so far, price)``."""

    def take(state: State, row: Row) -> State | None:
        prices = state.get("prices", [])
        joins = not state or state["key"] == row["key"]
        if not joins or not test(prices, row["price"]):
            return None
        return {"key": row["key"], "prices": [*prices, row["price"]]}

    return Step(operator, "stock", take, repeat=repeat)


def v_shape(operator: str) -> Callable[[Iterable[Event], Workload], int]:
    """p1 < p2 > p3."""
    steps = [
        _price_step("", lambda p, x: True),
        _price_step(operator, lambda p, x: x > p[0]),
        _price_step(operator, lambda p, x: x < p[1]),
    ]
    return lambda events, workload: count(_priced(events), steps, 40 * SECOND)


def head_and_shoulders(operator: str) -> Callable[[Iterable[Event], Workload], int]:
    """Query 4."""
    tests: list[Callable[[list[float], float], bool]] = [
        lambda p, x: True,
        lambda p, x: x > p[0],
        lambda p, x: x < p[1],
        lambda p, x: x > p[1],
        lambda p, x: x < p[1],
        lambda p, x: p[4] < x < p[3],
        lambda p, x: x < p[2] and x < p[4],
    ]
    steps = [_price_step(operator, test) for test in tests]
    return lambda events, workload: count(_priced(events), steps, 10 * SECOND, sliding=False)


def falling_rising(operator: str) -> Callable[[Iterable[Event], Workload], int]:
    """Query 6."""
    steps = [
        _price_step("", lambda p, x: True),
        _price_step(operator, lambda p, x: x < p[-1], repeat=operator),
        _price_step(operator, lambda p, x: x > p[0]),
    ]
    return lambda events, workload: count(_priced(events), steps, 10 * SECOND, sliding=False)


def fraud(operator: str) -> Callable[[Iterable[Event], Workload], int]:
    """Query 2."""

    def first(state: State, row: Row) -> State | None:
        return {"key": row["key"], "amount": row["amount"]} if row["amount"] > 500 else None

    def second(state: State, row: Row) -> State | None:
        return state if row["key"] == state["key"] and state["amount"] >= row["amount"] * 10 else None

    steps = [Step("", "purchases", first), Step(operator, "purchases", second)]

    def run(events: Iterable[Event], workload: Workload) -> int:
        rows = [flat(event) for event in events if event.stream == "purchases"]
        rows = [row | {"key": row["card"], "amount": float(row["amount"])} for row in rows]
        return count(rows, steps, 10 * MINUTE, sliding=False)

    return run


def fishing(operator: str) -> Callable[[Iterable[Event], Workload], int]:
    """Query 3."""

    def run(events: Iterable[Event], workload: Workload) -> int:
        facts = set(knowledge(workload))

        def first(state: State, row: Row) -> State | None:
            protected = (row["area"], "type", "ProtectedArea") in facts
            fisher = (row["vessel"], "type", "FishingVessel") in facts
            return {"key": row["key"], "area": row["area"]} if row["speed"] > 7 and protected and fisher else None

        def slow(state: State, row: Row) -> State | None:
            same = row["key"] == state["key"] and row["area"] == state["area"]
            return state if same and row["speed"] < 5 else None

        def fast(state: State, row: Row) -> State | None:
            return state if row["key"] == state["key"] and row["speed"] > 7 else None

        steps = [
            Step("", "positions", first),
            Step(operator, "positions", slow, repeat=operator),
            Step(operator, "positions", fast),
        ]
        rows = [_position(event) for event in events if event.stream == "positions"]
        return count(rows, steps, 60 * MINUTE, sliding=False)

    return run


def _position(event: Event) -> Row:
    row = flat(event)
    return row | {"key": row["vessel"], "speed": float(row["speed"])}


def use_storage(events: Iterable[Event], workload: Workload) -> int:
    """Query 1."""
    place = {s: o for s, p, o in knowledge(workload) if p == "place"}
    battery = {o: s for s, p, o in knowledge(workload) if p == "serves"}

    def first(state: State, row: Row) -> State | None:
        house = row["household"]
        return {"place": place[house], "battery": battery[house]} if float(row["load"]) > 8 else None

    steps = [
        Step("", "power", first),
        Step(";", "weather", lambda s, r: s if float(r["irradiance"]) < 200 else None, key=lambda s: s["place"]),
        Step(";", "storage", lambda s, r: s if float(r["level"]) > 0.6 else None, key=lambda s: s["battery"]),
    ]
    rows = [flat(event) for event in events]
    for row in rows:
        row["key"] = row.get("place") or row.get("battery")
    return count(rows, steps, 30 * MINUTE, sliding=False)


def slowing(operator: str) -> Callable[[Iterable[Event], Workload], int]:
    """Query 5."""

    def take(state: State, row: Row) -> State | None:
        return None if state and not row["speed"] < state["speed"] else {"key": None, "speed": row["speed"]}

    steps = [Step(operator, stream, take, key=lambda state: None) for stream in ("s182955", "s195578", "s195446")]

    def run(events: Iterable[Event], workload: Workload) -> int:
        rows = [
            {"stream": event.stream, "time": event.time, "key": None, "speed": int(local(value))}
            for event in events
            for subject, predicate, value in event.triples
            if subject.endswith("#speed>") and local(predicate) == "hasValue"
        ]
        return count(rows, steps, 30 * MINUTE, sliding=False)

    return run


# the example query → (workload, reference count)
COUNTS: dict[str, tuple[str, Callable[[Iterable[Event], Workload], int]]] = {
    "smartgrid/use_storage.spaseq": ("smartgrid", use_storage),
    "cards/fraud.spaseq": ("cards", fraud(",")),
    "cards/fraud_next.spaseq": ("cards", fraud(";")),
    "vessels/fishing.spaseq": ("vessels", fishing(",")),
    "vessels/fishing_next.spaseq": ("vessels", fishing(";")),
    "stocks/head_and_shoulders.spaseq": ("stock-runs", head_and_shoulders(",")),
    "stocks/head_and_shoulders_next.spaseq": ("stock-runs", head_and_shoulders(";")),
    "traffic/slowing.spaseq": ("traffic", slowing(",")),
    "traffic/slowing_next.spaseq": ("traffic", slowing(";")),
    "stocks/falling_rising.spaseq": ("stock-runs", falling_rising(",")),
    "stocks/falling_rising_next.spaseq": ("stock-runs", falling_rising(";")),
    "stocks/v_shape.spaseq": ("stocks", v_shape(";")),
    **any_order.COUNTS,
}
