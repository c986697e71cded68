import numpy
from numpy.typing import NDArray

def running_sums(values: NDArray[numpy.int64], begins: NDArray[numpy.uint8]) -> NDArray[numpy.int64]:
    """The sum up to each value, from where the last match ``begins``; OverflowError has the place of one too large."""

def running_real_sums(values: NDArray[numpy.float64], begins: NDArray[numpy.uint8]) -> NDArray[numpy.float64]:
    """The same of real numbers, added in their order."""

def running_least(ranks: NDArray[numpy.uint64], begins: NDArray[numpy.uint8]) -> NDArray[numpy.int64]:
    """The place of the least rank up to each, from where the last match ``begins``; the first of those that are equal."""

def navigated(
    labels: NDArray[numpy.uint16], members: NDArray[numpy.uint8], begins: NDArray[numpy.int64],
    until: NDArray[numpy.int64], offset: int, first: bool,
) -> NDArray[numpy.int64]:  # fmt: skip
    """Of each row the label that is ``offset`` from the first, or the last, one of ``members``; -1: there is none.

    Those count from ``begins`` up to ``until``.  Rows of one match come together, in the order of ``until``.
    """
