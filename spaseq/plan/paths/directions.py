"""From where paths are searched for."""

from __future__ import annotations

from spaseq.pattern.paths import PathQuery, Restrictor, SelectorKind

FEW_ENDS = 4  # nodes of TO for each of which a search of its own is worth it, for a walk
FEW_ENDS_OF_PATHS = 64  # the same for paths under a restrictor, which cost more from the starts alone


def goes_from_both_ends(query: PathQuery) -> bool:
    """Whether one walk, or the shortest paths under a restrictor, to each end are asked for: these are found from both
    ends if there are at most ``few_ends``."""
    is_restricted = query.restrictor is not Restrictor.WALK and query.selector.kind is not SelectorKind.ALL
    return bool(query.ends) and (query.has_one_walk_each or is_restricted)


def few_ends(query: PathQuery) -> int:
    """How many ends are few."""
    return FEW_ENDS if query.restrictor is Restrictor.WALK else FEW_ENDS_OF_PATHS
