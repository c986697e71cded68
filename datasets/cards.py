"""Card payments: purchases in short runs of one card, and the confirmations that card holders send."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from random import Random

from spaseq.datasets.event import RDF_TYPE, SECOND, START, Event, about, decimal, iri
from spaseq.datasets.workload import Workload

CARD = "https://spaseq.org/ontology/card#"
DATA = "https://spaseq.org/data/card/"
KNOWLEDGE_IRI = "https://spaseq.org/kb/card"
STREAMS = {
    "purchases": "https://spaseq.org/stream/card/purchases",
    "confirmations": "https://spaseq.org/stream/card/confirmations",
}

_PURCHASE, _CONFIRMATION, _PAYMENT_CARD = iri(CARD, "Purchase"), iri(CARD, "Confirmation"), iri(CARD, "PaymentCard")
_CARD, _AMOUNT, _COUNTRY, _SHOP = iri(CARD, "card"), iri(CARD, "amount"), iri(CARD, "country"), iri(CARD, "shop")
_CONFIRMS, _HOLDER, _HOME, _LIMIT = iri(CARD, "confirms"), iri(CARD, "holder"), iri(CARD, "home"), iri(CARD, "limit")
_CARDS = 200
_COUNTRIES = ("AT", "DE", "FR", "IT", "NO")


def payments(seed: int) -> Iterator[Event]:
    """Purchases and confirmations by time.

    A run is 2 to 6 purchases with one card, 1 to 10 s apart; about one run in seven has a large purchase followed by a
    very small one.  Two thirds of the purchases above 500 are confirmed within two minutes.
    """
    random = Random(seed)
    waiting: list[tuple[int, int, Event]] = []  # confirmations to come, a heap by time
    for number, purchase, amount in _purchases(random):
        while waiting and waiting[0][0] <= purchase.time:
            yield heappop(waiting)[2]
        yield purchase
        if amount > 500 and random.random() < 2 / 3:
            confirmation = _confirmation(purchase, number, purchase.time + random.randint(5, 120) * SECOND)
            heappush(waiting, (confirmation.time, number, confirmation))


def knowledge() -> bytes:
    """Holder, home country and limit of every card, as Turtle (written as N-Triples, which is Turtle too)."""
    lines = []
    for card in range(_CARDS):
        subject = iri(DATA, f"card/{card}")
        lines += [
            f"{subject} {RDF_TYPE} {_PAYMENT_CARD} .",
            f"{subject} {_HOLDER} {iri(DATA, f'holder/{card // 2}')} .",
            f'{subject} {_HOME} "{_COUNTRIES[card % len(_COUNTRIES)]}" .',
            f"{subject} {_LIMIT} {decimal(1000 + 500 * (card % 4))} .",
        ]
    return ("\n".join(lines) + "\n").encode()


def _purchases(random: Random) -> Iterator[tuple[int, Event, float]]:
    time, numbers = START, count()
    while True:
        card = random.randrange(_CARDS)
        for amount in _amounts(random):
            time += random.randint(1, 10) * SECOND
            number = next(numbers)
            yield number, _purchase(random, number, time, card, amount), amount


def _amounts(random: Random) -> list[float]:
    amounts = [round(random.lognormvariate(4, 0.9), 2) for _ in range(random.randint(2, 6))]
    if random.random() < 1 / 7:
        place = random.randrange(len(amounts) - 1)
        amounts[place] = round(random.uniform(600, 2000), 2)
        amounts[place + 1] = round(random.uniform(1, 50), 2)
    return amounts


def _purchase(random: Random, number: int, time: int, card: int, amount: float) -> Event:
    home = _COUNTRIES[card % len(_COUNTRIES)]
    country = home if random.random() < 0.9 else random.choice(_COUNTRIES)
    statements = [
        (RDF_TYPE, _PURCHASE),
        (_CARD, iri(DATA, f"card/{card}")),
        (_AMOUNT, decimal(amount)),
        (_COUNTRY, f'"{country}"'),
    ]
    if random.random() < 0.7:  # the others are online purchases, which happen in no shop
        statements.append((_SHOP, iri(DATA, f"shop/{random.randrange(500)}")))
    return about("purchases", f"{DATA}purchase/{number}", time, statements)


def _confirmation(purchase: Event, number: int, time: int) -> Event:
    return about("confirmations", f"{DATA}confirmation/{number}", time, [
        (RDF_TYPE, _CONFIRMATION),
        (_CONFIRMS, f"<{purchase.name}>"),
    ])  # fmt: skip


CARDS = Workload(
    name="cards",
    description="purchases in runs of one card, with confirmations; knowledge about cards and their holders",
    streams=STREAMS,
    query_names=(
        "cards/fraud.spaseq", "cards/fraud_next.spaseq", "cards/unconfirmed.spaseq", "cards/abroad.spaseq",
        "cards/shopping_trip.spaseq",
    ),
    generate=payments,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
)  # fmt: skip
