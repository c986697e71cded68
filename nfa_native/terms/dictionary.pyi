"""64-bit tagged words and the table of terms behind them."""

import builtins
from collections.abc import Iterable
from typing import Protocol

import numpy
from numpy.typing import NDArray

def store_form(term: bytes) -> bytes:
    """A typed literal's bytes as pyoxigraph's Store canonicalises it."""

class Holder(Protocol):
    """What has words that others do not know of."""

    @property
    def words(self) -> NDArray[numpy.uint64]:
        """The words, 0 among them or not."""

class Terms:
    """The table of terms: byte strings to words and back.

    A term's first byte is its kind: ``I`` IRI, ``B`` scoped blank-node label, ``S`` string, ``L`` language NUL string,
    ``T`` datatype IRI NUL lexical form.  Terms and exact values are pinned by ``intern``, ``intern_many``, ``pin``,
    ``integer`` and its like, or collectable: then their words are valid until a ``collect`` that does not hear of them.
    """

    collections: int  # how often ``collect`` freed words; what remembers collectable words forgets them when this changes

    base: Terms | None

    def __init__(self, base: Terms | None = None) -> None:
        """A table on a frozen one, whose words are its own too.  ValueError: ``base`` is not frozen, or has one itself."""

    def freeze(self) -> None:
        """Nothing is added or freed from now on: other tables may lie on this one, and any thread may look things up.

        What would add to it raises ValueError.
        """

    def __len__(self) -> int:
        """Number of living dictionary entries and side values, without those below; values held in words take no room."""

    def longest_run(self) -> int:
        """The most slots in a row that are taken in one of the hash tables; few, where terms do not collide."""

    def memory(self) -> int:
        """Bytes reserved by the table."""

    def intern(self, term: builtins.bytes) -> int:
        """The word of a term, pinned; ValueError if the bytes are no term."""

    def intern_many(self, terms: list[builtins.bytes]) -> NDArray[numpy.uint64]:
        """uint64[n]: the words of n terms, pinned; ValueError as `intern`."""

    def intern_transient(self, term: builtins.bytes) -> int:
        """The word of a term, collectable unless something else pinned it; ValueError as `intern`."""

    def intern_many_transient(self, terms: list[builtins.bytes]) -> NDArray[numpy.uint64]:
        """uint64[n]: the words of n terms as of `intern_transient`."""

    def pin(self, words: NDArray[numpy.uint64]) -> None:
        """Let words live as long as the table.  ValueError: one is not of this table (0, unbound, is skipped)."""

    def hold(self, holder: Holder) -> None:
        """Count `holder.words`, a uint64 array, as live while the holder exists; it is not kept alive by this."""

    def check(self) -> None:
        """MemoryError: memory ran out while the table changed, or what uses it; it is not to be used any more."""

    def give_up(self) -> None:
        """Memory ran out for somebody who uses the table: nobody goes on with it."""

    def collect(self, live: Iterable[NDArray[numpy.uint64]]) -> int:
        """Free all terms and side values that are neither pinned nor held nor among `live`; how many these were.

        `live` gives uint64 arrays of any shape.  Their words, and pinned ones, stay what they are; others become invalid
        and may later be words of other terms.  ValueError, and nothing is freed: a word in `live` is not of this table.
        """

    def bytes(self, word: int) -> builtins.bytes:
        """The canonical bytes of a word; ValueError for UNBOUND or a word that is not of this table."""

    def bytes_many(self, words: NDArray[numpy.uint64]) -> list[builtins.bytes]:
        """The canonical bytes of many words."""

    def integer(self, value: int) -> int:
        """The word of an xsd:integer; beyond 64 bits it is an opaque term, as in the Store."""

    def decimal(self, mantissa: int, scale: int) -> int:
        """The word of mantissa · 10**-scale; ValueError unless 0 ≤ scale ≤ 18, OverflowError beyond 128 bits."""

    def double(self, value: float) -> int:
        """The word of an xsd:double."""

    def boolean(self, value: bool) -> int:
        """The word of an xsd:boolean."""

    def datetime(self, microseconds: int, zone: int | None = 0) -> int:
        """The word of an xsd:dateTime: microseconds since 1970-01-01T00:00:00Z, `zone` in minutes east of UTC.

        With zone None it has no time zone, and the microseconds count from 1970-01-01T00:00:00 likewise.  ValueError for a
        zone beyond 14 hours and for fractions of seconds before the year 1, which the Store has no form for.
        """
