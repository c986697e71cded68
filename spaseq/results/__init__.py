"""Results: matches as tables, projection and construction, and every format that they can be written in."""

from spaseq.results.table import DerivedEvent, Match, MatchTable, Microseconds

__all__ = ["DerivedEvent", "Match", "MatchTable", "Microseconds"]
