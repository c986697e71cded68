"""What may go wrong with a state that is believed in nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spaseq.errors import SnapshotError


@contextmanager
def doubted() -> Iterator[None]:
    """Within, a state is read, and nothing else: whatever goes wrong is a SnapshotError, but for a lack of memory.

    A snapshot may be damaged and its digest made anew, so anything can be wrong with it, be it called a stream, an
    option or a query.  What a user gives beside it (queries, functions, sources) is checked before.
    """
    try:
        yield
    except (SnapshotError, MemoryError):
        raise
    except Exception as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from error
