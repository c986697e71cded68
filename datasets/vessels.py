"""Vessels at sea: position reports in runs of one vessel, or of two that meet, and fishing permits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from spaseq.datasets.event import RDF_TYPE, SECOND, START, Event, about, decimal, iri
from spaseq.datasets.workload import Workload

VESSEL = "https://spaseq.org/ontology/vessel#"
DATA = "https://spaseq.org/data/vessel/"
KNOWLEDGE_IRI = "https://spaseq.org/kb/vessel"
STREAMS = {
    "positions": "https://spaseq.org/stream/vessel/positions",
    "permits": "https://spaseq.org/stream/vessel/permits",
}

_REPORT, _PERMIT, _AREA_CLASS = iri(VESSEL, "PositionReport"), iri(VESSEL, "Permit"), iri(VESSEL, "Area")
_FISHING, _CARGO, _PROTECTED = iri(VESSEL, "FishingVessel"), iri(VESSEL, "CargoVessel"), iri(VESSEL, "ProtectedArea")
_VESSEL, _AREA, _SPEED = iri(VESSEL, "vessel"), iri(VESSEL, "area"), iri(VESSEL, "speed")
_HEADING, _FLAG, _FOR = iri(VESSEL, "heading"), iri(VESSEL, "flag"), iri(VESSEL, "permits")
_VESSELS, _AREAS = 60, 20
_FLAGS = ("FR", "IS", "NO", "PT")
_INTERVAL = 10 * SECOND


def reports(seed: int) -> Iterator[Event]:
    """Reports and permits by time, a moment every 10 s.

    A run is 6 to 14 moments of one vessel in one area; in three runs of five it slows down in the middle.  In every
    fourth run a second vessel reports at the same moments from the same area.  In three runs of ten a permit for the
    first vessel comes between two of its reports.
    """
    random = Random(seed)
    numbers, moments = count(), count()
    while True:
        area, vessels = random.randrange(_AREAS), random.sample(range(_VESSELS), 2 if random.random() < 0.25 else 1)
        speeds = _speeds(random)
        permitted = random.randrange(len(speeds)) if random.random() < 0.3 else None
        for place, speed in enumerate(speeds):
            time = START + next(moments) * _INTERVAL
            for vessel in vessels:
                yield _report(random, next(numbers), time, vessel, area, speed)
            if place == permitted:
                yield _permit(next(numbers), time + _INTERVAL // 2, vessels[0], area)


def knowledge() -> bytes:
    """Kind and flag of the vessels, and which areas are protected (N-Triples, which is Turtle too)."""
    lines = []
    for vessel in range(_VESSELS):
        subject = iri(DATA, f"vessel/{vessel}")
        lines.append(f"{subject} {RDF_TYPE} {_CARGO if vessel % 4 == 0 else _FISHING} .")
        lines.append(f'{subject} {_FLAG} "{_FLAGS[vessel % len(_FLAGS)]}" .')
    for area in range(_AREAS):
        lines.append(f"{iri(DATA, f'area/{area}')} {RDF_TYPE} {_PROTECTED if area % 2 else _AREA_CLASS} .")
    return ("\n".join(lines) + "\n").encode()


def _speeds(random: Random) -> list[float]:
    """Knots: cruising, perhaps slow for a while, cruising again."""
    speeds = [random.uniform(8, 14) for _ in range(random.randint(6, 14))]
    if random.random() < 0.6:
        begin = random.randint(1, len(speeds) - 3)
        for moment in range(begin, random.randint(begin + 1, len(speeds) - 1)):
            speeds[moment] = random.uniform(0.5, 4)
    return speeds


def _report(random: Random, number: int, time: int, vessel: int, area: int, speed: float) -> Event:
    return about("positions", f"{DATA}report/{number}", time, [
        (RDF_TYPE, _REPORT),
        (_VESSEL, iri(DATA, f"vessel/{vessel}")),
        (_AREA, iri(DATA, f"area/{area}")),
        (_SPEED, decimal(max(0.1, speed + random.uniform(-0.3, 0.3)), 1)),
        (_HEADING, decimal(random.uniform(0, 359), 1)),
    ])  # fmt: skip


def _permit(number: int, time: int, vessel: int, area: int) -> Event:
    return about("permits", f"{DATA}permit/{number}", time, [
        (RDF_TYPE, _PERMIT),
        (_FOR, iri(DATA, f"vessel/{vessel}")),
        (_AREA, iri(DATA, f"area/{area}")),
    ])  # fmt: skip


VESSELS = Workload(
    name="vessels",
    description="position reports in runs of one vessel or of two that meet, and permits; knowledge about both",
    streams=STREAMS,
    query_names=(
        "vessels/fishing.spaseq", "vessels/fishing_next.spaseq", "vessels/rendezvous.spaseq",
        "vessels/no_permit.spaseq",
    ),
    generate=reports,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
)  # fmt: skip
