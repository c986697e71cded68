"""Sources of tuples that are read to their end, as the events of queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from spaseq.streams.losses import Loss, counted, were
from spaseq.tuples.columns.agreed import Columns
from spaseq.tuples.columns.merge import common_types
from spaseq.tuples.core import Core, Query, about_query
from spaseq.tuples.encoding.encoded import Roles, check_roles, check_text_column, existing, type_column_of
from spaseq.tuples.encoding.setting import Setting
from spaseq.tuples.encoding.timed import Timed
from spaseq.tuples.encoding.times import Clock
from spaseq.tuples.prepared import Prepared
from spaseq.tuples.streams import Streams
from spaseq.tuples.streamset import Found


@dataclass(frozen=True, slots=True)
class Feed:
    """The events of sources on their way to queries; each stream by its name, one that has none by ""."""

    core: Core
    timed: Mapping[str, Timed]

    @property
    def skipped(self) -> int:
        """Events that were left out so far because their times were wrong."""
        return sum(timed.skipped for timed in self.timed.values())

    def losses(self, name: str) -> list[Loss]:
        """What no match of a query can have so far: events that were left out, are in no partition, or in no window."""
        lost, skipped = [], self.skipped
        query = self.core.queries[name]
        if skipped:
            first = next(timed.first for timed in self.timed.values() if timed.skipped)
            came = 0 if query.streamset is None else query.streamset.events
            cause = f"{skipped:,} of the {counted(came + skipped)} {were(skipped)} left out"
            lost.append(Loss(f"{cause}, whose time falls or is missing", "sort them by time", first))
        if query.streamset is not None and query.entry is not None:
            lost += query.streamset.losses(query.entry)
        return lost

    def results(self) -> Iterator[Found]:
        """What the core's step makes of all events, read as results are asked for."""
        core, open_ = self.core, {stream: iter(timed) for stream, timed in self.timed.items()}
        has_times = core.setting.time is not None
        while open_:
            stream = min(open_, key=lambda name: core.clock(name).watermark)
            clock, pair = core.clock(stream), next(open_[stream], None)
            if pair is None:
                del open_[stream]
                clock.close()
            else:
                times, batch = pair
                clock.events += len(times)
                core.take(stream, times if has_times else None, batch)
                if has_times:
                    clock.promise(int(times[-1]))
            core.settle()
            yield from core.results()


def fed(queries: Mapping[str, Prepared], streams: Streams, everything: bool = False) -> Feed:
    """What feeds these queries from streams; with ``everything`` all columns are read, and remembered.

    QueryError, OptionError: a query makes no sense for the columns that there are.
    """
    setting, reading = streams.setting, streams.reading
    core = Core(setting, Columns({}))
    for name, prepared in queries.items():
        with about_query(name):
            core.add(Query(name, prepared, everything))
    needed = _needed(queries, streams, everything)
    schemas = {
        stream: source.choose([name for name in needed if name in source.names])
        for stream, source in streams.sources.items()
    }
    core.columns.learn(common_types(needed, schemas))
    _check_texts(setting, core.columns)
    timed = {}
    for stream, source in streams.sources.items():
        clock = None if setting.time is None else Clock(setting.time, reading.unit, schemas[stream])
        timed[stream] = Timed(source, clock, reading.skip)
        core.clock(stream)
    for query in core.queries.values():
        core.start(query)
    return Feed(core, timed)


def _needed(queries: Mapping[str, Prepared], streams: Streams, everything: bool) -> tuple[str, ...]:
    """The columns that are read; OptionError, QueryError for one that is not there."""
    reading, names = streams.reading, streams.names
    roles = Roles(reading.type, reading.relation, None, reading.time, reading.unit, stream_column=reading.stream)
    if not streams.setting.has_names:
        check_roles(roles, names)
    own = [type_column_of(roles, names), reading.stream, reading.time]
    found = [*existing(own, names)]
    for name, prepared in queries.items():
        with about_query(name):
            found += existing([*own, *prepared.columns], names)
    return existing(names if everything else found, names)


def _check_texts(setting: Setting, columns: Columns) -> None:
    naming = setting.naming
    for name, role in ((naming.type_column, "types"), (naming.stream_column, "streams")):
        if name is not None:
            check_text_column(name, role, columns.schema)
