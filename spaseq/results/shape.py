"""What the tables of one query agree on when they become frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow


class ResultShape:
    """The GPMs whose events a match may have, and the types of columns: of each, that of the first table with a value.

    So all tables of a query have one schema.
    """

    def __init__(self, gpms: Iterable[str]) -> None:
        self.gpms = tuple(dict.fromkeys(gpms))
        self.types: dict[str, pyarrow.DataType] = {}
