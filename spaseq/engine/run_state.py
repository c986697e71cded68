"""Where a run over whole streams is, so that another one can go on: the engine's state, and how far it has read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spaseq.errors import StreamError
from spaseq.streams.event import Events


@dataclass(frozen=True, slots=True)
class RunState:
    """A run between two steps, all results of which were taken.

    ``engine`` is its snapshot; ``positions`` the number of events of each stream, by IRI, that it was given;
    ``origins`` what its encoder had counted before there were sources; ``time`` the latest time read, in microseconds.
    If the input had ``ended``, the engine's state is that before it was told so.
    """

    engine: bytes
    positions: Mapping[str, int]
    origins: int
    time: int
    ended: bool = False


class Positions:
    """How many events of each stream were given on, and those that were given on before, which are passed over."""

    def __init__(self, iris: Sequence[str], before: Mapping[str, int]) -> None:
        self._left = {iri: before.get(iri, 0) for iri in iris}
        self._given = dict(self._left)

    def given(self) -> dict[str, int]:
        """How many of each stream were given on, those before included."""
        return dict(self._given)

    def fresh(self, columns: Sequence[Events]) -> list[Events]:
        """Those that are new, which are counted."""
        found = []
        for events in columns:
            passed = min(self._left[events.stream], len(events))
            self._left[events.stream] -= passed
            if passed < len(events):
                found.append(events.part(passed, len(events)) if passed else events)
        return found

    def count(self, columns: Sequence[Events]) -> None:
        """These are given on."""
        for events in columns:
            self._given[events.stream] += len(events)

    def passing(self, events: Iterator[Events]) -> Iterator[Events]:
        """The events of one stream, without those that are passed over."""
        for some in events:
            fresh = self.fresh([some]) if len(some) else []
            yield fresh[0] if fresh else some.part(0, 0)

    def check(self, iris: Collection[str]) -> None:
        """StreamError: one of these streams has ended before what it had given before."""
        for iri, left in self._left.items():
            if left and iri in iris:
                had = self._given[iri]
                raise StreamError(f"the stream <{iri}> has {had - left:,} events now, and had {had:,}: it has changed")
