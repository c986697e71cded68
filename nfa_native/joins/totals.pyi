from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import MatchQuantity
from nfa_native.terms.dictionary import Terms

NOBODY: int

class MatchTotal(NamedTuple):
    kind: MatchQuantity
    slots: tuple[int | None, ...]
    first_only: bool = False

class Rows(Protocol):
    @property
    def row_event(self) -> NDArray[np.uint32]: ...
    @property
    def columns(self) -> NDArray[np.uint64]: ...

class MatchedEvents(NamedTuple):
    ticks: NDArray[np.int64]
    times: NDArray[np.int64]
    measures: NDArray[np.int64]
    leasts: NDArray[np.int64]

class Ends(NamedTuple):
    times: NDArray[np.int64]
    keys: NDArray[np.uint64]
    counts: list[int | None]
    totals: list[list[int | None]]

class SemiringAggregation:
    automaton: Automaton
    quantities: tuple[MatchTotal, ...]
    terms: Terms

    def __init__(
        self, automaton: Automaton, terms: Terms, keys: Sequence[Sequence[int]], quantities: Iterable[MatchTotal] = ()
    ) -> None: ...
    def feed(self, events: MatchedEvents, rows: Sequence[Rows | None]) -> None: ...
    def close_tick(self) -> None: ...
    def take(self) -> Ends: ...
    def take_count(self) -> int | None: ...
    def snapshot(self) -> bytes: ...
    def restore(self, data: bytes, word_map: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]) -> None: ...
    def youngest(self) -> NDArray[np.int64]: ...
    def groups(self) -> int: ...
    def has_key(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]: ...
    def statistics(self) -> dict[str, Any]: ...

def are_exact(terms: Terms, words: NDArray[np.uint64]) -> bool: ...
def ranks(terms: Terms, words: NDArray[np.uint64]) -> list[int | None]: ...
