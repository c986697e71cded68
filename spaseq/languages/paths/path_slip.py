"""Where in a path query a parser stopped."""

from __future__ import annotations

import re

from spaseq.languages.slip import Slip

_REPETITIONS = frozenset({"STAR", "PLUS", "QMARK", "RBRACE"})


class PathSlip(Slip):
    """A slip in a query, and where in the query it is."""

    __slots__ = ()

    @property
    def upper(self) -> str:
        """The word in capitals."""
        return self.word.upper()

    @property
    def is_end(self) -> bool:
        """Whether nothing follows, or the next query or declaration."""
        return not (self.word.strip() or self.after.strip()) or self.upper in ("QUERY", "PREFIX", "BASE")

    @property
    def is_touching(self) -> bool:
        """Whether no space is before the word."""
        return not self.before[-1:].isspace()

    @property
    def query(self) -> str:
        """The query so far, in capitals, behind its name."""
        return re.split(r"\bQUERY\s+\w+", self.all_before.upper())[-1]

    @property
    def in_query(self) -> bool:
        """Behind QUERY."""
        return "QUERY" in self.terminals

    @property
    def in_condition(self) -> bool:
        """Within ``[?x: … ]``."""
        return "LSQB" in self.terminals and self.terminals[-1:] != ("RSQB",)

    @property
    def in_bounds(self) -> bool:
        """Within ``{n,m}``."""
        return not self.in_condition and "LBRACE" in self.terminals and "RBRACE" not in self.terminals

    @property
    def in_nodes(self) -> bool:
        """Where FROM or TO needs a node."""
        return "LABEL" in self.expected

    @property
    def behind_nodes(self) -> bool:
        """Where another node, a selector, a restrictor or the expression may stand."""
        return {"COMMA", "RESTRICTOR"} <= self.expected

    @property
    def behind_step(self) -> bool:
        """Where a path may go on."""
        return "SLASH" in self.expected

    @property
    def before_step(self) -> bool:
        """Where a path has to go on, or to begin."""
        return "LSQB" in self.expected

    @property
    def is_repeated(self) -> bool:
        """Right behind a repetition."""
        return self.terminals[-1:] != () and self.terminals[-1] in _REPETITIONS
