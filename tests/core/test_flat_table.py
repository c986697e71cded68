"""Hash tables with open addressing, whatever the hashes."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tests.core.harness import Native

HASHES = st.one_of(st.integers(0, 40), st.integers(0, 9).map(lambda n: n << 32), st.integers(0, (1 << 64) - 1))
STEPS = st.tuples(st.sampled_from(["put", "put", "put", "sweep", "clear"]), HASHES)


@given(st.lists(STEPS, max_size=120), st.booleans())
def test_finds_what_was_put(steps: list[tuple[str, int]], opened: bool) -> None:
    table, model = Native("table"), dict[int, int]()
    if opened:
        table.open(8)
    for value, (what, number) in enumerate(steps, 1):
        if what == "put" and number not in model:
            table.put(number, value)
            model[number] = value
        elif what == "sweep":
            table.sweep(value - number % 60, number)
            model = {hash_ ^ number: one for hash_, one in model.items() if one >= value - number % 60}
            assert table.used() == len(model)
        elif what == "clear" and number % 3 == 0:
            table.clear()
            model = {}
        assert all(table.find(hash_) == one for hash_, one in model.items())
        assert not any(table.find(hash_) for hash_ in range(60) if hash_ not in model)
        assert table.room() & (table.room() - 1) == 0 and 2 * len(model) <= table.room()


def test_the_longest_run_goes_around_the_end() -> None:
    table = Native("table")
    table.open(16)
    assert table.longest_run() == 0
    for value, hash_ in enumerate((14, 15, 30, 3), 1):  # 30 has its home in 14, and goes on to 0
        table.put(hash_, value)
    assert table.longest_run() == 3
    assert [table.find(hash_) for hash_ in (14, 15, 30, 3, 0)] == [1, 2, 3, 4, 0]


def test_growth_is_by_what_is_in_it() -> None:
    table = Native("table")
    rooms = set()
    for value in range(1, 1000):
        table.put(value * 0x9E3779B97F4A7C15 % (1 << 64), value)
        rooms.add(table.room())
    assert max(rooms) <= 8 * 1000
    table.sweep(990, 0)
    assert table.used() == 10 and table.room() == 64
