from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.complex_events import ComplexEventAutomaton, Programs
from nfa_native.automata.kinds import Evaluating

STRATEGIES: tuple[str, ...]
CONSUMPTIONS: tuple[str, ...]

def drawn_positions(positions: NDArray[np.int64], part: float, salt: int) -> NDArray[np.bool_]: ...

class ComplexEvents(NamedTuple):
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    offsets: NDArray[np.int64]
    positions: NDArray[np.int64]
    states: NDArray[np.uint16]
    columns: NDArray[np.int64] | None = None
    rules: NDArray[np.uint32] | None = None

class Recognizer:
    automaton: ComplexEventAutomaton
    counts: bool
    evaluation: Evaluating
    reckless: float

    def __init__(
        self,
        automaton: ComplexEventAutomaton,
        *,
        strategy: str = "ALL",
        consume: str = "NONE",
        limit: int | None = None,
        partitioned: bool = False,
        forgets: bool = True,
        events: int | None = None,
        update_only: bool = False,
        first_node: int = 1,
        first_position: int = 0,
        answer: Callable[[int, int, list[tuple[list[int], ...]]], Sequence[bool] | NDArray[np.bool_]] | None = None,
        programs: Programs = ...,
        waits: bool = True,
        drawn: tuple[float, int] | None = None,
    ) -> None: ...
    def know_symbols(self, symbols: Iterable[int]) -> None: ...
    @property
    def symbols(self) -> int: ...
    def feed(
        self,
        symbols: NDArray[np.uint32],
        starts: NDArray[np.int64],
        least: NDArray[np.int64],
        partitions: NDArray[np.uint32] | None = None,
        at: int = 0,
        most: int = ...,
        columns: Sequence[NDArray[np.int64]] = (),
    ) -> int: ...
    @property
    def found(self) -> int: ...
    def take(self) -> ComplexEvents: ...
    def living(self, least: int) -> NDArray[np.uint32]: ...
    def held(self, least: int) -> NDArray[np.int64]: ...
    def keep(self, kept: NDArray[np.uint32]) -> None: ...
    def snapshot(self, least: int = ...) -> bytes: ...
    def restore(self, data: bytes, latest: int = ..., oldest: int = 0) -> None: ...
    @property
    def can_count(self) -> bool: ...
    def take_count(self) -> int: ...
    def bound_work(self, rate: float, window: int, most: float = 0) -> None: ...
    @property
    def work_bound(self) -> float: ...
    def shed(self) -> tuple[NDArray[np.int64], int, float, int]: ...
    @property
    def segments(self) -> list[dict[str, int]]: ...
    @property
    def position(self) -> int: ...
    def longest_run(self) -> int: ...
    def statistics(self) -> dict[str, int]: ...

class RuleRecognizer(Recognizer):
    def __init__(
        self,
        automaton: ComplexEventAutomaton,
        conditions: Sequence[Sequence[int]],
        *,
        strategy: str = "ALL",
        consume: str = "NONE",
        limit: int | None = None,
        partitioned: bool = False,
        forgets: bool = True,
        events: int | None = None,
        first_position: int = 0,
        answer: Callable[[int, int, list[tuple[list[int], ...]]], Sequence[bool] | NDArray[np.bool_]] | None = None,
        programs: Programs = ...,
    ) -> None: ...
    def change_rules(
        self, count: int, kept: NDArray[np.uint32], windows: NDArray[np.int64] | None = None
    ) -> None: ...
    def feed_rules(
        self,
        symbols: NDArray[np.uint32],
        starts: NDArray[np.int64],
        least: NDArray[np.int64],
        partitions: NDArray[np.uint32] | None,
        at: int,
        most: int,
        columns: Sequence[NDArray[np.int64]],
        tests: Sequence[tuple[NDArray[np.uint32], NDArray[np.uint64]]],
        counts: NDArray[np.uint64] | None = None,
    ) -> int: ...
    @property
    def counts_results(self) -> bool: ...
    def sweep(self, least: int) -> None: ...
    @property
    def owned(self) -> int: ...
    @property
    def met(self) -> list[int]: ...
