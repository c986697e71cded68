"""What can be wrong with a query or its values."""

from __future__ import annotations


class PlanFault(Exception):  # noqa: N818
    """The query is none: types that do not meet, names that are not there, forms that are refused."""


class ValueFault(Exception):  # noqa: N818
    """An error of a value: overflow, division by zero, a cast that fails."""


class MatchFault(Exception):  # noqa: N818
    """AFTER MATCH SKIP TO finds no row, or the first row of the match."""


class SearchFault(Exception):  # noqa: N818
    """The search takes more steps than it may."""
