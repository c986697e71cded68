"""Times that are written in a form of their own, such as ``31.01.2026 09:30``, as timestamps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow

from spaseq.errors import Location, OptionError, QueryError, StreamError
from spaseq.tuples.columns.kinds import Kind, kind_of_type, shown
from spaseq.tuples.columns.usual import INSTANT
from spaseq.tuples.sources.source import Source

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class FormattedTimes:
    """A source in which the texts of the column ``name`` are read as times by ``form``, that of Python's ``strptime``.

    Times without a zone are in UTC.  OptionError: the form is none.  A text that does not have it is NULL if ``skip``,
    else a StreamError.
    """

    def __init__(self, source: Source, name: str, form: str, skip: bool) -> None:
        self._source = source
        self._name = name
        self._form = form
        self._skip = skip
        _check(form)

    @property
    def names(self) -> Sequence[str]:
        """Those of the source."""
        return self._source.names

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; QueryError if the times are no texts."""
        schema = self._source.choose(columns)
        place = schema.get_field_index(self._name)
        if place < 0:
            return schema
        type_ = schema.field(place).type
        if kind_of_type(type_) not in (Kind.TEXT, Kind.NULL):
            raise QueryError(f"the form {self._form} is for texts, but the time {self._name} is of type {shown(type_)}")
        return schema.set(place, pyarrow.field(self._name, INSTANT))

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first = 0
        for batch in self._source.batches():
            place = batch.schema.get_field_index(self._name)
            yield batch if place < 0 else batch.set_column(place, self._name, self._read(batch.column(place), first))
            first += batch.num_rows

    def place(self, row: int) -> Location:
        """Where the row is."""
        return self._source.place(row)

    def _read(self, texts: pyarrow.Array, first: int) -> pyarrow.Array:
        """The times, each distinct text read once."""
        coded = (
            texts if isinstance(texts, pyarrow.DictionaryArray) else texts.cast(pyarrow.string()).dictionary_encode()
        )
        known = coded.dictionary.to_pylist()
        times = [_microseconds(text, self._form) for text in known]
        found = pyarrow.array(times, pyarrow.int64()).take(coded.indices).cast(INSTANT)
        if not self._skip and found.null_count > texts.null_count:
            row = int(np.argmax(found.is_null().to_numpy(False) & texts.is_valid().to_numpy(False)))
            message = f"the time {self._name} is '{texts[row]}', which is not of the form {self._form}"
            raise StreamError(message, self.place(first + row), hint="events without a proper time can be skipped")
        return found


def _microseconds(text: str | None, form: str) -> int | None:
    if text is None:
        return None
    try:
        time = datetime.strptime(text, form)
    except ValueError:
        return None
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def _check(form: str) -> None:
    """OptionError for what no text can have: Python says so before it looks at the text."""
    try:
        datetime.strptime("", form)
    except ValueError as error:
        if "does not match" not in str(error):
            raise OptionError(f"{form} is no form of times: {error}") from None
    except re.error:
        raise OptionError(f"{form} is no form of times: a part of it comes twice") from None
