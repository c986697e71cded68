"""Values made to collide in hash tables: they did when the hashes were known to everybody.

The most slots in a row that are taken tell how long a look-up takes: below a hundred of so many values, unless they
collide.  ``old_…`` are the hashes of the first versions, for which the values are made.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow
import pytest
from numpy.typing import NDArray

from gpm.native.assembly import Assembler, Encoder
from gpm.native.hashing import HashIndex
from nfa_native.core.arrays import distinct
from nfa_native.events.columns import Numbering
from nfa_native.terms.dictionary import Terms
from spaseq.tuples import match
from tests.kernel.driver import Driver, plan_of

MANY, FEW = 8_000, 300  # values, and slots in a row
WORD = 1 << 64
GOLDEN, FACTOR = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
FOLDED = 0xA0761D6478BD642F
Words = NDArray[np.uint64]


def unshifted(words: Words, bits: int) -> Words:
    """x of x ^ (x >> bits), where twice the bits are a word or more."""
    return words ^ (words >> np.uint64(bits)) ^ (words >> np.uint64(min(63, 2 * bits)) if 2 * bits < 64 else 0)


def times_inverse(words: Words, factor: int) -> Words:
    return words * np.uint64(pow(factor, -1, WORD))


def before_old_mix(hashes: Words) -> Words:
    """The words whose hash that was: ``mix`` could be undone."""
    for _ in range(2):
        hashes = times_inverse(unshifted(hashes, 32), FACTOR)
    return unshifted(hashes, 32)


def old_mix(words: Words) -> Words:
    for _ in range(2):
        words = (words ^ (words >> np.uint64(32))) * np.uint64(FACTOR)
    return words ^ (words >> np.uint64(32))


def zeros_below(count: int, bits: int = 32) -> Words:
    """Different hashes whose lower bits are zero, so that they fall into one slot."""
    return np.arange(1, count + 1, dtype=np.uint64) << np.uint64(bits)


def as_integers(words: Words) -> list[int]:
    """The integers that are words themselves, among all of these."""
    return (words[words & np.uint64(15) == 1].astype(np.int64) >> 4).tolist()


def colliding_integers(count: int) -> list[int]:
    found = as_integers(before_old_mix(zeros_below(20 * count, 30)))[:count]
    assert len(found) == count
    return found


def test_the_integers_are_made_as_they_should_be() -> None:
    hashes = zeros_below(100)
    assert (old_mix(before_old_mix(hashes)) == hashes).all()
    words = np.array([Terms().integer(number) for number in colliding_integers(100)], np.uint64)
    assert not (old_mix(words) & np.uint64(0xFFFFF)).any()


MADE: dict[str, Callable[[], NDArray[np.int64]]] = {
    "for the product": lambda: times_inverse(np.arange(MANY, dtype=np.uint64), GOLDEN).astype(np.int64),
    "for the mixture": lambda: before_old_mix(zeros_below(MANY)).astype(np.int64),
    "in order": lambda: np.arange(MANY),
    "around zero": lambda: np.arange(MANY) - MANY // 2,
    "multiples of 2 ** 20": lambda: np.arange(MANY) << 20,
    "multiples of 2 ** 32": lambda: np.arange(MANY) << 32,
    "multiples of 2 ** 50": lambda: np.arange(MANY) << 50,
    "multiples of a prime": lambda: np.arange(MANY) * 32_771,
    "two halves alike": lambda: np.arange(MANY) * ((1 << 32) + 1),
}


@pytest.mark.parametrize("kind", MADE)
def test_numbers_of_integers(kind: str) -> None:
    """What PARTITION BY uses: 80,000 such integers took six seconds instead of some milliseconds."""
    numbering, values = Numbering(), MADE[kind]()
    assert numbering.number(values).tolist() == list(range(MANY))
    assert numbering.longest_run() < FEW


@pytest.mark.parametrize("kind", MADE)
def test_rows_by_their_words(kind: str) -> None:
    """Rows of background knowledge, joined by one column or two."""
    words = MADE[kind]().astype(np.uint64)
    for columns in (words[None], np.stack([words, words[::-1]]), np.stack([words, np.zeros_like(words)])):
        index = HashIndex(columns)
        assert index.longest_run() < FEW
        left, right = index.probe(columns[:, :100])
        assert (left == right).all()


def old_fold(left: int, right: int) -> int:
    product = left * right
    return (product ^ product >> 64) % WORD


def absorbed(number: int) -> bytes:
    """A text whose second eight bytes made the state of the old hash zero, so that all had one hash."""
    text = b"S" + f"{number:07}".encode()
    state = old_fold(GOLDEN ^ 24 ^ int.from_bytes(text, "little"), FOLDED)
    return text + state.to_bytes(8, "little") + b" the end"


TEXTS: dict[str, Callable[[int], bytes]] = {
    "for the fold": absorbed,
    "numbers": lambda n: b"Ihttp://example.org/%d" % n,
    "numbers in front": lambda n: b"S%07d" % n + b"x" * 40,
    "zeros": lambda n: b"S" + b"\0" * n,
    "one bit each": lambda n: b"S" + (1 << n % 512).to_bytes(64, "little") + b"%d" % (n // 512),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_terms(kind: str) -> None:
    terms = Terms()
    count = 2000 if kind == "zeros" else MANY
    words = {terms.intern(TEXTS[kind](number)) for number in range(count)}
    assert len(words) == len(terms) == count
    assert terms.longest_run() < FEW


def test_integers_beyond_sixty_bits() -> None:
    """They lie beside the dictionary; kind 6 and the zone 0 went into the old hash."""
    terms = Terms()
    inner = before_old_mix(zeros_below(3 * MANY)) ^ np.uint64(6)
    values = before_old_mix(inner)
    values = values[(values >> np.uint64(59) > 0) & (values >> np.uint64(63) == 0)]
    assert len(values) > MANY
    for value in values.tolist():
        terms.integer(value)
    assert terms.longest_run() < FEW


def test_names_of_graphs_and_their_times() -> None:
    """Times whose graphs have not come yet, then the graphs."""
    encoder = Encoder(Terms())
    assembler = Assembler(encoder, ["urn:at"], remembered=4096)
    long = "^^<http://www.w3.org/2001/XMLSchema#long>"
    times = "".join(f'<urn:g{n * 4096}> <urn:at> "{n}"{long} .\n' for n in range(4000)).encode()
    assembler.read(times, 0, len(times))
    assert assembler.longest_run() < 20
    graphs = "".join(f"<urn:s> <urn:p> <urn:o> <urn:g{n * 4096}> .\n" for n in range(4000)).encode()
    assert assembler.read(graphs, 0, len(graphs)) == (len(graphs), [])
    assert assembler.longest_run() < FEW


@pytest.mark.parametrize("seq", ["A ; B", "A : B", "A , B"])
def test_join_keys_of_events(seq: str) -> None:
    """Integers by which partial matches are found; all of them wait."""
    gpm = {"A": "?a :A ?va ; :key ?k", "B": "?b :B ?vb ; :key ?k"}
    driver = Driver(plan_of(seq, gpm=gpm))
    numbers = colliding_integers(MANY)
    waiting = [(1000 * n, {"A": [{"a": b"Iurn:a", "va": number, "k": number}]}) for n, number in enumerate(numbers)]
    driver.feed(waiting)
    assert driver.matcher.longest_run() < FEW
    driver.feed([(10**9, {"B": [{"b": b"Iurn:b", "vb": 1, "k": numbers[-1]}]})])
    assert driver.matcher.count == 1


def before_old_step(hashes: Words, state: int) -> Words:
    """What had to come after ``state`` so that the recognizer's hash was this."""
    shifted = hashes ^ (hashes >> np.uint64(29)) ^ (hashes >> np.uint64(58))
    return times_inverse(shifted, GOLDEN) ^ np.uint64(state)


def old_step(state: int, value: int) -> int:
    mixed = (state ^ value) * GOLDEN % WORD
    return mixed ^ mixed >> 29


@pytest.mark.parametrize("strategy", ["", " PARTITION BY p"])
def test_values_that_correlated_events_have_in_common(strategy: str) -> None:
    """``b[x = a.x]``: groups of partial matches are found by their value."""
    query = f"SELECT * FROM S WHERE A AS a ; B AS b FILTER b[x = a.x]{strategy}"
    values = np.concatenate([before_old_step(zeros_below(MANY), old_step(state, 1)) for state in range(3)])
    values = np.append(values, values[:10]).astype(np.int64)
    kinds = ["A"] * (3 * MANY) + ["B"] * 10
    table = pyarrow.table({"type": kinds, "x": values, "p": np.zeros(len(kinds), np.int64)})
    found = match(query, table)
    assert found.count() == 10
    assert found._selection._recognizer.longest_run() < FEW


def test_distinct_numbers_are_sorted() -> None:
    """``numpy.unique`` keeps integers in a hash table of its own, whose hash is the integer."""
    rng = np.random.default_rng(1)
    for values in (rng.integers(0, 50, 200), np.zeros(0, np.uint64), np.ones(1, np.uint64), np.ones(7, np.uint64)):
        assert distinct(values).tolist() == np.unique(values).tolist()
