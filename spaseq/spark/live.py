"""Engines that stay in a worker between two batches, so that the log need not be read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spaseq.spark.kinds import ShardEngine

Key: TypeAlias = "tuple[str, int]"  # run of a streaming query, number of the engine
LIVE_EVENTS = 2_000_000  # in the logs of all engines of a worker


@dataclass(frozen=True, slots=True)
class LiveEngine:
    """An engine as it was after the batch called ``token``; ``events`` are in its log."""

    token: str
    events: int
    engine: ShardEngine


class LiveEngines:
    """The engines of one worker; the one that was used longest ago goes first when they have too many events."""

    def __init__(self, most: int = LIVE_EVENTS) -> None:
        self.most = most
        self._engines: dict[Key, LiveEngine] = {}

    def take(self, key: Key) -> LiveEngine | None:
        """The engine, which is in the worker no longer: a batch that fails half way leaves none behind."""
        return self._engines.pop(key, None)

    def put(self, key: Key, one: LiveEngine) -> None:
        """Keep an engine for the next batch."""
        self._engines[key] = one
        events = sum(live.events for live in self._engines.values())
        while events > self.most and len(self._engines) > 1:
            events -= self._engines.pop(next(iter(self._engines))).events

    def clear(self) -> None:
        """Forget all of them."""
        self._engines.clear()


LIVE = LiveEngines()
