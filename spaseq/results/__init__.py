"""Results: matches as tables, projection and construction, and every format that they can be written in."""

from spaseq.results.match import DerivedEvent, Match, Microseconds
from spaseq.results.table import MatchTable

__all__ = ["DerivedEvent", "Match", "MatchTable", "Microseconds"]
