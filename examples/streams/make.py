"""Writes the small streams of this folder again: python examples/streams/make.py"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from pyoxigraph import RdfFormat, parse, serialize

from spaseq.datasets import Workload, workloads
from spaseq.datasets.event import Event, text
from spaseq.datasets.smartgrid import readings
from spaseq.datasets.stocks import quotes, runs

HERE = Path(__file__).resolve().parent
NAMESPACES = {
    "prov": "http://www.w3.org/ns/prov#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "ssn": "http://purl.oclc.org/NET/ssnx/ssn#",
    "sao": "http://purl.oclc.org/NET/sao/",
    "ct": "http://www.insight-centre.org/citytraffic#",
    "city": "http://www.insight-centre.org/dataset/SampleEventService#",
    **{
        name: f"https://spaseq.org/ontology/{name}#"
        for name in ("stock", "card", "vessel", "smartgrid", "port", "bank")
    },
}
SHORT = {  # how many events, and with which seed
    "cards": (90, 7),
    "vessels": (90, 7),
    "traffic": (45, 2),
    "port": (80, 27),
    "accounts": (80, 14),
}
DATA = re.compile(r"https://spaseq\.org/data/[^/>]+/([a-z]+)/")


def main() -> None:
    """Stock quotes of five companies as N-Quads, everything else as TriG and Turtle, which are shorter."""
    (HERE / "stocks.nq").write_bytes(b"".join(text(event) for event in islice(quotes(3, companies=5), 75)))
    _trig("stock-runs", islice(runs(8, companies=5), 120))
    known = workloads()
    for name, (count, seed) in SHORT.items():
        _workload(known[name], known[name].events(count, seed))
    _workload(known["smartgrid"], islice(readings(7, houses=4), 120))


def _workload(workload: Workload, events: Iterable[Event]) -> None:
    chosen = list(events)
    for stream in workload.streams:
        _trig(f"{workload.name}-{stream}", (event for event in chosen if event.stream == stream))
    if workload.knowledge is not None:
        _write(HERE / f"{workload.name}-kb.ttl", workload.knowledge(), RdfFormat.TURTLE)


def _trig(name: str, events: Iterable[Event]) -> None:
    _write(HERE / f"{name}.trig", b"".join(text(event) for event in events), RdfFormat.TRIG)


def _write(path: Path, data: bytes, form: RdfFormat) -> None:
    """Serialize N-Quads (or N-Triples) with prefixes, sorted, for those namespaces that occur."""
    prefixes = {found[1]: found[0] for found in DATA.finditer(data.decode())}
    prefixes |= {name: namespace for name, namespace in NAMESPACES.items() if namespace.encode() in data}
    quads = parse(input=data, format=RdfFormat.N_QUADS)
    items = quads if form.supports_datasets else (quad.triple for quad in quads)
    body = serialize(items, format=form, prefixes=prefixes)
    lines = body.decode().splitlines(keepends=True)
    path.write_text("".join(sorted(lines[: len(prefixes)]) + lines[len(prefixes) :]), encoding="utf-8")


if __name__ == "__main__":
    main()
