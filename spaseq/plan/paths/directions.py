"""From where paths are searched for."""

from __future__ import annotations

from spaseq.pattern.paths import PathQuery

FEW_ENDS = 4  # nodes of TO for each of which a search of its own is worth it


def goes_from_both_ends(query: PathQuery) -> bool:
    """Whether one shortest walk to each end is asked for, which is found from both ends at once if these are few."""
    return query.has_one_walk_each and bool(query.ends)
