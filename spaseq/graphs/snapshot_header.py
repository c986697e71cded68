"""What the header of a snapshot has, and whether its parts fit each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from spaseq.errors import SnapshotError
from spaseq.runtime.shed import SHED
from spaseq.runtime.snapshot.validation import (
    CLOCK,
    COUNT,
    DURATION,
    TIME,
    AnyNames,
    IntegerRange,
    Maybe,
    Shape,
    misfits,
)

SCOPE = IntegerRange(most=2**64 - 1)  # of an event's blank nodes
INPUT_STATE: dict[str, Shape] = {
    "iris": [str], "strict": bool, "queries": [str], "advanced": TIME, "finished": bool, "first_name": COUNT,
    "names": [str], "waiting": [str],
}  # fmt: skip
COUNTERS: Shape = {
    "results": COUNT, "newest": TIME, "evaluated": AnyNames(COUNT), "max_results": COUNT, "over": bool, "new": bool,
    "shed": Maybe(SHED), "meter": Maybe({"work": COUNT, "dropped": COUNT, "units": COUNT, "is_short": bool}),
}  # fmt: skip
QUERY: Shape = {"name": str, "fingerprint": str, "counters": COUNTERS}
MEMBER: dict[str, Shape] = {
    "rows": [[[str]]], "places": [COUNT], "gone": [COUNT], "together": bool, "counters": COUNTERS, "age": COUNT,
}  # fmt: skip
FAMILY: dict[str, Shape] = {
    "queries": [str], "alike": [COUNT], "differs": [bool], "over": bool, "results": COUNT,
    "members": [{**MEMBER, "names": [str]}],
}  # fmt: skip
OLD_MEMBER: dict[str, Shape] = {"row": [[str]], "counters": COUNTERS, "age": COUNT}  # when each row ran by itself
HEADER: dict[str, Shape] = {
    "background": str, "lateness": DURATION, "origins": COUNT, "scopes": AnyNames(SCOPE), "queries": [QUERY],
    "clocks": [CLOCK], "streamsets": [INPUT_STATE], "skipped": AnyNames((COUNT, str)), "bounded": Maybe(bool),
}  # fmt: skip

# Up to version 8 the events that wait are in the header, and skipped rows are not counted.
OLD_WAITING: Shape = {"stream": str, "events": [(TIME, SCOPE, str, str)]}
OLD_HEADER: dict[str, Shape] = {
    **{name: shape for name, shape in HEADER.items() if name != "skipped"},
    "streamsets": [{**INPUT_STATE, "waiting": [OLD_WAITING]}],
}
WITH_COLUMNS = 9  # the first version that has waiting events as columns


def check_header(header: Any, version: int) -> None:
    """SnapshotError if a value is missing, of another type or out of range, or names do not fit each other."""
    shape = HEADER if version >= WITH_COLUMNS else OLD_HEADER
    if isinstance(header, dict) and "families" in header:
        shape = {**shape, "families": [FAMILY]}
    if isinstance(header, dict) and "given" in header:
        shape = {**shape, "given": AnyNames([OLD_MEMBER if _is_old(header["given"]) else MEMBER])}
    for problem in chain(misfits(header, shape, "header"), _inconsistent(header)):
        raise SnapshotError(f"the snapshot is damaged: {problem}")


def _is_old(given: Any) -> bool:
    members = [one for states in given.values() for one in states] if isinstance(given, dict) else []
    return any("row" in one for one in members if isinstance(one, dict))


def _inconsistent(header: Any) -> Iterator[str]:
    """Names in a header of the right shape that mean nothing, or two things."""
    clocks = [clock["iri"] for clock in header["clocks"]]
    queries = [query["name"] for query in header["queries"]]
    placed = [name for merged in header["streamsets"] for name in merged["queries"]]
    streams = {iri for merged in header["streamsets"] for iri in merged["iris"]}
    if len(set(clocks)) < len(clocks) or not streams <= set(clocks) or header["scopes"].keys() != set(clocks):
        yield "the streams do not fit each other"
    if len(set(queries)) < len(queries) or sorted(placed) != sorted(queries):
        yield "the queries do not fit their streams"
    if not header.get("given", {}).keys() <= set(queries):
        yield "there are rows of a query that is not there"
    members = [one for states in header.get("given", {}).values() for one in states if "rows" in one]
    for member in (*members, *(one for family in header.get("families", ()) for one in family["members"])):
        some = len(member["rows"])
        fit = some == len(member["places"]) and set(member["gone"]) < set(range(some))
        if not fit or (some > 1 and not member["together"]):
            yield "the rows of a query do not fit each other"
    yield from _inconsistent_families(header, set(queries))
    for merged in header["streamsets"]:
        iris = merged["iris"]
        waiting = [one if isinstance(one, str) else one["stream"] for one in merged["waiting"]]
        if not iris or len(set(iris)) < len(iris) or not set(waiting) <= set(iris) or len(set(waiting)) < len(waiting):
            yield "events wait for a stream that is none of theirs"


def _inconsistent_families(header: Any, queries: set[str]) -> Iterator[str]:
    families = header.get("families", ())
    named = [name for family in families for name in family["queries"]]
    if len(set(named)) < len(named) or not set(named) <= queries:
        yield "families have queries that are not there"
    over = {state["name"]: state["counters"]["over"] for state in header["queries"]}
    for family in families:
        running = [name for member in family["members"] for name in _standing(member)]
        if any(len(member["names"]) != len(member["rows"]) for member in family["members"]):
            yield "the rows of a family do not fit each other"
        elif not family["over"] and sorted(running) != sorted(name for name in family["queries"] if not over[name]):
            yield "the queries of a family do not fit its rows"


def _standing(member: Any) -> list[str]:
    """The names of rows that are not gone."""
    gone = set(member["gone"])
    return [name for rank, name in enumerate(member["names"]) if rank not in gone]
