"""The types of the columns of texts, which a run that goes on reads as the run before it did.

They are inferred from the first rows: when there are more of these, what was malformed could make other types, and then
be an event, so that others would no longer have the numbers by which a run passes over what it was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow

from spaseq.errors import SnapshotError
from spaseq.sources.tables.csv import CsvSource
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.source import TableSource
from spaseq.sources.tables.types import remembered, types_read, types_stored

Kinds = dict[str, pyarrow.DataType]


class KnownTypes:
    """Those of the tables of a stream, by name; ``stored`` are what an earlier run had.

    SnapshotError: what is stored is damaged.
    """

    def __init__(self, stored: Mapping[str, bytes]) -> None:
        self.has_left_out = False  # rows
        self._known = {name: _read(data) for name, data in stored.items()}
        self._open: dict[str, CsvSource | JsonSource] = {}

    def of(self, name: str) -> Kinds:
        """Those of a table; none where they are not known."""
        return self._known.get(name, {})

    def keep(self, name: str, kinds: Kinds) -> None:
        """A table has these; those that it had before stay."""
        if both := kinds | self.of(name):
            self._known[name] = both

    @contextmanager
    def reading(self, name: str, source: TableSource) -> Iterator[None]:
        """Within, the rows of a table are read, in the types that are known of it."""
        if not isinstance(source, CsvSource | JsonSource):
            yield
            return
        source.begin_as(self.of(name))
        self._open[name] = source
        try:
            yield
        finally:
            self._keep_of(name, source)
            self._open.pop(name, None)

    def stored(self) -> dict[str, bytes]:
        """All that are known by now, to be kept."""
        for name, source in self._open.items():
            self._keep_of(name, source)
        return {name: types_stored(kinds) for name, kinds in self._known.items()}

    def _keep_of(self, name: str, source: CsvSource | JsonSource) -> None:
        self.keep(name, remembered(source.kinds, self.has_left_out))


def _read(data: bytes) -> Kinds:
    try:
        schema = types_read(data)
    except ValueError as error:
        raise SnapshotError(f"types of columns cannot be read: {error}") from None
    return {field.name: field.type for field in schema}
