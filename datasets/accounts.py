"""Bank accounts: logins, changes of address and transfers, some of them by thieves who took the account over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from spaseq.datasets.event import MINUTE, RDF_TYPE, SECOND, START, Event, about, decimal, iri
from spaseq.datasets.merging import by_time
from spaseq.datasets.workload import Workload

BANK = "https://spaseq.org/ontology/bank#"
DATA = "https://spaseq.org/data/bank/"
KNOWLEDGE_IRI = "https://spaseq.org/kb/bank"
STREAMS = {
    "logins": "https://spaseq.org/stream/bank/logins",
    "changes": "https://spaseq.org/stream/bank/changes",
    "transfers": "https://spaseq.org/stream/bank/transfers",
}

_ACCOUNT_CLASS, _ACCOUNT = iri(BANK, "Account"), iri(BANK, "account")
_COUNTRY, _AMOUNT, _PAYEE = iri(BANK, "country"), iri(BANK, "amount"), iri(BANK, "payee")
_HOME, _LIMIT = iri(BANK, "home"), iri(BANK, "limit")
_STREAM = {
    "Login": "logins", "FailedLogin": "logins", "AddressChange": "changes", "Confirmation": "changes",
    "Transfer": "transfers",
}  # fmt: skip
_ACCOUNTS = 60
_COUNTRIES = ("AT", "DE", "FR", "IT", "NO")

Happening = tuple[str, int, list[tuple[str, str]]]  # what it is, when, and what is said of it beside the account


def sessions(seed: int) -> Iterator[Event]:
    """Events by time; every one to three minutes somebody begins to do something with an account.

    Half of the time its holder logs in and perhaps transfers a little.  In one of four cases the holder moves: a login
    and a change of address, in either order, then a transfer, which three in four confirm before.  In one of four a
    thief does the same from abroad, perhaps after some failed logins, and transfers much, once or more, without a
    confirmation.  Every other thief has the address changed by somebody who is in the holder's country.
    """
    return by_time(_sessions(Random(seed)))


def knowledge() -> bytes:
    """Home country and limit of every account (N-Triples, which is Turtle too)."""
    lines = []
    for account in range(_ACCOUNTS):
        subject = iri(DATA, f"account/{account}")
        lines += [
            f"{subject} {RDF_TYPE} {_ACCOUNT_CLASS} .",
            f'{subject} {_HOME} "{_home(account)}" .',
            f"{subject} {_LIMIT} {decimal(500 + 250 * (account % 3))} .",
        ]
    return ("\n".join(lines) + "\n").encode()


def _sessions(random: Random) -> Iterator[tuple[int, list[Event]]]:
    time, numbers = START, count()
    while True:
        time += random.randint(60, 180) * SECOND
        account = random.randrange(_ACCOUNTS)
        course = random.choice((_visit, _visit, _move, _theft))
        yield time, [_event(next(numbers), account, happening) for happening in course(random, account, time)]


def _event(number: int, account: int, happening: Happening) -> Event:
    kind, time, statements = happening
    return about(_STREAM[kind], f"{DATA}{kind.lower()}/{number}", time, [
        (RDF_TYPE, iri(BANK, kind)),
        (_ACCOUNT, iri(DATA, f"account/{account}")),
        *statements,
    ])  # fmt: skip


def _visit(random: Random, account: int, begin: int) -> list[Happening]:
    """A login of the holder, and up to two transfers."""
    times = [begin + _pause(random, 3) for _ in range(random.randrange(3))]
    return [("Login", begin, _from(_home(account))), *(_transfer(random, time, 4) for time in times)]


def _move(random: Random, account: int, begin: int) -> list[Happening]:
    """A new address of the holder, and a transfer afterwards."""
    home = _from(_home(account))
    entered, end = _in_either_order(random, begin, home, home)
    confirmed = end + _pause(random, 5)
    confirmation: list[Happening] = [("Confirmation", confirmed, [])] if random.random() < 0.75 else []
    return [*entered, *confirmation, _transfer(random, confirmed + _pause(random, 5), 6)]


def _theft(random: Random, account: int, begin: int) -> list[Happening]:
    """Login and change of address by thieves, perhaps a password that they guess, and one to three large transfers."""
    home = _home(account)
    abroad = random.choice([country for country in _COUNTRIES if country != home])
    entered, time = _in_either_order(random, begin, _from(abroad), _from(random.choice((home, abroad))))
    (login,) = (when for kind, when, _ in entered if kind == "Login")
    guesses = random.choice((0, 0, 1, 2, 3))
    failed: list[Happening] = [("FailedLogin", login - 15 * SECOND * n, _from(abroad)) for n in range(1, guesses + 1)]
    transfers = []
    for _ in range(random.randint(1, 3)):
        time += _pause(random, 4)
        transfers.append(_transfer(random, time, 7.5))
    return [*failed, *entered, *transfers]


def _in_either_order(
    random: Random, begin: int, login: list[tuple[str, str]], change: list[tuple[str, str]]
) -> tuple[list[Happening], int]:
    """A login and a change of address, and when both are there; the first minute is for logins that fail."""
    times = [begin + MINUTE, begin + MINUTE + _pause(random, 8)]
    random.shuffle(times)
    return [("Login", times[0], login), ("AddressChange", times[1], change)], max(times)


def _from(country: str) -> list[tuple[str, str]]:
    return [(_COUNTRY, f'"{country}"')]


def _transfer(random: Random, time: int, scale: float) -> Happening:
    """About e^scale euros."""
    amount, payee = random.lognormvariate(scale, 0.5), iri(DATA, f"payee/{random.randrange(500)}")
    return "Transfer", time, [(_AMOUNT, decimal(amount)), (_PAYEE, payee)]


def _pause(random: Random, minutes: int) -> int:
    return random.randint(20, 60 * minutes) * SECOND


def _home(account: int) -> str:
    return _COUNTRIES[account % len(_COUNTRIES)]


ACCOUNTS = Workload(
    name="accounts",
    description="logins, changes of address and transfers; knowledge about accounts",
    streams=STREAMS,
    query_names=(
        "accounts/takeover.spaseq", "accounts/drained.spaseq", "accounts/two_places.spaseq", "accounts/guessed.spaseq",
    ),
    generate=sessions,
    knowledge=knowledge,
    knowledge_iri=KNOWLEDGE_IRI,
)  # fmt: skip
