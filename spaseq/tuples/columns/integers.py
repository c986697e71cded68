"""Of which type numbers of matches are, and sums of integers: as wide as is asked for."""

from __future__ import annotations

from enum import Enum

import pyarrow

from spaseq.errors import OptionError


class Integers(Enum):
    """How COUNT, and SUM of integers, are given: exact in 64 bits, exact in 38 digits, or as doubles."""

    INT64 = "int64"
    DECIMAL = "decimal"
    DOUBLE = "double"

    @property
    def type(self) -> pyarrow.DataType:
        """That of their columns."""
        return {"int64": pyarrow.int64(), "decimal": pyarrow.decimal128(38, 0)}.get(self.value, pyarrow.float64())

    @property
    def room(self) -> str:
        """What too large a number does not fit in."""
        return {"int64": "64 bits", "decimal": "38 digits"}.get(self.value, "a double")


def integers_of(name: str) -> Integers:
    """The one of that name; OptionError: there is none."""
    names = [one.value for one in Integers]
    if name not in names:
        raise OptionError(f"totals are {', '.join(names[:-1])} or {names[-1]}, not {name!r:.80}")
    return Integers(name)
