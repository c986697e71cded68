import numpy
from numpy.typing import NDArray

def running_sums(values: NDArray[numpy.int64], begins: NDArray[numpy.uint8]) -> NDArray[numpy.int64]:
    """The sum up to each value, from where the last match ``begins``; OverflowError has the place of one too large."""

def running_real_sums(values: NDArray[numpy.float64], begins: NDArray[numpy.uint8]) -> NDArray[numpy.float64]:
    """The same of real numbers, added in their order."""

def running_least(ranks: NDArray[numpy.uint64], begins: NDArray[numpy.uint8]) -> NDArray[numpy.int64]:
    """The place of the least rank up to each, from where the last match ``begins``; the first of those that are equal."""
