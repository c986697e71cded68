"""Quotes of six triples as ``spaseq generate stocks`` makes them, as rows of Arrow and as N-Quads.

Prices fall all the time, but rise now and then for one quote: so a V shape is rare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import pyarrow

from spaseq.datasets.event import START, iso

QUERY = Path(__file__).resolve().parents[2] / "examples" / "stocks" / "v_shape.spaseq"
WINDOW = 40_000_000  # µs
STOCK = "https://spaseq.org/ontology/stock#"
DATA = "https://spaseq.org/data/stock/"
STREAM = "https://spaseq.org/stream/stock"
XSD = "http://www.w3.org/2001/XMLSchema#"
EXCHANGES = ("Paris", "Lyon", "Vienna", "Oslo")
HIGHEST = 100_000_000  # cents: where prices begin
FALL, RISE = 10, 5  # cents: a rise is above the quote before it alone, so it ends one V shape
TIME = f'<{DATA}quote/%d> <http://www.w3.org/ns/prov#generatedAtTime> "%s"^^<{XSD}dateTime> .\n'


@dataclass(frozen=True, slots=True)
class Quotes:
    """``events`` quotes of so many ``companies``, of which the first has the share ``hot``, others come in turn.

    One in ``rare`` quotes rises.  ``live`` of them are in a window.
    """

    events: int
    companies: int = 100
    hot: float = 0.0
    rare: int = 100
    live: int = 400_000

    @property
    def step(self) -> int:
        """µs from one quote to the next."""
        return WINDOW // self.live

    def rows(self) -> Iterator[tuple[int, int, int, int]]:
        """Number, time (µs), company and price (cents) of each."""
        chance = Random(1)
        prices = [HIGHEST] * self.companies
        for number in range(self.events):
            company = 0 if chance.random() < self.hot else number % self.companies
            prices[company] += RISE if chance.random() * self.rare < 1 else -FALL
            yield number, START + number * self.step, company, prices[company]

    def matches(self) -> int:
        """How many V shapes there are, but for the ends of the stream: each rise is one."""
        return self.events // self.rare

    def tables(self, size: int) -> Iterator[pyarrow.Table]:
        """The quotes in tables of so many rows: those of events, and their company."""
        made = ((time, f"{DATA}quote/{n}", graph(n, c, price), c) for n, time, c, price in self.rows())
        while some := list(islice(made, size)):
            times, names, graphs, companies = zip(*some, strict=True)
            yield pyarrow.table(
                {
                    "stream": pyarrow.array(["stock"] * len(times)),
                    "time": pyarrow.array(times, pyarrow.timestamp("us", "UTC")),
                    "event": pyarrow.array(names),
                    "graph": pyarrow.array(graphs, pyarrow.binary()),
                    "company": pyarrow.array(companies, pyarrow.int32()),
                }
            )

    def write_quads(self, path: Path) -> None:
        """The quotes as a stream on the wire."""
        with path.open("wb") as file:
            for number, time, company, price in self.rows():
                text = graph(number, company, price, f" <{DATA}quote/{number}>").decode()
                file.write((text + TIME % (number, iso(time))).encode())


def graph(number: int, company: int, price: int, name: str = "") -> bytes:
    """A quote in N-Triples, or with its name in N-Quads."""
    quote = f"<{DATA}quote/{number}>"
    return (
        f"{quote} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{STOCK}Quote>{name} .\n"
        f"{quote} <{STOCK}company> <{DATA}company/{company}>{name} .\n"
        f'{quote} <{STOCK}price> "{price // 100}.{price % 100:02}"^^<{XSD}decimal>{name} .\n'
        f'{quote} <{STOCK}volume> "{number * 7919 % 1000}"^^<{XSD}integer>{name} .\n'
        f"{quote} <{STOCK}exchange> <{DATA}exchange/{EXCHANGES[company % 4]}>{name} .\n"
        f'{quote} <{STOCK}number> "{number}"^^<{XSD}integer>{name} .\n'
    ).encode()
