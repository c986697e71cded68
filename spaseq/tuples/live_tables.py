"""Tables that may fall silent, and those that come in messages: what is waited for, and where reading them goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow

from spaseq.runtime.live import Awaited
from spaseq.runtime.message_sources import PartitionState, opened_partitions
from spaseq.sources.incoming import Incoming
from spaseq.sources.tables.csv import CsvSource
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.message_rows import MessageRows, only_partition
from spaseq.sources.tables.opening import FileReading, followed, messages_of, opened_as
from spaseq.sources.tables.several import FilesInTurn
from spaseq.sources.tables.source import LeftOut, TableSource
from spaseq.sources.tables.types import remembered
from spaseq.sources.transports.transport import Transport

_Inferred = CsvSource | JsonSource | FilesInTurn


@dataclass(frozen=True, slots=True)
class Before:
    """What an earlier run had of streams, by name: the partitions of messages, and the types of columns in texts."""

    partitions: Mapping[str, Mapping[str, PartitionState]]
    types: Mapping[str, Mapping[str, pyarrow.DataType]]


@dataclass(frozen=True, slots=True)
class OpenTable:
    """The rows of a stream; what they wait for, None: nothing; the messages that they come in, None: in none."""

    rows: TableSource
    left_out: LeftOut | None
    incoming: Awaited | None = None
    messages: MessageRows | None = None

    @property
    def types(self) -> dict[str, pyarrow.DataType]:
        """Those of columns in texts, which later rows need not tell; none where they come with the rows."""
        if self.messages is not None:
            return {field.name: field.type for field in self.messages.types}
        kinds = self.rows.kinds if isinstance(self.rows, _Inferred) else {}
        return remembered(kinds, self.left_out is not None and self.left_out.count > 0)

    def state(self) -> dict[str, PartitionState]:
        """How far messages are worked out, by the name of their partition."""
        if self.messages is None:
            return {}
        partition = self.messages.partition
        return {partition.name: PartitionState(partition.state(partition.arrivals.position))}

    def release(self) -> None:
        """Messages that are worked out need not come again."""
        if self.messages is not None:
            partition = self.messages.partition
            partition.release(partition.arrivals.position)

    def close(self) -> None:
        """Receive no further messages."""
        if self.messages is not None:
            self.messages.partition.arrivals.close()

    @property
    def dropped(self) -> int:
        """Messages that nobody got, because reading was too slow."""
        return 0 if self.messages is None else self.messages.partition.dropped


def opened_table(
    stream: str, data: Any, reading: FileReading, left_out: LeftOut | None, before: Before | None
) -> OpenTable:
    """The table ``data`` (as of ``piped``) of a stream.

    Errors as of ``open_source``; OptionError: messages are in several partitions, or in others than before.
    """
    if (transport := messages_of(data)) is not None:
        rows = _messages(stream, transport, reading, before)
        return OpenTable(rows, left_out, rows.partition.arrivals, rows)
    incoming = data if isinstance(data, Incoming) else None
    if incoming is not None:
        reading = reading._replace(tells_pauses=True)
    source = followed(incoming, reading) if incoming and incoming.source.goes_on else opened_as(data, reading)
    if before is not None and isinstance(source, _Inferred):
        source.begin_as(before.types.get(stream, {}))
    return OpenTable(source, left_out, incoming)


def _messages(stream: str, transport: Transport, reading: FileReading, before: Before | None) -> MessageRows:
    """The rows of messages, as far as they need to be read to know their types."""
    found = opened_partitions(transport, None if before is None else before.partitions.get(stream, {}))
    rows = MessageRows(only_partition(transport, found), reading.types, reading.csv, reading.leave_out)
    if before is not None and (types := before.types.get(stream)):
        rows.begin_as(pyarrow.schema(list(types.items())))
        return rows
    for _ in rows.begin():
        pass
    return rows
