"""What the header of a snapshot must look like before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from spaseq.errors import SnapshotError
from spaseq.snapshots.shapes import CLOCK, COUNT, DURATION, TIME, AnyNames, IntegerRange, Shape, misfits

SCOPE = IntegerRange(most=2**64 - 1)  # of an event's blank nodes
STREAMSET: dict[str, Shape] = {
    "iris": [str], "strict": bool, "queries": [str], "advanced": TIME, "finished": bool, "first_name": COUNT,
    "names": [str], "waiting": [str],
}  # fmt: skip
QUERY: Shape = {
    "name": str, "fingerprint": str,
    "counters": {
        "results": COUNT, "newest": TIME, "evaluated": AnyNames(COUNT), "max_results": COUNT, "over": bool, "new": bool,
    },
}  # fmt: skip
HEADER: dict[str, Shape] = {
    "background": str, "lateness": DURATION, "origins": COUNT, "scopes": AnyNames(SCOPE), "queries": [QUERY],
    "clocks": [CLOCK], "streamsets": [STREAMSET], "skipped": AnyNames((COUNT, str)),
}  # fmt: skip

# Up to version 8 the events that wait are in the header, and skipped rows are not counted.
OLD_WAITING: Shape = {"stream": str, "events": [(TIME, SCOPE, str, str)]}
OLD_HEADER: dict[str, Shape] = {
    **{name: shape for name, shape in HEADER.items() if name != "skipped"},
    "streamsets": [{**STREAMSET, "waiting": [OLD_WAITING]}],
}
WITH_COLUMNS = 9  # the first version that has waiting events as columns


def check_header(header: Any, version: int) -> None:
    """SnapshotError if a value is missing, of another type or out of range, or names do not fit each other."""
    shape = HEADER if version >= WITH_COLUMNS else OLD_HEADER
    for problem in chain(misfits(header, shape, "header"), _inconsistent(header)):
        raise SnapshotError(f"the snapshot is damaged: {problem}")


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
        waiting = [one if isinstance(one, str) else one["stream"] for one in streamset["waiting"]]
        if not iris or len(set(iris)) < len(iris) or not set(waiting) <= set(iris) or len(set(waiting)) < len(waiting):
            yield "events wait for a stream that is none of theirs"
