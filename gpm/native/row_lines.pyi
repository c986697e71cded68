"""Rows of Python's values as the lines of their triples: what needs no columns of one row."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

Step = tuple[str, int] | tuple[str, int, str] | tuple[str, tuple[bytes, ...], tuple[int, ...]]
Test = tuple[int, str, Decimal | None, bool]
Line = tuple[tuple[bytes, ...], tuple[int, ...], int]

class RowLines:
    """Makes events of dictionaries, as a mapping says; it never changes.

    Values are in registers, by number: first those of ``columns``, the keys of a row, then what each of the ``steps``
    gives: ``("copy", register)``, ``("cast", register, type of XML Schema)``, ``("iri", pieces, registers)``, the
    values standing percent-encoded between the pieces.  All ``tests`` must hold: ``(register, sign, number, whether it
    is an integer that a double has exactly)``, or ``(register, "BOUND", None, False)``.  A line of ``lines``, a triple
    of N-Triples, is ``(pieces, registers, how many of these are in places of IRIs)``.  ``name`` (−1: none) and
    ``time`` are registers; ``unit``: microseconds of one of a number (None: numbers are no times), which must give a
    time between the two ``bounds``.  ValueError: there is no such register, or pieces do not surround the values.
    """

    def __init__(
        self, columns: tuple[str, ...], steps: Iterable[Step], tests: Iterable[Test], lines: Iterable[Line], name: int,
        time: int, unit: int | None, bounds: tuple[int, int],
    ) -> None: ...  # fmt: skip
    def event(self, row: dict[str, Any]) -> tuple[bytes, int, str | None] | None:
        """The event of a row: its lines, its time in microseconds since 1970, and its name.

        Without lines: a test does not hold.  None: it has no triple, no time, no name, or what is not known here.
        """
