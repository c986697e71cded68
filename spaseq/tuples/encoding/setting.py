"""What is known of events before the first one comes."""

from __future__ import annotations

from dataclasses import dataclass

from spaseq.tuples.columns.integers import Integers
from spaseq.tuples.encoding.symbol_groups import Naming


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of the events: ``time`` is the column with their times, if they have any.

    Streams have names (``has_names``), or there is one without: then queries call it as they like, and ``own`` is what
    those call it that do not say.  ``known`` are the streams that there may be, if that is known.
    """

    naming: Naming
    time: str | None = None
    has_names: bool = False
    own: str | None = None
    known: tuple[str, ...] | None = None
    integers: Integers = Integers.INT64  # how numbers of matches are given
