"""Texts of saved graphs, and terms as such texts, which are looked up where they lie."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Words
from nfa_native.terms.words import Terms
from spaseq.errors import StreamError
from spaseq.paths.saved.container import broken
from spaseq.paths.terms import GraphTerms, canonical

ASCII = 128  # bytes below are characters
BEGINS_TERM = np.zeros(256, np.bool_)  # of each byte whether canonical bytes of terms begin so
BEGINS_TERM[list(b"BILST")] = True


class StoredTexts:
    """Texts one after the other: text i is in ``data`` from ``ends[i]`` to ``ends[i + 1]``."""

    def __init__(self, ends: NDArray[np.uint64], data: NDArray[np.uint8]) -> None:
        """DamagedError: they do not fit each other."""
        if not len(ends) or ends[0] != 0 or ends[-1] != len(data) or (ends[1:] < ends[:-1]).any():
            raise broken("its texts have no order")
        self._ends = ends
        self._data = data
        self._places, self._bytes = (
            ends.data,
            data.data,
        )  # an array is several times slower where one element is asked for

    @staticmethod
    def of(texts: Sequence[bytes]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """``ends`` and ``data`` of these texts."""
        ends = np.zeros(len(texts) + 1, np.uint64)
        np.cumsum(np.fromiter(map(len, texts), np.uint64, len(texts)), out=ends[1:])
        return ends, np.frombuffer(b"".join(texts), np.uint8)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> bytes:
        return self._bytes[self._places[place] : self._places[place + 1]].tobytes()

    def check_terms(self) -> None:
        """DamagedError: one of them is no UTF-8, or does not begin as terms do."""
        starts, stops = self._ends[:-1], self._ends[1:]
        try:
            if self._data.max(initial=0) >= ASCII:  # to look for these first takes a tenth of the time
                str(self._data.data, "utf-8")
        except UnicodeDecodeError as error:
            raise broken(f"{error.reason} in a text") from None
        # a text that begins with a letter does not begin in the middle of a character, and so all are UTF-8
        if (starts == stops).any() or not BEGINS_TERM[self._data[starts]].all():
            raise broken("a term is none")


class StoredTerms(GraphTerms):
    """The canonical bytes of vertices, and the vertices in their ``order``."""

    def __init__(self, texts: StoredTexts, order: NDArray[np.uint32]) -> None:
        """DamagedError: there are other vertices in the order."""
        if len(order) != len(texts) or (len(order) and int(order.max()) >= len(texts)):
            raise broken("the order of its terms is none")
        texts.check_terms()
        self._texts = texts
        self._order: memoryview[int] = order.data

    def __len__(self) -> int:
        return len(self._texts)

    def bytes_of(self, vertex: int) -> bytes:
        """See ``GraphTerms``."""
        return self._texts[vertex]

    def vertex_of(self, text: bytes) -> int | None:
        """See ``GraphTerms``."""
        wanted = canonical(text)
        place = bisect_left(self._order, wanted, key=self._texts.__getitem__)
        vertex = self._order[place] if place < len(self) else None
        return vertex if vertex is not None and self._texts[vertex] == wanted else None

    def in_words(self) -> tuple[Words, Terms]:
        """See ``GraphTerms``.  StreamError: a term is damaged."""
        words, terms = self._interned
        return words, Terms(terms)

    @cached_property
    def _interned(self) -> tuple[Words, Terms]:
        terms = Terms()
        try:
            words = terms.intern_many([self._texts[vertex] for vertex in range(len(self))])
        except ValueError as error:
            raise StreamError(str(broken(str(error)))) from None
        terms.freeze()
        return words, terms


def text_order(texts: Sequence[bytes]) -> NDArray[np.uint32]:
    """The places of texts, in their order."""
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), np.uint32)
