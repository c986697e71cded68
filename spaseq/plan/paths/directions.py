"""From where paths are searched for."""

from __future__ import annotations

from spaseq.pattern.paths import PathQuery, Restrictor, SelectorKind

FEW_ENDS = 4  # nodes of TO for each of which a search of its own is worth it


def goes_from_both_ends(query: PathQuery) -> bool:
    """Whether one shortest walk to each end is asked for, which is found from both ends at once if these are few."""
    is_one = query.selector.kind not in (SelectorKind.ALL, SelectorKind.ALL_SHORTEST) and query.selector.count == 1
    return is_one and query.restrictor is Restrictor.WALK and bool(query.ends)
