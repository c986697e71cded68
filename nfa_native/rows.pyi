"""The rows that one event has for one pattern: what goes from the solver into the matcher without arrays."""

import numpy as np
from numpy.typing import NDArray

class EventRows:
    """``count`` rows of ``width`` words, 0 where unbound; made of ``columns`` (width, count), which are copied.

    It can stand for the rows of a batch of this one event: ``row_event`` is 0 for each of them.
    """

    count: int
    width: int
    def __init__(self, columns: NDArray[np.uint64]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def row_event(self) -> NDArray[np.uint32]: ...
    @property
    def columns(self) -> NDArray[np.uint64]: ...
    def select(self, columns: tuple[int, ...]) -> EventRows:
        """The same rows with these columns, −1: one that is unbound.  IndexError: there is no such column."""
