"""Workloads of rows, for CEQL: one table, written as CSV or Parquet."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from spaseq.datasets.commands import shown
from spaseq.datasets.workload import DEFAULT_EVENTS, EXAMPLES
from spaseq.errors import OptionError

if TYPE_CHECKING:
    import pyarrow


TABLE_FORMATS = ("csv", "parquet")


@dataclass(frozen=True, slots=True)
class Table:
    """A source of rows for the example queries in CEQL; it needs pyarrow.

    ``generate`` takes a seed and yields batches of rows by time, for ever.  ``query_names`` are paths within
    ``examples/``, ``options`` what ``spaseq tuples`` has to be told of the columns.
    """

    name: str
    description: str
    query_names: tuple[str, ...]
    options: tuple[str, ...]
    generate: Callable[[int], Iterator[pyarrow.RecordBatch]]

    @property
    def queries(self) -> tuple[Path, ...]:
        """The example queries for this table; empty where ``examples/`` is not at hand (an installed wheel)."""
        return tuple(path for path in (EXAMPLES / name for name in self.query_names) if path.is_file())

    def batches(self, events: int | None = None, seed: int = 0) -> Iterator[pyarrow.RecordBatch]:
        """The first ``events`` rows.  Equal arguments give equal rows, and fewer rows are a prefix of more.

        OptionError if ``events`` is negative.
        """
        left = DEFAULT_EVENTS if events is None else events
        if left < 0:
            raise OptionError(f"the number of events must not be negative: {events}")
        for batch in self.generate(seed):
            yield batch.slice(0, left)
            left -= min(left, batch.num_rows)
            if not left:
                return

    def write(self, directory: Path, events: int | None = None, seed: int = 0, format: str = "csv") -> dict[str, Path]:
        """Write the rows (``csv`` or ``parquet``) into ``directory``, made if absent; gives the file by its name.

        OptionError without pyarrow.
        """
        open_writer = _writers()[format]
        rows = self.batches(events, seed)
        first = next(rows)
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{self.name}.{format}"
        with path.open("wb") as file, open_writer(file, first.schema) as writer:
            for batch in chain([first], rows):
                writer.write_batch(batch)
        return {self.name: path}

    def command(self, query: Path, files: dict[str, Path]) -> str:
        """The command line that runs ``query``, one of ``queries``, over the file that ``write`` gave."""
        return shlex.join(["spaseq", "tuples", shown(query), "--events", shown(files[self.name]), *self.options])


def _writers() -> dict[str, Callable[[Any, Any], Any]]:
    """What opens a writer of record batches, by format."""
    try:
        from pyarrow import csv, parquet
    except ImportError as error:
        raise OptionError("tables need pyarrow; install it with: pip install 'spaseq[arrow]'") from error

    def as_csv(file: BinaryIO, schema: Any) -> Any:
        file.write((",".join(schema.names) + "\n").encode())  # Arrow would quote the names
        return csv.CSVWriter(file, schema, write_options=csv.WriteOptions(include_header=False, quoting_style="none"))

    return {"csv": as_csv, "parquet": parquet.ParquetWriter}
