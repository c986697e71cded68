"""Trees of counters (dicts and lists of integers) as one column of numbers, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.core.arrays import MOST


def numbers_of(tree: Any) -> NDArray[np.int64]:
    """The counters one after the other, those of dicts in the order of their names; texts are none."""
    return np.array(list(_numbers(tree)), np.int64)


def _numbers(tree: Any) -> Iterator[int]:
    if isinstance(tree, dict):
        for name in sorted(tree):
            yield from _numbers(tree[name])
    elif isinstance(tree, list):
        for one in tree:
            yield from _numbers(one)
    elif not isinstance(tree, str):
        yield int(tree)


def tree_of(numbers: NDArray[np.int64], like: Any) -> Any:
    """The tree of which ``numbers_of`` gave these, of the shape of another one; ValueError: they are another number."""
    left = iter(numbers.tolist())
    tree = _filled(like, left)
    if next(left, None) is not None:
        raise ValueError("there are more counters than there should be")
    return tree


def _filled(like: Any, left: Iterator[int]) -> Any:
    if isinstance(like, dict):
        found = {name: _filled(like[name], left) for name in sorted(like)}
        return {name: found[name] for name in like}
    if isinstance(like, list):
        return [_filled(one, left) for one in like]
    if isinstance(like, str):
        return like
    value = next(left, -1)
    if not 0 <= value <= MOST:
        raise ValueError("there are fewer counters than there should be, or one cannot be")
    return value
