"""A smart grid: what households draw, the weather where they are, and what their batteries hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from spaseq.datasets.event import RDF_TYPE, SECOND, START, Event, about, decimal, iri
from spaseq.datasets.workload import Workload

GRID = "https://spaseq.org/ontology/smartgrid#"
DATA = "https://spaseq.org/data/smartgrid/"
KNOWLEDGE_IRI = "https://spaseq.org/kb/smartgrid"
STREAMS = {
    "power": "https://spaseq.org/stream/smartgrid/power",
    "weather": "https://spaseq.org/stream/smartgrid/weather",
    "storage": "https://spaseq.org/stream/smartgrid/storage",
}

_POWER, _WEATHER, _STORAGE = (iri(GRID, f"{kind}Reading") for kind in ("Power", "Weather", "Storage"))
_HOUSEHOLD, _PLACE_CLASS, _BATTERY_CLASS = iri(GRID, "Household"), iri(GRID, "Place"), iri(GRID, "Battery")
_HOUSE, _PLACE, _BATTERY = iri(GRID, "household"), iri(GRID, "place"), iri(GRID, "battery")
_LOAD, _TARIFF = iri(GRID, "load"), iri(GRID, "tariff")
_IRRADIANCE, _WIND = iri(GRID, "irradiance"), iri(GRID, "wind")
_LEVEL, _SERVES = iri(GRID, "level"), iri(GRID, "serves")
_HOUSES, _PLACES = 40, 8


def readings(seed: int, houses: int = _HOUSES) -> Iterator[Event]:
    """A reading a second: six in ten of a household's load, the others of a place's weather and of a battery.

    ``houses``: only so many of the households that the background knowledge has.
    """
    random = Random(seed)
    for number in count():
        kind, time = random.random(), START + number * SECOND
        if kind < 0.6:
            yield _power(random, number, time, random.randrange(houses))
        elif kind < 0.8:
            yield _weather(random, number, time, random.randrange(min(houses, _PLACES)))
        else:
            yield _storage(random, number, time, random.randrange(houses))


def knowledge() -> bytes:
    """Where the households are, and which battery serves which (N-Triples, which is Turtle too)."""
    lines = [f"{iri(DATA, f'place/{place}')} {RDF_TYPE} {_PLACE_CLASS} ." for place in range(_PLACES)]
    for house in range(_HOUSES):
        household, battery = iri(DATA, f"household/{house}"), iri(DATA, f"battery/{house}")
        lines += [
            f"{household} {RDF_TYPE} {_HOUSEHOLD} .",
            f"{household} {_PLACE} {iri(DATA, f'place/{house % _PLACES}')} .",
            f"{battery} {RDF_TYPE} {_BATTERY_CLASS} .",
            f"{battery} {_SERVES} {household} .",
        ]
    return ("\n".join(lines) + "\n").encode()


def _power(random: Random, number: int, time: int, house: int) -> Event:
    statements = [
        (RDF_TYPE, _POWER),
        (_HOUSE, iri(DATA, f"household/{house}")),
        (_LOAD, decimal(random.lognormvariate(1, 0.8))),
    ]
    if random.random() < 0.5:  # not every meter knows the tariff
        statements.append((_TARIFF, decimal(random.uniform(0.1, 0.5))))
    return about("power", f"{DATA}reading/{number}", time, statements)


def _weather(random: Random, number: int, time: int, place: int) -> Event:
    return about("weather", f"{DATA}reading/{number}", time, [
        (RDF_TYPE, _WEATHER),
        (_PLACE, iri(DATA, f"place/{place}")),
        (_IRRADIANCE, decimal(random.uniform(0, 800), 1)),
        (_WIND, decimal(random.uniform(0, 15), 1)),
    ])  # fmt: skip


def _storage(random: Random, number: int, time: int, battery: int) -> Event:
    return about("storage", f"{DATA}reading/{number}", time, [
        (RDF_TYPE, _STORAGE),
        (_BATTERY, iri(DATA, f"battery/{battery}")),
        (_LEVEL, decimal(random.random())),
    ])  # fmt: skip


SMART_GRID = Workload(
    name="smartgrid",
    description="household loads, weather and battery levels on three streams; knowledge about places and batteries",
    streams=STREAMS,
    query_names=("smartgrid/use_storage.spaseq", "smartgrid/tariff.spaseq", "smartgrid/renewable.spaseq"),
    generate=readings,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
)
