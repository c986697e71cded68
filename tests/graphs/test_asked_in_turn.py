"""Of patterns that a conjunction needs the one that refuses most is asked first, the others of what it leaves."""

from __future__ import annotations

import pytest

from spaseq import Engine

S = "http://example.org/s"
RARE, OFTEN = (f'DEFINE GPM {name} ON s {{ ?{name} :p ?{name}x FILTER(REGEX(?{name}x, "{name}")) }}' for name in "RO")
BATCH, COUNT = 500, 8_000


def query(sequence: str) -> str:
    head = f"PREFIX : <http://example.org/> SELECT * FROM STREAM s <{S}>"
    return f"{head} WHERE {{ SEQ({sequence}) {RARE} {OFTEN} }}"


def event(number: int, swapped: bool = False) -> tuple[int, bytes]:
    """Events have one letter, but for one in a hundred, which has both."""
    text = "RO" if number % 100 == 0 else "R" if swapped else "O"
    return number, f'<urn:e> <http://example.org/p> "{text}" .'.encode()


def evaluated(engine: Engine) -> dict[str, int]:
    return {name: one["evaluated"] for name, one in engine.statistics()["queries"]["q"]["gpms"].items()}


def push(engine: Engine, first: int, count: int, swapped: bool = False) -> int:
    starts = range(first, first + count, BATCH)
    return sum(len(engine.push_batch(S, [event(n, swapped) for n in range(at, at + BATCH)])) for at in starts)


@pytest.mark.parametrize("sequence", ["R & O", "O & R"])
def test_the_order_is_found_however_it_is_written(sequence: str) -> None:
    engine = Engine()
    engine.register(query(sequence), "q")
    found = push(engine, 0, COUNT)
    assert found + len(engine.close()) == COUNT // 100
    assert evaluated(engine)["R"] == COUNT
    assert evaluated(engine)["O"] < 0.035 * COUNT  # a hundredth that R leaves, and the sample


def test_it_is_found_again_when_rates_change() -> None:
    engine = Engine()
    engine.register(query("R & O"), "q")
    push(engine, 0, COUNT)
    push(engine, COUNT, 20_000, swapped=True)
    before = evaluated(engine)
    push(engine, COUNT + 20_000, COUNT, swapped=True)
    after = evaluated(engine)
    assert after["O"] - before["O"] == COUNT
    assert after["R"] - before["R"] < 0.03 * COUNT


def test_after_a_step_too() -> None:
    engine = Engine()
    engine.register(query("O : (R & O)"), "q")
    push(engine, 0, COUNT)
    assert push(engine, COUNT, BATCH) > 0
