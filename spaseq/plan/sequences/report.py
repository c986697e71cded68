"""A matcher's counters in the words of its query, and from them why nothing matched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Counters = dict[str, Any]


def report(
    description: Counters, counters: Counters, came: Mapping[str, int], evaluated: Mapping[int, int]
) -> Counters:
    """The counters of ``Matcher.statistics`` by GPM, transition and state of a described plan.

    ``came`` is the number of events of each stream that the query saw, ``evaluated`` on how many of them each atom was
    evaluated that is not evaluated on all.  ``aggregates`` over matches are ``totals``, or ``enumerated`` since the
    data made that necessary.  ``why`` has sentences if there is no result.
    """
    passed = _passed(description, counters)
    found = {
        "results": counters["results"],
        "events": counters["events"],
        "gpms": dict(_atoms(description, counters, came, evaluated)),
        "transitions": [_transition(*pair) for pair in _pairs(description, counters, "transitions")],
        "states": [
            _state(*pair, passed.get(pair[0]["number"], 0))
            for pair in _pairs(description, counters, "states")
            if pair[0]["role"] in ("waiting", "complete")
        ],
        "nodes": counters["nodes"],
        "stored_events": counters["stored_events"],
    }
    way = {key: counters[key] for key in ("aggregates", "partitions", "segments") if key in counters}
    return found | way | {"why": list(_why(found)) or list(_else(found, "partitions" in way))}


def _pairs(description: Counters, counters: Counters, key: str) -> Iterator[tuple[Counters, Counters]]:
    return zip(description[key], counters[key], strict=False)  # transitions that take away are not described


def _passed(description: Counters, counters: Counters) -> Counters:
    """How many groups the next event of their partition took away, by state."""
    ways = counters["transitions"][len(description["transitions"]) :]
    found: Counters = {}
    for state, way in zip(description["taken_away_from"], ways, strict=True):
        found[state] = found.get(state, 0) + way["pairs"]
    return found


def _atoms(
    description: Counters, counters: Counters, came: Mapping[str, int], evaluated: Mapping[int, int]
) -> Iterator[tuple[str, Counters]]:
    for number, (atom, matched) in enumerate(zip(description["atoms"], counters["atoms"], strict=True)):
        found = {"stream": atom["stream"], "events": came.get(atom["stream"], 0), "matched": matched}
        yield atom["name"], found | ({"evaluated": evaluated[number]} if number in evaluated else {})


def _transition(described: Counters, counted: Counters) -> Counters:
    return {key: described[key] for key in ("from", "to", "picks", "join", "filters")} | counted


def _state(described: Counters, counted: Counters, passed: int) -> Counters:
    dropped = {"dropped_by_contiguity": counted["dropped_by_contiguity"] + passed}
    return {key: described[key] for key in ("number", "operator", "live")} | counted | dropped


def _why(found: Counters) -> Iterator[str]:
    """The first things that a person would look at."""
    if found["results"]:
        return
    for name, atom in found["gpms"].items():
        if not atom["events"]:
            yield f"no event came on <{atom['stream']}>, which {name} reads"
        elif not atom.get("evaluated", 1):
            yield f"none of the {atom['events']} events of <{atom['stream']}> came when {name} could have mattered"
        elif not atom["matched"]:
            asked = f"{atom['evaluated']} that could matter of the " if "evaluated" in atom else ""
            yield f"{name} matched none of the {asked}{atom['events']} events of <{atom['stream']}>"
    yield from (reason for one in found["transitions"] if not one["fired"] for reason in _stuck(one))
    for state in found["states"]:
        if state["dropped_by_contiguity"]:
            count = state["dropped_by_contiguity"]
            yield f"strict contiguity dropped {count} groups of partial matches in state {state['number']}"
        if state["dropped_by_negation"]:
            yield f"negated events dropped {state['dropped_by_negation']} groups in state {state['number']}"
        if state["expired"]:
            yield f"the window closed over {state['expired']} groups of partial matches in state {state['number']}"


def _else(found: Counters, by_partition: bool) -> Iterator[str]:
    """What is left where no counter tells more."""
    if not found["results"]:
        where = "partition and window" if by_partition else "window"
        yield f"each GPM matched events, but no events of one {where} follow each other as SEQ says"


def _stuck(transition: Counters) -> Iterator[str]:
    """Why a transition that was tried never fired."""
    picks = f"of {transition['offered']} events that matched {transition['picks']}"
    if transition["filter_failed"]:
        yield f"{picks}, {transition['filter_failed']} failed the filter {'; '.join(transition['filters'])}"
    if transition["join_failed"]:
        yield f"{picks}, {transition['join_failed']} joined no partial match on {' '.join(transition['join'])}"
