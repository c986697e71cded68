"""The queries that are given again, beside those of a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from spaseq.errors import SnapshotError

Q = TypeVar("Q")


def matched(names: Sequence[str], queries: Iterable[Q] | Mapping[str, Q] | str) -> list[Q | str]:
    """The queries in the order of the snapshot's ``names``; SnapshotError: they are of others, or another number."""
    if isinstance(queries, Mapping):
        if set(queries) != set(names):
            raise SnapshotError(f"the snapshot is of the queries {_listed(names)}, not of {_listed(queries)}")
        return [queries[name] for name in names]
    given: list[Q | str] = [queries] if isinstance(queries, str) else list(queries)
    if len(given) != len(names):
        raise SnapshotError(f"the snapshot is of {len(names)} queries ({_listed(names)}), {len(given)} are given")
    return given


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f'"{name}"' for name in names) or "none"
