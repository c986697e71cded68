"""The words of path queries."""

from __future__ import annotations

SELECTORS = ("ALL", "ANY", "SHORTEST")
RESTRICTORS = ("WALK", "TRAIL", "ACYCLIC", "SIMPLE")
KEYWORDS = ("PREFIX", "BASE", "QUERY", "FROM", "TO", "LABEL", *SELECTORS, *RESTRICTORS, "PATHS", "NOT", "BACK", "START")
RESERVED = frozenset({"FROM", "TO", *SELECTORS, *RESTRICTORS})  # which are no names of queries
