"""Columns of numbers by their distinct ones, in one pass."""

import numpy as np
from numpy.typing import NDArray

def coded(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """uint64[d], int32[n]: the distinct numbers in the order in which they first come, and which of them each is."""
