"""How far back in time the results of a query reach."""

from __future__ import annotations

from spaseq.pattern.sequences import Window

LONG_AGO = -(2**63)  # microseconds: before every event


def earliest_start(window: Window, last: int) -> int:
    """The earliest first event of a match whose last event is at ``last`` or later (SEMANTICS 3.3), in microseconds.

    ``window`` is one in time.  That is also the earliest lower edge of a window whose upper edge is there or later, if
    it tumbles; of one that slides it is the earliest first event.
    """
    if window.sliding:
        return max(LONG_AGO, last - window.length)
    return max(LONG_AGO, window.origin - (window.origin - last) // window.length * window.length - window.length)


def windows_back(window: Window, decided_by_edge: bool, looks_back: bool, distinct: bool) -> int:
    """So many windows before a time lies all that matters for results that are decided then or later.

    A match that is decided with its last event began at most a window before, and what is negated before it is in that
    window.  One that waits for its upper edge may have ended a window before it; what is negated before its
    first event may then lie another window back, if the window slides (``looks_back``).  With DISTINCT it counts for
    nothing beside an equal row with the same last event, whose match may have begun a window earlier, and is decided.

    Partitions, groups of matches and HAVING change nothing: an event's keys are its own, and a group has the matches of
    one decision time.
    """
    return 2 if decided_by_edge and (distinct or (looks_back and window.sliding)) else 1
