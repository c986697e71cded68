"""How many paths queries have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


class PathCounts(Mapping[str, int]):
    """How many paths each query has, by its name.

    ``complete`` is False if a budget ended the search: there are so many at least.  ``warnings`` name what the graph
    does not have.
    """

    def __init__(self, counts: Mapping[str, int], complete: bool, warnings: Sequence[str]) -> None:
        self._counts = dict(counts)
        self.complete = complete
        self.warnings = tuple(warnings)

    def __getitem__(self, name: str) -> int:
        return self._counts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def total(self) -> int:
        """Those of all queries together."""
        return sum(self._counts.values())

    def __repr__(self) -> str:
        return f"<{self._counts}{'' if self.complete else ', not all'}>"
