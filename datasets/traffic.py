"""Traffic on three roads of Aarhus, in the vocabulary of the CityBench sensor repository.

The generated streams have the IRIs of the real ones (``spaseq.datasets.citybench``), so one query serves both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from random import Random

from spaseq.datasets.event import RDF_TYPE, SECOND, START, Event, integer, iri
from spaseq.datasets.workload import Workload

REPOSITORY = "http://www.insight-centre.org/dataset/SampleEventService#"
SSN = "http://purl.oclc.org/NET/ssnx/ssn#"
TRAFFIC = "http://www.insight-centre.org/citytraffic#"
DATA = "https://spaseq.org/data/traffic/"
KNOWLEDGE_IRI = "https://spaseq.org/kb/traffic"

SENSORS = ("182955", "195578", "195446")  # in the order in which a car passes them in Query 5
STREAMS = {f"s{sensor}": f"{REPOSITORY}AarhusTrafficData{sensor}" for sensor in SENSORS}
QUERIES = ("traffic/slowing.spaseq", "traffic/slowing_next.spaseq", "traffic/jam.spaseq")

OBSERVES = iri(SSN, "observes")
SPEED, VEHICLES = f"{TRAFFIC}AvgSpeed", f"{TRAFFIC}VehicleCount"
_OBSERVATION, _SENSOR = iri(SSN, "Observation"), iri(SSN, "Sensor")
_OBSERVED_BY, _OBSERVED_PROPERTY = iri(SSN, "observedBy"), iri(SSN, "observedProperty")
_VALUE = "<http://purl.oclc.org/NET/sao/hasValue>"
_INTERVAL = 300 * SECOND

Properties = Mapping[str, str]  # the class of a property → the IRI of the property that one sensor observes


def reading(sensor: str, number: int, time: int, speed: int, vehicles: int, properties: Properties) -> Event:
    """One reading of a sensor: an observation (kilometres an hour) of its average speed, one of its vehicle count, and
    the class of each observed property.
    """
    name = f"{DATA}{sensor}/{number}"
    triples = _observation(f"<{name}#speed>", sensor, SPEED, properties[SPEED], speed)
    triples += _observation(f"<{name}#vehicles>", sensor, VEHICLES, properties[VEHICLES], vehicles)
    return Event(f"s{sensor}", name, time, triples)


def readings(seed: int) -> Iterator[Event]:
    """Every five minutes a reading of each sensor (one in twenty is missing); roads differ in their usual speed."""
    random = Random(seed)
    usual = dict(zip(SENSORS, (60.0, 48.0, 40.0), strict=True))
    properties = {sensor: _properties(sensor) for sensor in SENSORS}
    for moment in count():
        for sensor in SENSORS:
            if random.random() < 0.05:
                continue
            vehicles = min(60, int(random.expovariate(1 / 8)))
            speed = max(3, round(usual[sensor] - vehicles / 2 + random.gauss(0, 8)))
            yield reading(sensor, moment, START + moment * _INTERVAL, speed, vehicles, properties[sensor])


def knowledge() -> bytes:
    """What each sensor observes, with the classes of the properties (N-Triples, which is Turtle too)."""
    lines = []
    for sensor in SENSORS:
        subject = iri(REPOSITORY, f"AarhusTrafficData{sensor}")
        lines.append(f"{subject} {RDF_TYPE} {_SENSOR} .")
        for kind, observed in _properties(sensor).items():
            lines.append(f"{subject} {OBSERVES} <{observed}> .")
            lines.append(f"<{observed}> {RDF_TYPE} <{kind}> .")
    return ("\n".join(lines) + "\n").encode()


def _properties(sensor: str) -> Properties:
    return {kind: f"{DATA}property/{sensor}/{kind.removeprefix(TRAFFIC)}" for kind in (SPEED, VEHICLES)}


def _observation(node: str, sensor: str, kind: str, observed: str, value: int) -> list[tuple[str, str, str]]:
    return [
        (node, RDF_TYPE, _OBSERVATION),
        (node, _OBSERVED_BY, iri(REPOSITORY, f"AarhusTrafficData{sensor}")),
        (node, _OBSERVED_PROPERTY, f"<{observed}>"),
        (f"<{observed}>", RDF_TYPE, f"<{kind}>"),
        (node, _VALUE, integer(value)),
    ]


TRAFFIC_WORKLOAD = Workload(
    name="traffic",
    description="speeds and vehicle counts of three road sensors every five minutes; knowledge about the sensors",
    streams=STREAMS,
    query_names=QUERIES,
    generate=readings,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
)
