"""CSV that comes through a pipe, row by row."""

from __future__ import annotations

from typing import cast

import pyarrow

from spaseq.streams.incoming import Incoming
from spaseq.tuples.sources.csv import SAMPLE, CsvSource
from spaseq.tuples.sources.csv_rows import end_of_rows
from spaseq.tuples.sources.source import CsvFormat, cannot_read

_PAUSE = 0.05  # seconds without a byte after which types are inferred from the rows that are there


class LiveCsvSource(CsvSource):
    """CSV of a pipe: rows are given as soon as they are complete.

    A column has the type that is declared, or that of its values in the first rows: of a megabyte, or of what is there
    when the pipe pauses.
    """

    def __init__(self, incoming: Incoming, declared: dict[str, pyarrow.DataType], form: CsvFormat) -> None:
        super().__init__(incoming, declared, form)

    def _read_begin(self) -> tuple[bytes, bool]:
        """A megabyte, or what comes up to a pause behind the first row; and whether that is all."""
        begin, lines = b"", 2 if self._form.names is None else 1
        while len(begin) < SAMPLE and (data := self._read()):
            begin += data
            if begin[: end_of_rows(begin, self._form.delimiter)].count(b"\n") >= lines and cast(
                Incoming, self._file
            ).rests_for(_PAUSE):
                return begin, False
        return begin, len(begin) < SAMPLE

    def _read(self, size: int = SAMPLE) -> bytes:
        try:
            return cast(Incoming, self._file).read1(size)
        except (OSError, EOFError) as error:
            raise cannot_read(self._name, error) from None
