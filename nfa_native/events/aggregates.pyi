from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.complex_events import ComplexEventAutomaton
from nfa_native.automata.kinds import Consumed, PathQuantity

MOST_MATCHES: int
NO_LEAST: int

class PathTotal(NamedTuple):
    kind: PathQuantity
    states: tuple[int, ...]

class Column(NamedTuple):
    values: NDArray[np.int64] | NDArray[np.float64]
    valid: NDArray[np.uint8] | NDArray[np.bool_] | None = None

class Aggregates(NamedTuple):
    ends: NDArray[np.int64]
    keys: NDArray[np.uint32]
    counts: NDArray[np.uint64]
    totals: tuple[Any, ...]
    number: NDArray[np.float64] | None = None

class Aggregator:
    automaton: ComplexEventAutomaton
    quantities: tuple[PathTotal, ...]

    def __init__(
        self,
        automaton: ComplexEventAutomaton,
        quantities: Iterable[PathTotal] = (),
        *,
        consume: Consumed = Consumed.NONE,
        partitioned: bool = False,
        windowed: bool = True,
        events: int | None = None,
    ) -> None: ...
    def know_symbols(self, symbols: Iterable[int]) -> None: ...
    @property
    def symbols(self) -> int: ...
    def feed(
        self,
        symbols: NDArray[np.uint32],
        starts: NDArray[np.int64],
        least: NDArray[np.int64],
        columns: Sequence[Column] = (),
        partitions: NDArray[np.uint32] | None = None,
        keys: NDArray[np.uint32] | None = None,
        at: int = 0,
        most: int = ...,
    ) -> int: ...
    def take(self) -> Aggregates: ...
    def snapshot(self) -> bytes: ...
    def restore(self, data: bytes) -> None: ...
    def keys(self) -> NDArray[np.uint32]: ...
    def renumber(self, numbers: NDArray[np.uint32]) -> None: ...
    def living(self, least: int) -> NDArray[np.uint32]: ...
    def keep(self, kept: NDArray[np.uint32]) -> None: ...
    @property
    def position(self) -> int: ...
    def statistics(self) -> dict[str, int]: ...
