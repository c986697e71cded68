"""The rows that one event has for one pattern: what goes from the solver into the matcher without arrays."""

import numpy as np
from numpy.typing import NDArray

class EventRows:
    """``count`` rows of ``width`` words, 0 where unbound; made of ``columns`` (width, count), which are copied.

    It can stand for the rows of a batch of this one event: ``row_event`` is 0 for each of them.  It is a buffer, (width,
    count), that cannot be written to.
    """

    count: int
    width: int
    def __init__(self, columns: NDArray[np.uint64]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def row_event(self) -> NDArray[np.uint32]: ...
    @property
    def columns(self) -> NDArray[np.uint64]: ...
    @property
    def is_bound(self) -> bool:
        """Whether no word is 0."""

    def joined(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.uint64],
        others: NDArray[np.int64],
        added: tuple[int, ...],
    ) -> EventRows:
        """Rows of these, each with ``added`` ones of ``columns`` behind it: row ``rows[i]`` with ``others[i]`` there.

        The numbers are those of rows that there are.
        """

    def select(self, columns: tuple[int, ...]) -> EventRows:
        """The same rows with these columns, −1: one that is unbound.  IndexError: there is no such column."""
