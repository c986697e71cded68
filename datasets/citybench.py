"""The real traffic readings of Aarhus (CityBench, August to October 2014) as RDF events.

Each CSV row of a sensor's file becomes one event: ``avgSpeed`` and ``vehicleCount`` become observations, ``TIMESTAMP``
(taken as UTC) the time; the other columns have no part in the queries.  The files are sorted by time, ties as they
stand; rows that the source repeats stay repeated.  ``SensorRepository.n3`` is the background knowledge.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from heapq import merge
from operator import attrgetter
from pathlib import Path

import pyoxigraph

from spaseq.datasets.event import RDF_TYPE, SECOND, Event
from spaseq.datasets.traffic import (
    KNOWLEDGE_IRI,
    OBSERVES,
    QUERIES,
    REPOSITORY,
    SENSORS,
    STREAMS,
    Properties,
    reading,
)
from spaseq.datasets.workload import Workload
from spaseq.errors import OptionError, StreamError

VARIABLE = "SPASEQ_SHARED"  # the environment variable that names the folder of the shared data
_REPOSITORY_FILE = "SensorRepository.n3"
_COLUMNS = ("TIMESTAMP", "avgSpeed", "vehicleCount")


def folder() -> Path:
    """The folder ``citybench`` of the shared data: $SPASEQ_SHARED, else ``../shared/data`` beside the repository.
    OptionError where it is not at hand.
    """
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    shared = Path(os.environ.get(VARIABLE) or default)
    found = shared / "citybench"
    if not found.is_dir():
        raise OptionError(
            f"the Aarhus readings are not at hand: there is no folder {found}\n"
            f"hint: set {VARIABLE} to the folder that contains citybench/ (streams and {_REPOSITORY_FILE})"
        )
    return found


def readings(seed: int = 0) -> Iterator[Event]:
    """All readings of the three sensors by time.  The data is fixed: ``seed`` changes nothing.  OptionError where the
    data is not at hand, StreamError where a file is not as expected.
    """
    source = folder()
    observed = _observed_properties(source / _REPOSITORY_FILE)
    streams = [_sensor(source / f"AarhusTrafficData{sensor}.stream", sensor, observed[sensor]) for sensor in SENSORS]
    return merge(*streams, key=attrgetter("time"))


def knowledge() -> bytes:
    """``SensorRepository.n3``, which is Turtle as well."""
    return _bytes(folder() / _REPOSITORY_FILE)


def _sensor(path: Path, sensor: str, properties: Properties) -> Iterator[Event]:
    rows = sorted(_rows(path))
    for time, number, speed, vehicles in rows:
        yield reading(sensor, number, time, speed, vehicles, properties)


def _rows(path: Path) -> Iterator[tuple[int, int, int, int]]:
    """(time, row number, speed, vehicles) of every row; the row number keeps ties in the order of the file."""
    lines = _bytes(path).decode().splitlines()
    for number, row in enumerate(csv.DictReader(lines)):
        try:
            when, speed, vehicles = (row[column] for column in _COLUMNS)
            yield _microseconds(when), number, int(speed), int(vehicles)
        except (KeyError, TypeError, ValueError) as error:
            raise StreamError(f"{path}:{number + 2}: not a reading ({error})") from error


def _microseconds(when: str) -> int:
    return int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp()) * SECOND


def _observed_properties(path: Path) -> dict[str, dict[str, str]]:
    """For every sensor of ours: class of the property → IRI of the property that it observes."""
    kinds, observes = {}, []
    for quad in pyoxigraph.parse(input=_bytes(path), format=pyoxigraph.RdfFormat.N3):
        if not isinstance(quad.subject, pyoxigraph.NamedNode) or not isinstance(quad.object, pyoxigraph.NamedNode):
            continue
        if str(quad.predicate) == RDF_TYPE:
            kinds[quad.subject.value] = quad.object.value
        elif str(quad.predicate) == OBSERVES:
            observes.append((quad.subject.value, quad.object.value))
    prefix = f"{REPOSITORY}AarhusTrafficData"
    return {
        sensor: {kinds[observed]: observed for subject, observed in observes if subject == prefix + sensor}
        for sensor in SENSORS
    }


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror}") from error


AARHUS = Workload(
    name="aarhus",
    description="the real readings of three road sensors in Aarhus, August to October 2014 (needs the shared data)",
    streams=STREAMS,
    query_names=QUERIES,
    generate=readings,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
    finite=True,
)
