"""A port: consignments whose papers and goods come in either order, and what happens until they are released."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from spaseq.datasets.event import MINUTE, RDF_TYPE, START, Event, about, decimal, integer, iri
from spaseq.datasets.merging import by_time
from spaseq.datasets.workload import Workload

PORT = "https://spaseq.org/ontology/port#"
DATA = "https://spaseq.org/data/port/"
KNOWLEDGE_IRI = "https://spaseq.org/kb/port"
STREAMS = {
    "papers": "https://spaseq.org/stream/port/papers",
    "quay": "https://spaseq.org/stream/port/quay",
}

_CONSIGNMENT, _CONTENT = iri(PORT, "consignment"), iri(PORT, "content")
_WEIGHT, _DECLARED, _DUTY = iri(PORT, "weight"), iri(PORT, "declaredWeight"), iri(PORT, "duty")
_GOODS, _CONTROLLED_GOODS = iri(PORT, "Goods"), iri(PORT, "ControlledGoods")
_ON_THE_QUAY = ("Unloading", "Inspection")
_CONTROLLED = ("flowers", "fruit", "timber", "wool")
_FREE = ("glass", "machines", "paper", "wine")

Happening = tuple[str, int, list[tuple[str, str]]]  # what it is, when, and what is said of it beside the consignment


def shipments(seed: int) -> Iterator[Event]:
    """What happens to consignments, by time; one is announced every 5 to 15 minutes.

    Within an hour, in any order, its papers are cleared, its one to three pieces unloaded and the duty paid; the papers
    of one in ten come with the goods, at the same minute.  The papers of one in five declare too little; half of those
    are corrected later.  Controlled goods are inspected (one in five is not).  Then the consignment is released: one in
    eight before the duty is paid, and one in eight never.
    """
    return by_time(_consignments(Random(seed)))


def knowledge() -> bytes:
    """Which goods are controlled (N-Triples, which is Turtle too)."""
    kinds = [(name, _CONTROLLED_GOODS) for name in _CONTROLLED] + [(name, _GOODS) for name in _FREE]
    return "".join(f"{iri(DATA, f'goods/{name}')} {RDF_TYPE} {kind} .\n" for name, kind in kinds).encode()


def _consignments(random: Random) -> Iterator[tuple[int, list[Event]]]:
    time, numbers = START, count()
    for consignment in count():
        time += _minutes(random, 5, 15)
        yield time, [_event(next(numbers), consignment, happening) for happening in _course(random, time)]


def _event(number: int, consignment: int, happening: Happening) -> Event:
    kind, time, statements = happening
    stream = "quay" if kind in _ON_THE_QUAY else "papers"
    return about(stream, f"{DATA}{kind.lower()}/{number}", time, [
        (RDF_TYPE, iri(PORT, kind)),
        (_CONSIGNMENT, iri(DATA, f"consignment/{consignment}")),
        *statements,
    ])  # fmt: skip


def _course(random: Random, begin: int) -> list[Happening]:
    """All that happens to one consignment."""
    content = random.choice(_CONTROLLED + _FREE)
    pieces, weights = _unloadings(random, begin)
    papers = _clearances(random, begin, pieces[0][1], sum(weights))
    inspected = content in _CONTROLLED and random.random() < 0.8
    inspections: list[Happening] = [("Inspection", pieces[-1][1] + _minutes(random, 5, 20), [])] if inspected else []
    announced = ("Announcement", begin, [(_CONTENT, iri(DATA, f"goods/{content}"))])
    done = max(when for _, when, _ in [papers[0], *pieces, *inspections])
    return [announced, *papers, *pieces, *inspections, *_endings(random, begin, done)]


def _unloadings(random: Random, begin: int) -> tuple[list[Happening], list[int]]:
    """Those of the pieces, some minutes apart, and their weights in kg."""
    weights = [random.randint(500, 9000) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    when, pieces = begin + _minutes(random, 5, 60), []
    for weight in weights:
        pieces.append(("Unloading", when, [(_WEIGHT, integer(weight))]))
        when += _minutes(random, 3, 10)
    return pieces, weights


def _clearances(random: Random, begin: int, unloaded: int, weight: int) -> list[Happening]:
    """That of the papers, and perhaps of corrected ones."""
    time = unloaded if random.random() < 0.1 else begin + _minutes(random, 5, 60)
    declared = [weight]
    if random.random() < 0.2:
        too_little = int(weight * random.uniform(0.4, 0.95))
        declared = random.choice(([too_little], [too_little, weight]))
    times = [time, time + _minutes(random, 5, 20)]
    return [("Clearance", when, [(_DECLARED, integer(kg))]) for when, kg in zip(times, declared, strict=False)]


def _endings(random: Random, begin: int, done: int) -> list[Happening]:
    """Payment and release of what has all else at ``done``."""
    paid, fate = begin + _minutes(random, 5, 60), random.randrange(8)
    released = (done if fate == 0 else max(done, paid)) + _minutes(random, 3, 20)
    if fate == 0:
        paid = released + _minutes(random, 5, 20)
    payment: Happening = ("Payment", paid, [(_DUTY, decimal(random.uniform(50, 900)))])
    return [payment] if fate == 1 else [payment, ("Release", released, [])]


def _minutes(random: Random, least: int, most: int) -> int:
    return random.randint(least, most) * MINUTE


PORT_WORKLOAD = Workload(
    name="port",
    description="consignments whose papers and goods come in either order; knowledge about goods",
    streams=STREAMS,
    query_names=(
        "port/ready.spaseq", "port/overweight.spaseq", "port/complete.spaseq", "port/inspected.spaseq",
        "port/pieces.spaseq", "port/held.spaseq",
    ),
    generate=shipments,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
)  # fmt: skip
