"""Where in a query a parser stopped."""

from __future__ import annotations

from spaseq.languages.slip import Slip


class QuerySlip(Slip):
    """A slip in a query, and where in the query it is."""

    __slots__ = ()

    @property
    def in_sequence(self) -> bool:
        """Within SEQ( … )."""
        return "SEQ" in self.terminals

    @property
    def in_pattern(self) -> bool:
        """Within the braces of a GPM."""
        return "DEFINE" in self.terminals and "LBRACE" in self.terminals[self.terminals.index("DEFINE") :]
