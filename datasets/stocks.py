"""Stock quotes: one market where the companies take turns, and one that quotes a company in runs.

Queries with ``,`` (nothing in between) only match where one company's quotes follow each other, hence the runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from spaseq.datasets.event import MILLISECOND, RDF_TYPE, START, Event, about, decimal, integer, iri
from spaseq.datasets.workload import Workload

STOCK = "https://spaseq.org/ontology/stock#"
DATA = "https://spaseq.org/data/stock/"
STREAM = "https://spaseq.org/stream/stock"

_QUOTE, _COMPANY, _PRICE = iri(STOCK, "Quote"), iri(STOCK, "company"), iri(STOCK, "price")
_VOLUME, _EXCHANGE, _NUMBER = iri(STOCK, "volume"), iri(STOCK, "exchange"), iri(STOCK, "number")
_EXCHANGES = tuple(iri(DATA, f"exchange/{name}") for name in ("Paris", "Lyon", "Vienna", "Oslo"))
_INTERVAL = 10 * MILLISECOND
_TICK = 0.01  # the smallest price, and the smallest step of a price

# The outline of head and shoulders, in steps above the price at which it begins.
_SHAPE = (0.0, 4.0, 1.5, 7.0, 1.0, 3.5, -1.0)


def quotes(seed: int, companies: int = 100) -> Iterator[Event]:
    """A quote of six triples every 10 ms, the companies in turn; prices walk at random."""
    random = Random(seed)
    prices = _opening_prices(random, companies)
    for number in count():
        company = number % companies
        prices[company] = _step(random, prices[company])
        yield _quote(random, number, company, prices[company])


def runs(seed: int, companies: int = 100) -> Iterator[Event]:
    """The same quotes, but 8 to 24 in a row are of one company, and every fourth run draws head and shoulders."""
    random = Random(seed)
    prices = _opening_prices(random, companies)
    numbers = count()
    while True:
        company = random.randrange(companies)
        for price in _run(random, prices[company]):
            prices[company] = price
            yield _quote(random, next(numbers), company, price)


def _opening_prices(random: Random, companies: int) -> list[float]:
    return [round(random.uniform(50, 150), 2) for _ in range(companies)]


def _step(random: Random, price: float) -> float:
    return max(_TICK, round(price + random.gauss(0, 0.5), 2))


def _run(random: Random, price: float) -> Iterator[float]:
    drawn = _SHAPE if random.random() < 0.25 else ()
    for _ in range(random.randint(8, 24) - len(drawn)):
        price = _step(random, price)
        yield price
    for height in drawn:
        yield max(_TICK, round(price + height + random.uniform(-0.4, 0.4), 2))


def _quote(random: Random, number: int, company: int, price: float) -> Event:
    return about("stock", f"{DATA}quote/{number}", START + number * _INTERVAL, [
        (RDF_TYPE, _QUOTE),
        (_COMPANY, iri(DATA, f"company/{company}")),
        (_PRICE, decimal(price)),
        (_VOLUME, integer(random.randrange(1, 1000))),
        (_EXCHANGE, _EXCHANGES[company % len(_EXCHANGES)]),
        (_NUMBER, integer(number)),
    ])  # fmt: skip


STOCKS = Workload(
    name="stocks",
    description="quotes of 100 companies in turn, one every 10 ms, random-walk prices",
    streams={"stock": STREAM},
    query_names=(
        "stocks/v_shape.spaseq", "stocks/v_shape_any.spaseq", "stocks/rally.spaseq", "stocks/recovery.spaseq",
        "stocks/dip.spaseq", "stocks/last_events.spaseq", "stocks/drops.spaseq", "stocks/falling_market.spaseq",
        "stocks/activity.spaseq", "stocks/limits.spaseq",
    ),
    generate=quotes,
)  # fmt: skip

STOCK_RUNS = Workload(
    name="stock-runs",
    description="the same quotes in runs of one company, every fourth run ending in head and shoulders",
    streams={"stock": STREAM},
    query_names=(
        "stocks/head_and_shoulders.spaseq", "stocks/head_and_shoulders_next.spaseq",
        "stocks/falling_rising.spaseq", "stocks/falling_rising_next.spaseq",
    ),
    generate=runs,
)  # fmt: skip
