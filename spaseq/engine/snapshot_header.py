"""What the header of a snapshot must look like before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from spaseq.errors import SnapshotError


@dataclass(frozen=True, slots=True)
class Number:
    """An integer from ``least`` to ``most``."""

    least: int = 0
    most: int = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Named:
    """An object with keys of any names, and values of one shape."""

    value: Shape


Shape: TypeAlias = "Number | Named | type[str] | type[bool] | list[Shape] | tuple[Shape, ...] | dict[str, Shape]"

COUNT, TIME = Number(), Number(-(2**63))
SCOPE = Number(most=2**64 - 1)  # of an event's blank nodes
WAITING: Shape = {"stream": str, "events": [(TIME, SCOPE, str, str)]}
CLOCK: Shape = {
    "iri": str, "watermark": TIME, "newest": TIME, "events": COUNT, "late": COUNT, "closed": bool, "first_late": str,
    "lateness_needed": Number(most=2**65),
}  # fmt: skip
STREAMSET: Shape = {
    "iris": [str], "strict": bool, "queries": [str], "advanced": TIME, "finished": bool, "first_name": COUNT,
    "names": [str], "waiting": [WAITING],
}  # fmt: skip
QUERY: Shape = {
    "name": str, "fingerprint": str,
    "counters": {
        "results": COUNT, "newest": TIME, "evaluated": Named(COUNT), "max_results": COUNT, "over": bool, "new": bool,
    },
}  # fmt: skip
HEADER: Shape = {
    "background": str, "lateness": COUNT, "origins": COUNT, "scopes": Named(SCOPE), "queries": [QUERY],
    "clocks": [CLOCK], "streamsets": [STREAMSET],
}  # fmt: skip


def check_header(header: Any) -> None:
    """SnapshotError if a value is missing, of another type or out of range, or names do not fit each other."""
    for problem in chain(misfits(header, HEADER, "header"), _inconsistent(header)):
        raise SnapshotError(f"the snapshot is damaged: {problem}")


def misfits(value: Any, shape: Shape, path: str) -> Iterator[str]:
    """Where a JSON value is not of a shape."""
    if isinstance(shape, Number):
        if type(value) is not int or not shape.least <= value <= shape.most:
            yield f"{path} is no number that it can be"
    elif isinstance(shape, type):
        if type(value) is not shape:
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


def _misfits_of_object(value: Any, shape: Named | Mapping[str, Shape], path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} is no object"
        return
    shapes = dict.fromkeys(value, shape.value) if isinstance(shape, Named) else shape
    if value.keys() != shapes.keys():
        yield f"{path} has other keys than it should"
        return
    for name, one in value.items():
        yield from misfits(one, shapes[name], f"{path}.{name}")


def _inconsistent(header: Any) -> Iterator[str]:
    """Names in a header of the right shape that mean nothing, or two things."""
    clocks = [clock["iri"] for clock in header["clocks"]]
    queries = [query["name"] for query in header["queries"]]
    placed = [name for streamset in header["streamsets"] for name in streamset["queries"]]
    streams = {iri for streamset in header["streamsets"] for iri in streamset["iris"]}
    if len(set(clocks)) < len(clocks) or not streams <= set(clocks) or header["scopes"].keys() != set(clocks):
        yield "the streams do not fit each other"
    if len(set(queries)) < len(queries) or sorted(placed) != sorted(queries):
        yield "the queries do not fit their streams"
    for streamset in header["streamsets"]:
        iris = streamset["iris"]
        if not iris or len(set(iris)) < len(iris) or not {one["stream"] for one in streamset["waiting"]} <= set(iris):
            yield "events wait for a stream that is none of theirs"
