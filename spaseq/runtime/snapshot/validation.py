"""Validation of a snapshot: what must hold before anything is made of it, and that the same queries are given again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeAlias, TypeVar

from spaseq.errors import SnapshotError


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """An integer from ``least`` to ``most``."""

    least: int = 0
    most: int = 2**63 - 1


@dataclass(frozen=True, slots=True)
class AnyNames:
    """An object with keys of any names, and values of one shape."""

    value: Shape


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value of an object that need not be there."""

    value: Shape


Shape: TypeAlias = (
    "IntegerRange | AnyNames | Maybe | type[str] | type[bool] | type[bytes] | type[float]"
    " | list[Shape] | tuple[Shape, ...] | dict[str, Shape]"
)

COUNT, DURATION, TIME = IntegerRange(most=2**62), IntegerRange(), IntegerRange(-(2**63))  # what is counted goes on
CLOCK: Shape = {
    "iri": str, "watermark": TIME, "newest": TIME, "events": COUNT, "late": COUNT, "closed": bool, "first_late": str,
    "lateness_needed": IntegerRange(most=2**65),
}  # fmt: skip


def misfits(value: Any, shape: Shape, path: str) -> Iterator[str]:
    """Where a JSON value, which may have bytes in it, is not of a shape."""
    if isinstance(shape, IntegerRange):
        if type(value) is not int or not shape.least <= value <= shape.most:
            yield f"{path} is no number that it can be"
    elif isinstance(shape, Maybe):
        yield from misfits(value, shape.value, path)
    elif isinstance(shape, type):
        if type(value) is not shape or (isinstance(value, float) and not isfinite(value)):
            yield f"{path} is no {shape.__name__}"
    elif isinstance(shape, list | tuple):
        yield from _misfits_of_list(value, shape, path)
    else:
        yield from _misfits_of_object(value, shape, path)


def _misfits_of_list(value: Any, shape: list[Shape] | tuple[Shape, ...], path: str) -> Iterator[str]:
    """A list has any number of values of one shape, a tuple one value of each."""
    if not isinstance(value, list) or (isinstance(shape, tuple) and len(value) != len(shape)):
        yield f"{path} is no list as it should be"
        return
    if shape == [str] and set(map(type, value)) <= {str}:
        return  # most of a header are names
    shapes = shape if isinstance(shape, tuple) else shape * len(value)
    for number, (one, its) in enumerate(zip(value, shapes, strict=True)):
        yield from misfits(one, its, f"{path}[{number}]")


def _misfits_of_object(value: Any, shape: AnyNames | Mapping[str, Shape], path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} is no object"
        return
    shapes = dict.fromkeys(value, shape.value) if isinstance(shape, AnyNames) else shape
    needed = {name for name, its in shapes.items() if not isinstance(its, Maybe)}
    if not needed <= value.keys() <= shapes.keys():
        yield f"{path} has other keys than it should"
        return
    for name, one in value.items():
        yield from misfits(one, shapes[name], f"{path}.{name}")


@contextmanager
def validated() -> Iterator[None]:
    """Within, a state is read, and nothing else: whatever goes wrong is a SnapshotError, but for a lack of memory.

    A snapshot may be damaged and its digest made anew, so anything can be wrong with it, be it called a stream, an
    option or a query.  What a user gives beside it (queries, functions, sources) is checked before.
    """
    try:
        yield
    except (SnapshotError, MemoryError):
        raise
    except Exception as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from error


Q = TypeVar("Q")


def queries_given(names: Sequence[str], queries: Iterable[Q] | Mapping[str, Q] | str) -> list[Q | str]:
    """The queries in the order of the snapshot's ``names``; SnapshotError: they are of others, or another number."""
    if isinstance(queries, Mapping):
        if set(queries) != set(names):
            raise SnapshotError(f"the snapshot is of the queries {_listed(names)}, not of {_listed(queries)}")
        return [queries[name] for name in names]
    given: list[Q | str] = [queries] if isinstance(queries, str) else list(queries)
    if len(given) != len(names):
        raise SnapshotError(f"the snapshot is of {len(names)} queries ({_listed(names)}), {len(given)} are given")
    return given


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f'"{name}"' for name in names) or "none"
