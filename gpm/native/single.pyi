"""One encoded event by itself, as it goes the short way; ``gpm.encoder`` makes columns of it where these are needed."""

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Triples

class SingleEvent:
    """An event at ``time``, microseconds, as a batch of one would have it (``gpm.rows.EventBatch``).

    ``text`` is its N-Quads lines, or its triples if they are no text; ``name`` its IRI, empty if it has none;
    ``knowledge`` the version of the background that it sees.
    """

    size: int
    time: int
    scope: int
    version: int
    text: bytes | Triples
    name: str
    knowledge: int
    @property
    def triples(self) -> NDArray[np.uint64]:
        """The words of its triples (3, size)."""
