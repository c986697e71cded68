"""What the state of one engine of a streaming job says of its log of events."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from spaseq.errors import SnapshotError
from spaseq.streams.timestamps import LEAST

FORMAT = 1
MILLISECOND = 1000  # µs
PARTITIONS, BUCKETS = "the number of partitions", "the number of buckets"  # in the identity of a job
MOST_TOKENS = 64  # of past batches; an engine that is further behind is made anew


@dataclass(frozen=True, slots=True)
class LogEntry:
    """The events that one batch added to the log, or a snapshot of the engine before all later ones.

    ``last`` is the latest time of the ``events`` (µs), ``size`` how many bytes they take.
    """

    number: int
    last: int
    events: int
    size: int
    is_snapshot: bool = False


@dataclass(frozen=True, slots=True)
class Meta:
    """``watermark`` is what the engine was promised (µs); ``following`` is the number of the next entry.

    ``tokens`` are random names of the last batches, the newest at the end, each with the number that followed then.
    ``identity`` tells the job from others.  ``timers`` (milliseconds) are those that are set; None: an earlier version
    wrote the state, which did not say.
    """

    identity: Mapping[str, str]
    watermark: int = LEAST
    entries: tuple[LogEntry, ...] = ()
    following: int = 0
    tokens: tuple[tuple[str, int], ...] = field(default=())
    timers: tuple[int, ...] | None = ()

    @property
    def token(self) -> str | None:
        """The name of the last batch; None before the first."""
        return self.tokens[-1][0] if self.tokens else None

    def done(self) -> Meta:
        """The state after one more batch, which gets a name of its own."""
        oldest = self._oldest_whole
        useful = [one for one in self.tokens if one[1] >= oldest]
        return replace(self, tokens=(*useful, (secrets.token_hex(8), self.following))[-MOST_TOKENS:])

    @property
    def _oldest_whole(self) -> int:
        """The number from which on the log has the events of all entries: an engine that is behind may catch up."""
        there = {entry.number for entry in self.entries if not entry.is_snapshot}
        number = self.following
        while number - 1 in there:
            number -= 1
        return number

    def added(self, last: int, events: int, size: int) -> Meta:
        """With one more entry of so many events."""
        entries = (*self.entries, LogEntry(self.following, last, events, size))
        return replace(self, entries=entries, following=self.following + 1)

    def needed(self, since: int) -> Meta:
        """Without the entries of which no event matters any more."""
        return replace(self, entries=tuple(one for one in self.entries if one.last >= since))

    def until(self, due: int | None) -> Meta:
        """With the one timer for what is due next (µs), behind the watermark."""
        if due is None:
            return replace(self, timers=())
        following = self.watermark // MILLISECOND + 1 if self.watermark > LEAST else 1
        return replace(self, timers=(max(-(-due // MILLISECOND), following),))

    def to_bytes(self) -> bytes:
        """As JSON, with the number of the format."""
        return json.dumps({"format": FORMAT, **asdict(self)}, separators=(",", ":")).encode()

    @staticmethod
    def from_bytes(data: bytes, identity: Mapping[str, str], free: Collection[str] = ()) -> Meta:
        """What ``to_bytes`` gave; SnapshotError: another version wrote it, or it is of another job.

        What is ``free`` of the identity may have changed: then no engine that is alive has this state.
        """
        try:
            found: dict[str, Any] = json.loads(data)
            version = found.pop("format")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise SnapshotError("the state of the checkpoint is damaged") from None
        if version != FORMAT:
            raise SnapshotError(f"the checkpoint has format {version}; this version of SPAseq reads format {FORMAT}")
        changed = _changed(found["identity"], identity, free)
        entries = tuple(LogEntry(**one) for one in found["entries"])
        tokens = tuple((name, number) for name, number in found["tokens"])
        timers = found.get("timers")
        known = None if timers is None else tuple(timers)
        meta = Meta(identity, found["watermark"], entries, found["following"], tokens, known)
        return replace(meta, tokens=()).done() if changed else meta


def is_of(data: bytes, identity: Mapping[str, str], free: Collection[str]) -> bool:
    """Whether a state is of the job with this identity, but for what is free of it."""
    known: dict[str, str] = json.loads(data)["identity"]
    return all(known.get(name) == identity.get(name) for name in [*known, *identity] if name not in free)


def _changed(known: Mapping[str, str], given: Mapping[str, str], free: Collection[str]) -> bool:
    """Whether an identity is another one; SnapshotError: in something that is not free."""
    changed = [name for name in {**given, **known} if known.get(name) != given.get(name)]
    for name in changed:
        if name not in free:
            raise SnapshotError(f"the checkpoint is of another job: {_told(name, known, given)}")
    return bool(changed)


def _told(name: str, known: Mapping[str, str], given: Mapping[str, str]) -> str:
    """What changed: of numbers, from which to which."""
    if name not in (PARTITIONS, BUCKETS):
        return f"{name} changed"
    hint = " (spark.sql.shuffle.partitions)" if name == PARTITIONS else ""
    return f"{name} changed from {known.get(name)} to {given.get(name)}{hint}"
