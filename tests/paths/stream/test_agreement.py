"""What a stream gives is what results from scratch differ by, for each event."""

from __future__ import annotations

from tests.paths.stream.judge import by_engine, by_oracle, difference
from tests.paths.stream.worlds import edge_world


def test_streams_agree_with_the_oracle() -> None:
    assert [found for seed in range(50_000, 50_060) if (found := difference(edge_world(seed), by_oracle))] == []


def test_streams_agree_with_the_engine_from_scratch() -> None:
    assert [found for seed in range(60_000, 60_150) if (found := difference(edge_world(seed), by_engine))] == []
